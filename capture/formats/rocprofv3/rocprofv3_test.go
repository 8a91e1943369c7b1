package rocprofv3

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/csv"
	"astrolabe/capture/formats/internal/rocpd/rocpdtest"
	"astrolabe/capture/formats/rocprofcompute"
)

const (
	counterHeader = `"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Id","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"` + "\n"
	counterRows   = counterHeader +
		`1,1,"Agent 4",1,77,77,1024,10,"void add<float>(float*, int)",64,0,0,8,0,16,"SQ_WAVES",16384.000000,1000,1500` + "\n" +
		`1,1,"Agent 4",1,77,77,1024,10,"void add<float>(float*, int)",64,0,0,8,0,16,"VALUBusy",12.500000,1000,1500` + "\n" +
		`2,2,"Agent 4",1,77,77,2048,11,"mul",64,0,0,8,0,16,"SQ_WAVES",4.000000,2000,2100` + "\n"
	secondPass = counterHeader +
		`1,1,"Agent 4",1,78,78,1024,10,"void add<float>(float*, int)",64,0,0,8,0,16,"TCC_HIT",3.000000,9000,9600` + "\n" +
		`2,2,"Agent 4",1,78,78,2048,11,"mul",64,0,0,8,0,16,"TCC_HIT",5.000000,9900,10100` + "\n"
	traceHeader = `"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"` + "\n"
	traceRows   = traceHeader +
		`"KERNEL_DISPATCH","Agent 4",1,1,77,1,10,"void add<float>(float*, int)",1,1000,1500,0,0,8,0,16,64,1,1,64,16,1` + "\n" +
		`"KERNEL_DISPATCH","Agent 4",1,1,77,2,11,"mul",2,2000,2100,0,0,8,0,16,64,1,1,64,32,1` + "\n"
	agents = `"Node_Id","Agent_Type","Name","Vendor_Name","Product_Name"` + "\n" + `0,"CPU","znver","AMD","CPU"` + "\n" + `1,"GPU","gfx1151","AMD","Radeon 8060S"` + "\n"
)

func registry() *formats.Registry {
	return formats.NewRegistry(rocprofcompute.Format{}, Format{}, csv.Format{})
}

