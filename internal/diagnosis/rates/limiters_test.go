package rates

import (
	"slices"
	"testing"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/all"
	"astrolabe/internal/diagnosis"
)

// limitersOf are the limiters that the simulator can find in a family: those that it relieves, and those that it never
// does.
func limitersOf(t *testing.T, f *family) []string {
	t.Helper()
	seen := map[string]bool{}
	if slices.Contains(all.Kinds(f.name), simulate.KindHealthy) && f.script != "cpu" {
		for _, c := range []simulate.Candidate{simulate.DisplayVsync, simulate.DisplayCap, simulate.DisplayRequest,
			simulate.QueuesInTurn,
			simulate.ClockGovernor, simulate.ClockThermal, simulate.ClockPower} {
			seen[c.String()] = true
		}
	}
	number := 1
	if f.script == "cpu" {
		number = 12 // a program has a lock, a queue or a held clock, or has none: each plant once
	}
	for seed := range uint64(number) {
		c, err := all.Case(f.name, simulate.KindSingle, seed)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := c.Judge()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range truth.Leaves { // those that gain nothing stand there as well
			seen[g.Candidate.String()] = true
		}
		limiter, _ := truth.Limiter()
		seen[limiter.String()] = true
	}
	var out []string
	for c := range seen {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

func TestEveryLimiterIsMappedOrSaidToBeUntold(t *testing.T) {
	if got, want := allFamilies(), slices.Concat(all.Families(), all.Others()); len(got) != len(want) {
		t.Errorf("the families are %v, those of the models %v", got, want)
	}
	ofHardware := map[string][]string{} // by the name of the first model
	for i := range families {
		f := &families[i]
		known := limitersOf(t, f)
		ofHardware[all.Base(f.name)] = append(ofHardware[all.Base(f.name)], known...)
		for _, c := range known {
			if len(f.names[c]) == 0 && f.untold[c] == "" {
				t.Errorf("%s: %s is neither mapped nor said to be untold", f.name, c)
			}
		}
	}
	for i := range families {
		f := &families[i]
		known := ofHardware[f.name]
		if all.Base(f.name) != f.name { // it need not have everything that the first one has
			continue
		}
		for _, c := range f.limiters() {
			if !slices.Contains(known, c) {
				t.Errorf("%s: no model has a limiter %s", f.name, c)
			}
			if len(f.names[c]) > 0 && f.untold[c] != "" {
				t.Errorf("%s: %s is mapped and untold", f.name, c)
			}
		}
		for part, c := range f.parts {
			if c != groupNotKnown && c != groupDisplay && !slices.Contains(known, c) {
				t.Errorf("%s: part %s of the account stands for %s, which no model has", f.name, part, c)
			}
		}
	}
}

func TestMappedFindingsCanBeNamed(t *testing.T) {
	nameable := map[string][]string{}
	for _, script := range []string{"mali", "intel_oa", "amd_live", "gpa", "gfx1151", "cpu"} {
		j, err := diagnosis.NewJudge(t.Context(), script)
		if err != nil {
			t.Fatal(err)
		}
		if nameable[script], err = j.Nameable("cause"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range families {
		f := &families[i]
		for c, ids := range f.names {
			for _, id := range ids {
				if !slices.Contains(nameable[f.script], id) && !slices.Contains(nameable["cpu"], id) {
					t.Errorf("%s: %s is mapped to %s, which no report names as a bottleneck", f.name, c, id)
				}
			}
		}
	}
}

// What the processors show of a program, a capture with their counters shows, whoever made the model: without that, to
// ask for them would be wrong everywhere.
func TestCapturesWithProcessorsShowWhoWaits(t *testing.T) {
	for i := range families {
		f := &families[i]
		if !slices.Contains(all.Kinds(f.name), simulate.KindSerial) || f.script == "cpu" {
			continue
		}
		for seed := range uint64(2) {
			c, err := all.Case(f.name, simulate.KindSerial, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, host := range []simulate.Choice{simulate.Yes, simulate.No} {
				cap, err := c.Record(simulate.Options{Host: host})
				if err != nil {
					t.Fatal(err)
				}
				for _, limiter := range []simulate.Candidate{simulate.CPUApp, simulate.CPUDriver, simulate.CPUSync} {
					if got := f.shown(limiter, cap); got != (host == simulate.Yes) {
						t.Errorf("%s %d: with counters of the processors %v, %s is shown: %v", f.name, seed, host == simulate.Yes, limiter, got)
					}
					if !f.countable(limiter, cap) {
						t.Errorf("%s: %s cannot be counted, though processors can be recorded", f.name, limiter)
					}
				}
			}
		}
	}
}

// Engines beside the render engine: public sets of all GPUs but DG2 count when they work.
func TestOtherEnginesAreCountableWhereASetHasThem(t *testing.T) {
	for name, want := range map[string]bool{"intel-bdw": true, "intel-kbl-gt2": true, "intel-icl": true, "intel-tgl": true,
		"intel-dg2": false, "intel-dg2-fourth": false, "intel-mtl": true, "intel-lnl": true, "intel-bmg": true} {
		c, err := all.Case(name, simulate.KindSerial, 1)
		if err != nil {
			t.Fatal(err)
		}
		cap, err := c.Record(simulate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := findFamily(name).countable(simulate.QueuesInTurn, cap); got != want {
			t.Errorf("%s: queues in turn are countable: %v", name, got)
		}
	}
}
