package rocprofcompute

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

const (
	longHeader = "GPU_ID,GUID,Dispatch_ID,Grid_Size,Workgroup_Size,LDS_Per_Workgroup,Kernel_Name,Start_Timestamp,End_Timestamp,Counter_Name,Counter_Value\r\n"
	wideHeader = "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,wave_size,SQ_WAVES,TCC_HIT[0],TCC_HIT[1],Start_Timestamp,End_Timestamp\n"
	sysinfo    = "gpu_model,gpu_arch,cu_per_gpu,max_sclk,vbios,timestamp\nMI,gfx90a:xnack-,104,1700.5,113-A,Thu 21 Mar 2024 04:16:46 PM  (CDT)\n"
)

// row is one row of the long form; pass "-" leaves the GUID out of its header too.
func row(guid string, dispatch int, kernel string, start, end int, counter, value string) string {
	return fmt.Sprintf("4,%s,%d,64,64,0,\"%s\",%d,%d,%s,%s\r\n", guid, dispatch, kernel, start, end, counter, value)
}

// folder writes files into a new folder called vcopy.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vcopy")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func try(dir string, opt formats.Options) (*capture.Capture, error) {
	return formats.NewRegistry(Format{}).Open(context.Background(), dir, opt)
}

func wantError(t testing.TB, err error, pattern string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that matches %q", pattern)
	}
	if !regexp.MustCompile(pattern).MatchString(err.Error()) {
		t.Errorf("error %q does not match %q", err, pattern)
	}
}

func wantWarning(t testing.TB, c *capture.Capture, pattern string) {
	t.Helper()
	if all := strings.Join(c.Warnings, "\n"); !regexp.MustCompile(pattern).MatchString(all) {
		t.Errorf("no warning matches %q:\n%s", pattern, all)
	}
}

