package intel

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/metrics"
	"astrolabe/capture/metrics/formula"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/content"
	"astrolabe/capture/simulate/simulatetest"
)

// made is a device of a part, all of whose draws are those of a seed.
func made(p *platform, x part, seed uint64) *device {
	q := *p
	q.parts = []part{x}
	return newPlatformDevice(simulate.NewRandom(seed, p.name), &q)
}

func TestPartsAreThoseThatTheReadersKnow(t *testing.T) {
	for _, p := range platforms {
		f, err := oa.FormatByName(p.format())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.names(); !slices.Equal(got, f.Counters()) {
			t.Errorf("%s: reports have %v, those of the format %v", p.name, got, f.Counters())
		}
		for _, x := range p.parts {
			k, ok := oa.DeviceByID(uint32(x.id))
			if !ok || k.Catalogue != x.gpu || k.Threads != p.threads || k.Version/100 != p.version/100 {
				t.Errorf("%s %#x: %+v, model %s with %d threads", p.name, x.id, k, x.gpu, p.threads)
			}
			if k.EUs > 0 && x.eus > k.EUs || x.eus > x.subs*p.units || x.subs > x.slices*p.perSlice {
				t.Errorf("%s %#x has %d units in %d of %d: the table %+v", p.name, x.id, x.eus, x.subs, x.slices, k)
			}
			if k.Frequency != 0 && float64(k.Frequency) != p.frequency {
				t.Errorf("%s %#x: timestamps of %d Hz, model %v", p.name, x.id, k.Frequency, p.frequency)
			}
		}
	}
}

func TestEverySetOfEveryPartIsModelled(t *testing.T) {
	for _, p := range platforms {
		used := map[string]bool{}
		for _, x := range p.parts {
			d := made(p, x, 1)
			cat, err := metrics.Get(d.gpu)
			if err != nil {
				t.Fatal(err)
			}
			for _, set := range d.sets() {
				used[set] = true
				if _, err := newPlan(d, cat, set); err != nil {
					t.Error(err)
				}
			}
		}
		for _, set := range append(slices.Clone(p.sets), p.usual...) {
			if !used[set] {
				t.Errorf("%s: no part has the metric set %s", p.name, set)
			}
		}
	}
}

// recorded is a recording of drawn content by a device, with its table.
func recorded(t *testing.T, d *device, seed uint64, set string) (*table, *simulate.Run, []int, *capture.Capture) {
	t.Helper()
	r := simulate.NewRandom(seed, "platforms test")
	names := content.Archetypes()
	s, err := content.Draw(r, d.Has(), names[r.IntN(len(names))])
	if err != nil {
		t.Fatal(err)
	}
	d.Keep(s)
	d.machine.Clock = simulate.FixedClock(d.hz)
	w := simulate.Load{Contents: []simulate.Content{d.Compile(s)}, Warm: 2, Threads: 1,
		Pacing: simulate.Pacing{Ahead: 2}}
	for range 10 {
		f := simulate.Frame{App: 1e3, Driver: 1e3}
		for range w.Contents[0].Jobs {
			f.Scale = append(f.Scale, 1)
		}
		w.Frames = append(w.Frames, f)
	}
	period := d.Periods()[3]
	run, err := simulate.Record(&d.machine, &w, simulate.NewBounds(period, nil))
	if err != nil {
		t.Fatal(err)
	}
	rec := &cases.Recording{Seed: seed, Options: simulate.Options{Sets: []string{set}}, Period: period}
	cap, err := d.Capture(func(int) (*simulate.Run, error) { return run, nil }, rec)
	if err != nil {
		t.Fatal(err)
	}
	tab := &table{d: d, axis: &capture.Axis{}, plans: map[string]*plan{}}
	r = simulate.NewRandom(seed, "intel recording")
	tab.m.draw(d, r)
	if err := tab.use(set); err != nil {
		t.Fatal(err)
	}
	_, _, rows, _, _ := run.Rows("", 0, r, "", "")
	return tab, run, rows, cap
}

// What the catalogue's formulas make of the counters is what the model says: the formulas are evaluated by package
// metrics, not by the inversion. Counters are whole, and what hardware keeps may take a few counts away.
func TestMetricsHaveTheValuesOfTheModel(t *testing.T) {
	compared := 0
	for _, p := range platforms {
		for i, x := range p.parts {
			sets := made(p, x, 1).sets()
			n := simulatetest.Number(t, 3, 2)
			for k := range min(n, len(sets)) {
				set := sets[(k*len(p.parts)+i)%len(sets)]
				d := made(p, x, uint64(k))
				tab, run, rows, cap := recorded(t, d, uint64(k), set)
				for _, s := range tab.plans[set].steps {
					if s.entry.Set.Name != set {
						continue
					}
					c, err := metrics.Resolve(cap, s.entry.Name)
					if err != nil {
						t.Fatal(err)
					}
					if c.Total().Missing() {
						continue // a variable that no driver tells
					}
					got, want, counts := 0.0, 0.0, 0.0
					for j, row := range rows {
						tab.sample(run, row, set)
						v := s.target(&tab.m, s.place)
						g := c.Value(j).Float()
						if math.IsNaN(g) {
							continue
						}
						over := 1.0
						if s.formula.over == clockName {
							over = tab.m.clocks
						} else if s.formula.over == timeName {
							over = tab.m.ns
						}
						got, want = got+g, want+v
						for _, by := range s.formula.terms {
							counts += math.Abs(by) / over
						}
					}
					compared++
					if math.Abs(got-want) > 0.01*want+3*counts {
						t.Errorf("%s %s, %s: %s is %v, the model's %v (%v counts)", d.gpu, cap.Device.ID, set, s.entry.Symbol, got,
							want, counts)
					}
				}
			}
		}
	}
	if compared < 1000 {
		t.Errorf("only %d metrics were compared", compared)
	}
	t.Logf("%d metrics", compared)
}

