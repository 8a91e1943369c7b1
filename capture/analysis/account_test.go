package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// busyDevice is a device of two queues and three units in n samples of 1 ms, of which the fragment queue fills all.
func busyDevice(n int) AccountInput {
	in := AccountInput{Waiter: LimitWaiter, Frame: 16e6}
	series := func(x float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = x
		}
		return v
	}
	for range n {
		in.Length = append(in.Length, 1e6)
	}
	in.Active = series(1)
	in.Queues = []AccountQueue{{Name: "fragment", Busy: series(1)}, {Name: "binning", Busy: series(0)}}
	in.Units = []AccountUnit{
		{Name: "texture", Kind: LimitUnit, Level: series(0.2), Error: 0.02},
		{Name: "arithmetic", Kind: LimitUnit, Level: series(0.2), Error: 0.02},
		{Name: "latency", Kind: LimitMemory, Level: series(0.9), Fallback: true},
	}
	return in
}

func accounted(t *testing.T, in AccountInput) *Accounted {
	t.Helper()
	out, err := Account(in)
	if err != nil {
		t.Fatal(err)
	}
	var sum, whole int64
	for _, p := range out.Parts {
		sum += p.Time
	}
	for _, l := range in.Length {
		whole += l
	}
	if sum != whole || out.Base != whole {
		t.Fatalf("the parts sum to %d ns, the base is %d ns, of %d ns", sum, out.Base, whole)
	}
	return out
}

// share is that of a part in percent, 0 where it has none.
func (a *Accounted) share(kind LimitKind, name string) float64 {
	p := a.part(kind, name)
	if p == nil {
		return 0
	}
	return math.Round(100 * float64(p.Time) / float64(a.Base))
}

func TestEachPassOfAFrameIsTheTimeOfTheUnitThatLeadsIt(t *testing.T) {
	in := busyDevice(160)
	for i := range in.Length {
		in.Units[i/8%2].Level[i] = 0.7 // half of a frame each: on average neither is above one half
	}
	a := accounted(t, in)
	if x, y := a.share(LimitUnit, "texture"), a.share(LimitUnit, "arithmetic"); x != 50 || y != 50 {
		t.Errorf("texture has %v %% and arithmetic %v %%, want 50 each: %+v", x, y, a.Parts)
	}
}

func TestUnitsWithinTheErrorAreATieThatGainsNothingForCertain(t *testing.T) {
	in := busyDevice(32)
	for i := range in.Length {
		in.Units[0].Level[i], in.Units[1].Level[i] = 0.9, 0.88
	}
	a := accounted(t, in)
	for _, name := range []string{"texture", "arithmetic"} {
		if p := a.part(LimitUnit, name); p == nil || a.share(LimitUnit, name) != 50 || p.Low != 0 || p.High <= 0 {
			t.Errorf("%s: %+v, want half of the time and no certain gain", name, p)
		}
	}
}

func TestTheGainEndsWhereTheNextUnitSetsThePace(t *testing.T) {
	in := busyDevice(32)
	for i := range in.Length {
		in.Units[0].Level[i], in.Units[1].Level[i] = 1, 0.8
	}
	p := accounted(t, in).part(LimitUnit, "texture")
	if g := p.Low / 32e6; g < 0.1 || g > 0.2 || p.High/32e6 < 0.2 || p.High/32e6 > 0.25 || p.RunnerUp != "arithmetic" {
		t.Errorf("the gain is %v to %v, then %s; want about 0.2, then arithmetic", g, p.High/32e6, p.RunnerUp)
	}
}

func TestQueuesInTurnGainWhatOverlapSavesUnlessOneUnitLimitsBoth(t *testing.T) {
	in := busyDevice(320)
	for i := range in.Length {
		own := i%16 < 10
		in.Queues[0].Busy[i], in.Queues[1].Busy[i] = 0, 1
		in.Units[1].Level[i] = 0.9
		if own {
			in.Queues[0].Busy[i], in.Queues[1].Busy[i] = 1, 0
			in.Units[0].Level[i], in.Units[1].Level[i] = 0.9, 0.1
		}
	}
	if x := accounted(t, in).share(LimitQueue, "binning"); x < 30 || x > 38 {
		t.Errorf("queues in turn have %v %% of the time, want about 37", x)
	}
	for i := range in.Length {
		in.Units[0].Level[i], in.Units[1].Level[i] = 0.95, 0.1
	}
	a := accounted(t, in)
	if x, y := a.share(LimitQueue, "binning"), a.share(LimitUnit, "texture"); x > 6 || y < 94 {
		t.Errorf("two queues that one unit limits: in turn %v %%, the unit %v %%", x, y)
	}
}

