package gpa

import (
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/metrics"
)

func TestEveryPlantObeysTheIdentitiesOfTheHardware(t *testing.T) {
	for _, m := range Models() {
		for _, p := range append(m.Plants(), capturetest.Plant{}) {
			for _, c := range []capturetest.Case{
				{Plant: p.ID}, {Plant: p.ID, Load: 1, Noise: 0.3, DVFS: true}, {Plant: p.ID, Load: 0.5, Noise: 0.1, Idle: 0.4, Second: m.Plants()[1].ID},
			} {
				c.Samples = 30
				cap, err := m.Generate(c)
				if err == nil {
					err = m.Check(cap)
				}
				if err != nil {
					t.Errorf("%s %s: %v", m.Name(), c, err)
				}
			}
		}
	}
}

func TestEveryMetricOfTheGenerationAndAPIHasAValue(t *testing.T) {
	for _, m := range Models() {
		if m := m.(model); m.fixed || m.stages {
			continue
		}
		cap, err := m.Generate(capturetest.Case{Samples: 30})
		if err != nil {
			t.Fatal(err)
		}
		all, err := metrics.Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, c := range all {
			if e, err := metrics.Resolve(cap, c.Name); err != nil || e.Expr == "" {
				continue
			}
			n++
			if c.Total().Missing() && !strings.Contains(c.Name, "d3d") {
				t.Errorf("%s: %s has no value", m.Name(), c.Name)
			}
		}
		if want := map[string]int{"gl": 139, "vk": 132, "cl": 21}[m.(model).api]; n < want {
			t.Errorf("%s: %d metrics, want at least %d", m.Name(), n, want)
		}
	}
}

func TestEqualCasesGiveEqualCaptures(t *testing.T) {
	for _, m := range Models() {
		c := capturetest.Case{Plant: m.Plants()[0].ID, Noise: 0.3, Samples: 20, Seed: 7}
		a, err := m.Generate(c)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := m.Generate(c)
		for _, ctr := range a.Counters {
			x, _ := capturetest.Column(a, ctr.Name)
			y, _ := capturetest.Column(b, ctr.Name)
			if !slices.Equal(x, y) {
				t.Errorf("%s: %s differs", m.Name(), ctr.Name)
			}
		}
		c.Seed = 8
		d, _ := m.Generate(c)
		if slices.Equal(a.Axis.End, d.Axis.End) {
			t.Errorf("%s: the seed changes nothing", m.Name())
		}
	}
}

func TestPlantsAreFoundByTheirNamesOnly(t *testing.T) {
	for _, m := range Models() {
		if _, err := m.Generate(capturetest.Case{Plant: "nonsense"}); err == nil || !strings.Contains(err.Error(), m.Plants()[0].ID) {
			t.Errorf("%s: an unknown plant: %v", m.Name(), err)
		}
		if _, err := m.Generate(capturetest.Case{Second: "nonsense"}); err == nil {
			t.Errorf("%s: an unknown second plant is taken", m.Name())
		}
		seen := map[string]bool{}
		for _, p := range m.Plants() {
			if seen[p.ID] || p.Rule == "" || p.Doc == "" {
				t.Errorf("%s: plant %q stands twice or says nothing", m.Name(), p.ID)
			}
			seen[p.ID] = true
		}
	}
}

// changed is the capture with one counter of a sample multiplied.
func changed(t *testing.T, c *capture.Capture, name string, factor float64) *capture.Capture {
	t.Helper()
	out, err := c.With(func(cfg *capture.Config) {
		list := slices.Clone(cfg.Counters)
		for i, ctr := range list {
			if ctr.Name != name {
				continue
			}
			v, _ := capturetest.Column(c, name)
			v = slices.Clone(v)
			v[1] = (v[1] + 1e6) * factor
			list[i] = &capture.Counter{Meta: ctr.Meta, Axis: ctr.Axis, Col: capture.NewColumn(capture.Data{F: v})}
		}
		cfg.Counters = list
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestABrokenIdentityIsFound(t *testing.T) {
	for _, m := range Models() {
		good, err := m.Generate(capturetest.Case{Samples: 10})
		if err != nil {
			t.Fatal(err)
		}
		names := []string{"TCC3_TCC_PERF_SEL_HIT", "TA2_TA_PERF_SEL_TA_BUSY", "TCP0_TCP_PERF_SEL_TCC_READ_REQ"}
		if m.(model).api != "cl" {
			names = append(names, "DB0_DB_PERF_SEL_OP_PIPE_BUSY", "CB1_CB_PERF_SEL_EXPORT_32_ABGR_QUAD_FRAGMENT", "GPUTime_Bottom_To_Bottom", "GRBM_GRBM_PERF_SEL_GUI_ACTIVE")
		}
		if m.(model).stages {
			names = []string{"GPUTime_Bottom_To_Bottom", "GRBM_GRBM_PERF_SEL_GUI_ACTIVE", "SPI0_SPI_PERF_VS_BUSY"}
		}
		for _, name := range names {
			factor := 1000.0
			if name == "GPUTime_Bottom_To_Bottom" {
				factor = 0
			}
			if err := m.Check(changed(t, good, name, factor)); err == nil {
				t.Errorf("%s: %s x %g breaks nothing", m.Name(), name, factor)
			}
		}
	}
}
