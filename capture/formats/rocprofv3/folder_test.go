package rocprofv3

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/rocpd/rocpdtest"
)

const (
	callHeader = `"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"` + "\n"
	callRows   = callHeader +
		`"HIP_RUNTIME_API_EXT","hipLaunchKernel",77,77,1,900,950` + "\n" +
		`"HIP_RUNTIME_API_EXT","hipDeviceSynchronize",77,77,2,1600,2200` + "\n"
	markerRows = callHeader +
		`"MARKER_CORE_RANGE_API","step, 1",77,77,3,800,2500` + "\n" +
		`"MARKER_CORE_RANGE_API","inner",77,77,4,850,1000` + "\n" +
		`"MARKER_CORE_RANGE_API","across",77,77,5,990,2600` + "\n" +
		`"MARKER_CORE_RANGE_API","here",77,77,6,860,860` + "\n"
	copyRows = `"Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp","End_Timestamp"` + "\n" +
		`"MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE",0,"Agent 0","Agent 4",7,500,700` + "\n"
	memoryRows = `"Kind","Operation","Agent_Id","Allocation_Size","Address","Correlation_Id","Start_Timestamp","End_Timestamp"` + "\n" +
		`"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent 4",1024,"0x00007ffb26354000",8,400,450` + "\n"
	scratchRows = `"Kind","Operation","Agent_Id","Queue_Id","Thread_Id","Alloc_Flags","Start_Timestamp","End_Timestamp"` + "\n" +
		`"SCRATCH_MEMORY","SCRATCH_MEMORY_ALLOC","Agent 4",1,77,0,460,470` + "\n"
	statsRows = `"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"` + "\n" + `"add",1,500,500.0,100.00,500,500,0.00000000e+00` + "\n"

	// Files of ROCm 6.1 have no times beside counters, and no numbers of dispatches in traces.
	oldCounters = `"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Grid_Size","Kernel_Name","Workgroup_Size","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Counter_Name","Counter_Value"` + "\n" +
		`11,1,"Agent 4",1,77,77,1024,"add",64,0,0,8,16,"SQ_WAVES",3` + "\n" + `15,2,"Agent 4",1,77,77,1024,"add",64,0,0,8,16,"SQ_WAVES",4` + "\n"
	oldTrace = `"Kind","Agent_Id","Queue_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Private_Segment_Size","Group_Segment_Size","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"` + "\n" +
		`"KERNEL_DISPATCH","Agent 4",1,10,"add",15,2000,2100,0,0,64,1,1,1024,1,1` + "\n" + `"KERNEL_DISPATCH","Agent 4",1,10,"add",11,1000,1500,0,0,64,1,1,1024,1,1` + "\n"
)

// lines are the regions of a capture, one a line.
func lines(c *capture.Capture) string {
	var b strings.Builder
	for _, r := range c.Regions {
		fmt.Fprintf(&b, "%d..%d %s%s | %s\n", r.Start, r.End, strings.Repeat("  ", r.Depth), r.Name, r.Track)
	}
	return b.String()
}

