package machine

import (
	"math"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// what a column beside the values says.
var (
	// ofTask are the columns of pidstat that say whose a row is; CPU is the one that the task ran on last.
	ofTask = []string{"UID", "USER", "TGID", "PID", "TID", "CPU", "Command"}
	// ofPart are those that say of which part of the machine a row is, the finest first (sar, mpstat, turbostat).
	ofPart = []string{"CPU", "Core", "Die", "Node", "Package", "NODE", "DEV", "IFACE", "INTR", "TTY", "MOUNTPOINT", "FILESYSTEM", "FCHOST", "BUS", "FAN",
		"TEMP", "DEVICE", "BAT", "USB", "APIC", "X2APIC", "L3"}
	// whole are what stands for all parts.
	whole = []string{"all", "-1", "-", "sum"}
)

// Keys are the columns of a header of such a program that say what a row is of; nil where it is the header of no table with such rows, since other
// programs call loads CPU.
func Keys(header []string) []string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(header, n) })
	}
	switch {
	case Tasks(header):
		return ofTask
	case has("%idle", "%usr", "Busy%", "intr/s") && has("CPU"):
		return ofPart
	}
	return nil
}

// Tasks reports whether a header is one of pidstat's, whose rows are of tasks.
func Tasks(header []string) bool {
	has := func(name string) bool { return slices.Contains(header, name) }
	return (has("PID") || has("TID")) && (has("%CPU") || has("majflt/s") || has("cswch/s") || has("kB_rd/s"))
}

// Place is what a row is of, "" the whole machine. cell is the row's text in a column, "" where there is none.
func Place(tasks bool, cell func(column string) string) string {
	if tasks {
		id := strings.TrimLeft(cell("TID"), "-")
		for _, name := range []string{"PID", "TGID"} {
			if id == "" {
				id = strings.TrimLeft(cell(name), "-")
			}
		}
		return strings.TrimSpace(id + " " + strings.TrimLeft(cell("Command"), "|_"))
	}
	for _, name := range ofPart {
		v := cell(name)
		switch {
		case v == "" || slices.Contains(whole, v):
			continue
		case name == "NODE":
			return "node" + v
		}
		return v
	}
	return ""
}

// Part is a value of a column: when, and of what.
type Part struct {
	At, Of int32 // the sample; the place, 0 the whole
	V      float64
}

// Counter puts the values of a column where they belong: the whole, and an instance for each place. What a sample says twice is taken once; again is
// how often it did. places[0] is the whole. Rows of tasks are only of those that did something, and add up.
func Counter(a *capture.Axis, m capture.Meta, parts []Part, places []string, tasks bool) (c *capture.Counter, again int) {
	c = &capture.Counter{Meta: m, Axis: a}
	columns := map[int32][]float64{}
	var order []int32
	for _, p := range parts {
		v, ok := columns[p.Of]
		if !ok {
			v = slices.Repeat([]float64{math.NaN()}, a.Len())
			columns[p.Of], order = v, append(order, p.Of)
		}
		if !math.IsNaN(v[p.At]) {
			again++
			continue
		}
		v[p.At] = p.V
	}
	column := func(v []float64) *capture.Column { return capture.NewColumn(capture.Data{F: v}) }
	if v, ok := columns[0]; ok {
		c.Col = column(v)
	} else if tasks {
		c.Col = column(added(columns, order, a.Len()))
	}
	for _, of := range order {
		if of == 0 {
			continue
		}
		in := &capture.Counter{Meta: m, Axis: a, Col: column(columns[of])}
		in.Meta.Instance, in.Name = places[of], m.Name+"["+places[of]+"]"
		c.Instances = append(c.Instances, in)
	}
	if !strings.HasSuffix(m.Name, "/s") && len(c.Instances) > 0 && !tasks {
		c.Combine = capture.CombineMean
	}
	return c, again
}

// added is the sum of what there is, in the order of the table.
func added(columns map[int32][]float64, order []int32, n int) []float64 {
	sum := slices.Repeat([]float64{math.NaN()}, n)
	for _, of := range order {
		for i, v := range columns[of] {
			switch {
			case math.IsNaN(v):
			case math.IsNaN(sum[i]):
				sum[i] = v
			default:
				sum[i] += v
			}
		}
	}
	return sum
}

// Room is an error where the columns of counters with so many places do not fit the memory.
func Room(counters, places, samples int) error {
	const each = 8
	return memory.Room(each * uint64(counters) * uint64(places) * uint64(samples))
}

// Spread makes instances of the rows of a table that has several at a time, of the CPUs or tasks that its labels name, where its header is one of such a
// program.
func Spread(cfg *capture.Config, header []string) error {
	if Keys(header) == nil || cfg.Axis.Len() == 0 {
		return nil
	}
	tasks := Tasks(header)
	axis, at := distinct(cfg.Axis)
	of, places := make([]int32, len(at)), []string{""}
	index := map[string]int32{"": 0}
	for row := range of {
		name := strings.NewReplacer("[", "(", "]", ")").Replace(Place(tasks, func(column string) string { return labelAt(cfg, column, row) }))
		code, ok := index[name]
		if !ok {
			code = int32(len(places))
			index[name], places = code, append(places, name)
		}
		of[row] = code
	}
	if err := Room(len(cfg.Counters), len(places), axis.Len()); err != nil {
		return err
	}
	out := make([]*capture.Counter, len(cfg.Counters))
	for i, c := range cfg.Counters {
		if len(c.Instances) > 0 {
			return nil
		}
		var parts []Part
		for row, v := range c.Floats() {
			if !math.IsNaN(v) {
				parts = append(parts, Part{at[row], of[row], v})
			}
		}
		again := 0
		if out[i], again = Counter(axis, c.Meta, parts, places, tasks); again > 0 {
			return nil // the rows are of something else too
		}
	}
	cfg.Axis, cfg.Counters = axis, out
	cfg.Labels = nil // what they say of a row is the instance
	return nil
}

func labelAt(cfg *capture.Config, name string, row int) string {
	for _, l := range cfg.Labels {
		if strings.EqualFold(l.Name, name) && l.Codes[row] >= 0 {
			return l.Dict[l.Codes[row]]
		}
	}
	return ""
}

// distinct are the samples of an axis, each once, and which of these each row is of.
func distinct(a *capture.Axis) (*capture.Axis, []int32) {
	out, at := &capture.Axis{Clock: a.Clock}, make([]int32, a.Len())
	for i := range at {
		if n := len(out.Start); n == 0 || a.Start[i] != out.Start[n-1] || a.End[i] != out.End[n-1] {
			out.Start, out.End = append(out.Start, a.Start[i]), append(out.End, a.End[i])
		}
		at[i] = int32(len(out.Start) - 1)
	}
	return out, at
}
