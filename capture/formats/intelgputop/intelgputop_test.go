package intelgputop_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/intelgputop"
)

const period = `{"period":{"duration":500.0,"unit":"ms"},"frequency":{"requested":1200.0,"actual":1000.0,"unit":"MHz"},"interrupts":{"count":100.0,"unit":"irq/s"},` +
	`"rc6":{"value":10.0,"unit":"%"},"power":{"GPU":5.5,"Package":9.0,"unit":"W"},"imc-bandwidth":{"reads":100.0,"writes":50.0,"unit":"MiB/s"},` +
	`"engines":{"Render/3D/0":{"busy":80.0,"sema":0.0,"wait":0.0,"unit":"%"},"Video/0":{"busy":20.0,"unit":"%"},"Video/1":{"busy":90.0,"unit":"%"}},"clients":{}}`

const rows = "Freq MHz req,Freq MHz act,IRQ /s,RC6 %,Power W gpu,Power W pkg,IMC MiB/s rd,IMC MiB/s wr,RCS %,RCS se,RCS wa,VCS %,VCS se,VCS wa\n" +
	"1200,1000,100,10.00,5.5,9.0,100,50,80.00,0.00,0.00,90.00,0.00,0.00\n"

func open(t *testing.T, name, text string, opt formats.Options) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(intelgputop.Format{}).Open(context.Background(), path, opt)
}

func TestBothOutputsHaveTheCountersOfTheCatalogue(t *testing.T) {
	for name, text := range map[string]string{"log.json": "[\n" + period + ",\n" + period + "\n]\n", "older.json": period + "\n" + period, "log.csv": rows + rows} {
		c, err := open(t, name, text, formats.Options{Extra: map[string]any{"period": "500ms"}})
		if err != nil {
			t.Fatal(name, err)
		}
		if c.GPU != "intel-live" || c.Len() != 2 || c.Axis.End[1] != 1e9 {
			t.Errorf("%s: gpu %s, %d samples", name, c.GPU, c.Len())
		}
		for counter, want := range map[string]float64{"engine_render": 400e6, "engine_video": 450e6, "engine_busiest": 450e6, "rc6_time": 50e6, "frequency": 1e9,
			"frequency_requested": 1.2e9, "power_gpu": 5.5, "power_package": 9, "memory_read": 50 << 20, "memory_written": 25 << 20, "interrupts": 50} {
			if got := c.Counter(counter); got == nil || math.Abs(got.Col.Data().Float(1)-want) > 1e-6*want {
				t.Errorf("%s: %s is %v, want %g", name, counter, got, want)
			}
		}
		if c.Counter("engine_copy") != nil {
			t.Errorf("%s: nothing tells of copies", name)
		}
	}
}

func TestTheGPUThatAUserNamesChangesNoNames(t *testing.T) {
	c, err := open(t, "log.json", period, formats.Options{GPU: "intel-icl"})
	if err != nil || c.GPU != "intel-live" {
		t.Errorf("an Intel GPU: %v", err)
	}
	if _, err = open(t, "log.json", period, formats.Options{GPU: "mali-g720"}); err == nil || !strings.Contains(err.Error(), "mali-g720") {
		t.Errorf("another vendor's: %v", err)
	}
}

func TestWhatBreaksOffIsLeftOut(t *testing.T) {
	c, err := open(t, "log.json", "[\n"+period+",\n"+period[:90], formats.Options{})
	if err != nil || c.Len() != 1 || !strings.Contains(strings.Join(c.Warnings, " "), "line 3 breaks off") {
		t.Errorf("%v", err)
	}
	if c, err = open(t, "log.csv", rows+"1200,10", formats.Options{}); err != nil || c.Len() != 1 || !strings.Contains(strings.Join(c.Warnings, " "), "line 3 breaks off") {
		t.Errorf("%v", err)
	}
	for name, text := range map[string]string{"log.json": strings.Replace(period, "500.0", "-5", 1), "log.csv": strings.Replace(rows, "80.00", "x", 1)} {
		if _, err = open(t, name, text, formats.Options{}); err == nil || !strings.Contains(err.Error(), name+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add("[" + period + "," + period)
	f.Add(rows)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := open(t, "log", text, formats.Options{})
		if err != nil {
			return
		}
		for i := range c.Len() {
			if c.Axis.End[i] < c.Axis.Start[i] {
				t.Fatalf("sample %d ends before it starts", i)
			}
		}
	})
}
