package rocprofv3

import (
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// labelNames are the labels of a dispatch in the order of a capture, by the columns of the CSV files.
var labelNames = []struct{ column, label string }{
	{colKernel, "kernel"}, {colDispatch, "dispatch"}, {"Agent_Id", "agent"}, {"Queue_Id", "queue"}, {"Stream_Id", "stream"}, {"Kernel_Id", "kernel_id"},
	{"Grid_Size", "grid_size"}, {"Workgroup_Size", "workgroup_size"}, {"LDS_Block_Size", "lds_per_workgroup"}, {"Scratch_Size", "scratch_per_workitem"},
	{"VGPR_Count", "arch_vgpr"}, {"Accum_VGPR_Count", "accum_vgpr"}, {"SGPR_Count", "sgpr"},
}

// key identifies a dispatch across the runs of the same work.
type key struct{ dispatch, kernel, agent, grid, workgroup string }

// dispatch is one launch of a kernel in one run.
type dispatch struct {
	key        key
	labels     []string // by labelNames
	start, end int64    // ns; both 0 where the file does not say
	values     map[int][]value
}

// value is one result of a counter; instance is "" where the file does not tell instances apart.
type value struct {
	v        float64
	instance string
}

// run is what one process measured.
type run struct {
	id         string
	dispatches []*dispatch
	index      map[key]*dispatch
	traced     bool // it is a kernel trace, without counters
}

// counterInfo is what is known of a counter.
type counterInfo struct{ name, block, doc, unit string }

// work is everything that was read.
type work struct {
	runs     []*run
	counters []counterInfo
	at       map[string]int
	gpu      string
	device   capture.Device
	warnings []string
}

func (w *work) counter(name string) int {
	if i, ok := w.at[name]; ok {
		return i
	}
	if w.at == nil {
		w.at = map[string]int{}
	}
	w.at[name] = len(w.counters)
	w.counters = append(w.counters, counterInfo{name: name})
	return len(w.counters) - 1
}

func (w *work) run(id string, traced bool) *run {
	for _, r := range w.runs {
		if r.id == id && r.traced == traced {
			return r
		}
	}
	r := &run{id: id, index: map[key]*dispatch{}, traced: traced}
	w.runs = append(w.runs, r)
	return r
}

// dispatch finds or adds a dispatch of a run.
func (r *run) dispatch(k key, labels func() []string) *dispatch {
	d := r.index[k]
	if d == nil {
		d = &dispatch{key: k, labels: labels(), values: map[int][]value{}}
		r.index[k] = d
		r.dispatches = append(r.dispatches, d)
	}
	return d
}

// foundAgent notes the name of a GPU, such as "gfx1151".
func (w *work) foundAgent(name, product string) {
	if w.device.Name == "" && (name != "" || product != "") {
		w.device = capture.Device{Name: product, Vendor: "AMD", ID: name}
		if product == "" {
			w.device.Name = name
		}
	}
	if _, err := metrics.Get(name); err == nil && w.gpu == "" {
		w.gpu = name
	}
}

// isLevel reports whether a counter is a share or level, which does not add up over dispatches: the derived ones that rocprofiler names in camel
// case and measures in percent.
func isLevel(c counterInfo) bool {
	if strings.Contains(c.unit, "%") || strings.EqualFold(c.unit, "percent") {
		return true
	}
	if strings.Contains(c.name, "_") {
		return false
	}
	for _, end := range []string{"Busy", "Percent", "Utilization", "Hit", "Stalled", "Conflict", "Util"} {
		if strings.HasSuffix(c.name, end) {
			return true
		}
	}
	return false
}

// groups puts runs of the same work together: those that share dispatches and measured no counter of them twice.
func (w *work) groups() [][]*run {
	var out [][]*run
next:
	for _, r := range w.runs {
		if r.traced {
			continue
		}
		for i, g := range out {
			if sameWork(g, r) {
				out[i] = append(g, r)
				continue next
			}
		}
		out = append(out, []*run{r})
	}
	return out
}

func sameWork(group []*run, r *run) bool {
	shared := false
	for _, other := range group {
		for _, d := range r.dispatches {
			o := other.index[d.key]
			if o == nil {
				continue
			}
			shared = true
			for c := range d.values {
				if len(o.values[c]) > 0 {
					return false
				}
			}
		}
	}
	return shared
}

// origin is the first start of a run.
func (r *run) origin() int64 {
	var first int64
	for _, d := range r.dispatches {
		if d.end != 0 && (first == 0 || d.start < first) {
			first = d.start
		}
	}
	return first
}

// checkTimes turns times that cannot be into none.
func (w *work) checkTimes(where string, d *dispatch) {
	if d.end < d.start || d.start < 0 {
		w.warnings = append(w.warnings, fmt.Sprintf("%s: dispatch %s ends before it starts: its times are left out", where, d.key.dispatch))
		d.start, d.end = 0, 0
	}
}