// TestAFolderOpensWhole is what rocprofv3 --sys-trace --pmc writes of one process.
func TestAFolderOpensWhole(t *testing.T) {
	dir := folder(t, map[string]string{
		"host/77_counter_collection.csv": counterRows, "host/77_kernel_trace.csv": traceRows, "host/77_hip_api_trace.csv": callRows, "host/77_marker_api_trace.csv": markerRows,
		"host/77_memory_copy_trace.csv": copyRows, "host/77_memory_allocation_trace.csv": memoryRows, "host/77_scratch_memory_trace.csv": scratchRows,
		"host/77_agent_info.csv": agents, "host/77_kernel_stats.csv": statsRows, "host/77_domain_stats.csv": statsRows,
	})
	c := mustOpen(t, dir)
	want := `0..50 MEMORY_ALLOCATION_ALLOCATE | allocations
60..70 SCRATCH_MEMORY_ALLOC | scratch memory, thread 77
100..300 MEMORY_COPY_HOST_TO_DEVICE | copies
400..2100 step, 1 | markers, thread 77
450..600   inner | markers, thread 77
460..460     here | markers, thread 77
500..550 hipLaunchKernel | HIP, thread 77
590..2200 across | markers, thread 77 #2
600..1100 void add<float>(float*, int) | kernels, Agent 4, queue 1
1200..1800 hipDeviceSynchronize | HIP, thread 77
1600..1700 mul | kernels, Agent 4, queue 1
`
	if got := lines(c); got != want {
		t.Errorf("regions:\n%swant:\n%s", got, want)
	}
	if c.Len() != 2 || c.Axis.Start[0] != 600 || c.GPU != "gfx1151" || c.Counter("SQ_WAVES").Value(0).Float() != 16384 || c.Counter("kernel_duration") != nil {
		t.Errorf("%d samples from %v of %s", c.Len(), c.Axis.Start, c.GPU)
	}
	if label(t, c, "stream", 0) != "1" {
		t.Error("the stream, which only the trace has, is lost")
	}
	if len(c.Warnings) > 0 {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestCountersWithoutTimesHaveThoseOfTheKernelTrace(t *testing.T) {
	c := mustOpen(t, folder(t, map[string]string{"77_counter_collection.csv": oldCounters, "77_kernel_trace.csv": oldTrace, "77_agent_info.csv": agents}))
	waves := c.Counter("SQ_WAVES")
	if waves.Interval(0) != 500 || waves.Interval(1) != 100 || waves.Value(1).Float() != 4 || c.Axis.Start[1] != 1000 {
		t.Errorf("%v and %v ns from %v", waves.Interval(0), waves.Interval(1), c.Axis.Start)
	}
	if len(c.Warnings) > 0 {
		t.Errorf("warnings %q", c.Warnings)
	}
	// A trace of other kernels proves nothing.
	c = mustOpen(t, folder(t, map[string]string{"77_counter_collection.csv": oldCounters, "77_kernel_trace.csv": strings.Replace(oldTrace, `"add",15`, `"mul",15`, 1)}))
	if got := c.Counter("SQ_WAVES").Interval(0); got != 0 {
		t.Errorf("%v ns of another kernel", got)
	}
	if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, "and its kernel trace cannot be joined: nothing proves which dispatch is which") {
		t.Errorf("warnings %s", all)
	}
}

// TestPassesThatCountFrom0And1AreJoinedByTheirNumbers: a join on the number would give dispatch 1 of one pass the counters of dispatch 2 of the other.
func TestPassesThatCountFrom0And1AreJoinedByTheirNumbers(t *testing.T) {
	same := strings.NewReplacer(`"mul"`, `"k"`, `"void add<float>(float*, int)"`, `"k"`, ",2048,", ",1024,", ",11,", ",10,")
	from0 := strings.NewReplacer("\n1,1,", "\n1,0,", "\n2,2,", "\n2,1,")
	c := mustOpen(t, folder(t, map[string]string{"pass_1/77_counter_collection.csv": same.Replace(counterRows), "pass_2/78_counter_collection.csv": from0.Replace(same.Replace(secondPass))}))
	hit := c.Counter("TCC_HIT")
	if c.Len() != 2 || hit.Value(0).Float() != 3 || hit.Value(1).Float() != 5 {
		t.Errorf("%d samples, TCC_HIT %v and %v", c.Len(), hit.Value(0).Float(), hit.Value(1).Float())
	}
}

func TestSeveralDatabasesInOneFolder(t *testing.T) {
	dir := t.TempDir()
	rocpdtest.Write(t, filepath.Join(dir, "77_results.db"), twoKernels("aaaa", waves, waves))
	rocpdtest.Write(t, filepath.Join(dir, "78_results.db"), twoKernels("bbbb", cycle, cycle))
	c := mustOpen(t, dir)
	if c.Len() != 2 || len(c.Passes) != 2 || c.Counter("GRBM_COUNT").Value(1).Float() != 7 || c.Counter("SQ_WAVES").Value(1).Float() != 16384 {
		t.Errorf("passes: %d samples, %d passes", c.Len(), len(c.Passes))
	}
	// The same counters are other work: two ranks.
	dir = t.TempDir()
	rocpdtest.Write(t, filepath.Join(dir, "77_results.db"), twoKernels("aaaa", waves, waves))
	rocpdtest.Write(t, filepath.Join(dir, "78_results.db"), twoKernels("bbbb", waves, waves))
	c = mustOpen(t, dir)
	if c.Len() != 4 || label(t, c, "process", 0) == label(t, c, "process", 1) {
		t.Errorf("ranks: %d samples", c.Len())
	}
	if all := lines(c); !strings.Contains(all, "| aaaa: kernels, Agent 1, queue 3") || !strings.Contains(all, "| bbbb: kernels, Agent 1, queue 3") {
		t.Errorf("regions:\n%s", all)
	}
}

// TestADatabaseAndTheCSVOfTheSameRunCountOnce is a folder of --output-format rocpd csv, and one of rocpd convert.
func TestADatabaseAndTheCSVOfTheSameRunCountOnce(t *testing.T) {
	dir := folder(t, map[string]string{"host/77_counter_collection.csv": counterRows, "host/77_kernel_trace.csv": traceRows,
		"converted/out_kernel_trace.csv": strings.ReplaceAll(strings.Replace(traceRows, `"Kind"`, `"Guid","Kind"`, 1), `"KERNEL_DISPATCH"`, `"aaaa","KERNEL_DISPATCH"`)})
	rocpdtest.Write(t, filepath.Join(dir, "host", "77_results.db"), twoKernels("aaaa", waves, waves))
	c := mustOpen(t, dir)
	if c.Len() != 2 || len(c.Regions) != 2 || c.Counter("SQ_WAVES").Value(1).Float() != 16384 || c.Counter("VALUBusy") != nil {
		t.Errorf("%d samples, regions:\n%s", c.Len(), lines(c))
	}
}

func TestADatabaseHasCallsMarkersAndCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "77_results.db")
	run := twoKernels("aaaa", nil, nil)
	run.Calls = []rocpdtest.Span{{Kind: "HIP_RUNTIME_API_EXT", Name: "hipLaunchKernel", Thread: 1077, Start: 900, End: 950},
		{Kind: "MARKER_CORE_RANGE_API", Name: "roctxThreadRangeA", Message: "step 1", Thread: 1077, Start: 800, End: 2500}}
	run.Copies = []rocpdtest.Span{{Name: "MEMORY_COPY_HOST_TO_DEVICE", Thread: 1077, Start: 500, End: 700}}
	rocpdtest.Write(t, path, run)
	c := mustOpen(t, path)
	want := `0..200 MEMORY_COPY_HOST_TO_DEVICE | copies
300..2000 step 1 | markers, thread 1077
400..450 hipLaunchKernel | HIP, thread 1077
500..1000 add(float*) | kernels, Agent 1, queue 3
1500..1600 mul | kernels, Agent 1, queue 3
`
	if got := lines(c); got != want {
		t.Errorf("regions:\n%swant:\n%s", got, want)
	}
	if c.Counter("kernel_duration").Value(0).Float() != 500 {
		t.Error("a trace without counters has no durations")
	}
}

