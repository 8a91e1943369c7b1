package rocpd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/capture/formats/internal/rocpd/rocpdtest"
)

var (
	dispatches = []rocpdtest.Dispatch{
		{Number: 1, Kernel: "add(float*)", Start: 1000, End: 1500, Counters: []rocpdtest.Result{{Counter: "SQ_WAVES", Value: 16384}, {Counter: "TCC_HIT", Value: 1}, {Counter: "TCC_HIT", Instance: 5, Value: 2}}},
		{Number: 2, Kernel: "mul", Start: 2000, End: 2100, Counters: []rocpdtest.Result{{Counter: "SQ_WAVES", Value: 4}}},
	}
	newer = rocpdtest.Run{GUID: "aaaa-bb", PID: 77, GPU: "gfx942", Agent: `{"cu_count": 304, "name": "gfx942"}`, Dispatches: dispatches,
		Calls: []rocpdtest.Span{
			{Kind: "HIP_RUNTIME_API_EXT", Name: "hipLaunchKernel", Thread: 1077, Start: 900, End: 950},
			{Kind: "MARKER_CORE_RANGE_API", Name: "roctxThreadRangeA", Message: "step 1", Thread: 1078, Start: 800, End: 2500},
			{Kind: "MARKER_CORE_RANGE_API", Name: "roctxMarkA", Message: "here", Start: 850, End: 850},
		},
		Copies: []rocpdtest.Span{{Name: "MEMORY_COPY_HOST_TO_DEVICE", Thread: 1077, Start: 600, End: 700}},
		Allocs: []rocpdtest.Span{{Name: "ALLOC", Kind: "REAL", Thread: 1077, Start: 500, End: 550}, {Name: "ALLOC", Kind: "VIRTUAL", Thread: 1077, Start: 550, End: 560}, {Name: "RECLAIM", Kind: "SCRATCH", Thread: 1077, Start: 560, End: 570}},
	}
)

func TestADatabaseHasDispatchesResultsAndSpans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results 50%.db")
	rocpdtest.Write(t, path, newer)
	got, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	d := func(n Dispatch) Dispatch {
		n.GUID, n.Agent, n.Queue, n.Stream, n.Grid, n.Workgroup, n.VGPR = "aaaa-bb", "Agent 1", "3", "1", "1024", "64", "8"
		return n
	}
	span := func(kind, name, thread string, start, end int64) Span {
		return Span{GUID: "aaaa-bb", Kind: kind, Name: name, Process: "77", Thread: thread, Start: start, End: end}
	}
	want := &Trace{
		GPUs:     []GPU{{Number: "1", Name: "gfx942", Product: "Radeon", Numbers: map[string]float64{"cu_count": 304}}},
		Counters: []Counter{{Name: "SQ_WAVES", Block: "SQ", Doc: "Counts."}, {Name: "TCC_HIT", Block: "TCC", Doc: "Counts."}},
		Dispatches: []Dispatch{
			d(Dispatch{Number: "1", Kernel: "add(float*)", KernelID: "5", Start: 1000, End: 1500, Values: []Value{{0, "0", 16384}, {1, "0", 1}, {1, "5", 2}}}),
			d(Dispatch{Number: "2", Kernel: "mul", KernelID: "6", Start: 2000, End: 2100, Values: []Value{{0, "0", 4}}}),
		},
		Spans: []Span{
			span("HIP_RUNTIME_API_EXT", "hipLaunchKernel", "1077", 900, 950), span("MARKER_CORE_RANGE_API", "step 1", "1078", 800, 2500), span("MARKER_CORE_RANGE_API", "here", "1", 850, 850),
			span("MEMORY_COPY", "MEMORY_COPY_HOST_TO_DEVICE", "1077", 600, 700), span("MEMORY_ALLOCATION", "MEMORY_ALLOCATION_ALLOC", "1077", 500, 550),
			span("MEMORY_ALLOCATION", "MEMORY_ALLOCATION_VMEM_ALLOC", "1077", 550, 560), span("SCRATCH_MEMORY", "SCRATCH_MEMORY_RECLAIM", "1077", 560, 570),
		},
		Strays: 1,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestTheOlderLayoutHasTheSameDispatches(t *testing.T) {
	dir := t.TempDir()
	older := newer
	older.Older, older.Calls = true, newer.Calls[:2]
	var traces []*Trace
	for name, run := range map[string]rocpdtest.Run{"newer": newer, "older": older} {
		path := filepath.Join(dir, name+".db")
		rocpdtest.Write(t, path, run)
		tr, err := Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tr.Dispatches {
			tr.Dispatches[i].Stream = "" // the older one has none here
		}
		traces = append(traces, tr)
	}
	if d := cmp.Diff(traces[0].Dispatches, traces[1].Dispatches); d != "" {
		t.Error(d)
	}
}

func TestDamagedDatabasesAreNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	rocpdtest.Write(t, path, newer)
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
		"other": {[]byte(strings.ReplaceAll(string(raw), "rocpd_", "other_")), "without a table rocpd_kernel_dispatch"},
	} {
		if err := os.WriteFile(path, c.raw, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	dir := f.TempDir()
	older := newer
	older.Older, older.Calls = true, nil
	for name, run := range map[string]rocpdtest.Run{"a": newer, "b": older} {
		path := filepath.Join(dir, name+".db")
		rocpdtest.Write(f, path, run)
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
		trace, err := Read(t.Context(), path)
		if err != nil {
			return
		}
		for _, d := range trace.Dispatches {
			for _, v := range d.Values {
				_ = trace.Counters[v.Counter].Name
			}
		}
		for _, s := range trace.Spans {
			if s.End < s.Start || s.Name == "" {
				t.Fatalf("span %+v", s)
			}
		}
	})
}
