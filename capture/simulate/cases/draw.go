package cases

import (
	"errors"
	"fmt"
	"math"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// scenario is what a frame waits for, if the simulation agrees.
type scenario uint8

const (
	byGPU    scenario = iota // the GPU's work takes longest
	byApp                    // the application's thread does
	byDriver                 // the driver's thread does
	bySync                   // processor and GPU work in turn
	byShow                   // everything is early for the display
	scenarios
)

// draw draws the case of the builder's kind.
func (b *builder) draw() error {
	r := b.r
	switch b.kind {
	case simulate.KindArchetype:
		names := content.Archetypes()
		s, err := content.Draw(r, b.device.Has(), names[r.IntN(len(names))])
		if err != nil {
			return err
		}
		clock := ClockMode(r.Weighted([]float64{5, 3.5, 0.8, 0.7}))
		return b.one(s, scenario(r.Weighted([]float64{14, 1.6, 0.9, 0.9, 1.6})), clock)
	case simulate.KindRandom:
		s, err := content.Draw(r, b.device.Has(), "random")
		if err != nil {
			return err
		}
		return b.one(s, scenario(r.IntN(int(scenarios))), ClockMode(r.IntN(4)))
	case simulate.KindHealthy:
		names := content.Archetypes()
		s, err := content.Draw(r, b.device.Has(), names[r.IntN(len(names))])
		if err != nil {
			return err
		}
		return b.one(s, byShow, ClockMode(r.Weighted([]float64{3, 5})))
	case simulate.KindSerial:
		if b.family.Queues && !r.Chance(0.15) {
			return b.one(content.InTurn(r, b.device.Has()), byGPU, ClockHighest)
		}
		s, err := content.Draw(r, b.device.Has(), "game")
		if err != nil {
			return err
		}
		return b.one(s, bySync, ClockHighest)
	case simulate.KindSingle:
		return b.single()
	case simulate.KindTwoPhase:
		return b.twoPhase()
	}
	return fmt.Errorf("there is no kind of case %q; there are %v", b.kind, simulate.Kinds())
}

// errLacks says that the plant needs what only other devices of the family have.
var errLacks = errors.New("the device lacks the unit")

// single draws a plant: content that only one thing limits. Seeds take the plants in turn.
func (b *builder) single() error {
	r, has := b.r, b.device.Has()
	type maker struct {
		name string
		draw func() error
	}
	var makers []maker
	plant := func(name string, s func() *content.Scene, sc scenario, clock ClockMode) {
		makers = append(makers, maker{name, func() error { return b.one(s(), sc, clock) }})
	}
	for a := range content.Axes {
		if !has.Axes[a] && has.Elsewhere[a] {
			makers = append(makers, maker{a.String(), func() error { return errLacks }})
		}
		if !has.Axes[a] {
			continue
		}
		for _, stage := range has.StagesOf(a) {
			name := a.String()
			if len(has.Stages[a]) > 0 {
				name = fmt.Sprintf("%v, stage %d", a, stage)
			}
			plant(name, func() *content.Scene { return content.Plant(r, has, a, stage) }, byGPU, ClockHighest)
		}
	}
	any := func() *content.Scene {
		names := content.Archetypes()
		s, err := content.Draw(r, has, names[r.IntN(len(names))])
		if err != nil {
			return content.Even(r, has)
		}
		return s
	}
	even := func() *content.Scene { return content.Even(r, has) }
	plant("launches", func() *content.Scene { return content.Launches(r, has, b.device.Launch()) }, byGPU, ClockHighest)
	plant("heat", even, byGPU, ClockHot)
	plant("power limit", even, byGPU, ClockLimited)
	plant("application", any, byApp, ClockHighest)
	plant("driver", any, byDriver, ClockHighest)
	plant("waits", any, bySync, ClockHighest)
	plant("display", any, byShow, ClockHighest)
	if b.family.Queues {
		plant("queues in turn", func() *content.Scene { return content.InTurn(r, has) }, byGPU, ClockHighest)
	}
	p := makers[b.seed%uint64(len(makers))]
	b.plant = p.name
	return p.draw()
}

// fit scales a scene until a frame of it takes so many ns of the GPU alone.
func (b *builder) fit(s *content.Scene, target float64) error {
	for range 4 {
		if s.Fixed {
			break
		}
		c := b.device.Compile(s)
		t, err := simulate.Solo(b.device.Machine(), &c)
		if err != nil {
			return err
		}
		if math.Abs(t/target-1) < 0.03 {
			break
		}
		s.Scale(max(0.2, min(5, target/t)))
	}
	return nil
}

// one draws a case of one phase.
func (b *builder) one(s *content.Scene, sc scenario, clock ClockMode) error {
	r, m := b.r, b.device.Machine()
	m.Clock = b.device.Clock(r, clock)
	w := &b.load
	b.times(s, sc)
	if s.Fixed || s.Name == content.TurnName && r.Chance(0.5) {
		w.Pacing = uncapped(r)
	}
	target, err := b.target(s, sc)
	if err != nil {
		return err
	}
	if err := b.fit(s, target); err != nil {
		return err
	}
	b.device.Keep(s)
	w.Contents = append(w.Contents, b.device.Compile(s))
	frame := max(target, s.App, s.Driver, float64(w.Pacing.Interval()))
	n := b.samples(frame)
	w.Warm = 8
	if m.Clock.Period > 0 {
		// The governor has made up its mind before the capture begins.
		w.Warm = min(60, max(w.Warm, int(14*float64(m.Clock.Period)/frame)))
	}
	b.frames(0, s, sc, n+w.Warm)
	if w.Pacing.Requests {
		b.requests()
	}
	b.text = fmt.Sprintf("%s, %s, %s", s.Name, w.Pacing.Name(), clockText(&m.Clock))
	return nil
}

func clockText(c *simulate.Clock) string {
	switch {
	case c.Heat != nil:
		return "hot"
	case c.Power != nil:
		return "at its power limit"
	case c.Period > 0:
		return "governed clock"
	}
	return "highest clock"
}

// times draws the pacing and the processor's threads.
func (b *builder) times(s *content.Scene, sc scenario) {
	r, w := b.r, &b.load
	w.Threads = simulate.Pick(r, 1, 2, 2)
	w.Interrupt = r.Log(8e3, 60e3)
	switch {
	case sc == byShow:
		w.Pacing = drawPacing(r)
		if (s.Name == "interface" || s.Name == "menu" || s.Name == "loading") && r.Chance(0.5) {
			w.Pacing.Requests, w.Pacing.Cap, w.Pacing.Adaptive, w.Pacing.Cadence = true, 0, false, []int{1}
		}
	case r.Chance(0.5):
		w.Pacing = drawPacing(r)
		w.Pacing.Cap = 0
	default:
		w.Pacing = uncapped(r)
	}
	if sc != byShow && sc != bySync {
		w.Pacing.Ahead = max(2, w.Pacing.Ahead)
	}
}

// target draws the GPU's time of a frame, and sets the processor's in s to ns.
func (b *builder) target(s *content.Scene, sc scenario) (float64, error) {
	r, w := b.r, &b.load
	interval := float64(w.Pacing.Interval())
	var gpu float64
	switch {
	case s.Fixed:
		c := b.device.Compile(s)
		var err error
		if gpu, err = simulate.Solo(b.device.Machine(), &c); err != nil {
			return 0, err
		}
	case sc == byShow:
		gpu = interval * r.Between(0.12, 0.72)
		if w.Pacing.Requests {
			gpu = interval * r.Between(0.3, 0.85)
		}
	case interval > 0 && (sc == byGPU || sc == bySync):
		gpu = interval * r.Between(1.06, 2.1)
	case interval > 0:
		gpu = interval * r.Between(0.3, 1.3)
	default:
		gpu = r.Log(3e6, 40e6)
	}
	app, driver := gpu*s.App, gpu*s.Driver
	long := max(gpu, interval)
	switch sc {
	case byApp:
		app = long * r.Between(1.12, 2.2)
		driver = min(driver, app*r.Between(0.1, 0.5))
	case byDriver:
		driver = long * r.Between(1.12, 2.2)
		app = min(app, driver*r.Between(0.1, 0.5))
		if w.Threads == 1 {
			app = min(app, driver*0.3)
		}
	case bySync:
		app = gpu * r.Between(0.35, 0.9)
		driver = app * r.Between(0.05, 0.3)
	default:
		room := 0.72 * long
		if sc == byShow {
			// With one frame in the making, or two pictures, processor and GPU share a frame's time.
			room = 0.7 * long
			if w.Pacing.Ahead == 1 || w.Pacing.Buffers == 2 || w.Pacing.Align {
				room = 0.78*long - gpu
			}
		}
		if w.Threads == 1 || sc == byShow {
			if sum := app + driver; sum > room {
				app, driver = app*room/sum, driver*room/sum
			}
		} else {
			app, driver = min(app, room), min(driver, room)
		}
	}
	s.App, s.Driver = max(app, 1e3), max(driver, 1e3)
	if sc == bySync {
		b.sync()
	}
	return gpu, nil
}

// sync lets processor and GPU wait for each other.
func (b *builder) sync() {
	r, w := b.r, &b.load
	switch r.IntN(3) {
	case 0: // no more than one frame at a time
		w.Pacing.Ahead = 1
	case 1: // the result of the frame before is read at the start of the next
		w.Wait = &simulate.Wait{Back: 1, Job: -1}
	default: // a result of this frame is read within it
		w.Wait = &simulate.Wait{At: r.Between(0.2, 0.8), Back: 0, Job: 0}
		w.Pacing.Ahead = 1
	}
}

// Bounds of captures.
const (
	minFrames, maxFrames   = 24, 150
	minSamples, maxSamples = 210, 420
	mostSamples            = 1800
)

// samples draws the period of samples and returns how many frames are needed.
func (b *builder) samples(frame float64) int {
	r := b.r
	var fit []float64
	for _, p := range b.device.Periods() {
		// A period is of use where the frames that a simulation has time for give enough samples, and not too many.
		if p*minSamples <= frame*maxFrames && p*mostSamples >= frame*minFrames {
			fit = append(fit, p)
		}
	}
	b.period = b.device.Periods()[0]
	if len(fit) > 0 {
		b.period = fit[r.IntN(len(fit))]
	}
	n := float64(r.Whole(minSamples, maxSamples)) * b.period / frame
	return max(minFrames, min(maxFrames, int(math.Ceil(n))))
}

// frames draws the frames of a phase: work that drifts slowly, differs from frame to frame and from pass to pass.
func (b *builder) frames(of int, s *content.Scene, sc scenario, n int) {
	r, w := b.r, &b.load
	jobs := len(w.Contents[of].Jobs)
	steady := s.Steady
	if sc == byShow {
		steady = min(steady, 0.05)
	}
	threads := min(0.25, 2*steady)
	drift, phase, period := r.Between(0, 1.2*steady), r.Between(0, 2*math.Pi), r.Between(10, 80)
	for i := range n {
		common := r.Spread(steady) * (1 + drift*math.Sin(phase+2*math.Pi*float64(i)/period))
		f := simulate.Frame{Content: of, App: s.App * r.Spread(threads), Driver: s.Driver * r.Spread(threads)}
		if sc != byShow && r.Chance(0.01) {
			f.App *= r.Between(1.5, 4) // a hitch
		}
		for range jobs {
			f.Scale = append(f.Scale, float32(common*r.Spread(steady/2)))
		}
		w.Frames = append(w.Frames, f)
	}
}

// requests draws when somebody asks for frames: bursts as of scrolling or typing, with pauses between.
func (b *builder) requests() {
	r, w := b.r, &b.load
	t, left := float64(w.Pacing.Refresh), 0
	burst, pause := r.Log(4, 60), r.Log(0.5, 8)
	for i := range w.Frames {
		if left == 0 {
			left = 1 + int(r.ExpFloat64()*burst)
			if i > 0 {
				t += float64(w.Pacing.Refresh) * r.ExpFloat64() * pause
			}
		}
		left--
		t += float64(w.Pacing.Refresh) * r.Between(0.98, 1.02)
		w.Frames[i].Request = int64(t)
	}
}