// folder writes files and returns their folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustOpen(t testing.TB, path string) *capture.Capture {
	t.Helper()
	c, err := registry().Open(context.Background(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Format != "rocprofv3" {
		t.Fatalf("%s was opened as %s", path, c.Format)
	}
	return c
}

func label(t testing.TB, c *capture.Capture, name string, i int) string {
	t.Helper()
	l := c.Label(name)
	if l == nil {
		t.Fatalf("no label %s", name)
	}
	v, _ := l.Value(i)
	return v
}

func TestCounterRowsBecomeDispatches(t *testing.T) {
	dir := folder(t, map[string]string{"312_counter_collection.csv": counterRows, "312_agent_info.csv": agents})
	c := mustOpen(t, filepath.Join(dir, "312_counter_collection.csv"))
	if c.Len() != 2 || c.GPU != "gfx1151" || c.Device.Name != "Radeon 8060S" {
		t.Fatalf("%d samples of %s, %s", c.Len(), c.GPU, c.Device.Name)
	}
	waves, busy := c.Counter("SQ_WAVES"), c.Counter("VALUBusy")
	if u, ok := waves.Value(0).Uint64(); !ok || u != 16384 || waves.Kind != capture.Delta || waves.Block != "SQ" {
		t.Errorf("SQ_WAVES is %v, a %s of %s", waves.Value(0).Float(), waves.Kind, waves.Block)
	}
	if busy.Kind != capture.Gauge || busy.Value(0).Float() != 12.5 || !busy.Value(1).Missing() {
		t.Errorf("VALUBusy is a %s of %v and %v", busy.Kind, busy.Value(0).Float(), busy.Value(1).Float())
	}
	if why, ok := busy.Why(1); !ok || why.Code != capture.NotCollected {
		t.Errorf("the reason is %v", why)
	}
	if c.Axis.Start[0] != 0 || c.Axis.End[0] != 500 || c.Axis.Start[1] != 1000 {
		t.Errorf("times %v to %v", c.Axis.Start, c.Axis.End)
	}
	if label(t, c, "kernel", 0) != "void add<float>(float*, int)" || label(t, c, "grid_size", 1) != "2048" || label(t, c, "sgpr", 0) != "16" {
		t.Error("labels are wrong")
	}
	if len(c.Regions) != 2 || c.Regions[1] != (capture.Region{Name: "mul", Start: 1000, End: 1100, Track: "kernels, Agent 4, queue 1"}) {
		t.Errorf("regions %v", c.Regions)
	}
	if waves.Pass != nil {
		t.Error("a single run is a pass")
	}
}

func TestRunsWithOtherCountersArePasses(t *testing.T) {
	c := mustOpen(t, folder(t, map[string]string{
		"pass_1/host/77_counter_collection.csv": counterRows, "pass_1/host/77_kernel_trace.csv": traceRows, "pass_2/host/78_counter_collection.csv": secondPass,
	}))
	if c.Len() != 2 || len(c.Passes) != 2 {
		t.Fatalf("%d samples, %d passes", c.Len(), len(c.Passes))
	}
	hit := c.Counter("TCC_HIT")
	if hit.Value(1).Float() != 5 || !strings.HasPrefix(hit.Pass.ID, filepath.Join("pass_2", "host")) {
		t.Errorf("TCC_HIT is %v of pass %s", hit.Value(1).Float(), hit.Pass.ID)
	}
	if hit.Interval(0) != 600 || c.Counter("SQ_WAVES").Interval(0) != 500 {
		t.Errorf("the passes lasted %v and %v ns", hit.Interval(0), c.Counter("SQ_WAVES").Interval(0))
	}
	if len(c.Regions) != 2 || c.Regions[0].Name != "void add<float>(float*, int)" || c.Regions[0].End != 500 {
		t.Errorf("regions %v", c.Regions)
	}
}

// TestPassesMayRepeatACounter: people record the cycles of the GPU in every pass, to divide by those of the same run.
func TestPassesMayRepeatACounter(t *testing.T) {
	rows := func(process, counter, first, second string) string {
		row := `,"Agent 4",1,` + process + `,77,1024,10,"k",64,0,0,8,0,16,"` + counter + `",`
		return "1,1" + row + first + ",1000,1500\n2,2" + row + second + ",2000,2100\n"
	}
	first := counterHeader + rows("77", "SQ_WAVES", "16", "4") + rows("77", "GRBM_GUI_ACTIVE", "12", "5")
	less := counterHeader + rows("78", "GRBM_GUI_ACTIVE", "13", "6")
	again := less + rows("78", "TCC_HIT", "7", "8")
	c := mustOpen(t, folder(t, map[string]string{"pmc_1/77_counter_collection.csv": first, "pmc_2/78_counter_collection.csv": again}))
	if c.Len() != 2 || len(c.Passes) != 2 {
		t.Fatalf("%d samples, %d passes: %q", c.Len(), len(c.Passes), c.Warnings)
	}
	cycles, waves := c.Counter("GRBM_GUI_ACTIVE"), c.Counter("SQ_WAVES")
	if cycles.Value(0).Float() != 12 || cycles.Pass != waves.Pass || c.Counter("TCC_HIT").Pass == waves.Pass {
		t.Errorf("GRBM_GUI_ACTIVE is %v of pass %s", cycles.Value(0).Float(), cycles.Pass.ID)
	}
	second := c.Counter("GRBM_GUI_ACTIVE@" + c.Counter("TCC_HIT").Pass.ID)
	if second == nil || second.Value(0).Float() != 13 || second.Pass != c.Counter("TCC_HIT").Pass {
		t.Errorf("the second run's GRBM_GUI_ACTIVE is %v", second)
	}
	if !strings.Contains(strings.Join(c.Warnings, "\n"), "GRBM_GUI_ACTIVE: measured in several passes") {
		t.Errorf("warnings %q", c.Warnings)
	}
	// All that one run did is that work again, whatever else is beside it.
	c = mustOpen(t, folder(t, map[string]string{"pmc_1/77_counter_collection.csv": first, "pmc_2/78_counter_collection.csv": less}))
	if c.Len() != 4 || len(c.Passes) != 0 {
		t.Errorf("a run with fewer of the same counters: %d samples, %d passes", c.Len(), len(c.Passes))
	}
}

func TestRunsWithTheSameCountersAreOtherWork(t *testing.T) {
	c := mustOpen(t, folder(t, map[string]string{"1_counter_collection.csv": counterRows, "2_counter_collection.csv": strings.ReplaceAll(counterRows, ",77,77,", ",99,99,")}))
	if c.Len() != 4 || len(c.Passes) != 0 {
		t.Fatalf("%d samples, %d passes", c.Len(), len(c.Passes))
	}
	if a, b := label(t, c, "process", 0), label(t, c, "process", 1); a == b {
		t.Errorf("both are of process %s", a)
	}
}

func TestSeveralValuesOfACounterAreItsInstances(t *testing.T) {
	row := `1,1,"Agent 4",1,77,77,1024,10,"k",64,0,0,8,0,16,"TCC_HIT",`
	dir := folder(t, map[string]string{"counter_collection.csv": counterHeader + row + "3.0,10,20\n" + row + "4.0,10,20\n"})
	c := mustOpen(t, filepath.Join(dir, "counter_collection.csv"))
	hit := c.Counter("TCC_HIT")
	if hit.Value(0).Float() != 7 || len(hit.Instances) != 2 || hit.Instances[1].Value(0).Float() != 4 || hit.Instances[1].Name != "TCC_HIT[1]" {
		t.Errorf("TCC_HIT is %v with %d instances", hit.Value(0).Float(), len(hit.Instances))
	}
}

func TestAKernelTraceHasRegionsAndDurations(t *testing.T) {
	dir := folder(t, map[string]string{"9_kernel_trace.csv": traceRows})
	c := mustOpen(t, filepath.Join(dir, "9_kernel_trace.csv"))
	if c.Len() != 2 || len(c.Regions) != 2 || c.Counter("kernel_duration").Value(1).Float() != 100 || label(t, c, "grid_size", 0) != "1024" {
		t.Errorf("%d samples, %d regions, grid %s", c.Len(), len(c.Regions), label(t, c, "grid_size", 0))
	}
}

func TestDamagedTextNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		counterRows + "1,2\n": ".csv:5: the row has 2 cells, the header has 19",
		strings.Replace(counterRows, "16384.000000", "many", 1):     `.csv:2: column "Counter_Value": "many" is not a number`,
		strings.Replace(counterRows, "2000,2100", "2000,soon", 1):   `.csv:4: column "End_Timestamp": "soon" is not a number`,
		strings.Replace(counterRows, "2000,2100", "2000,1000", 1):   "ends at 1000, before it starts at 2000",
		strings.Replace(counterRows, "1000,1500", "1000.5,1500", 1): ".csv:2: column Start_Timestamp: 1000.5 is no time in whole nanoseconds",
		strings.Replace(traceRows, "64,16,1", "64,wide,1", 1):       `"wide" is no size`,
	} {
		dir := folder(t, map[string]string{"x_counter_collection.csv": text})
		if _, err := registry().Open(t.Context(), filepath.Join(dir, "x_counter_collection.csv"), formats.Options{Format: "rocprofv3"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// twoKernels is a run of a database; counters are those of its first dispatch and, with one value, of its second.
func twoKernels(guid string, first, second []rocpdtest.Result) rocpdtest.Run {
	return rocpdtest.Run{GUID: guid, PID: 77, GPU: "gfx1151", Dispatches: []rocpdtest.Dispatch{
		{Number: 1, Kernel: "add(float*)", Start: 1000, End: 1500, Counters: first}, {Number: 2, Kernel: "mul", Start: 2000, End: 2100, Counters: second},
	}}
}

var (
	waves = []rocpdtest.Result{{Counter: "SQ_WAVES", Value: 16384}, {Counter: "TCC_HIT", Value: 1}, {Counter: "TCC_HIT", Instance: 5, Value: 2}}
	cycle = []rocpdtest.Result{{Counter: "GRBM_COUNT", Value: 7}}
)

func TestADatabaseHasDispatchesCountersAndKernels(t *testing.T) {
	for name, older := range map[string]bool{"newer": false, "older": true} {
		path := filepath.Join(t.TempDir(), name+" results 50%.db")
		run := twoKernels("0000aaaa-bb", waves, []rocpdtest.Result{{Counter: "SQ_WAVES", Value: 4}})
		run.Older = older
		rocpdtest.Write(t, path, run)
		c := mustOpen(t, path)
		if c.Len() != 2 || c.GPU != "gfx1151" || len(c.Regions) != 2 || c.Regions[1] != (capture.Region{Name: "mul", Start: 1000, End: 1100, Track: "kernels, Agent 1, queue 3"}) {
			t.Fatalf("%s: %d samples of %s, regions %v", name, c.Len(), c.GPU, c.Regions)
		}
		hit := c.Counter("TCC_HIT")
		if c.Counter("SQ_WAVES").Value(0).Float() != 16384 || hit.Value(0).Float() != 3 || len(hit.Instances) != 2 || hit.Instances[1].Meta.Instance != "5" || hit.Block != "TCC" {
			t.Errorf("%s: SQ_WAVES %v, TCC_HIT %v", name, c.Counter("SQ_WAVES").Value(0).Float(), hit.Value(0).Float())
		}
		if label(t, c, "agent", 0) != "Agent 1" || label(t, c, "queue", 0) != "3" || label(t, c, "grid_size", 1) != "1024" || label(t, c, "arch_vgpr", 0) != "8" {
			t.Errorf("%s: labels are wrong", name)
		}
		if !strings.Contains(strings.Join(c.Warnings, "\n"), "1 results of counters belong to no kernel dispatch") {
			t.Errorf("%s: warnings %q", name, c.Warnings)
		}
	}
}

func TestGUIDsOfADatabaseArePasses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "merged.db")
	rocpdtest.Write(t, path, twoKernels("aaaa", waves, waves), twoKernels("bbbb", cycle, []rocpdtest.Result{{Counter: "GRBM_COUNT", Value: 8}}))
	c := mustOpen(t, path)
	if c.Len() != 2 || len(c.Passes) != 2 || c.Counter("GRBM_COUNT").Pass.ID != "guid bbbb" || c.Counter("GRBM_COUNT").Value(1).Float() != 8 {
		t.Errorf("%d samples, %d passes", c.Len(), len(c.Passes))
	}
}

func TestDamagedDatabasesAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	rocpdtest.Write(t, path, twoKernels("aaaa", waves, waves))
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"cut":   {raw[:len(raw)/2], "truncated or damaged"},
		"magic": {raw[:100], "truncated or damaged"},
		"other": {bytes.ReplaceAll(raw, []byte("rocpd_"), []byte("other_")), "without a table rocpd_kernel_dispatch"},
	} {
		if err := os.WriteFile(path, c.raw, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := registry().Open(t.Context(), path, formats.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestOptionsThatTheFormatLacksAreRefused(t *testing.T) {
	dir := folder(t, map[string]string{"9_kernel_trace.csv": traceRows})
	for _, o := range []formats.Options{{Duration: "median"}, {Extra: map[string]any{"colour": "red"}}} {
		if _, err := registry().Open(t.Context(), filepath.Join(dir, "9_kernel_trace.csv"), o); err == nil || !strings.Contains(err.Error(), "option") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestDispatchesThatShareNoCountersAreRefused(t *testing.T) {
	var b strings.Builder
	b.WriteString(`"Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value"` + "\n")
	for i := range 5000 {
		n := strconv.Itoa(i)
		b.WriteString(n + ",k,C" + n + ",1\n")
	}
	dir := folder(t, map[string]string{"counter_collection.csv": b.String()})
	if _, err := registry().Open(t.Context(), filepath.Join(dir, "counter_collection.csv"), formats.Options{}); err == nil || !strings.Contains(err.Error(), "nearly every value would be missing") {
		t.Errorf("got %v", err)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add(counterRows, traceRows)
	f.Add(counterHeader+`1,1,"A`, callRows)
	f.Add(strings.ReplaceAll(counterRows, ",1000,1500", ",,"), copyRows)
	f.Add(oldCounters, oldTrace)
	f.Add(counterRows, "Kind,Direction,Start_Timestamp,End_Timestamp\n,,,1\n,,5,9")
	f.Fuzz(func(t *testing.T, one, two string) {
		w := newWork()
		for name, text := range map[string]string{"x_counter_collection.csv": one, "x_kernel_trace.csv": two} {
			if w.readRows(t.Context(), strings.NewReader(text), int64(len(text)), name, name) != nil {
				return
			}
		}
		var cfg capture.Config
		if w.build(&cfg) != nil {
			return
		}
		c, err := capture.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for _, ctr := range c.Counters {
			ctr.Total()
		}
		for _, r := range c.Regions {
			if r.End < r.Start || r.Depth < 0 || r.Track == "" {
				t.Fatalf("region %+v", r)
			}
		}
	})
}
