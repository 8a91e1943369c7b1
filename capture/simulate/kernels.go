package simulate

import (
	"fmt"
	"math"
	"strconv"
)

// Kernels is a row of kernels that a profiler lets run one after the other, with nothing beside them.
type Kernels struct {
	Contents []Content // what each kernel is: a name and its jobs
	Runs     []KernelRun
	// Phases are, by content, the phases that are judged apart; nil judges each kernel apart.
	Phases []string
}

// phase is what a dispatch is judged with.
func (k *Kernels) phase(i int) string {
	if c := k.Runs[i].Content; k.Phases != nil {
		return k.Phases[c]
	}
	return strconv.Itoa(k.Runs[i].Content)
}

// KernelRun is one dispatch.
type KernelRun struct {
	Content int
	Scale   float32 // of its work
}

// load is one dispatch as a load of a single frame.
func (k *Kernels) load(i int) Load {
	run := &k.Runs[i]
	scale := make([]float32, len(k.Contents[run.Content].Jobs))
	for j := range scale {
		scale[j] = run.Scale
	}
	return Load{Contents: k.Contents[run.Content : run.Content+1], Frames: []Frame{{Scale: scale}}, Threads: 1}
}

// Measured is a dispatch whose counters were recorded.
type Measured struct {
	Ns  int64 // from when the queue had it to its end
	Rec *Recorder
	Row Row
}

// Measure simulates one dispatch at a share of the highest clock and records its counters.
func Measure(m *Machine, k *Kernels, i int, share float64) (Measured, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	w := k.load(i)
	own := *m
	own.Clock = Clock{Highest: m.Clock.Highest, Steps: []float64{share}}
	rec := newRecorder(&own, &w, NewBounds(math.MaxInt64/4, nil))
	if err := e.run(&own, &w, Relief{}, false, rec); err != nil {
		return Measured{}, fmt.Errorf("kernel %s: %w", k.Contents[k.Runs[i].Content].Name, err)
	}
	return Measured{e.frames[0].done, rec, rec.Row(0)}, nil
}

// JudgeKernels finds out by relief what limits kernels, all together and each kernel apart. Between dispatches
// nothing is judged: a part begins where its first dispatch does, and lasts as long as its dispatches together.
func JudgeKernels(m *Machine, k *Kernels) (*Truth, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	truth := &Truth{}
	// Part 0 is all of them; the others are in the order of their first dispatch.
	parts := make([]Part, 1)
	place := map[string]int{}
	for i := range k.Runs {
		if _, known := place[k.phase(i)]; known {
			continue
		}
		place[k.phase(i)] = len(parts)
		name := k.Contents[k.Runs[i].Content].Name
		if k.Phases != nil {
			name = k.phase(i)
		}
		parts = append(parts, Part{Name: name, First: i})
	}
	worked := make([]work, len(k.Contents))
	for c := range k.Contents {
		worked[c] = workOf(&Load{Contents: k.Contents[c : c+1]})
	}
	leaf := make([]map[Candidate]int64, len(parts))
	for p := range parts {
		leaf[p] = map[Candidate]int64{}
	}
	base := make([]int64, len(k.Runs))
	at := int64(0)
	for i := range k.Runs {
		w := k.load(i)
		if err := e.run(m, &w, Relief{}, true, nil); err != nil {
			return nil, err
		}
		base[i] = e.frames[0].done
		for _, p := range []int{0, place[k.phase(i)]} {
			if parts[p].Frames == 0 {
				parts[p].Start, parts[p].End = at, at
			}
			parts[p].Frames++
			parts[p].End += base[i]
			e.path.Walk(e.frames[0].doneNode, 0, func(start, end int64, cause, _ uint8) {
				leaf[p][e.candidateOf(cause)] += end - start
			})
		}
		truth.Each = append(truth.Each, FrameTruth{Content: k.Runs[i].Content, Begin: at, GPUBegin: at,
			GPUEnd: at + base[i], Shown: at + base[i], Judged: true})
		at += base[i]
	}
	var list []Candidate
	for u := range m.Units {
		list = append(list, m.Units[u].Candidate)
	}
	list = append(list, LaunchOverhead)
	for _, c := range list {
		gains := make([]int64, len(parts))
		simulated := make([]bool, len(parts))
		r, _ := reliefOf(c)
		for i := range k.Runs {
			n := place[k.phase(i)]
			if u := m.UnitOf(c); u >= 0 && (!worked[k.Runs[i].Content].unit[u] || leaf[n][c] == 0) {
				continue // its relief shortens nothing: see needs
			}
			w := k.load(i)
			if err := e.run(m, &w, r, false, nil); err != nil {
				return nil, err
			}
			for _, p := range []int{0, n} {
				gains[p] += base[i] - e.frames[0].done
				simulated[p] = true
			}
		}
		for p := range parts {
			g := Gain{Candidate: c, Simulated: simulated[p]}
			if took := parts[p].End - parts[p].Start; took > 0 {
				g.Percent = 100 * float64(gains[p]) / float64(took)
			}
			parts[p].Leaves = append(parts[p].Leaves, g)
		}
	}
	for p := range parts {
		x := &parts[p]
		SortGains(x.Leaves)
		x.GPUBusy, x.ClockMean = 1, 1
		for _, c := range list {
			if ns := leaf[p][c]; ns > 0 {
				x.Shares = append(x.Shares, Share{c, ns})
			}
		}
		SortShares(x.Shares)
	}
	truth.Part = parts[0]
	if len(parts) > 2 {
		truth.Phases = parts[1:]
	}
	return truth, nil
}