func TestNoMetricIsAboveItsPeak(t *testing.T) {
	kinds := []string{simulate.KindArchetype, simulate.KindRandom, simulate.KindSingle, simulate.KindTwoPhase}
	checked := 0
	for _, f := range Families[2:] {
		for seed := range uint64(simulatetest.Number(t, 10, 5)) {
			c, err := cases.New(f, kinds[seed%4], seed)
			if err != nil {
				t.Fatal(err)
			}
			cap, err := c.Record(simulate.Options{Host: simulate.No})
			if err != nil {
				t.Fatal(err)
			}
			cat, err := metrics.Get(cap.GPU)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := cap.Property("metric_set")
			set, err := cat.Set(name.Text)
			if err != nil {
				t.Fatal(err)
			}
			variables := map[string]float64{}
			for _, p := range cap.Properties {
				variables[p.Name] = p.Number
			}
			list, err := metrics.Metrics(cap)
			if err != nil {
				t.Fatal(err)
			}
			values, err := metrics.Floats(context.Background(), list)
			if err != nil {
				t.Fatal(err)
			}
			ticks, stamps := cap.Counter("GPU_TICKS").Floats(), cap.Counter("TIMESTAMP").Floats()
			for i, m := range list {
				e := cat.Named(m.Name)
				if e == nil || e.Set != set || e.Peak == "" || m.Total().Missing() || narrowPeak(e) {
					continue
				}
				x, err := formula.Parse(formula.Intel, e.Peak)
				if err != nil {
					t.Fatal(err)
				}
				peak, err := (&reader{set, variables}).read(x.Root)
				if err != nil {
					t.Fatalf("%s: peak of %s: %v", f.Name, e.Name, err)
				}
				checked++
				for k, v := range values[i] {
					most := peak.value(func(name string) float64 {
						if name == timeName {
							return stamps[k] * 1e9 / variables["GpuTimestampFrequency"]
						}
						return ticks[k]
					})
					// A clock over a time in whole ticks is only as good as those.
					if v > most*(1+1e-9) && !(e.Symbol == "AvgGpuCoreFrequency" && v < most*1.001) {
						t.Errorf("%s %s %d, sample %d: %s is %v, at most %v", f.Name, c.Kind, seed, k, e.Name, v, most)
						break
					}
				}
			}
		}
	}
	if checked < 500 {
		t.Errorf("only %d metrics have a peak", checked)
	}
}

func TestSumsOfXe2AreWhatTheyAreMadeOf(t *testing.T) {
	for _, p := range platforms {
		if p.version < 2000 {
			continue
		}
		for seed := range uint64(simulatetest.Number(t, 6, 3)) {
			sum := func(cap *capture.Capture, set string, symbols ...string) (v float64) {
				for _, s := range symbols {
					m, err := metrics.Resolve(cap, set+"."+s)
					if err != nil {
						t.Fatal(err)
					}
					v += m.Total().Float()
				}
				return v
			}
			near := func(what string, got, want float64) {
				if math.Abs(got-want) > 0.005*want+0.01 {
					t.Errorf("%s %d: %s: %v and %v", p.name, seed, what, got, want)
				}
			}
			d := made(p, p.parts[0], seed)
			_, _, _, cap := recorded(t, d, seed, "VectorEngineStalls")
			near("stalls by reason", sum(cap, "VectorEngineStalls", "XVE_STALL_SBID", "XVE_STALL_SENDWR", "XVE_STALL_PIPESTALL",
				"XVE_STALL_ALUWR", "XVE_STALL_BARRIER", "XVE_STALL_CONTROL", "XVE_STALL_INSTFETCH",
				"XVE_STALL_PS_DEPENDENCY", "XVE_STALL_OTHER"), sum(cap, "VectorEngineStalls", "XVE_STALL"))
			d = made(p, p.parts[0], seed)
			_, _, _, cap = recorded(t, d, seed, "MemoryProfile")
			near("hits and misses of L3", sum(cap, "MemoryProfile", "L3_HIT", "L3_MISS"),
				sum(cap, "MemoryProfile", "L3_READ", "L3_WRITE"))
			near("bytes of memory", sum(cap, "MemoryProfile", "GPU_MEMORY_BYTE_READ"),
				32*sum(cap, "MemoryProfile", "GPU_MEMORY_32B_TRANSACTION_READ")+
					64*sum(cap, "MemoryProfile", "GPU_MEMORY_64B_TRANSACTION_READ"))
		}
	}
}

func TestMachinesDifferBySeed(t *testing.T) {
	for _, f := range Families[2:] {
		seen := map[string]bool{}
		for seed := range uint64(24) {
			d := f.Device(simulate.NewRandom(seed, f.Name)).(*device)
			seen[fmt.Sprint(d.gpu, d.eus, d.hz, d.variables["SubsliceMask"])] = true
			if n := d.variables["SubsliceMask"]; n == 0 {
				t.Errorf("%s %d has no subslices", f.Name, seed)
			}
		}
		if len(seen) < 4 {
			t.Errorf("%s: of 24 seeds only %d machines: %v", f.Name, len(seen), seen)
		}
	}
}

func TestSetsThatAPartLacksAreRefused(t *testing.T) {
	c, err := cases.New(Families[len(Families)-1], simulate.KindArchetype, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Record(simulate.Options{Sets: []string{"MemoryReads"}}); err == nil {
		t.Error("a set of other platforms is taken")
	}
}
