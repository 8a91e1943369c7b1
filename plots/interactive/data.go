package interactive

import (
	"math"

	"astrolabe/capture/metrics/formula"
	"astrolabe/plots/charts"
)

// Data is what a page holds. Times are in ns since the start of the capture.
type Data struct {
	Start, End int64
	Axes       []Axis
	Lanes      []Lane
	Bands      []Band
	Notes      []string // what is to know of the data, such as regions that are not listed
}

// Axis is one row of buckets that lanes share: bucket i holds the samples that start from Start[i] on and before the
// start of the next.
type Axis struct {
	Start, End []int64
	Rows       []int // samples in each; nil is one in each
	Samples    int
}

// Lane is one counter in the buckets of an axis.
type Lane struct {
	Name, Unit string
	Kind       string // of the counter
	Doc        string // what it means
	Why        string // why all values are missing
	Script     string // how a script gets the counter of a capture "part"; "" where it cannot
	Axis       int

	// Least, greatest, sum and number of present values per bucket. Where each bucket is one sample only Min is set.
	Min, Max, Sum, Count []float64

	Steps   []formula.Step // how the total of any stretch follows
	NoTotal string         // why there are none
}

// Band is a stretch or, where End is Start, an instant that something happened in.
type Band struct {
	Kind     string `json:"kind"` // "finding", "gap", "region", "mark", "note", or what its chart says
	Label    string `json:"label"`
	Start    int64  `json:"start"`
	End      int64  `json:"end"`
	Severity string `json:"severity,omitzero"`
	Href     string `json:"href,omitzero"` // the part of the page that says more
}

// The head of the data, as the scripts of the page read it. Numbers of columns are -1 where there is none.
type (
	head struct {
		Version int        `json:"version"`
		Start   int64      `json:"start"`
		End     int64      `json:"end"`
		Axes    []axisHead `json:"axes"`
		Lanes   []laneHead `json:"lanes"`
		Bands   []Band     `json:"bands"`
		Notes   []string   `json:"notes"`
		Columns []column   `json:"columns"`
	}
	axisHead struct {
		Start   int `json:"start"`
		End     int `json:"end"`
		Rows    int `json:"rows"`
		Samples int `json:"samples"`
	}
	laneHead struct {
		Name    string     `json:"name"`
		Unit    unitHead   `json:"unit"`
		Kind    string     `json:"kind"`
		Doc     string     `json:"doc,omitzero"`
		Why     string     `json:"why,omitzero"`
		Script  string     `json:"script,omitzero"`
		Axis    int        `json:"axis"`
		Min     int        `json:"min"`
		Max     int        `json:"max"`
		Sum     int        `json:"sum"`
		Count   int        `json:"count"`
		Steps   []stepHead `json:"steps"`
		NoTotal string     `json:"noTotal,omitzero"`
	}
	unitHead struct {
		Name   string  `json:"name"` // of the values; the others say how people read them
		Symbol string  `json:"symbol"`
		Class  string  `json:"class"`
		Factor float64 `json:"factor"`
	}
	stepHead struct {
		Op      string `json:"op"`
		Args    []int  `json:"args,omitempty"`
		Value   any    `json:"value,omitempty"` // a number, or the name of one that JSON lacks
		Columns []int  `json:"columns,omitempty"`
		Zero    bool   `json:"zero,omitzero"`
	}
)

// Encode writes the data for a page.
func (d *Data) Encode() (string, error) {
	p := &packer{}
	h := head{Version: 1, Start: d.Start, End: d.End, Bands: d.Bands, Notes: d.Notes, Axes: []axisHead{},
		Lanes: []laneHead{}}
	for _, a := range d.Axes {
		start, err := p.times(a.Start)
		if err != nil {
			return "", err
		}
		end, err := p.times(a.End)
		if err != nil {
			return "", err
		}
		out := axisHead{Start: start, End: end, Rows: -1, Samples: a.Samples}
		if a.Rows != nil {
			rows := make([]float64, len(a.Rows))
			for i, n := range a.Rows {
				rows[i] = float64(n)
			}
			out.Rows = p.add(rows)
		}
		h.Axes = append(h.Axes, out)
	}
	seen := map[*float64]int{} // columns that lanes share, such as the time of every ratio to it
	add := func(v []float64) int {
		if v == nil {
			return -1
		}
		if len(v) == 0 { // of a page that is fed, whose columns stay apart
			return p.add(v)
		}
		if at, ok := seen[&v[0]]; ok {
			return at
		}
		at := p.add(v)
		seen[&v[0]] = at
		return at
	}
	for _, l := range d.Lanes {
		symbol, class, factor := charts.Scale(l.Unit)
		out := laneHead{Name: l.Name, Unit: unitHead{l.Unit, symbol, class, factor}, Kind: l.Kind, Doc: l.Doc,
			Why: l.Why, Script: l.Script, Axis: l.Axis, Min: add(l.Min), Max: add(l.Max), Sum: add(l.Sum),
			Count: add(l.Count), NoTotal: l.NoTotal, Steps: []stepHead{}}
		for _, s := range l.Steps {
			step := stepHead{Op: s.Op, Args: s.Args, Zero: s.Zero}
			if s.Op == "number" {
				step.Value = number(s.Value)
			}
			for _, c := range s.Columns {
				step.Columns = append(step.Columns, add(c))
			}
			out.Steps = append(out.Steps, step)
		}
		h.Lanes = append(h.Lanes, out)
	}
	h.Columns = p.heads
	return p.pack(h)
}

// number is a number as JSON can say it.
func number(v float64) any {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return v
}
