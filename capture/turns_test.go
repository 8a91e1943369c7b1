package capture

import (
	"math"
	"strings"
	"testing"
)

// turnTaker is a counter that counts at a rate per ns, in turns of 4 ms of every 12 ms beginning at off, read every
// period ns. With a Turn it knows its shares.
func turnTaker(name string, axis *Axis, rate float64, off int64,
	linked bool) (c *Counter, counted, running, enabled float64) {
	const slice, round = 4e6, 12e6
	c = &Counter{Meta: Meta{Name: name}, Axis: axis}
	var v, share, on []float64
	for i := range axis.Start {
		run := int64(0)
		for k := (axis.Start[i] - off) / round; ; k++ {
			from := off + k*round
			if from >= axis.End[i] {
				break
			}
			run += max(0, min(from+slice, axis.End[i])-max(from, axis.Start[i]))
		}
		length := float64(axis.Interval(i))
		counted += rate * float64(run)
		running += float64(run)
		enabled += length
		share, on = append(share, 100*float64(run)/length), append(on, length)
		if run == 0 {
			v = append(v, math.NaN())
			c.Reasons = append(c.Reasons, ReasonRun{i, i + 1, Reason{Code: NotScheduled}})
			continue
		}
		v = append(v, rate*float64(run)*(length/float64(run)))
	}
	c.Col = NewColumn(Data{F: v})
	if linked {
		c.Turn = &Turn{NewColumn(Data{F: share}), NewColumn(Data{F: on})}
	}
	return c, counted, running, enabled
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= tolerance) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

func TestATotalOfTurnsIsScaledUpToAllOfTheTime(t *testing.T) {
	for _, linked := range []bool{true, false} {
		axis := NewUniformAxis(1000, 1e6)
		c, counted, running, enabled := turnTaker("n", axis, 3, 1e6, linked)
		if c.Turns().Count() < 500 {
			t.Fatalf("%d of 1000 samples have no turn", c.Turns().Count())
		}
		want := counted * enabled / running
		within(t, "total", c.Total().Float(), want, 1e-12)
		within(t, "the sum of what is there", c.Sum().Float(), want/3, 0.01)
		within(t, "counted", c.Counted(), running/enabled, 1e-9)
		if d := strings.Join(c.Doubts(), "\n"); !strings.Contains(d, "33.") || !strings.Contains(d, "are estimates") {
			t.Errorf("doubts %q", d)
		}
		// Parts, larger samples and windows follow the same rule.
		part := c.Slice(100, 400, axis.Slice(100, 400))
		within(t, "a slice", part.Total().Float(), 3*300e6, 1e-9)
		b, err := axis.Resample(7_300_000) // cuts samples, and leaves out no turn
		if err != nil {
			t.Fatal(err)
		}
		binned := c.Rebin(b)
		within(t, "resampled", binned.Total().Float(), want, 1e-9)
		for j, v := range binned.Floats()[:b.Len()-1] {
			if v == v {
				within(t, "a larger sample", v, 3*7.3e6, 0.02)
			} else if r, _ := binned.Why(j); r.Code != NotScheduled {
				t.Errorf("sample %d is missing because %v", j, r)
			}
		}
		rolled, err := c.Rolling(100e6)
		if err != nil {
			t.Fatal(err)
		}
		within(t, "a window", rolled.Value(500).Float(), 3*100e6, 0.05)
	}
}