func TestAFrameThatWaitsForItsDateIsTheDisplaysAsAWhole(t *testing.T) {
	in := busyDevice(320)
	for i := range in.Length {
		in.Units[0].Level[i] = 0.95
		if i%16 >= 8 {
			in.Active[i], in.Queues[0].Busy[i] = 0, 0
		}
	}
	calm := slices.Repeat([]float64{0.1}, 320)
	p := PaceOf(PaceInput{Active: in.Active, Step: 0.001, Processors: [][]float64{calm}})
	if p.Waiter != LimitDisplay || math.Abs(p.Cadence.Hertz-62.5) > 1 {
		t.Fatalf("the device waits for %s at %v Hz", p.Waiter, p.Cadence.Hertz)
	}
	in.Waiter = p.Waiter
	if x := accounted(t, in).share(LimitDisplay, ""); x != 100 {
		t.Errorf("the display has %v %% of the time", x)
	}
	// With a thread that works all the time it is the processor that is waited for.
	busy := make([]float64, 320)
	for i := range busy {
		busy[i] = 0.97
	}
	if p := PaceOf(PaceInput{Active: in.Active, Step: 0.001, Processors: [][]float64{busy}}); p.Waiter !=
		LimitProcessor {
		t.Errorf("beside a busy processor the device waits for %s", p.Waiter)
	}
	for i := range busy {
		busy[i] = 0.9 - 0.9*in.Active[i]
	}
	if p := PaceOf(PaceInput{Active: in.Active, Step: 0.001, Processors: [][]float64{busy}}); p.Waiter != LimitTurns {
		t.Errorf("of a processor that works while it waits it waits for %s", p.Waiter)
	}
}

func TestFramesThatEndWhenTheyAreDoneKeepNoDates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var active []float64
	var starts []int64
	for range 120 {
		starts = append(starts, int64(len(active))*1e6)
		n := 16 + rng.IntN(9) - 4
		for i := range n {
			active = append(active, map[bool]float64{true: 1}[i < 9])
		}
	}
	if p := PaceOf(PaceInput{Active: active, Step: 0.001}); p.Waiter != LimitWaiter {
		t.Errorf("frames of 12 to 20 ms wait for %s: %+v", p.Waiter, p)
	}
	if kept, known := keepDates(starts); kept || !known {
		t.Errorf("their starts keep dates: %v, %v", kept, known)
	}
	for i := range starts { // 3:2 on a display, each a little late
		starts[i] = int64(i/2)*83333333 + int64(i%2)*50e6 + rng.Int64N(2e6)
	}
	if kept, _ := keepDates(starts); !kept {
		t.Error("frames of three and two refreshes keep no dates")
	}
}

func TestFramesThatNowAndThenMissADateKeepTheOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 9))
	for _, dates := range []int{1, 2} { // refreshes of a usual frame
		for _, missed := range [][]int{{20}, {3}, {96}, {20, 21}, {15, 50, 80}} {
			var starts, free []int64
			date, done := 0, 0.0
			for i := range 100 {
				starts = append(starts, int64(float64(date)*16.6e6+rng.NormFloat64()*0.4e6))
				free = append(free, int64(done))
				length := dates
				if slices.Contains(missed, i) {
					length = 3 * dates
				}
				date, done = date+length, done+float64(length)*16.6e6*(1+0.05*rng.NormFloat64())
			}
			if kept, known := keepDates(starts); !kept || !known {
				t.Errorf("%d refreshes each, frames %v miss their dates: the others are taken for not dated", dates,
					missed)
			}
			if kept, _ := keepDates(free); kept {
				t.Errorf(
					"%d refreshes each, frames %v take longer: frames that begin when the one before is done are taken for dated",
					dates, missed)
			}
		}
	}
}

func TestWhatWasNotRecordedIsNotBlamedOnOthers(t *testing.T) {
	in := busyDevice(32)
	for i := range in.Length {
		in.Units[0].Level[i] = math.NaN()
	}
	if x := accounted(t, in).share(LimitMissing, ""); x != 100 {
		t.Errorf("not measured is %v %% of the time", x)
	}
}

