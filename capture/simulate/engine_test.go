package simulate

import (
	"math"
	"slices"
	"testing"
)

// Units of the machine of these tests.
const (
	toyFront = FirstUnit + iota
	toyX
	toyY
	toyBack
	toyUnits
)

// toy is a machine with two core units, one front stage and one back stage.
func toy() Machine {
	unit := func(name string) Unit { return Unit{Candidate{LevelUnit, name}, CoreClock} }
	m := NewMachine([]string{"first", "second"}, unit("front"), unit("x"), unit("y"), unit("back"))
	m.Clock = FixedClock(1e9)
	return m
}

// toyStream is a stream whose units take these times in ns.
func toyStream(times map[uint8]float64) Stream {
	s := Stream{Chunks: 40, Seed: 7}
	for u := range uint8(toyUnits) {
		if times[u] == 0 {
			continue
		}
		v := Serve{Unit: u, Spread: 3, Time: times[u]}
		switch u {
		case toyFront:
			s.Front = append(s.Front, v)
		case toyBack:
			s.Back = append(s.Back, v)
		default:
			s.Core = append(s.Core, v)
		}
	}
	return s
}

// toyLoad is a row of equal frames with these jobs.
func toyLoad(frames int, jobs ...Job) Load {
	w := Load{Contents: []Content{{"toy", jobs}}, Warm: 4, Threads: 1, Pacing: Pacing{Ahead: 2}}
	scale := make([]float32, len(jobs))
	for i := range scale {
		scale[i] = 1
	}
	for range frames {
		w.Frames = append(w.Frames, Frame{App: 1e5, Driver: 1e5, Scale: scale})
	}
	return w
}

