package intelmeasure_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/intelmeasure"
)

// rows are as intel_measure.c writes them: the gap of the first is since the GPU began, and times go up and down.
const rows = "draw_start,draw_end,frame,batch,batch_size,renderpass,event_index,event_count,type,count,vs,tcs,tes,gs,fs,cs,ms,ts,idle_us,time_us\n" +
	"9000000000,9000045629,0,0,42000,1,0,1,draw_indexed,1,0xa1,0x0,0x0,0x0,0xc3,0x0,0x0,0x0,900000.000,2000.000\n" +
	"9000046104,9000113373,0,0,42000,2,1,3,draw_indexed,3,0xa1,0x0,0x0,0x0,0xc3,0x0,0x0,0x0,25.000,3000.500\n" +
	"9000649177,9000698276,1,1,42000,1,2,1,compute,1,0x0,0x0,0x0,0x0,0x0,0xd4,0x0,0x0,18000.000,1000.000\n"

func open(t *testing.T, text string) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "measure.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return formats.NewRegistry(intelmeasure.Format{}).Open(context.Background(), path, formats.Options{GPU: "intel-tgl-gt2"})
}

func TestASampleIsTheGapAndTheEventBehindIt(t *testing.T) {
	c, err := open(t, rows)
	if err != nil {
		t.Fatal(err)
	}
	busy := c.Counter("engine_busiest").Col.Data()
	for i, want := range [][3]int64{{0, 2000000, 2000000}, {2000000, 5025500, 3000500}, {5025500, 24025500, 1000000}} {
		if c.Axis.Start[i] != want[0] || c.Axis.End[i] != want[1] || busy.Float(i) != float64(want[2]) {
			t.Errorf("row %d is from %d to %d, of which %g ns were an event, want %v", i, c.Axis.Start[i], c.Axis.End[i], busy.Float(i), want)
		}
	}
	if l := c.Label("type"); c.GPU != "intel-live" || l == nil || l.Dict[l.Codes[2]] != "compute" || c.Label("frame") == nil {
		t.Errorf("of %s, with labels %v", c.GPU, c.Labels)
	}
}

func TestABadRowIsNamed(t *testing.T) {
	if _, err := open(t, strings.Replace(rows, "3000.500", "-1", 1)); err == nil || !strings.Contains(err.Error(), `measure.csv:3: column "time_us": "-1"`) {
		t.Errorf("%v", err)
	}
	if c, err := open(t, rows+"9000649177,9000"); err != nil || c.Len() != 3 || !strings.Contains(strings.Join(c.Warnings, " "), "line 5 breaks off") {
		t.Errorf("%v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(rows)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := open(t, text)
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
