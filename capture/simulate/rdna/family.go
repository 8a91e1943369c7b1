package rdna

import (
	"fmt"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// Kinds are the kinds of cases that kernels can have: there are no frames that could be healthy, and one queue.
func Kinds() []string {
	return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
}

// New draws a case.
func (f *Family) New(kind string, seed uint64) (*simulate.Case, error) {
	r := simulate.NewRandom(seed, f.Name+"/"+kind)
	b := &program{f: f, seed: seed, d: f.newDevice(r)}
	if err := b.draw(r, kind); err != nil {
		return nil, err
	}
	c := &simulate.Case{Family: f.Name, Kind: kind, Seed: seed, Text: b.text(), Plant: b.plant, Record: b.record}
	c.Judge = sync.OnceValues(func() (*simulate.Truth, error) { return simulate.JudgeKernels(&b.d.machine, &b.runs) })
	return c, nil
}

// program is a program that runs kernels.
type program struct {
	f       *Family
	seed    uint64
	plant   string // of a case that one thing limits
	d       *device
	kernels []*kernel
	runs    simulate.Kernels
}

// add adds a kernel of a pass.
func (b *program) add(p *content.Pass, times int, r simulate.Random) { b.run(b.d.compile(p), times, r) }

// run adds a kernel that is dispatched some times.
func (b *program) run(k *kernel, times int, r simulate.Random) {
	b.kernels = append(b.kernels, k)
	b.runs.Contents = append(b.runs.Contents, k.content)
	for range times {
		b.runs.Runs = append(b.runs.Runs, simulate.KernelRun{Content: len(b.kernels) - 1,
			Scale: float32(r.Spread(0.01))})
	}
}

func (b *program) draw(r simulate.Random, kind string) error {
	time := func() float64 { return r.Log(15e3, 3e6) }
	names := content.KernelNames()
	any := func() (*content.Pass, error) { return content.Kernel(r, b.d.has, names[r.IntN(len(names))], time()) }
	axes := b.d.axes()
	switch kind {
	case simulate.KindArchetype:
		// A program leans on one kernel; others may stand beside it.
		p, err := any()
		if err != nil {
			return err
		}
		b.add(p, r.Whole(3, 20), r)
		for range r.Weighted([]float64{3, 1, 1}) {
			if p, err = any(); err != nil {
				return err
			}
			p.Groups.Time *= 0.2
			b.add(p, r.Whole(1, 6), r)
		}
	case simulate.KindSingle:
		b.single(r)
	case simulate.KindTwoPhase:
		first := r.IntN(len(axes))
		second := (first + 1 + r.IntN(len(axes)-1)) % len(axes)
		n, t := r.Whole(6, 20), r.Log(60e3, 2e6)
		b.add(content.KernelPlant(r, b.d.has, axes[first], t), n, r)
		b.add(content.KernelPlant(r, b.d.has, axes[second], t*r.Between(0.6, 1.6)), n, r)
	case simulate.KindRandom:
		for range r.Whole(1, 8) {
			p, err := any()
			if err != nil {
				return err
			}
			b.add(p, r.Whole(1, 6), r)
		}
		r.Shuffle(len(b.runs.Runs), func(i, j int) { b.runs.Runs[i], b.runs.Runs[j] = b.runs.Runs[j], b.runs.Runs[i] })
	default:
		return fmt.Errorf("family %s has no kind of case %q; it has %v", b.f.Name, kind, Kinds())
	}
	return nil
}

// single draws a plant: one kernel that only one thing limits. Seeds take the plants in turn.
func (b *program) single(r simulate.Random) {
	axes := b.d.axes()
	switch n := int(b.seed % uint64(len(axes)+2)); n {
	case len(axes):
		b.plant = "launches"
		b.add(content.KernelPlant(r, b.d.has, content.Arithmetic, b.d.launch*r.Between(0.1, 0.4)), r.Whole(10, 60), r)
	case len(axes) + 1:
		b.plant = "wave launches" // waves so short that launching them takes the time
		p := content.KernelPlant(r, b.d.has, content.Arithmetic, r.Log(100e3, 2e6))
		p.Groups.Wide = false
		k := b.d.compile(p)
		k.counts.waves = p.Groups.Time * b.d.hz / 1e9 * b.d.launchRate() * r.Between(1.8, 4)
		k.content.Jobs[0].Streams[0].Front[0].Time = b.d.launching(k.counts.waves)
		b.run(k, r.Whole(3, 20), r)
	default:
		b.plant = axes[n].String()
		b.add(content.KernelPlant(r, b.d.has, axes[n], r.Log(40e3, 3e6)), r.Whole(3, 20), r)
	}
}

func (d *device) axes() (out []content.Axis) {
	for a := range content.Axes {
		if d.has.Axes[a] {
			out = append(out, a)
		}
	}
	return out
}

func (b *program) text() string {
	s := ""
	for i, k := range b.kernels {
		if i > 0 {
			s += ", "
		}
		s += k.pass.Name
	}
	return fmt.Sprintf("%s: %d dispatches", s, len(b.runs.Runs))
}

// record makes the capture.
func (b *program) record(o simulate.Options) (*capture.Capture, error) {
	t := &table{b: b, noise: simulate.NewRandom(b.seed, b.f.Name+" recording"), by: 1}
	switch {
	case o.Noise < 0:
		t.by = 0
	case o.Noise > 0:
		t.by = o.Noise
	}
	without := slices.Clone(o.Without)
	for _, c := range o.Withheld {
		without = append(without, b.f.counters(c)...)
	}
	return t.capture(without)
}
