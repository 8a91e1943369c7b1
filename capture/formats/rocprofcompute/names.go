package rocprofcompute

import (
	"slices"
	"strings"
)

// Names of columns as the tool's newer files spell them.
const (
	colDispatch = "Dispatch_ID"
	colKernel   = "Kernel_Name"
	colName     = "Counter_Name"
	colValue    = "Counter_Value"
	colStart    = "Start_Timestamp"
	colEnd      = "End_Timestamp"
	colGUID     = "GUID"
	colGPU      = "GPU_ID"
	colAccum    = "SQ_ACCUM_PREV_HIRES"
)

// keyColumns identify a dispatch across the runs that measured it.
var keyColumns = []string{colDispatch, colKernel, "Grid_Size", "Workgroup_Size", "LDS_Per_Workgroup", colGPU}

// labels are the columns that describe a dispatch, and what a capture calls them.
var labels = []struct{ column, label string }{
	{"Grid_Size", "grid_size"}, {"Workgroup_Size", "workgroup_size"}, {"LDS_Per_Workgroup", "lds_per_workgroup"},
	{"Scratch_Per_Workitem", "scratch_per_workitem"},
	{"Arch_VGPR", "arch_vgpr"}, {"Accum_VGPR", "accum_vgpr"}, {"SGPR", "sgpr"}, {"Wave_Size", "wave_size"},
	{"Kernel_ID", "kernel_id"}, {"XCC_Index", "xcc"},
}

// labelColumn is the place of a column in labels.
func labelColumn(column string) int {
	return slices.IndexFunc(labels, func(l struct{ column, label string }) bool { return l.column == column })
}

// spellings are the columns that are no counters, in lower case with underscores, and how they are spelled here. Each
// generation of the tool spells them differently: Index, KernelName and BeginNs in the oldest files, wave_size, then
// Wave_Size. What is spelled "" is known and not read.
var spellings = map[string]string{
	"dispatch_id": colDispatch, "index": colDispatch, "kernel_name": colKernel, "kernelname": colKernel,
	"counter_name": colName, "counter_value": colValue,
	"start_timestamp": colStart, "beginns": colStart, "end_timestamp": colEnd, "endns": colEnd, "guid": colGUID,
	"gpu_id":    colGPU,
	"grid_size": "Grid_Size", "grd": "Grid_Size", "workgroup_size": "Workgroup_Size", "wgr": "Workgroup_Size",
	"lds_per_workgroup": "LDS_Per_Workgroup", "lds": "LDS_Per_Workgroup",
	"scratch_per_workitem": "Scratch_Per_Workitem", "scr": "Scratch_Per_Workitem",
	"arch_vgpr": "Arch_VGPR", "vgpr": "Arch_VGPR", "accum_vgpr": "Accum_VGPR", "sgpr": "SGPR", "wave_size": "Wave_Size",
	"kernel_id": "Kernel_ID",
	"xcc_index": "XCC_Index",

	"": "", "key": "", "unnamed: 0": "", "node": "", "queue_id": "", "queue_index": "", "pid": "", "tid": "",
	"process_id": "", "thread_id": "",
	"agent_id": "", "stream_id": "", "correlation_id": "", "sig": "", "obj": "", "fbar": "", "dispatchns": "",
	"completens": "", "durationns": "",
	"hostduration": "",
}

// spelling is how the package spells a column; known is false for what must be a counter.
func spelling(name string) (column string, known bool) {
	column, known = spellings[strings.ToLower(strings.ReplaceAll(name, "-", "_"))]
	return column, known
}

// spellHeader puts the names of a header into the package's spelling. A name that is there in that spelling already
// keeps it for itself.
func spellHeader(header []string) {
	for i, name := range header {
		if column, known := spelling(name); known && column != "" && !slices.Contains(header, column) {
			header[i] = column
		}
	}
}

// isCounter reports whether a column of a wide file holds a counter.
func isCounter(name string) bool {
	base, _ := cutNumber(name)
	_, known := spelling(base)
	return !known
}

// cutNumber takes "wave_size_12" apart: joined tables number the columns that they share. The number is 0 without one,
// and of a counter, whose name may end in a number of its own.
func cutNumber(name string) (base string, n int) {
	base, n = cutDigits(name)
	if _, known := spelling(base); !known {
		return name, 0
	}
	return base, n
}

// cutDigits takes "X_12" apart. The number is 0 without one.
func cutDigits(name string) (base string, n int) {
	i := strings.LastIndexByte(name, '_')
	if i < 0 || i+1 == len(name) || len(name)-i > 6 {
		return name, 0
	}
	for _, c := range name[i+1:] {
		if c < '0' || c > '9' {
			return name, 0
		}
		n = n*10 + int(c-'0')
	}
	return name[:i], n
}

// splitInstance takes "TCC_HIT[3]" apart.
func splitInstance(name string) (base, id string) {
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") && i+2 < len(name) {
		return name[:i], name[i+1 : len(name)-1]
	}
	return name, ""
}

// blockOf is the hardware block that a counter's name begins with.
func blockOf(name string) string {
	block, _, _ := strings.Cut(name, "_")
	return block
}

// ofRun is the name of a counter in a run whose values are not those of the name alone: GRBM_COUNT@SQ_LEVEL_WAVES,
// TCC_HIT@SQ_LEVEL_WAVES[3].
func ofRun(name, run string) string {
	base, id := splitInstance(name)
	if id != "" {
		return base + "@" + run + "[" + id + "]"
	}
	return name + "@" + run
}

// isLevel reports whether a run is named after the level that it accumulated, of the sequencer (SQ_LEVEL_WAVES) or of
// its caches (SQC_DCACHE_INFLIGHT_LEVEL).
func isLevel(run string) bool { return strings.HasPrefix(run, "SQ_") || strings.HasPrefix(run, "SQC_") }
