package amd

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names of the families.
var Names = []string{gpaName, liveName}

const gpaName = "amd-gpa-third"

// Kinds lists the kinds of cases that a family has.
func Kinds(name string) []string {
	switch name {
	case gpaName:
		return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
	case liveName:
		return simulate.Kinds()
	}
	return nil
}

// New makes a case. Equal arguments give equal cases.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("there is no %q of %q", kind, name)
	}
	h := fnv.New64a()
	h.Write([]byte(name + " " + kind))
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	if name == gpaName {
		gpaCase(c, r)
	} else {
		liveCase(c, r)
	}
	return c, nil
}

// gpaCase makes a frame that was measured draw by draw.
func gpaCase(c *simulate.Case, r *rand.Rand) {
	f := &frame{p: &parts[r.IntN(len(parts))]}
	// The interface asks the driver for steady clocks below the highest.
	f.clock = math.Round(f.p.clock*(0.55+0.4*r.Float64())*100) / 100
	m := &maker{r: r, p: f.p}
	m.pixels = []float64{1280 * 800, 1920 * 1080, 2560 * 1440, 3840 * 2160}[min(3, r.IntN(3)+int(f.p.units/60))]
	if f.p.shared {
		m.pixels = 1280 * 800
	}
	m.scale = f.p.units / 50
	switch c.Kind {
	case simulate.KindArchetype:
		f.content(m, r.IntN(len(contents)))
		c.Text = f.names[0]
	case simulate.KindTwoPhase:
		a, b := f.different(m)
		c.Text = a + ", then " + b
	case simulate.KindRandom:
		f.first, f.names = []int{0}, []string{"mixture"}
		for range 2 + r.IntN(6) {
			other := &maker{r: r, p: m.p, pixels: m.pixels, scale: m.scale}
			contents[r.IntN(len(contents))].make(other)
			for _, w := range other.works {
				if r.IntN(3) == 0 {
					m.works = append(m.works, w)
				}
			}
		}
		if len(m.works) == 0 {
			m.opaque(1, 8)
		}
		c.Text = "mixture of passes"
	case simulate.KindSingle:
		label := int(c.Seed % labels)
		c.Plant = candidates[label].String()
		c.Text = "limited by " + c.Plant
		f.first, f.names = []int{0}, []string{c.Text}
		f.plant(m, label)
	}
	if len(m.works) > 160 {
		m.works = m.works[:160]
	}
	f.works = m.works
	f.runAll()
	f.measured = make([]float64, len(f.works))
	for i := range f.measured {
		// The clock of times ticks a hundred million times a second.
		f.measured[i] = max(10, math.Round(f.runs[i].time*(1+0.006*r.NormFloat64())/10)*10)
	}
	c.Text += " on " + f.p.name
	seed := r.Uint64()
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return f.record(c, seed, o) }
	c.Judge = func() (*simulate.Truth, error) { return f.truth(), nil }
}

func (f *frame) content(m *maker, k int) {
	m.kind = len(f.first)
	f.first, f.names = append(f.first, len(m.works)), append(f.names, contents[k].name)
	contents[k].make(m)
}

func (f *frame) runAll() {
	s := new(pipe)
	for i := range f.works {
		f.works[i].settle()
		f.works[i].flows = f.flows
	}
	f.runs = make([]outcome, len(f.works))
	for i := range f.works {
		f.runs[i] = *s.run(f.p, f.clock, &f.works[i], -1)
	}
}

// different makes two contents that other labels limit, if it finds such within a few tries.
func (f *frame) different(m *maker) (a, b string) {
	ka := m.r.IntN(len(contents))
	f.content(m, ka)
	if len(m.works) > 70 {
		m.works = m.works[:70]
	}
	split := len(m.works)
	f.works = m.works
	f.runAll()
	limit := f.mostPaced(0, split)
	for range 6 {
		m.works, f.first, f.names = m.works[:split], f.first[:1], f.names[:1]
		kb := m.r.IntN(len(contents))
		if kb == ka {
			continue
		}
		f.content(m, kb)
		f.works = m.works
		f.runAll()
		if f.mostPaced(split, len(m.works)) != limit {
			break
		}
	}
	if len(f.names) < 2 {
		f.content(m, (ka+1)%len(contents))
	}
	return f.names[0], f.names[1]
}

// plant grows content until the planted label alone limits it.
func (f *frame) plant(m *maker, label int) {
	seeds, grow := [2]uint64{m.r.Uint64(), m.r.Uint64()}, 1.0
	for range 7 {
		m.works, m.r = nil, rand.New(rand.NewPCG(seeds[0], seeds[1]))
		plant(m, label, grow)
		f.works = m.works
		f.runAll()
		if g := f.gains(0, len(f.works), f.relief()); g[0].Candidate == candidates[label] && g[0].Percent > 15 &&
			g[0].Percent > 1.8*g[1].Percent {
			return
		}
		grow *= 1.3
	}
}

// mostPaced is the label that was longest on the paths of a range.
func (f *frame) mostPaced(from, to int) int {
	var sum [labels]float64
	for _, o := range f.runs[from:to] {
		for k, ns := range o.paced {
			sum[k] += ns
		}
	}
	best := 0
	for k, ns := range sum {
		if ns > sum[best] {
			best = k
		}
	}
	return best
}