func TestDamagedWorkloadsGiveClearErrors(t *testing.T) {
	good := row("g", 0, "k(a, b)", 10, 20, "SQ_WAVES", "1.0")
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no main file":     {map[string]string{"sysinfo.csv": sysinfo, "timestamps.csv": "x"}, `vcopy: no counters in the folder: neither pmc_perf.csv nor files of its runs`},
		"unrelated folder": {map[string]string{"notes.txt": "hello"}, `unrecognised content.*\n.*no pmc_perf.csv in the folder`},
		"empty main file":  {map[string]string{"pmc_perf.csv": ""}, `pmc_perf.csv: the file is empty`},
		"no kernel column": {map[string]string{"pmc_perf.csv": "Dispatch_ID,Counter_Name,Counter_Value\n0,a,1\n"}, `pmc_perf.csv:1: no column Kernel_Name`},
		"no value column":  {map[string]string{"pmc_perf.csv": "Dispatch_ID,Kernel_Name,Counter_Name,Start_Timestamp,End_Timestamp\n0,k,a,1,2\n"}, `pmc_perf.csv:1: no column Counter_Value`},
		"no start":         {map[string]string{"pmc_perf.csv": "Dispatch_ID,Kernel_Name,SQ_WAVES,End_Timestamp\n0,k,1,9\n"}, `pmc_perf.csv:1: no column Start_Timestamp.*timestamps.csv`},
		"a column twice":   {map[string]string{"pmc_perf.csv": "Dispatch_ID,Kernel_Name,SQ_WAVES,SQ_WAVES\n0,k,1,2\n"}, `pmc_perf.csv:1: columns 3 and 4 are both called "SQ_WAVES"`},
		"bad value":        {map[string]string{"pmc_perf.csv": longHeader + good + row("g", 1, "k", 30, 40, "SQ_WAVES", "1.0x")}, `pmc_perf.csv:3: column "Counter_Value": "1.0x" is not a number`},
		"bad time":         {map[string]string{"pmc_perf.csv": longHeader + strings.Replace(good, ",10,", ",10.5,", 1)}, `pmc_perf.csv:2: column "Start_Timestamp": 10.5 is not a time in whole nanoseconds`},
		"short row":        {map[string]string{"pmc_perf.csv": longHeader + good + "4,g,1\r\n" + good}, `pmc_perf.csv:3: the row has 3 cells, the header has 11`},
		"nameless counter": {map[string]string{"pmc_perf.csv": longHeader + row("g", 0, "k", 1, 2, "", "1")}, `pmc_perf.csv:2: column Counter_Name: the name of the counter is empty`},
		"bad wide value":   {map[string]string{"pmc_perf.csv": wideHeader + "0,k,0,64,64,1,2,3,10,20\n1,k,0,64,64,1,2,x3,30,40\n"}, `pmc_perf.csv:3: column "TCC_HIT\[1\]": "x3" is not a number`},
		"dispatch twice":   {map[string]string{"pmc_perf.csv": wideHeader + "0,k,0,64,64,1,2,3,10,20\n0,k,0,64,64,1,2,3,30,40\n"}, `pmc_perf.csv:3: dispatch 0 stands here and in line 2`},
		"bad level value":  {map[string]string{"pmc_perf.csv": wideHeader + "0,k,0,64,64,1,2,3,10,20\n", "SQ_X_LEVEL.csv": "Dispatch_ID,Kernel_Name,GPU_ID,A\n0,k,0,1\n1,k,0,?\n"}, `SQ_X_LEVEL.csv:3: column "A": "\?"`},
		"no dispatch":      {map[string]string{"pmc_perf.csv": longHeader}, `vcopy: no dispatch was measured: the file pmc_perf.csv is without rows; did its filter match a kernel\?`},
		"no dispatch in any": {map[string]string{"sysinfo.csv": sysinfo, "pmc_perf_0.csv": "Dispatch_ID,Kernel_Name\n", "SQ_A.csv": "Dispatch_ID,Kernel_Name\n", "log.txt": "x"},
			`vcopy: no dispatch was measured: 2 files \(pmc_perf_0.csv to SQ_A.csv\) are without rows; .* log.txt has`},
		"a level without columns": {map[string]string{"sysinfo.csv": sysinfo, "SQ_A_LEVEL.csv": "x"}, `SQ_A_LEVEL.csv:1: no column Dispatch_ID`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := try(folder(t, tc.files), formats.Options{})
			wantError(t, err, tc.want)
		})
	}
	var scattered strings.Builder
	for i := range 20000 {
		fmt.Fprint(&scattered, row(fmt.Sprint("g", i), i, "k", i, i+1, "A", "1"))
	}
	_, err := try(folder(t, map[string]string{"pmc_perf.csv": longHeader + scattered.String()}), formats.Options{})
	wantError(t, err, `pmc_perf.csv: 20000 runs of 20000 dispatches from only 20000 rows: the file is damaged`)
	_, err = try(folder(t, map[string]string{"pmc_perf.csv": longHeader + good}), formats.Options{Duration: "mean"})
	wantError(t, err, `option duration: "mean": use "pass", "median" or "first"`)
	_, err = try(folder(t, map[string]string{"pmc_perf.csv": longHeader + good}), formats.Options{Extra: map[string]any{"period": 1}})
	wantError(t, err, `no option "period"`)
}

func TestAFolderAboveTheWorkloadIsPointedOut(t *testing.T) {
	dir := folder(t, map[string]string{"pmc_perf.csv": "x"})
	_, err := try(filepath.Dir(dir), formats.Options{})
	wantError(t, err, `vcopy is a workload: give that folder`)
}

