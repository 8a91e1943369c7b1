package intel

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are the families of this model.
var Names = []string{"intel-tgl-third", "intel-kbl-gt2-third"}

// Kinds are the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// known is all that was drawn for a case.
type known struct {
	name     string
	seed     uint64
	m        *machine
	programs []*program
	drawn    recording
	base     func() []*result
}

// New makes a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	p := parts[name]
	if p == nil {
		return nil, fmt.Errorf("no family %q", name)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("no kind %q of %s", kind, name)
	}
	h := fnv.New64a()
	h.Write([]byte(name + "/" + kind))
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	k := &known{name: fmt.Sprintf("%s-%s-%d", name, kind, seed), seed: seed, m: p.specimen(r)}
	plant := ""
	k.programs, plant = k.m.programs(r, kind, seed)
	k.drawn = k.m.drawRecording(r)
	text := ""
	for i, x := range k.programs {
		if i > 0 {
			text += ", then "
		}
		text += x.text
	}
	k.base = sync.OnceValue(func() []*result { return k.run(none) })
	return &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text, Plant: plant,
		Record: func(o simulate.Options) (*capture.Capture, error) { return k.record(o) },
		Judge:  k.judge}, nil
}

// run simulates all programs, one after the other.
func (k *known) run(relieved leaf) (out []*result) {
	kept := &timings{m: k.m, relieved: relieved, kept: map[*pass]map[int]*timing{}}
	from := 0.0
	for i, p := range k.programs {
		first := 0
		if i == 0 {
			first = warm
		}
		r := p.simulate(kept, from, first)
		from = r.end
		out = append(out, r)
	}
	return out
}

// judge finds the truth by relief.
func (k *known) judge() (*simulate.Truth, error) {
	base := k.base()
	gains := func(list []leaf) (all []simulate.Gain, parts [][]simulate.Gain) {
		parts = make([][]simulate.Gain, len(base))
		for _, l := range list {
			c := simulate.Candidate{}
			switch l {
			case wholeCPU:
				c = simulate.WholeCPU
			case wholeGPU:
				c = simulate.WholeGPU
			default:
				c = candidates[l]
			}
			other := k.run(l)
			before, after := 0.0, 0.0
			for i := range base {
				b, a := base[i].end-base[i].start, other[i].end-other[i].start
				before, after = before+b, after+a
				parts[i] = append(parts[i], simulate.Gain{Candidate: c, Percent: 100 * (1 - a/b), Simulated: true})
			}
			all = append(all, simulate.Gain{Candidate: c, Percent: 100 * (1 - after/before), Simulated: true})
		}
		for i := range parts {
			simulate.SortGains(parts[i])
		}
		simulate.SortGains(all)
		return all, parts
	}
	list := make([]leaf, vsync)
	for i := range list {
		list[i] = leaf(i)
	}
	leaves, leavesOf := gains(list)
	wholes, wholesOf := gains([]leaf{wholeCPU, wholeGPU})
	t := &simulate.Truth{}
	origin, first := base[0].start, 0
	healthy, all := true, [leafCount]float64{}
	for i, r := range base {
		part := simulate.Part{Name: r.program.text, First: first, Frames: len(r.frames), Start: int64(r.start - origin),
			End: int64(r.end - origin), Whole: wholesOf[i], Leaves: leavesOf[i], Missed: r.missed, Healthy: r.healthy(),
			GPUBusy: r.busy / (r.end - r.start), ClockMean: r.clock / k.m.maxClock}
		part.Shares = shares(r.shares, part.End-part.Start)
		part.QueueShares = part.Shares
		healthy = healthy && part.Healthy
		for l, ns := range r.shares {
			all[l] += ns
		}
		t.Missed += r.missed
		t.GPUBusy += r.busy
		t.ClockMean += part.ClockMean * float64(len(r.frames))
		for j := range r.frames {
			f := &r.frames[j]
			t.Each = append(t.Each, simulate.FrameTruth{Content: i, Begin: int64(f.app.from - origin),
				GPUBegin: int64(f.gpu.from - origin), GPUEnd: int64(f.gpu.to - origin), Shown: int64(f.shown - origin),
				Missed: f.missed, Judged: true})
		}
		first += len(r.frames)
		t.Phases = append(t.Phases, part)
	}
	t.Frames, t.Start, t.End = first, 0, t.Phases[len(base)-1].End
	t.Leaves, t.Whole, t.Healthy = leaves, wholes, healthy
	t.Shares = shares(all, t.End)
	t.QueueShares = t.Shares
	t.GPUBusy /= float64(t.End)
	t.ClockMean /= float64(first)
	if len(base) == 1 {
		t.Phases = nil
	}
	t.Hold(k.programs[0].refresh)
	return t, nil
}

// shares are in whole ns that add up, best first.
func shares(ns [leafCount]float64, all int64) (out []simulate.Share) {
	sum := 0.0
	for _, v := range ns {
		sum += v
	}
	left := all
	for l, v := range ns {
		if x := int64(v / sum * float64(all)); x > 0 {
			out = append(out, simulate.Share{Candidate: candidates[l], Ns: x})
			left -= x
		}
	}
	slices.SortStableFunc(out, func(a, b simulate.Share) int { return int(min(1, max(-1, b.Ns-a.Ns))) })
	if len(out) > 0 {
		out[0].Ns += left
	}
	return out
}
