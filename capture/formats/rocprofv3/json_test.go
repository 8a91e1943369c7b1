package rocprofv3

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// jsonRows is what rocprofv3 --pmc --kernel-trace --output-format json writes of two dispatches, of which the second
// has two instances of a counter, with what is not read left out.
const jsonRows = `{"rocprofiler-sdk-tool": [{"metadata": {"pid": 77, "init_time": 1},
 "agents": [{"size": 1, "id": {"handle": 1}, "type": 1, "name": "znver"},
  {"id": {"handle": 2}, "type": 2, "name": "gfx90a", "product_name": "AMD Instinct MI210", "cu_count": 104, "num_xcc": 1, "array_count": 8, "simd_arrays_per_engine": 1}],
 "callback_records": {"counter_collection": [
  {"thread_id": 1, "dispatch_data": {"correlation_id": {"internal": 1}, "start_timestamp": 1000, "end_timestamp": 1500,
   "dispatch_info": {"agent_id": {"handle": 2}, "queue_id": {"handle": 9}, "kernel_id": 10, "dispatch_id": 1, "group_segment_size": 512,
    "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 256, "y": 4, "z": 1}}},
   "records": [{"counter_id": {"handle": 7}, "value": 16}], "arch_vgpr_count": 8, "sgpr_count": 16},
  {"dispatch_data": {"start_timestamp": 2000, "end_timestamp": 2100,
   "dispatch_info": {"agent_id": {"handle": 2}, "kernel_id": 11, "dispatch_id": 2, "workgroup_size": {"x": 64, "y": 1, "z": 1}, "grid_size": {"x": 64, "y": 1, "z": 1}}},
   "records": [{"counter_id": {"handle": 7}, "value": 3}, {"counter_id": {"handle": 7}, "value": 4}]}]},
 "buffer_records": {"kernel_dispatch": [], "hip_api": [{"kind": 1}, [2, {"a": []}]]},
 "counters": [{"id": {"handle": 7}, "name": "SQ_WAVES", "block": "SQ", "dimensions": []}],
 "kernel_symbols": [{"kernel_id": 0, "formatted_kernel_name": ""}, {"kernel_id": 10, "formatted_kernel_name": "add"}, {"kernel_id": 11, "kernel_name": "mul"}]}]}
`

func TestJSONIsReadAsTheTablesAre(t *testing.T) {
	c := mustOpen(t, filepath.Join(folder(t, map[string]string{"a/77_results.json": jsonRows}), "a/77_results.json"))
	waves := c.Counter("SQ_WAVES")
	if c.Len() != 2 || c.Axis.Start[1] != 1000 || c.Axis.End[0] != 500 || waves == nil || waves.Value(0).Float() != 16 ||
		waves.Value(1).Float() != 7 || len(waves.Instances) != 2 {
		t.Fatalf("%d samples from %v to %v of %+v", c.Len(), c.Axis.Start, c.Axis.End, waves)
	}
	if c.GPU != "gfx90a" || c.Device.Name != "AMD Instinct MI210" {
		t.Errorf("GPU %q of %+v", c.GPU, c.Device)
	}
	for name, want := range map[string]string{"kernel": "add", "grid_size": "1024", "lds_per_workgroup": "512", "arch_vgpr": "8"} {
		if got := label(t, c, name, 0); got != want {
			t.Errorf("label %s is %q, want %q", name, got, want)
		}
	}
}

func TestAJSONKernelTraceIsATrace(t *testing.T) {
	text := strings.Replace(strings.Replace(jsonRows, `"counter_collection"`, `"others"`, 1), `"kernel_dispatch": []`,
		`"kernel_dispatch": [{"start_timestamp": 5, "end_timestamp": 9, "dispatch_info": {"kernel_id": 10, "dispatch_id": 1, "grid_size": {"x": 1, "y": 1, "z": 1}, "workgroup_size": {"x": 1, "y": 1, "z": 1}}}]`, 1)
	c := mustOpen(t, filepath.Join(folder(t, map[string]string{"x_results.json": text}), "x_results.json"))
	if d := c.Counter("kernel_duration"); d == nil || d.Value(0).Float() != 4 {
		t.Errorf("durations %+v", d)
	}
}

// TestJSONBesideTablesSaysTheSameOnceMore, as rocprofv3 --output-format csv json writes them; and a link to a folder,
// such as of the latest run, is that folder.
func TestJSONBesideTablesSaysTheSameOnceMore(t *testing.T) {
	dir := folder(t, map[string]string{"77_results.json": jsonRows, "77_counter_collection.csv": counterRows, "78_results.json": jsonRows, "other_results.json": "{}"})
	if got := len(outputs(dir)); got != 2 {
		t.Errorf("%d files of %v, want the table and the JSON of another run", got, outputs(dir))
	}
	link := filepath.Join(t.TempDir(), "latest")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if got := outputs(link); len(got) != 2 || !strings.HasPrefix(got[0], link) {
		t.Errorf("by a link %v", got)
	}
}

func TestJSONThatCannotBeReadSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		jsonRows[:600]: "unexpected EOF",
		strings.Replace(jsonRows, `"handle": 7}, "name"`, `"handle": 8}, "name"`, 1):           "value of counter 7, which is not among the file's counters",
		strings.Replace(jsonRows, `"kernel_id": 11, "kernel_name"`, `"kernel_id": 12, "k"`, 1): "kernel 11 has no name among kernel_symbols",
		strings.Replace(jsonRows, `"end_timestamp": 2100`, `"end_timestamp": 1`, 1):            "dispatch 2 starts at 2000 and ends at 1",
		`{"rocprofiler-sdk-tool": [{"buffer_records": {"hip_api": []}}]}`:                      "no dispatches of kernels in it: record with --kernel-trace or --pmc",
		`{"rocprofiler-sdk-tool": [7]}`:                                                        "7 where { of rocprofv3's JSON begins",
	} {
		path := filepath.Join(folder(t, map[string]string{"x_results.json": text}), "x_results.json")
		if _, err := registry().Open(t.Context(), path, formats.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(jsonRows)
	f.Add(jsonRows[:900])
	f.Add(`{"rocprofiler-sdk-tool": {}}`)
	f.Fuzz(func(t *testing.T, text string) {
		w := newWork()
		if w.readObjects(t.Context(), strings.NewReader(text), "x_results.json", "x") != nil {
			return
		}
		var cfg capture.Config
		w.identify(&cfg)
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