func TestAUnitThatWasNotRecordedCountsByHowHighItMayBe(t *testing.T) {
	in := busyDevice(32)
	guess := make([]float64, len(in.Length))
	for i := range in.Length {
		in.Units[0].Level[i], in.Units[1].Level[i], guess[i] = math.NaN(), 0.7, 0.9
	}
	in.Units[0].Guess, in.Units[0].Set = guess, "samplers"
	if x := accounted(t, in).share(LimitMissing, "samplers"); x != 100 {
		t.Errorf("with a guess above the leader %v %% is not measured", x)
	}
	for i := range guess {
		guess[i] = 0.6
	}
	if x := accounted(t, in).share(LimitUnit, "arithmetic"); x != 100 {
		t.Errorf("with a guess below it the leader has %v %%", x)
	}
	for i := range guess {
		// nobody can guess: it is no candidate, and what waits is the limit
		guess[i], in.Units[1].Level[i] = math.NaN(), 0.2
	}
	if x := accounted(t, in).share(LimitMemory, "latency"); x != 100 {
		t.Errorf("without a guess latency has %v %%", x)
	}
}

func TestSetsThatMeasureUnitsThatMayLeadShareTheTimeThatWasNotMeasured(t *testing.T) {
	in := busyDevice(32)
	series := func(x float64) []float64 { return slices.Repeat([]float64{x}, len(in.Length)) }
	none := series(math.NaN())
	in.Units[0].Level, in.Units[0].Guess, in.Units[0].Set = none, series(0.9), "samplers"
	in.Units = append(in.Units,
		AccountUnit{Name: "ports", Kind: LimitUnit, Level: none, Guess: series(0.6), Set: "ports"},
		// less than may lead
		AccountUnit{Name: "raster", Kind: LimitUnit, Level: none, Guess: series(0.4), Set: "raster"},
		AccountUnit{Name: "filter", Kind: LimitUnit, Level: none, Guess: series(0.7), Set: "samplers"},
	)
	for set, want := range map[string]float64{"samplers": 60, "ports": 40, "raster": 0} {
		if x := accounted(t, in).share(LimitMissing, set); x != want {
			t.Errorf("%s has %v %% of the time, want %v", set, x, want)
		}
	}
	in.Units[2].Beside = true // the latency of 0.9
	out := accounted(t, in)
	if x := out.share(LimitMemory, "latency"); x != 38 {
		t.Errorf("what explains waits as well has %v %%, want 0.9 of 2.4", x)
	}
	if p := out.part(LimitMemory, "latency"); p.Low != 0 || !(p.High > 0) {
		t.Errorf("relieving it gains %v to %v ns, and nothing is certain", p.Low, p.High)
	}
}

func TestAUnitThatHoldsUpAllOthersOwnsThatTime(t *testing.T) {
	in := busyDevice(32)
	for i := range in.Length {
		in.Units[0].Level[i], in.Units[1].Level[i] = 0.2, 0.9
	}
	in.Units[0].Holds = true
	a := accounted(t, in)
	if x, y := a.share(LimitUnit, "texture"), a.share(LimitUnit, "arithmetic"); x != 20 || y != 80 {
		t.Errorf("it has %v %% and the leader of the rest %v %%, want 20 and 80", x, y)
	}
	if p := a.part(LimitUnit, "texture"); p.Low > 0.2*32e6 || p.Low < 0.17*32e6 {
		t.Errorf("relieving it gains %v to %v, want nearly all of its time", p.Low/32e6, p.High/32e6)
	}
}

func TestAUnitThatIsHighWhileOthersLimitNeedsMore(t *testing.T) {
	in := busyDevice(32)
	in.Units[0].Floor = 0.8
	for i := range in.Length {
		in.Units[0].Level[i], in.Units[1].Level[i], in.Units[2].Level[i] = 0.7, 0.65, 0
	}
	a := accounted(t, in)
	if x := a.share(LimitUnit, "arithmetic"); x != 100 {
		t.Errorf("the unit with the floor of all has %v %%", x)
	}
	if p := a.Parts[0]; p.RunnerUp != "texture" {
		t.Errorf("%q comes next", p.RunnerUp)
	}
	for i := range in.Length {
		in.Units[0].Level[i] = 0.95
	}
	if x := accounted(t, in).share(LimitUnit, "texture"); x != 100 {
		t.Errorf("above its floor it has %v %%", x)
	}
}

