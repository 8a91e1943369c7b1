package cpu

import (
	"time"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// program is one program as `perf stat -I` counts it on a processor that tells what became of its slots: nothing of it
// says what the machine did.
type program struct{}

func (program) GPU() string    { return "cpu" }
func (program) Name() string   { return "cpu program" }
func (program) Script() string { return "cpu" }

// slots is what becomes of the slots of a program, and how much of the time it runs.
type slots struct{ runs, retiring, bad, front, back float64 }

// ordinary is a program that mostly waits for others and otherwise loses few slots.
var ordinary = slots{runs: 0.2, retiring: 0.7, bad: 0.05, front: 0.1, back: 0.15}

type programPlant struct {
	capturetest.Plant
	light, heavy slots
}

var programPlants = []programPlant{
	{capturetest.Plant{ID: "sleeps", Rule: "program_waits", Doc: "the program waits for something all along"},
		slots{0.08, 0.7, 0.05, 0.1, 0.15}, slots{0.01, 0.7, 0.05, 0.1, 0.15}},
	{capturetest.Plant{ID: "back_end", Rule: "backend_bound", Doc: "data, or units, hold up the pipeline"},
		slots{0.95, 0.3, 0.05, 0.1, 0.55}, slots{1, 0.1, 0.03, 0.02, 0.85}},
	{capturetest.Plant{ID: "speculation", Rule: "branch_misses",
		Doc: "work is thrown away after mispredicted branches"}, slots{0.95, 0.3, 0.5, 0.1, 0.1},
		slots{1, 0.15, 0.75, 0.05, 0.05}},
	{capturetest.Plant{ID: "front_end", Rule: "fetch_bound", Doc: "instructions do not arrive in time"},
		slots{0.95, 0.3, 0.1, 0.5, 0.1}, slots{1, 0.1, 0.05, 0.8, 0.05}},
	{capturetest.Plant{ID: "retires", Rule: "core_bound", Doc: "nothing holds the pipeline up"},
		slots{0.95, 0.6, 0.1, 0.15, 0.15}, slots{1, 0.9, 0.02, 0.04, 0.04}},
}

func (program) Plants() []capturetest.Plant {
	out := make([]capturetest.Plant, len(programPlants))
	for i, p := range programPlants {
		out[i] = p.Plant
	}
	return out
}

// toward is what is a share of the way from s to another.
func (s slots) toward(t slots, share float64) slots {
	mix := func(a, b float64) float64 { return a + (b-a)*share }
	return slots{mix(s.runs, t.runs), mix(s.retiring, t.retiring), mix(s.bad, t.bad), mix(s.front, t.front),
		mix(s.back, t.back)}
}

func (m program) Generate(c capturetest.Case) (*capture.Capture, error) {
	c = c.Filled()
	c.Period = max(c.Period, 250*time.Millisecond)
	s := ordinary
	for _, id := range []string{c.Second, c.Plant} {
		if _, err := capturetest.FindPlant(m, id); err != nil {
			return nil, err
		}
	}
	for _, p := range programPlants {
		if p.ID == c.Plant {
			s = p.light.toward(p.heavy, c.Load)
		}
	}
	for _, p := range programPlants {
		if runs := s.runs; p.ID == c.Second {
			s = s.toward(p.light, 0.25)
			s.runs = runs
		}
	}
	w := capturetest.NewWork(c, maxHz)
	t := capturetest.NewTable(w)
	r := capturetest.NewRandom(c, "program")
	for i := range w.Len() {
		ran := min(1, s.runs*w.Active[i]*r.Small()) * w.Seconds(i)
		cycles := ran * w.Hz[i]
		lost := s.retiring + s.bad*r.Small() + s.front*r.Small() + s.back*r.Small()
		t.Count("task_clock", i, ran*1e9)
		t.Count("context_switches", i, 50*ran)
		t.Count("page_faults", i, 200*ran)
		t.Count("cycles", i, cycles)
		t.Count("instructions", i, width*cycles*s.retiring/lost)
		t.Count("slots", i, width*cycles)
		t.Count("topdown_retiring", i, width*cycles*s.retiring/lost)
		t.Count("topdown_bad_spec", i, width*cycles*s.bad/lost)
		t.Count("topdown_fe_bound", i, width*cycles*s.front/lost)
		t.Count("topdown_be_bound", i, width*cycles*s.back/lost)
	}
	return t.Capture(capture.Config{Name: "cpu-program-" + c.String(), GPU: "cpu",
		Device: capture.Device{Name: "modelled program that perf stat counts"}})
}

// Check verifies that no more instructions retire than there are slots.
func (program) Check(c *capture.Capture) error {
	return capturetest.AtMost(c, "topdown_retiring", "slots", 1)
}