func TestWhatCanBeReadIsReadWithWarnings(t *testing.T) {
	good := longHeader + row("g", 0, "k(a, b)", 10, 20, "SQ_WAVES", "1.0")
	t.Run("no sysinfo", func(t *testing.T) {
		c, err := try(folder(t, map[string]string{"pmc_perf.csv": good}), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		eq(t, "gpu", c.GPU, "")
		wantWarning(t, c, `sysinfo.csv is missing`)
		wantWarning(t, c, `the GPU is unknown: give gpu=`)
	})
	t.Run("gpu option", func(t *testing.T) {
		var heard []string
		c, err := try(folder(t, map[string]string{"pmc_perf.csv": good, "sysinfo.csv": sysinfo}), formats.Options{GPU: "gfx1151", Force: true, Denom: "per_wave", Warn: func(s string) { heard = append(heard, s) }})
		if err != nil {
			t.Fatal(err)
		}
		eq(t, "gpu", c.GPU, "gfx1151")
		eq(t, "denom", c.Options.Denom, "per_wave")
		eq(t, "warnings", c.Warnings, heard)
		eq(t, "counter's gpu", c.Counters[0].GPU, "gfx1151")
	})
	t.Run("sysinfo", func(t *testing.T) {
		c, err := try(folder(t, map[string]string{"pmc_perf.csv": good, "sysinfo.csv": sysinfo}), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		eq(t, "gpu", c.GPU, "gfx90a")
		eq(t, "properties", c.Properties[2:5], []capture.Property{{Name: "cu_per_gpu", Number: 104}, {Name: "max_sclk", Number: 1700.5}, {Name: "vbios", Text: "113-A", IsText: true}})
		eq(t, "start", c.StartTime.UTC().Format("2006-01-02 15:04:05"), "2024-03-21 21:16:46")
		eq(t, "warnings", len(c.Warnings), 0)
	})
	t.Run("cut sysinfo", func(t *testing.T) {
		c, err := try(folder(t, map[string]string{"pmc_perf.csv": good, "sysinfo.csv": "gpu_arch,a\ngfx1"}), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wantWarning(t, c, `sysinfo.csv:2: no row of values as long as the header`)
	})
	t.Run("cut last line", func(t *testing.T) {
		c, err := try(folder(t, map[string]string{"pmc_perf.csv": good + row("g", 1, "k", 30, 40, "SQ_WAVES", "2.0")[:20], "sysinfo.csv": sysinfo}), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		eq(t, "samples", c.Len(), 1)
		wantWarning(t, c, `pmc_perf.csv:3: truncated: the last line is cut off`)
	})
	t.Run("end before start", func(t *testing.T) {
		c, err := try(folder(t, map[string]string{"pmc_perf.csv": longHeader + row("g", 0, "k", 20, 10, "SQ_WAVES", "1")}), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wantWarning(t, c, `runs g: 1 of 1 dispatches end before they start`)
		if d := c.Counters[0].Interval(0); d == d {
			t.Errorf("duration = %v", d)
		}
	})
}

func TestTheLastOfSeveralPassesWinsWithAWarning(t *testing.T) {
	c, err := try(folder(t, map[string]string{"sysinfo.csv": sysinfo, "pmc_perf.csv": longHeader +
		row("p1", 0, "k", 100, 110, "SQ_WAVES", "5.0") + row("p1", 0, "k", 100, 110, "A", "1.0") +
		row("p2", 0, "k", 50, 70, "SQ_WAVES", "6.0") + row("p2", 0, "k", 50, 70, "B", "1.5")}), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := c.Counter("SQ_WAVES")
	eq(t, "value", w.Col.Data().U, []uint64{6})
	eq(t, "pass", w.PassID(), "p2")
	eq(t, "duration", w.Interval(0), 20.0)
	eq(t, "not integral", c.Counter("B").Col.Data().F, []float64{1.5})
	eq(t, "the axis is that of the pass measured first", c.Axis.End[0], int64(20))
	wantWarning(t, c, `SQ_WAVES: measured by several runs: the name alone has the value of the last of them, .*: SQ_WAVES@p1`)
	other := c.Counter("SQ_WAVES@p1")
	eq(t, "the other value", other.Col.Data().U, []uint64{5})
	eq(t, "its pass and duration", []any{other.PassID(), other.Interval(0)}, []any{"p1", 10.0})
}

func TestADispatchMissingFromAPassIsMissingNotZero(t *testing.T) {
	c, err := try(folder(t, map[string]string{"sysinfo.csv": sysinfo, "pmc_perf.csv": longHeader +
		row("p1", 0, "k", 100, 110, "A", "1.0") + row("p2", 0, "k", 1000, 1012, "B", "7.0") + row("p2", 1, "k", 1050, 1060, "B", "8.0")}), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := c.Counter("A")
	if !a.Value(1).Missing() || a.Value(0).Missing() {
		t.Errorf("A = %v, %v", a.Value(0), a.Value(1))
	}
	r, _ := a.Why(1)
	eq(t, "code", r.Code, capture.NotCollected)
	eq(t, "reason", r.Text, "pass p1 of the capture did not measure A in this dispatch")
	wantWarning(t, c, `A: not measured in 1 of 2 dispatches`)
	// Dispatch 1 begins 50 ns after dispatch 0 in the pass that has both.
	eq(t, "starts", c.Axis.Start, []int64{0, 50})
	eq(t, "ends", c.Axis.End, []int64{10, 60})
}

func TestPassesWithoutGUIDAreToldApartByTime(t *testing.T) {
	header := strings.Replace(longHeader, "GUID,", "", 1)
	r := func(dispatch, start, end int, counter string) string {
		return strings.Replace(row("-", dispatch, "k", start, end, counter, "1.0"), "-,", "", 1)
	}
	c, err := try(folder(t, map[string]string{"sysinfo.csv": sysinfo, "pmc_perf.csv": header +
		r(1, 500, 510, "A") + r(1, 500, 510, "B") + r(2, 520, 531, "A") + r(2, 520, 531, "B") +
		r(2, 130, 142, "C") + r(2, 130, 142, "D") + r(1, 100, 115, "C")}), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	eq(t, "passes", len(c.Passes), 2)
	eq(t, "A and B", c.Counter("A").PassID(), c.Counter("B").PassID())
	eq(t, "C and D", c.Counter("C").PassID(), c.Counter("D").PassID())
	eq(t, "C's own durations", []float64{c.Counter("C").Interval(0), c.Counter("C").Interval(1)}, []float64{15, 12})
	eq(t, "D is missing in dispatch 1", c.Counter("D").Value(0).Missing(), true)
	eq(t, "starts", c.Axis.Start, []int64{0, 30})
}

func TestWidePassesAndTimes(t *testing.T) {
	c, err := try(folder(t, map[string]string{
		"sysinfo.csv":    sysinfo,
		"pmc_perf.csv":   "Dispatch_ID,Kernel_Name,GPU_ID,wave_size,A,wave_size_1,B,note\n0,k,0,64,1,64,,x\n1,j,0,64,2,64,4,x\n",
		"timestamps.csv": "Dispatch_ID,Kernel_Name,GPU_ID,Start_Timestamp,End_Timestamp\n2,j,0,1030,1040\n1,k,0,1000,1015\n",
		"SQ_LEVEL_WAVES.csv": "Dispatch_ID,Kernel_Name,GPU_ID,A,SQ_LEVEL_WAVES,SQ_ACCUM_PREV_HIRES,Start_Timestamp,End_Timestamp\n" +
			"1,j,0,9,5,50,7,9\n",
	}), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	eq(t, "axis", c.Axis, &capture.Axis{Clock: "gpu", Start: []int64{0, 30}, End: []int64{15, 40}})
	eq(t, "passes", []string{c.Counter("A").PassID(), c.Counter("B").PassID(), c.Counter("SQ_LEVEL_WAVES_ACCUM").PassID()},
		[]string{"pmc_perf#0", "pmc_perf#1", "SQ_LEVEL_WAVES"})
	eq(t, "A is the main file's", c.Counter("A").Col.Data().U, []uint64{1, 2})
	r, _ := c.Counter("B").Why(0)
	eq(t, "why", r.Text, "the file has an empty cell for B here")
	acc := c.Counter("SQ_LEVEL_WAVES_ACCUM")
	eq(t, "not measured", acc.Value(0).Missing(), true)
	eq(t, "its own duration", acc.Interval(1), 2.0)
	wantWarning(t, c, `A: measured by several runs: the name alone has the value of the first of them, .*: A@SQ_LEVEL_WAVES`)
	wantWarning(t, c, `timestamps.csv numbers the dispatches of pmc_perf.csv \+1: they are joined so`)
	again := c.Counter("A@SQ_LEVEL_WAVES")
	eq(t, "A of the other run", []any{again.Value(0).Missing(), again.Value(1).Float(), again.Interval(1)}, []any{true, 9.0, 2.0})
	wantWarning(t, c, `columns note hold text and are not read`)
}

func TestGatesAreNotSuspectedWithoutAWitness(t *testing.T) {
	for name, tc := range map[string]struct {
		next string
		want bool
	}{"requests below": {"12.0", true}, "nothing below": {"0.0", false}} {
		c, err := try(folder(t, map[string]string{"sysinfo.csv": sysinfo, "pmc_perf.csv": longHeader +
			row("p", 0, "k", 1, 2, "TCP_REQ_sum", "0.0") + row("p", 0, "k", 1, 2, "GL1C_REQ_sum", tc.next) + row("p", 0, "k", 1, 2, "GRBM_COUNT", "5")}), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(c.Counter("TCP_REQ_sum").Warnings) > 0; got != tc.want {
			t.Errorf("%s: warned = %v", name, got)
		}
		eq(t, "the 0 stays", c.Counter("TCP_REQ_sum").Col.Data().U, []uint64{0})
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(longHeader+row("g", 0, "k", 1, 2, "A", "1")+row("h", 0, "k", 3, 5, "A[1]", ""), sysinfo, "", "", "")
	f.Add(wideHeader+"0,k,0,64,64,1,2,3,10,20\n", sysinfo, "Dispatch_ID,Kernel_Name,GPU_ID,SQ_ACCUM_PREV_HIRES\n0,k,0,7\n", "", "")
	f.Add("Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp,Counter_Name,Counter_Value\n0,k,1,2,a,1\n0,k,3,4,a,2\n1,k,5,6,a,3\n", "", "", "", "")
	f.Add("Dispatch_ID,Kernel_Name,SQ_WAVES\n0,k,1\n1,k,2\n", sysinfo, "", "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp\n1,k,5,9\n2,k,10,11\n", "")
	f.Add(joined, sysinfo, "Dispatch_ID,Kernel_Name,C,GRBM_COUNT,Start_Timestamp,End_Timestamp\n0,k,9,8,1,2\n1,k,9,8.5,3,4\n", "",
		"Dispatch_ID,Kernel_Name,A,B,Start_Timestamp,End_Timestamp\n0,k,1,4,1,2\n1,k,2,5,3,4\n")
	f.Add("", sysinfo, "", "", longHeader+row("g", 0, "k", 1, 2, "A", "1")+row("g", 0, "k", 1, 2, "A", "2"))
	f.Fuzz(func(t *testing.T, main, info, level, stamps, part string) {
		files := map[string]string{"pmc_perf.csv": main, "sysinfo.csv": info}
		for name, text := range map[string]string{"SQ_X_LEVEL.csv": level, "timestamps.csv": stamps, "pmc_perf_0.csv": part} {
			if text != "" {
				files[name] = text
			}
		}
		dir := folder(t, files)
		for _, rule := range []string{"pass", "median", "first"} {
			if c, err := try(dir, formats.Options{Duration: rule}); err == nil {
				wantSound(t, c)
			}
		}
	})
}

// wantSound checks what holds for every capture: starts never decrease, and no value is missing without a reason.
func wantSound(t *testing.T, c *capture.Capture) {
	t.Helper()
	for i := 1; i < c.Len(); i++ {
		if c.Axis.Start[i] < c.Axis.Start[i-1] {
			t.Fatalf("starts decrease: %v", c.Axis.Start)
		}
	}
	for _, ctr := range c.Counters {
		for i := range c.Len() {
			if ctr.Value(i).Missing() {
				if r, ok := ctr.Why(i); !ok || r.String() == "" {
					t.Fatalf("%s[%d] is missing without a reason", ctr.Name, i)
				}
			}
			_ = ctr.Interval(i)
		}
	}
}

// TestRoundedValuesAreTold has values as newer releases write them: 2097152 waves are 2097150.0.
func TestRoundedValuesAreTold(t *testing.T) {
	for rounded, want := range map[bool]bool{true: true, false: false} {
		var text strings.Builder
		text.WriteString(longHeader)
		for i := range 20 {
			value := "2097150.0"
			if i%2 == 1 {
				value = "82002500.0"
			}
			if i == 19 && !rounded {
				value = "2097152.0"
			}
			text.WriteString(row("g", i, "k", 10*i, 10*i+5, "A", value))
		}
		c, err := try(folder(t, map[string]string{"sysinfo.csv": sysinfo, "pmc_perf.csv": text.String()}), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(c.Warnings, "\n"), "all 20 values from a million up have six significant digits at most"); got != want {
			t.Errorf("rounded %v: warnings %q", rounded, c.Warnings)
		}
	}
}