func TestAClockGainsWhatWasNotMeasuredAndCannotBeMemory(t *testing.T) {
	in := busyDevice(32)
	in.Clock = make([]float64, 32)
	for i := range in.Length {
		in.Clock[i], in.Units[0].Level[i], in.Units[2].Level[i] = 0.5, math.NaN(), 0.25
	}
	in.Units[0].Set = "SET"
	// The memory of busyDevice is a fallback, whose waits a higher clock shortens in part: half of its level counts.
	if a := accounted(t, in); a.ClockLow != 0.5*0.875*32e6 || a.ClockHigh != 0.5*32e6 {
		t.Errorf("%v to %v, want what memory cannot limit", a.ClockLow/32e6, a.ClockHigh/32e6)
	}
	in.Units[0].Kind = LimitMemory
	if a := accounted(t, in); a.ClockLow != 0 {
		t.Errorf("%v, though memory itself was not measured", a.ClockLow/32e6)
	}
}

func TestWithAnUnknownWaiterNoGainIsCertain(t *testing.T) {
	in := busyDevice(32)
	for i := range in.Length {
		in.Active[i], in.Queues[0].Busy[i], in.Units[0].Level[i] = 0.7, 0.7, 0.95
	}
	a := accounted(t, in)
	if p := a.part(LimitUnit, "texture"); p == nil || p.Low != 0 || p.High <= 0 {
		t.Errorf("%+v, want no certain gain", p)
	}
	if x := a.share(LimitWaiter, ""); x != 30 {
		t.Errorf("the wait is %v %%", x)
	}
	for i := range in.Length {
		in.Active[i], in.Queues[0].Busy[i] = 0.9, 0.9
	}
	for unsure, certain := range map[float64]bool{0: true, 0.12: true, 0.08: false} {
		in.Unsure = unsure
		if p := accounted(t, in).part(LimitUnit, "texture"); (p.Low > 0) != certain {
			t.Errorf("of a tenth without work the gain is %v where %v is too much", p.Low, unsure)
		}
	}
}

func TestAPartSaysWhatSpeaksForItAndWhatAgainst(t *testing.T) {
	in := busyDevice(32)
	for i := range 16 { // texture leads arithmetic by 0.2, and by 0.6 in half of that
		in.Units[0].Level[i], in.Units[1].Level[i] = 0.9, 0.7
		if i >= 8 {
			in.Units[1].Level[i] = 0.3
		}
	}
	out := accounted(t, in)
	near := func(x, want float64) bool { return math.Abs(x-want) < 1e-9 }
	if p := out.part(LimitUnit, "texture"); p == nil || !near(p.Level, 0.9) || !near(p.Against, 0.5) {
		t.Errorf("texture has %+v", p)
	}
	if p := out.part(LimitMemory, "latency"); p == nil || !near(p.Level, 0) || !near(p.Against, 0.2) {
		t.Errorf("what is inferred has %+v", p)
	}
	in.Active = slices.Repeat([]float64{0.5}, 32)
	if p := accounted(t, in).part(LimitWaiter, ""); p == nil || !math.IsNaN(p.Level) || !math.IsNaN(p.Against) {
		t.Errorf("a wait has %+v", p)
	}
}

