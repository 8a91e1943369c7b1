package rocprofv3

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/csv"
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
	if len(c.Regions) != 2 || c.Regions[1] != (capture.Region{Name: "mul", Start: 1000, End: 1100}) {
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
		counterRows + "1,2\n": ".csv:5: ",
		strings.Replace(counterRows, "16384.000000", "many", 1):   `.csv:2: column Counter_Value: "many" is no number`,
		strings.Replace(counterRows, "2000,2100", "2000,soon", 1): `.csv:4: column End_Timestamp: "soon" is no time`,
		strings.Replace(counterRows, "2000,2100", "2000,1000", 1): "ends at 1000, before it starts at 2000",
		counterHeader + `1,1,"Agent 4`:                            "truncated",
		strings.Replace(traceRows, "64,16,1", "64,wide,1", 1):     `"wide" is no size`,
	} {
		dir := folder(t, map[string]string{"x_counter_collection.csv": text})
		if _, err := registry().Open(t.Context(), filepath.Join(dir, "x_counter_collection.csv"), formats.Options{Format: "rocprofv3"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// makeDatabase writes a rocpd database of the newer layout, or of the older one, in which times and agents are in tables of their own.
func makeDatabase(t testing.TB, path string, older bool, guids ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	do := func(q string) {
		t.Helper()
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	for run, guid := range guids {
		s := "_" + strings.ReplaceAll(guid, "-", "_")
		create := func(table, columns string) {
			do(`CREATE TABLE "` + table + s + `" (id INTEGER PRIMARY KEY, guid TEXT DEFAULT '` + guid + `', ` + columns + `)`)
		}
		create("rocpd_info_kernel_symbol", "kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER, sgpr_count INTEGER")
		create("rocpd_info_agent", "type TEXT, absolute_index INTEGER, name TEXT, product_name TEXT")
		create("rocpd_info_pmc", "name TEXT, symbol TEXT, block TEXT, description TEXT, units TEXT, instance_id INTEGER")
		create("rocpd_pmc_event", "event_id INTEGER, pmc_id INTEGER, value REAL")
		do(`INSERT INTO rocpd_info_kernel_symbol` + s + ` (id, kernel_name, display_name, arch_vgpr_count) VALUES (5, 'add.kd', 'add(float*)', 8), (6, 'mul.kd', NULL, 4)`)
		do(`INSERT INTO rocpd_info_agent` + s + ` (id, type, absolute_index, name, product_name) VALUES (1, 'CPU', 0, 'cpu', 'CPU'), (2, 'GPU', 1, 'gfx1151', 'Radeon')`)
		if older {
			create("rocpd_track", "agent_id INTEGER, queue_id INTEGER, stream_id INTEGER")
			create("rocpd_timestamp", "value BIGINT")
			create("rocpd_kernel_dispatch", "track_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, start_id INTEGER, end_id INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER")
			do(`INSERT INTO rocpd_track` + s + ` (id, agent_id, queue_id) VALUES (9, 2, 3)`)
			do(`INSERT INTO rocpd_timestamp` + s + ` (id, value) VALUES (1, 1000), (2, 1500), (3, 2000), (4, 2100)`)
			do(`INSERT INTO rocpd_kernel_dispatch` + s + ` (track_id, kernel_id, dispatch_id, start_id, end_id, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id)
				VALUES (9, 5, 1, 1, 2, 64, 1, 1, 64, 16, 1, 100), (9, 6, 2, 3, 4, 64, 1, 1, 64, 32, 1, 101)`)
		} else {
			create("rocpd_kernel_dispatch", "agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, \"end\" BIGINT, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER")
			do(`INSERT INTO rocpd_kernel_dispatch` + s + ` (agent_id, kernel_id, dispatch_id, queue_id, start, "end", workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id)
				VALUES (2, 5, 1, 3, 1000, 1500, 64, 1, 1, 64, 16, 1, 100), (2, 6, 2, 3, 2000, 2100, 64, 1, 1, 64, 32, 1, 101)`)
		}
		if run == 0 {
			do(`INSERT INTO rocpd_info_pmc` + s + ` (id, name, block, description, units, instance_id) VALUES (1, 'SQ_WAVES', 'SQ', 'Waves.', '', 0), (2, 'TCC_HIT', 'TCC', 'Hits.', '', 0), (3, 'TCC_HIT', 'TCC', 'Hits.', '', 5)`)
			do(`INSERT INTO rocpd_pmc_event` + s + ` (event_id, pmc_id, value) VALUES (100, 1, 16384.0), (101, 1, 4.0), (100, 2, 1.0), (100, 3, 2.0), (999, 1, 1.0)`)
		} else {
			do(`INSERT INTO rocpd_info_pmc` + s + ` (id, name, block) VALUES (1, 'GRBM_COUNT', 'GRBM')`)
			do(`INSERT INTO rocpd_pmc_event` + s + ` (event_id, pmc_id, value) VALUES (100, 1, 7.0), (101, 1, 8.0)`)
		}
	}
	// A view that never ends must not be asked.
	do(`CREATE VIEW rocpd_kernel_dispatch AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n`)
}

func TestADatabaseHasDispatchesCountersAndKernels(t *testing.T) {
	for name, older := range map[string]bool{"newer": false, "older": true} {
		path := filepath.Join(t.TempDir(), name+" results 50%.db")
		makeDatabase(t, path, older, "0000aaaa-bb")
		c := mustOpen(t, path)
		if c.Len() != 2 || c.GPU != "gfx1151" || len(c.Regions) != 2 || c.Regions[1] != (capture.Region{Name: "mul.kd", Start: 1000, End: 1100}) {
			t.Fatalf("%s: %d samples of %s, regions %v", name, c.Len(), c.GPU, c.Regions)
		}
		hit := c.Counter("TCC_HIT")
		if c.Counter("SQ_WAVES").Value(0).Float() != 16384 || hit.Value(0).Float() != 3 || len(hit.Instances) != 2 || hit.Instances[1].Meta.Instance != "5" || hit.Block != "TCC" {
			t.Errorf("%s: SQ_WAVES %v, TCC_HIT %v", name, c.Counter("SQ_WAVES").Value(0).Float(), hit.Value(0).Float())
		}
		if label(t, c, "agent", 0) != "Agent 1" || label(t, c, "queue", 0) != "3" || label(t, c, "grid_size", 1) != "2048" || label(t, c, "arch_vgpr", 0) != "8" {
			t.Errorf("%s: labels are wrong", name)
		}
		if !strings.Contains(strings.Join(c.Warnings, "\n"), "1 results of counters belong to no kernel dispatch") {
			t.Errorf("%s: warnings %q", name, c.Warnings)
		}
	}
}

func TestGUIDsOfADatabaseArePasses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "merged.db")
	makeDatabase(t, path, false, "aaaa", "bbbb")
	c := mustOpen(t, path)
	if c.Len() != 2 || len(c.Passes) != 2 || c.Counter("GRBM_COUNT").Pass.ID != "guid bbbb" || c.Counter("GRBM_COUNT").Value(1).Float() != 8 {
		t.Errorf("%d samples, %d passes", c.Len(), len(c.Passes))
	}
}

func TestDamagedDatabasesAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	makeDatabase(t, path, false, "aaaa")
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
	f.Add(counterRows)
	f.Add(traceRows)
	f.Add(counterHeader + `1,1,"A`)
	f.Fuzz(func(t *testing.T, text string) {
		w := &work{}
		if w.readRows(t.Context(), strings.NewReader(text), "fuzz.csv", "fuzz.csv") != nil {
			return
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
	})
}

func FuzzDatabase(f *testing.F) {
	dir := f.TempDir()
	for name, older := range map[string]bool{"a": false, "b": true} {
		path := filepath.Join(dir, name+".db")
		makeDatabase(f, path, older, "aaaa")
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "fuzz.db")
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		w := &work{}
		if w.readDatabase(t.Context(), path) != nil {
			return
		}
		var cfg capture.Config
		if w.build(&cfg) == nil {
			if _, err := capture.New(cfg); err != nil {
				t.Fatal(err)
			}
		}
	})
}