func TestSamplesThatAreMissingForOtherReasonsAreNotScaledUpTo(t *testing.T) {
	axis := NewUniformAxis(100, 1e6)
	c, _, _, _ := turnTaker("n", axis, 3, 0, true)
	for i := 50; i < 100; i++ {
		c.Col.Data().F[i] = math.NaN()
	}
	c.Reasons = append([]ReasonRun{{50, 100, Reason{Code: LostReports}}}, c.Reasons...)
	within(t, "total", c.Total().Float(), 3*50e6, 1e-9)
	never := &Counter{Meta: Meta{Name: "never"}, Axis: axis, Col: NewColumn(MissingData(100)),
		Reasons: []ReasonRun{{0, 100, Reason{Code: NotScheduled}}}}
	if v := never.Total(); !v.Missing() {
		t.Errorf("a counter without a turn has the total %v", v.Float())
	}
	always := &Counter{Meta: Meta{Name: "always"}, Axis: axis, Col: NewColumn(Data{U: make([]uint64, 100)}),
		Turn: &Turn{
			NewColumn(Data{F: []float64{99.9, 100}}), NewColumn(Data{U: []uint64{1, 1}})}}
	if v := always.Total(); !v.IsInt() || always.Turns() != nil || len(always.Doubts()) != 0 {
		t.Errorf("a counter that counts all the time has the total %+v and the doubts %q", v, always.Doubts())
	}
}

func TestInstancesTakeTurnsAtTimesOfTheirOwn(t *testing.T) {
	axis := NewUniformAxis(1200, 1e6)
	whole := &Counter{Meta: Meta{Name: "n"}, Axis: axis}
	for k := range 3 {
		in, _, _, _ := turnTaker("n", axis, float64(1+k), int64(k)*4e6, true)
		whole.Instances = append(whole.Instances, in)
	}
	if n := whole.Count(); n != 0 {
		t.Fatalf("in %d samples all instances have their turn", n)
	}
	within(t, "total", whole.Total().Float(), 6*1200e6, 1e-9)
	// A processor that is offline counts nothing, one that is lost makes the sum unknown where it is.
	for i := 600; i < 1200; i++ {
		whole.Instances[2].Col.Data().F[i] = math.NaN()
	}
	for code, want := range map[ReasonCode]float64{PowerGated: 3*1200e6 + 3*600e6, LostReports: 6 * 600e6} {
		off := whole.Instances[2]
		other := &Counter{Meta: Meta{Name: "n"}, Axis: axis,
			Instances: []*Counter{whole.Instances[0], whole.Instances[1], {
				Meta: off.Meta, Axis: axis, Col: off.Col, Turn: off.Turn,
				Reasons: append([]ReasonRun{{600, 1200, Reason{Code: code}}}, off.Reasons...),
			}}}
		within(t, code.String(), other.Total().Float(), want, 1e-9)
	}
}

func TestACaptureFindsTheTurnsOfItsCounters(t *testing.T) {
	axis := NewUniformAxis(100, 1e6)
	n, counted, running, enabled := turnTaker("n[1]", axis, 3, 0, true)
	share := &Counter{Meta: Meta{Name: TurnShare + "[1/group0]", Instance: "1/group0", Kind: Gauge}, Axis: axis,
		Col: n.Turn.Share}
	on := &Counter{Meta: Meta{Name: TurnEnabled + "[1/group0]", Instance: "1/group0"}, Axis: axis, Col: n.Turn.Enabled}
	n.Turn, n.TurnOf, n.Meta.Instance = nil, "1/group0", "1"
	over := func(name string, in *Counter) *Counter {
		return &Counter{Meta: Meta{Name: name, Kind: in.Kind}, Axis: axis, Instances: []*Counter{in}}
	}
	c, err := New(Config{Axis: axis, Counters: []*Counter{over("n", n), over(TurnShare, share), over(TurnEnabled, on)}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Counter("n").Instances[0].Turn == nil {
		t.Fatal("the counter does not know its turns")
	}
	within(t, "total", c.Counter("n").Total().Float(), counted*enabled/running, 1e-12)
	part, err := c.Slice(12e6, 60e6)
	if err != nil {
		t.Fatal(err)
	}
	within(t, "a slice", part.Counter("n").Total().Float(), 3*48e6, 1e-9)
	twice, err := Concat([]*Capture{part, part})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "one after the other", twice.Counter("n").Total().Float(), 2*3*48e6, 1e-9)
}