func mustJudge(t *testing.T, m *Machine, w *Load) *Truth {
	t.Helper()
	tr, err := Judge(m, w)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// perFrame is the ns per frame.
func (p *Part) perFrame() float64 { return float64(p.End-p.Start) / float64(p.Frames) }

func TestTheUnitWithTheMostWorkLimits(t *testing.T) {
	m := toy()
	for u := range uint8(toyUnits) {
		times := map[uint8]float64{0: 1e6, 1: 1e6, toyFront: 1e6, toyX: 1e6, toyY: 1e6, toyBack: 1e6}
		times[u] = 5e6
		w := toyLoad(30, Job{Streams: []Stream{toyStream(times)}, Submit: 1})
		tr := mustJudge(t, &m, &w)
		c, clear := tr.Limiter()
		if want := m.Units[u].Candidate; c != want || !clear {
			t.Errorf("a load of %v is limited by %v (clear: %v): %v", want, c, clear, tr.Leaves[:2])
		}
		if g := tr.Leaves[0].Percent; g < 28 || g > 33.4 {
			t.Errorf("%v at 1.5 times the speed gives %.1f %%, want about 33", c, g)
		}
		if s := tr.ShareOf(c); s < 0.9 {
			t.Errorf("%v sets the pace for %.2f of the time", c, s)
		}
	}
}

func TestSharesAddUpToTheTimeExactly(t *testing.T) {
	m := toy()
	m.Clock = Clock{Highest: 1e9, Steps: []float64{0.4, 0.7, 1}, Period: 5e6, Up: 0.9, Down: 0.5}
	a := Job{Name: "a", Queue: 0, Launch: 5e3, Streams: []Stream{toyStream(map[uint8]float64{0: 2e6, toyX: 3e6,
		toyFront: 1e6})}}
	b := Job{Name: "b", Queue: 1, Launch: 5e3, Streams: []Stream{toyStream(map[uint8]float64{1: 2e6, toyY: 3e6,
		toyBack: 2e6})}, After: []Dependency{{Job: 0}}, Image: true, Submit: 1}
	for _, p := range []Pacing{{Ahead: 1}, {Ahead: 2}, {Refresh: 8333333, Cadence: []int{1}, Buffers: 2, Ahead: 2},
		{Refresh: 16666667, Cadence: []int{1, 2}, Buffers: 3, Ahead: 2, Align: true}} {
		w := toyLoad(40, a, b)
		w.Pacing, w.Interrupt, w.Threads = p, 2e4, 2
		tr := mustJudge(t, &m, &w)
		for i, list := range [][]Share{tr.Shares, tr.QueueShares} {
			sum := int64(0)
			for _, s := range list {
				if s.Ns <= 0 {
					t.Errorf("%s: %v has a share of %d ns", p.Name(), s.Candidate, s.Ns)
				}
				sum += s.Ns
			}
			if sum != tr.End-tr.Start {
				t.Errorf("%s: list %d adds up to %d ns of %d", p.Name(), i, sum, tr.End-tr.Start)
			}
		}
	}
}

func TestEventsHappenWhenWhatTheyWaitedForIsOver(t *testing.T) {
	m := toy()
	a := Job{Queue: 0, Launch: 5e3, Streams: []Stream{toyStream(map[uint8]float64{0: 2e6, toyX: 3e6, toyFront: 1e6,
		toyBack: 2e6})}}
	b := Job{Queue: 1, Launch: 5e3, Streams: []Stream{toyStream(map[uint8]float64{1: 2e6, toyY: 3e6}),
		toyStream(map[uint8]float64{0: 1e6, toyX: 3e6})}, Gap: 3, Submit: 1}
	w := toyLoad(20, a, b)
	e := &engine{}
	if err := e.run(&m, &w, Relief{}, true, nil); err != nil {
		t.Fatal(err)
	}
	for i, n := range e.path.nodes {
		if n.prev >= int32(i) || n.prev >= 0 && e.path.nodes[n.prev].t > n.t {
			t.Fatalf("event %d at %d waited for event %d at %d", i, n.t, n.prev, e.path.nodes[max(0, n.prev)].t)
		}
	}
}

func TestWorkDoneIsWorkSubmittedWhateverTheRates(t *testing.T) {
	m := toy()
	job := Job{Streams: []Stream{toyStream(map[uint8]float64{0: 2e6, 1: 1e6, toyFront: 1e6, toyX: 3e6, toyY: 2e6,
		toyBack: 1e6})}, Submit: 1}
	w := toyLoad(12, job)
	var first []float64
	reliefs := []Relief{{}, {GPU: true}, {Unit: m.Units[toyX].Candidate}, {Queue: "first"}, {App: true}}
	for _, r := range reliefs {
		rec := newRecorder(&m, &w, NewBounds(1e6, nil))
		e := &engine{}
		if err := e.run(&m, &w, r, false, rec); err != nil {
			t.Fatal(err)
		}
		sums := make([]float64, rec.dims)
		for i := range rec.rows {
			rec.Row(i).Passes(func(_ int, of []float32) {
				for d, x := range of {
					sums[d] += float64(x)
				}
			})
		}
		for d := range rec.units + TallySlots { // those behind are times, which do depend on rates
			if first != nil && math.Abs(sums[d]-first[d]) > 1e-3*first[d] {
				t.Errorf("relief %+v: dimension %d counts %g, without relief %g", r, d, sums[d], first[d])
			}
		}
		if n := sums[rec.units+TallyOut]; math.Abs(n-12) > 1e-3 {
			t.Errorf("relief %+v: %g frames came out, 12 went in", r, n)
		}
		if first == nil {
			first = sums
		}
	}
}

func TestTwiceTheSpeedOfEverythingHalvesTheTime(t *testing.T) {
	m := toy()
	times := map[uint8]float64{0: 2e6, 1: 1e6, toyFront: 2e6, toyX: 3e6, toyY: 2.5e6, toyBack: 2e6}
	half := map[uint8]float64{}
	for u, x := range times {
		half[u] = x / 2
	}
	a, b := toyLoad(30, Job{Streams: []Stream{toyStream(times)}, Launch: 1e4, Submit: 1, Drain: true}), toyLoad(30,
		Job{Streams: []Stream{toyStream(half)}, Launch: 5e3, Submit: 1, Drain: true})
	slow, fast := mustJudge(t, &m, &a), mustJudge(t, &m, &b)
	if r := slow.perFrame() / fast.perFrame(); math.Abs(r-2) > 0.02 {
		t.Errorf("%g ns per frame become %g: %.3f times", slow.perFrame(), fast.perFrame(), r)
	}
}

func TestNoUnitServesLongerThanTimePasses(t *testing.T) {
	m := toy()
	job := Job{Streams: []Stream{toyStream(map[uint8]float64{0: 4e6, toyFront: 3e6, toyX: 3.5e6, toyBack: 3e6})},
		Submit: 1}
	w := toyLoad(30, job, job)
	rec := newRecorder(&m, &w, NewBounds(1e6, nil))
	e := &engine{}
	if err := e.run(&m, &w, Relief{}, false, rec); err != nil {
		t.Fatal(err)
	}
	total := map[uint8]float64{}
	for _, list := range [][]Serve{job.Streams[0].Front, job.Streams[0].Core, job.Streams[0].Back} {
		for _, v := range list {
			total[v.Unit] = v.Time
		}
	}
	for i := range rec.rows {
		for u, ns := range total {
			served := 0.0
			rec.Row(i).Passes(func(_ int, of []float32) { served += float64(of[u]) * ns })
			if served > 1e6*1.001 {
				t.Fatalf("unit %d served %g ns in sample %d of 1 ms", u, served, i)
			}
		}
	}
}

// Little's law: the mean number of frames in the making is their rate times the time that each takes.
func TestFramesInTheMakingFollowLittlesLaw(t *testing.T) {
	m := toy()
	for ahead := 1; ahead <= 4; ahead++ {
		w := toyLoad(60, Job{Streams: []Stream{toyStream(map[uint8]float64{0: 2e6, toyX: 4e6})}, Submit: 1})
		w.Pacing.Ahead, w.Threads = ahead, 2
		for i := range w.Frames {
			w.Frames[i].App, w.Frames[i].Driver = 1e6, 0.5e6
		}
		tr := mustJudge(t, &m, &w)
		start, end := tr.Each[10].Begin, tr.Each[50].Begin
		inside := 0.0
		const instants = 20000
		for k := range instants {
			at := start + (end-start)*int64(k)/instants
			for _, f := range tr.Each {
				if f.Begin <= at && at < f.GPUEnd {
					inside++
				}
			}
		}
		inside /= instants
		took := 0.0
		for _, f := range tr.Each[10:50] {
			took += float64(f.GPUEnd - f.Begin)
		}
		want := took / float64(end-start)
		if math.Abs(inside-want) > 0.05*want {
			t.Errorf("%d frames ahead: %.3f frames are in the making, rate times latency is %.3f", ahead, inside, want)
		}
		if inside > float64(ahead)+0.01 {
			t.Errorf("%d frames ahead: %.3f frames are in the making", ahead, inside)
		}
	}
}

func TestADependencyThatQueuesDoNotNeedCostsTheirOverlap(t *testing.T) {
	m := toy()
	a := Job{Name: "a", Queue: 0, Streams: []Stream{toyStream(map[uint8]float64{toyX: 3.5e6})},
		After: []Dependency{{Job: -1, Back: 1, Loose: true}}}
	b := Job{Name: "b", Queue: 1, Streams: []Stream{toyStream(map[uint8]float64{toyY: 6.5e6})},
		After: []Dependency{{Job: 0}}, Submit: 1}
	w := toyLoad(30, a, b)
	tr := mustJudge(t, &m, &w)
	if c, clear := tr.Limiter(); c != QueuesInTurn || !clear {
		t.Errorf("limited by %v (clear: %v): %v", c, clear, tr.Leaves[:3])
	}
	if g := tr.Leaves[0].Percent; g < 30 || g > 37 {
		t.Errorf("without the dependency frames take %.1f %% less, want about 35", g)
	}
	// While the second queue works the first one's next frame is held back; while the first works the second waits
	// for what it needs.
	if s := tr.ShareOf(QueuesInTurn); s < 0.6 || s > 0.7 {
		t.Errorf("one queue waits needlessly for the other in %.2f of the time, want about 0.65", s)
	}
}

func TestRemovingWaitsLetsProcessorAndGPUOverlap(t *testing.T) {
	m := toy()
	for _, wait := range []*Wait{nil, {Back: 1, Job: -1}, {At: 0.5, Job: 0}} {
		w := toyLoad(30, Job{Streams: []Stream{toyStream(map[uint8]float64{toyX: 6e6})}, Submit: 1})
		w.Wait = wait
		w.Pacing.Ahead = 1
		if wait != nil && wait.Back == 1 {
			w.Pacing.Ahead = 3
		}
		for i := range w.Frames {
			w.Frames[i].App, w.Frames[i].Driver = 3e6, 1e6
		}
		tr := mustJudge(t, &m, &w)
		if c, clear := tr.Limiter(); c != CPUSync || !clear {
			t.Errorf("wait %+v: limited by %v (clear: %v): %v", wait, c, clear, tr.Leaves[:3])
		}
	}
}

func TestDisplaysShowFramesAtTheirCadence(t *testing.T) {
	m := toy()
	for _, c := range []struct {
		refresh, rate int
		want          []int
	}{{60, 24, []int{3, 2}}, {60, 30, []int{2}}, {120, 40, []int{3}}, {60, 48, []int{2, 1, 1, 1}}, {144, 144,
		[]int{1}}} {
		cadence := CadenceOf(c.refresh, c.rate)
		if !slices.Equal(cadence, c.want) {
			t.Errorf("%d frames at %d Hz stay %v refreshes, want %v", c.rate, c.refresh, cadence, c.want)
		}
		w := toyLoad(40, Job{Streams: []Stream{toyStream(map[uint8]float64{toyX: 2e6})}, Image: true, Submit: 1})
		w.Pacing = Pacing{Refresh: int64(1e9 / float64(c.refresh)), Cadence: cadence, Buffers: 3, Ahead: 2}
		tr := mustJudge(t, &m, &w)
		if !tr.Healthy || tr.ShareOf(DisplayVsync) < 0.99 {
			t.Errorf("%s: healthy %v, missed %d, shares %v", w.Pacing.Name(), tr.Healthy, tr.Missed, tr.Shares)
		}
		for i := 9; i < len(tr.Each); i++ {
			stay := (tr.Each[i].Shown - tr.Each[i-1].Shown) / w.Pacing.Refresh
			if int(stay) != cadence[(i-1)%len(cadence)] {
				t.Fatalf("%s: frame %d stays %d refreshes", w.Pacing.Name(), i-1, stay)
			}
		}
		late := w
		late.Contents = []Content{{"late",
			[]Job{{Streams: []Stream{toyStream(map[uint8]float64{toyX: 1.4 * float64(w.Pacing.Interval())})},
				Image: true, Submit: 1}}}}
		if tr := mustJudge(t, &m, &late); tr.Healthy || tr.Missed == 0 {
			t.Errorf("%s: frames of 1.4 intervals keep their dates", w.Pacing.Name())
		}
	}
}

func TestGovernorsSettle(t *testing.T) {
	m := toy()
	for _, busy := range []float64{0.2, 0.5, 0.8, 1.5} {
		m.Clock = Clock{Highest: 1e9, Steps: []float64{0.25, 0.4, 0.55, 0.7, 0.85, 1}, Start: 2, Period: 20e6,
			Up: 0.85, Down: 0.5}
		w := toyLoad(240, Job{Streams: []Stream{toyStream(map[uint8]float64{toyX: busy * 16666667})}, Image: true,
			Submit: 1})
		w.Pacing = Pacing{Refresh: 16666667, Cadence: []int{1}, Buffers: 3, Ahead: 2}
		e := &engine{}
		if err := e.run(&m, &w, Relief{}, false, nil); err != nil {
			t.Fatal(err)
		}
		half := e.frames[120].flip
		low, high := 1.0, 0.0
		for i, c := range e.clock.changes {
			if c.at > half || i+1 == len(e.clock.changes) {
				low, high = min(low, c.share), max(high, c.share)
			}
		}
		if high-low > 0.16 {
			t.Errorf("a load of %.2f: in the second half the clock goes from %.2f to %.2f of its highest", busy, low,
				high)
		}
		if busy > 1 && high < 1 {
			t.Errorf("a load above what the GPU can do is given %.2f of the highest clock", high)
		}
	}
}

func TestHeatAndPowerHoldTheClockDown(t *testing.T) {
	for _, want := range []Candidate{ClockThermal, ClockPower} {
		m := toy()
		m.Clock = Clock{Highest: 1e9, Steps: []float64{0.25, 0.4, 0.55, 0.7, 0.85, 1}, Start: 5, Period: 10e6,
			Up: 0.85, Down: 0.5}
		if want == ClockThermal {
			m.Clock.Heat = &Heat{Start: 85, Ambient: 35, Throttle: 85, Full: 8, Resistance: 20, Time: 1e9}
		} else {
			m.Clock.Power = &PowerLimit{Full: 8, Limit: 2, Window: 50e6}
		}
		// Two units alike: only the clock helps both.
		w := toyLoad(100, Job{Streams: []Stream{toyStream(map[uint8]float64{toyX: 8e6, toyY: 8e6, toyFront: 7.8e6})},
			Submit: 1})
		tr := mustJudge(t, &m, &w)
		if c, clear := tr.Limiter(); c != want || !clear {
			t.Errorf("limited by %v (clear: %v), want %v: %v, clock %.2f", c, clear, want, tr.Leaves[:3], tr.ClockMean)
		}
	}
}

func TestWhatThePathNeverWaitsForNeedsNoSimulation(t *testing.T) {
	m := toy()
	w := toyLoad(25, Job{Streams: []Stream{toyStream(map[uint8]float64{0: 1e6, 1: 1e6, toyFront: 3e6, toyX: 5e6,
		toyY: 2e6, toyBack: 1e6})}, Submit: 1})
	tr := mustJudge(t, &m, &w)
	e := &engine{}
	skipped := 0
	for _, g := range tr.Leaves {
		if g.Simulated {
			continue
		}
		skipped++
		r, _ := reliefOf(g.Candidate)
		if err := e.run(&m, &w, r, false, nil); err != nil {
			t.Fatal(err)
		}
		d := tr.End - tr.Start - (e.frames[24].flip - e.frames[3].flip)
		if math.Abs(float64(d)) > 0.002*float64(tr.End-tr.Start) {
			t.Errorf("%v was not simulated, and its relief changes the time by %d ns of %d", g.Candidate, d,
				tr.End-tr.Start)
		}
	}
	if skipped == 0 {
		t.Error("every candidate was simulated: the test compares nothing")
	}
}

func BenchmarkRun(b *testing.B) {
	m := toy()
	w := toyLoad(240, Job{Streams: []Stream{toyStream(map[uint8]float64{0: 2e6, 1: 1e6, toyFront: 2e6, toyX: 5e6,
		toyY: 3e6, toyBack: 2e6})}, Submit: 1})
	e := &engine{}
	for name, rec := range map[string]bool{"plain": false, "recorded": true} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				var r *Recorder
				if rec {
					r = newRecorder(&m, &w, NewBounds(1e6, nil))
				}
				if err := e.run(&m, &w, Relief{}, false, r); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(240*40), "ns/chunk")
		})
	}
}
