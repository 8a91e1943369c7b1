package amd

import (
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/simulatetest"
)

func TestBitsAreSetNoOftenerThanTheyAreRead(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 16, 6)) {
		kind := []string{simulate.KindArchetype, simulate.KindRandom, simulate.KindSingle,
			simulate.KindTwoPhase}[seed%4]
		cap := recorded(t, kind, seed, simulate.Options{Host: simulate.No})
		read := map[bool][]float64{false: cap.Counter("grbm_samples").Floats(),
			true: cap.Counter("grbm2_samples").Floats()}
		second := map[string]bool{}
		for i := range bits {
			second["busy_"+bits[i].name+"_ones"] = bits[i].second
		}
		pipe := cap.Counter("busy_gfx_ones").Floats()
		for _, c := range cap.Counters {
			if !strings.HasPrefix(c.Name, "busy_") {
				continue
			}
			for i, v := range c.Floats() {
				if v > read[second[c.Name]][i] {
					t.Fatalf("%s %d: %s is set in %v of %v reads", kind, seed, c.Name, v, read[second[c.Name]][i])
				}
				// The same read finds the pipe busy where it finds a block of it busy.
				if !second[c.Name] && v > pipe[i] {
					t.Fatalf("%s %d: %s is set in %v reads, the pipe's in %v", kind, seed, c.Name, v, pipe[i])
				}
			}
		}
	}
}

func recorded(t *testing.T, kind string, seed uint64, o simulate.Options) *capture.Capture {
	t.Helper()
	c, err := cases.New(Live, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	cap, err := c.Record(o)
	if err != nil {
		t.Fatalf("%s %d: %v", kind, seed, err)
	}
	return cap
}

// total is the sum of a counter's column.
func total(cap *capture.Capture, name string) (sum float64) {
	for _, v := range cap.Counter(name).Floats() {
		sum += v
	}
	return sum
}

func TestSharesOfReadsAreThoseOfTime(t *testing.T) {
	for seed := range uint64(simulatetest.Number(t, 8, 4)) {
		c, err := cases.New(Live, simulate.KindHealthy, seed)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := c.Judge()
		if err != nil {
			t.Fatal(err)
		}
		cap, err := c.Record(simulate.Options{Host: simulate.No, Missed: -1})
		if err != nil {
			t.Fatal(err)
		}
		n := total(cap, "grbm_samples")
		share := total(cap, "busy_gfx_ones") / n
		// Five standard errors, and a little for the samples that the capture does not hold.
		if off, most := math.Abs(share-truth.GPUBusy), 5*math.Sqrt(0.25/n)+0.03; off > most {
			t.Errorf("%d (%s): the pipe was busy in %.3f of the reads, the GPU in %.3f of the time",
				seed, c.Text, share,
				truth.GPUBusy)
		}
		length := float64(cap.Axis.End[cap.Len()-1] - cap.Axis.Start[0])
		if got := n / length * 1e9; math.Abs(got-10000) > 100 {
			t.Errorf("%d: %v reads a second", seed, got)
		}
	}
}

func TestReadingsAreRenewedTenTimesASecond(t *testing.T) {
	cap := recorded(t, simulate.KindArchetype, 4, simulate.Options{Host: simulate.No})
	changes := 0
	engine := cap.Counter("engine_gfx").Floats()
	for _, v := range engine {
		if v > 0 {
			changes++
		}
	}
	seconds := float64(cap.Axis.End[cap.Len()-1]-cap.Axis.Start[0]) / 1e9
	if per := float64(changes) / seconds; per > 10.6 || per < 7 && seconds > 0.5 {
		t.Errorf("engine times changed %d times in %.2f s", changes, seconds)
	}
	if total(cap, "engine_gfx") > seconds*1e9 {
		t.Errorf("the engine worked for %v ns of %v s", total(cap, "engine_gfx"), seconds)
	}
}

func TestHeldClocksAreReported(t *testing.T) {
	held, free := 0, 0
	for seed := uint64(0); held < 2 || free < 2; seed++ {
		if seed > 200 {
			t.Fatalf("in 200 plants there are %d with a held clock and %d without", held, free)
		}
		c, err := cases.New(Live, simulate.KindSingle, seed)
		if err != nil {
			t.Fatal(err)
		}
		hot := c.Plant == "heat" || c.Plant == "power limit"
		if !hot && free >= 2 {
			continue
		}
		cap, err := c.Record(simulate.Options{Host: simulate.No})
		if err != nil {
			t.Fatal(err)
		}
		column := cap.Counter("throttled")
		if column == nil { // GFX8
			continue
		}
		most := 0.0
		for _, v := range column.Floats() {
			most = max(most, v)
		}
		if hot {
			held++
		} else {
			free++
		}
		if hot != (most > 0) {
			t.Errorf("%d (%s): throttled is %v", seed, c.Text, most)
		}
	}
}

func TestWithheldCountersAreAbsent(t *testing.T) {
	d := newDevice(simulate.NewRandom(1, "x"), 11)
	all := recorded(t, simulate.KindArchetype, 5, simulate.Options{})
	for _, u := range d.machine.Units {
		part := recorded(t, simulate.KindArchetype, 5, simulate.Options{Withheld: []simulate.Candidate{u.Candidate}})
		for _, name := range d.Counters(u.Candidate) {
			if part.Counter(name) != nil {
				t.Errorf("%s is there although %v is withheld", name, u.Candidate)
			}
		}
		if len(part.Counters) > len(all.Counters) || len(part.Counters) < len(all.Counters)/2 {
			t.Errorf("without %v there are %d of %d counters", u.Candidate, len(part.Counters), len(all.Counters))
		}
	}
}