func TestSeriesOfOtherLengthsAreRefused(t *testing.T) {
	for name, change := range map[string]func(in *AccountInput){
		"a short series":   func(in *AccountInput) { in.Units[1].Level = in.Units[1].Level[:3] },
		"a negative time":  func(in *AccountInput) { in.Length[2] = -1 },
		"a time too long":  func(in *AccountInput) { in.Length[2] = math.MaxInt64 },
		"a unit of queues": func(in *AccountInput) { in.Units[0].Kind = LimitQueue },
		"a waiter":         func(in *AccountInput) { in.Waiter = LimitMixed },
	} {
		in := busyDevice(8)
		change(&in)
		if _, err := Account(in); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// FuzzAccount checks what holds for any input: the parts add up to the time exactly, and nothing is negative or no
// number.
func FuzzAccount(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint16(40), uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, how uint8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, -3, 7, 1e300, -1e300, 5e-324}
		series := func() []float64 {
			v := make([]float64, int(n)%300)
			for i := range v {
				if v[i] = rng.Float64() * 1.3; rng.IntN(6) == 0 && how&1 != 0 {
					v[i] = odd[rng.IntN(len(odd))]
				}
			}
			return v
		}
		in := AccountInput{Frame: rng.Int64N(3) * 16e6, Waiter: []LimitKind{LimitDisplay, LimitProcessor, LimitTurns,
			LimitWaiter}[rng.IntN(4)]}
		for range int(n) % 300 {
			in.Length = append(in.Length, rng.Int64N([]int64{1, 3, 1e6, 1e15}[rng.IntN(4)]))
			in.Window = append(in.Window, int32(len(in.Window)/(1+int(how)%7)))
		}
		if how&2 != 0 {
			in.Active = series()
		}
		if how&4 != 0 {
			in.Window = nil
		}
		if how&8 != 0 {
			in.Clock = series()
		}
		for q := range int(how>>4) % 4 {
			in.Queues = append(in.Queues, AccountQueue{Name: string(rune('a' + q)), Busy: series()})
		}
		for u := range rng.IntN(5) {
			in.Units = append(in.Units, AccountUnit{Name: string(rune('m' + u)), Kind: LimitUnit, Level: series(),
				Error: rng.Float64() / 5, Fallback: u == 3, Queue: []string{"", "a", "b"}[rng.IntN(3)]})
		}
		a := accounted(t, in)
		for _, p := range a.Parts {
			if p.Time < 0 || p.Sure < 0 || p.Sure > p.Time || !(p.Low >= 0) || !(p.High >= 0) || math.IsInf(p.High, 0) {
				t.Errorf("%+v", p)
			}
		}
		if !(a.ClockLow >= 0) || !(a.ClockHigh >= a.ClockLow) || a.Idle < 0 || a.Idle > a.Base {
			t.Errorf("clock %v to %v, idle %d of %d", a.ClockLow, a.ClockHigh, a.Idle, a.Base)
		}
		for _, l := range a.Lead {
			if int(l) >= len(a.Parts) {
				t.Fatalf("a sample is led by part %d of %d", l, len(a.Parts))
			}
		}
		c := cadenceOf(series(), rng.Float64())
		if math.IsNaN(c.Strength) || c.Strength < 0 || c.Strength > 1 || math.IsNaN(c.Hertz) {
			t.Errorf("%+v", c)
		}
	})
}

func TestTheTimesOfGroupsAreThoseOfTheirSamples(t *testing.T) {
	in := busyDevice(160)
	in.Groups = 3
	for i := range in.Length {
		in.Units[i/80].Level[i] = 0.9
		in.Group = append(in.Group, int32(i/60)-1) // the first 60 samples belong to none
	}
	a := accounted(t, in)
	if len(a.ByGroup) != 3 || a.ByGroup[2] == nil {
		t.Fatalf("%+v", a.ByGroup)
	}
	texture, arithmetic := -1, -1
	for k, p := range a.Parts {
		switch p.Name {
		case "texture":
			texture = k
		case "arithmetic":
			arithmetic = k
		}
	}
	if g := a.ByGroup[0]; g[texture] != 20e6 || g[arithmetic] != 40e6 {
		t.Errorf("samples 60 to 119 have %v ns of %d and %d", g, texture, arithmetic)
	}
	if g := a.ByGroup[1]; g[texture] != 0 || g[arithmetic] != 40e6 {
		t.Errorf("samples 120 to 159 have %v ns", g)
	}
	in.Group[5] = 3
	if _, err := Account(in); err == nil {
		t.Error("a group beyond the last was taken")
	}
}

// part is the part of that kind and name, nil where nothing was accounted to it.
func (a *Accounted) part(kind LimitKind, name string) *AccountPart {
	for _, p := range a.Parts {
		if p.Kind == kind && p.Name == name {
			return p
		}
	}
	return nil
}

