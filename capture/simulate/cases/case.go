package cases

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// New draws a case of a kind.
func New(f *Family, kind string, seed uint64) (*simulate.Case, error) {
	// What cannot be what its kind promises is drawn anew, from numbers that belong to the same seed.
	var failed error
	for attempt := range uint64(64) {
		b := &builder{family: f, kind: kind, seed: seed, r: simulate.NewRandom(seed+attempt<<56, f.Name+"/"+kind)}
		b.device = f.Device(b.r)
		switch err := b.draw(); {
		case errors.Is(err, errLacks):
			failed = err
			continue
		case err != nil:
			return nil, err
		}
		if kind == simulate.KindHealthy {
			t, err := b.judge()
			if err != nil {
				return nil, err
			}
			if !t.Healthy || t.GPUBusy < 0.2 || t.GPUBusy > 0.75 {
				failed = fmt.Errorf("busy %.0f %%, %d missed dates", 100*t.GPUBusy, t.Missed)
				continue
			}
		}
		return b.finish(), nil
	}
	return nil, fmt.Errorf("family %s, kind %s, seed %d: no case of the kind was found: %w", f.Name, kind, seed, failed)
}

// builder draws one case.
type builder struct {
	family *Family
	kind   string
	seed   uint64
	r      simulate.Random
	device Device
	load   simulate.Load
	text   string
	plant  string
	period float64

	once  sync.Once
	truth *simulate.Truth
	err   error
}

func (b *builder) judge() (*simulate.Truth, error) {
	b.once.Do(func() { b.truth, b.err = simulate.Judge(b.device.Machine(), &b.load) })
	return b.truth, b.err
}

func (b *builder) finish() *simulate.Case {
	marks, host := b.r.Chance(0.5), b.r.Chance(0.5)
	return &simulate.Case{
		Family: b.family.Name, Kind: b.kind, Seed: b.seed, Text: b.text,
		Plant: b.plant, Judge: b.judge,
		Record: func(o simulate.Options) (*capture.Capture, error) {
			rec := &Recording{Seed: b.seed, Marks: o.Marks.Of(marks), Host: o.Host.Of(host), Options: o,
				Period: b.period}
			if o.Period > 0 {
				rec.Period = float64(o.Period.Nanoseconds())
			}
			return b.device.Capture(func(round int) (*simulate.Run, error) {
				return simulate.Record(b.device.Machine(), b.again(round), b.bounds(rec))
			}, rec)
		},
	}
}

// again is the load of a later round: the program runs once more, and no run is quite like another.
func (b *builder) again(round int) *simulate.Load {
	if round == 0 {
		return &b.load
	}
	r := simulate.NewRandom(b.seed+uint64(round)<<40, "round")
	w := b.load
	w.Frames = slices.Clone(w.Frames)
	for i := range w.Frames {
		f := &w.Frames[i]
		f.App, f.Driver = f.App*r.Spread(0.03), f.Driver*r.Spread(0.03)
		f.Scale = slices.Clone(f.Scale)
		for j := range f.Scale {
			f.Scale[j] *= float32(r.Spread(0.01))
		}
	}
	return &w
}

// bounds are the samples' times.
func (b *builder) bounds(rec *Recording) *simulate.Bounds {
	if b.device.Exact() {
		return simulate.NewBounds(rec.Period, nil)
	}
	r := simulate.NewRandom(b.seed, "sampling")
	late, missed := r.Log(1e-4, 0.02), 0.0
	if r.Chance(0.3) {
		missed = r.Log(1e-4, 0.01)
	}
	if o := rec.Options.Late; o != 0 {
		late = max(0, o)
	}
	if o := rec.Options.Missed; o != 0 {
		missed = max(0, o)
	}
	return simulate.NewBounds(rec.Period, simulate.Jitter(r, rec.Period, r.Log(8e3, 60e3), late, missed))
}