func TestCallsWithoutKernelsAreSamples(t *testing.T) {
	c := mustOpen(t, folder(t, map[string]string{"77_hip_api_trace.csv": callRows, "77_marker_api_trace.csv": markerRows}))
	took := c.Counter("call_duration")
	if c.Len() != 6 || took == nil || took.Value(0).Float() != 1700 || took.Value(2).Float() != 0 || c.Axis.Start[5] != 800 {
		t.Errorf("%d samples from %v", c.Len(), c.Axis.Start)
	}
	if label(t, c, "call", 0) != "step, 1" || label(t, c, "kind", 5) != "HIP_RUNTIME_API_EXT" || label(t, c, "thread", 5) != "77" || len(c.Regions) != 6 {
		t.Errorf("labels are wrong, or regions:\n%s", lines(c))
	}
}

func TestLowerCaseNamesByteOrderMarksAndCutLinesOpen(t *testing.T) {
	text := "\ufeff" + strings.NewReplacer("SGPR_Count", "Sgpr_Count", "LDS_Block", "Lds_Block", "\n", "\r\n").Replace(traceRows)
	c := mustOpen(t, folder(t, map[string]string{"9_kernel_trace.csv": text + `"KERNEL_DISPATCH","Agent 4",1,1,77,3,11,"mu`}))
	if c.Len() != 2 || label(t, c, "sgpr", 0) != "16" {
		t.Errorf("%d samples", c.Len())
	}
	if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, "9_kernel_trace.csv:4: truncated: the last line is cut off") {
		t.Errorf("warnings %s", all)
	}
}

func TestAFolderWithoutOutputSaysWhatItLooksFor(t *testing.T) {
	_, err := registry().Open(t.Context(), folder(t, map[string]string{"77_results.json": "{}"}), formats.Options{Format: "rocprofv3"})
	if err == nil || !strings.Contains(err.Error(), "no *_counter_collection.csv, *_trace.csv, *_results.json or database of rocpd in it or below") {
		t.Error(err)
	}
}
