package metrics

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
)

func TestARoleFindsTheMetricThatPlaysItOnEachProduct(t *testing.T) {
	for _, c := range [][3]string{
		{"mali-g615", "queue:fragment", "fragment_queue_utilization"},
		{"mali-g720", "queue:fragment", "main_phase_queue_utilization"},
		{"mali-g615", "queue:binning", "vertex_queue_utilization"},
		{"mali-g720", "queue:binning", "binning_phase_queue_utilization"},
		{"mali-g615", "stall:read", "output_external_read_stall_rate"},
		{"mali-g720", "stall:read", "output_external_read_stall_percentage"},
	} {
		cap, err := capture.New(capture.Config{GPU: c[0]})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := Resolve(cap, c[1]); err != nil || found.Name != c[2] {
			t.Errorf("%s of %s is %v (%v), want %s", c[1], c[0], found, err, c[2])
		}
		if roles, err := Roles(cap, "queue"); err != nil || strings.Join(roles, " ") != "queue:binning queue:fragment queue:compute" {
			t.Errorf("the queues of %s are %v (%v)", c[0], roles, err)
		}
		if all, err := Roles(cap, ""); err != nil || !slices.Contains(all, "unit:texture") || !slices.Contains(all, "queue:binning") {
			t.Errorf("the roles of %s are %v (%v)", c[0], all, err)
		}
		if _, err := Roles(cap, "colour"); err == nil || !strings.Contains(err.Error(), "want queue, phase") {
			t.Errorf("roles of no kind that there is: %v", err)
		}
	}
}

// What vendors call things goes before roles: none may hide one, in any catalogue.
func TestEveryRoleIsFound(t *testing.T) {
	players := 0
	for _, id := range IDs() {
		c, err := Get(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range c.Entries() {
			for _, r := range e.Roles {
				players++
				if e.Set != nil {
					name := e.Set.Name + "/" + r
					found, err := c.Find(name)
					if err != nil || found != e && !(found.Set == e.Set && slices.Contains(found.Inputs, e.Symbol)) {
						t.Errorf("%s of %s finds %v (%v), want %s", name, id, found, err, e.Name)
					}
					continue
				}
				if found, err := c.Find(r); err != nil || found != e {
					t.Errorf("%s of %s finds %v (%v), want %s", r, id, found, err, e.Name)
				}
				if list := c.Match(r); len(list) != 1 || list[0] != e {
					t.Errorf("%s of %s matches %d entries, want %s", r, id, len(list), e.Name)
				}
			}
		}
	}
	if players == 0 {
		t.Error("no catalogue has roles")
	}
}

// In a recording a role is that of its own set; one that only other sets have is missing, and says which to record.
func TestARoleOfMetricSetsIsThatOfTheSetThatWasRecorded(t *testing.T) {
	for _, c := range []struct{ gpu, set, role, name, missing string }{
		{"intel-kbl-gt2", "RenderBasic", "busy:eu", "render_basic_eu_active", ""},
		{"intel-mtl-gt2", "RenderBasic", "busy:eu", "render_basic_xve_active", ""},
		{"intel-lnl", "ComputeBasic", "busy:eu", "compute_basic_xve_active", ""},
		{"intel-lnl", "ComputeBasic", "client:reads", "compute_basic_gpu_memory_byte_read", ""},
		{"intel-lnl", "MemoryProfile", "client:reads", "memory_profile_gpu_memory_byte_read", ""},
		{"intel-lnl", "RenderBasic", "stall:eu_barrier", "vector_engine_stalls_xve_stall_barrier", "VectorEngineStalls"},
		{"intel-tgl-gt2", "HDCAndSF", "stall:data_ports", "stall:data_ports", ""},
		{"intel-tgl-gt2", "RenderBasic", "stall:data_ports", "stall:data_ports", "HDCAndSF"},
	} {
		cap := recorded(t, c.gpu, c.set, nil)
		found, err := Resolve(cap, c.role)
		if err != nil || found.Name != c.name {
			t.Errorf("%s of %s, set %s, is %v (%v), want %s", c.role, c.gpu, c.set, found, err, c.name)
			continue
		}
		if why, _ := found.Why(0); c.missing != "" && !strings.Contains(why.Text, "needs "+c.missing) {
			t.Errorf("%s of %s in set %s is missing because %v, want that it needs %s", c.role, c.gpu, c.set, why, c.missing)
		}
	}
}

// Of several units of which each has a metric a role is the highest, and one that is fused off counts nothing.
func TestARoleThatSeveralPlayIsTheHighest(t *testing.T) {
	for mask, want := range map[float64]float64{63: 50, 31: 50, 1: 50} { // DSS 5 of B0, DSS 4 of B1, DSS 0 of B2, ...
		cap := recorded(t, "intel-tgl-gt2", "HDCAndSF", map[string]uint64{"B0": 0, "B1": 100, "B2": 500, "B3": 200, "B4": 0, "B5": 300})
		cap, err := cap.With(func(cfg *capture.Config) {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: "DualSubsliceMask", Number: mask})
		})
		if err != nil {
			t.Fatal(err)
		}
		found, err := Resolve(cap, "stall:data_ports")
		if err != nil {
			t.Fatal(err)
		}
		if got := found.Total().Float(); got != want || found.Unit != "percent" || len(found.Inputs) != 6 {
			t.Errorf("with the mask %v it is %v %s of %v, want %v percent of six", mask, got, found.Unit, found.Inputs, want)
		}
	}
}

// recorded is a sample of a recording with a metric set: GPU_TICKS and counters, 1000 each where they are not given.
func recorded(t *testing.T, gpu, set string, values map[string]uint64) *capture.Capture {
	t.Helper()
	axis := &capture.Axis{Start: []int64{0}, End: []int64{1e6}}
	cfg := capture.Config{GPU: gpu, Axis: axis, Properties: []capture.Property{{Name: "metric_set", Text: set, IsText: true}}}
	for _, name := range strings.Fields("GPU_TICKS A0 A7 A8 A9 A10 B0 B1 B2 B3 B4 B5 C0 C1 C2") {
		v, ok := values[name]
		if !ok {
			v = 1000
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Kind: capture.Delta}, Axis: axis,
			Col: capture.NewColumn(capture.Data{U: []uint64{v}})})
	}
	cap, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return cap
}

func TestARoleIsCompleted(t *testing.T) {
	c, err := Get("mali-g720")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range Suggest(c.Known(), "queue:") {
		texts = append(texts, s.Text)
	}
	if strings.Join(texts, " ") != "queue:binning queue:fragment queue:compute" {
		t.Errorf("queue: is completed with %v", texts)
	}
	if _, err := c.Find("queue:fragmnt"); err == nil || !strings.Contains(err.Error(), "main_phase_queue_utilization") {
		t.Errorf("a misspelt role: %v", err)
	}
}