// TestAnAccountInPiecesIsThatOfOneRun accounts for more samples than a piece has, with windows across where one ends.
func TestAnAccountInPiecesIsThatOfOneRun(t *testing.T) {
	const n = 2*accountPiece + 777
	rng := rand.New(rand.NewPCG(3, 4))
	series := func() []float64 {
		v := make([]float64, n)
		for i := range v {
			if v[i] = rng.Float64(); rng.IntN(50) == 0 {
				v[i] = math.NaN()
			}
		}
		return v
	}
	in := AccountInput{Length: make([]int64, n), Window: make([]int32, n), Active: series(), Clock: series(),
		Waiter: LimitTurns, Frame: 5e6, Queues: []AccountQueue{{Name: "a", Busy: series()}, {Name: "b", Busy: series()}},
		Units: []AccountUnit{{Name: "x", Kind: LimitUnit, Level: series()}, {Name: "y", Kind: LimitMemory, Level: series()},
			{Name: "z", Kind: LimitUnit, Level: series(), Fallback: true}}}
	for i := range n {
		in.Length[i], in.Window[i] = 1e6+rng.Int64N(1e6), int32(i/1000)
	}
	pieces, err := Account(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Group, in.Groups = make([]int32, n), 1 // one run
	whole, err := Account(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Parts) < 4 || len(pieces.Parts) != len(whole.Parts) || pieces.Base != whole.Base ||
		pieces.Idle != whole.Idle || !slices.Equal(pieces.Lead, whole.Lead) {
		t.Fatalf("%d parts of %d and %d of %d", len(pieces.Parts), pieces.Base, len(whole.Parts), whole.Base)
	}
	near := func(what string, x, y float64) {
		if math.Abs(x-y) > 1e-9*math.Abs(y) {
			t.Errorf("%s: %v in pieces, %v in one run", what, x, y)
		}
	}
	near("clock", pieces.ClockLow, whole.ClockLow)
	near("clock", pieces.ClockHigh, whole.ClockHigh)
	for k, p := range pieces.Parts {
		q := whole.Parts[k]
		if p.Name != q.Name || p.Kind != q.Kind || p.Time != q.Time || p.Sure != q.Sure || p.RunnerUp != q.RunnerUp ||
			p.Time != whole.ByGroup[0][k] {
			t.Errorf("part %d: %+v in pieces, %+v in one run", k, p, q)
		}
		near(p.Name, p.Low, q.Low)
		near(p.Name, p.High, q.High)
		near(p.Name, p.Level, q.Level)
		near(p.Name, p.Against, q.Against)
	}
}

func TestADisplayHasADeviceWithLittleTimeLeftWhereWorkRepeatsAsOftenAsItIsRefreshed(t *testing.T) {
	for _, c := range []struct {
		steady bool
		idle   float64
		want   bool
	}{{true, 0.13, true}, {false, 0.13, false}, {true, 0.08, false}, {false, 0.25, true}} {
		in := AccountInput{Waiter: LimitDisplay, Steady: c.steady, Length: make([]int64, 100), Active: make([]float64, 100)}
		for i := range in.Length {
			in.Length[i], in.Active[i] = 1e6, 1-c.idle
		}
		if got := accounted(t, in).share(LimitDisplay, "") == 100; got != c.want {
			t.Errorf("%+v: the display has all of the time: %v", c, got)
		}
	}
}

// TestADeviceThatNoLongerWaitsHasAHigherClock: a loop of 4 ms of the processor and 6 ms of a device at half of its clock may
// become one of 4 ms, as the governor sees a device that always works; at its highest clock it becomes one of 6 ms.
func TestADeviceThatNoLongerWaitsHasAHigherClock(t *testing.T) {
	for _, c := range []struct{ clock, want float64 }{{0.5, 0.6}, {0, 0.4}, {math.NaN(), 0.4}} {
		in := AccountInput{Waiter: LimitTurns, Frame: 10e6, Units: []AccountUnit{{Name: "u", Kind: LimitUnit}}}
		for i := range 100 {
			active := 1.0
			if i%10 < 4 {
				active = 0
			}
			in.Length, in.Active, in.Clock = append(in.Length, 1e6), append(in.Active, active), append(in.Clock, c.clock)
			in.Units[0].Level = append(in.Units[0].Level, active)
		}
		a, err := Account(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range a.Parts {
			if got := p.High / 100e6; p.Kind == LimitTurns && math.Abs(got-c.want) > 1e-9 {
				t.Errorf("clock %v: at most %v of the time is gained, want %v", c.clock, got, c.want)
			}
		}
	}
}
