package rdna

import (
	"context"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/rocprofcompute"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
	"astrolabe/internal/testfiles"
)

// vectorCopy is a program that copies 1048576 doubles three times, as the real capture's does: 8 MiB are read in
// lines of 128 bytes and written in lines of 64, by waves of eight vector instructions. Shares of time follow from
// these numbers and the units' widths.
func vectorCopy(t *testing.T) *capture.Capture {
	t.Helper()
	r := simulate.NewRandom(3, "vector copy")
	d := Families[0].newDevice(r)
	d.model, d.cus, d.hz, d.gated, d.launch, d.latency = "Radeon 8050S", 32, 2799e6, true, 2e3, 230
	d.machine.Clock = simulate.FixedClock(d.hz)
	const lines, stores, waves = 65536.0, 131072.0, 33000.0
	ghz := d.hz / 1e9
	bytes := lines*128 + stores*64
	d.near = 970
	time := bytes / d.near
	p := content.Part{Time: time, Seed: 4}
	for a := range content.Axes {
		p.Effort[a], p.Spread[a] = 1, 2
	}
	p.Press[content.Bandwidth] = 1
	p.Press[content.Arithmetic] = 8 * waves / float64(2*d.cus) / ghz / time
	p.Press[content.LoadStore] = (lines + stores) / float64(d.wgps()) / ghz / time
	p.Press[content.Cache] = (lines + stores) / float64(2*d.gl2s) / ghz / time
	p.Press[content.Latency] = 0.8
	pass := &content.Pass{Name: "vecCopy", Kind: content.Copy, Groups: &p}
	pass.Shader = content.Shader{Scalar: 0.6, Writes: stores / (lines + stores), Filled: 1, GroupSize: 256}
	pass.Memory = content.Memory{Written: 0.5, Instructions: 1e-4}
	b := &program{f: Families[0], seed: 3, d: d}
	b.add(pass, 3, r)
	c, err := b.record(simulate.Options{Noise: -1})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAVectorCopyLandsNearTheRealOne(t *testing.T) {
	path := testfiles.Path(t, "captures", "gfx1151-vcopy")
	real, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ours := vectorCopy(t)
	missing := 0
	for _, c := range real.Counters {
		if ours.Counter(c.Name) == nil {
			missing++
			t.Errorf("the real capture has %s, ours has not", c.Name)
		}
	}
	if len(ours.Counters) != len(real.Counters) || len(ours.Passes) != len(real.Passes) {
		t.Errorf("%d counters in %d passes, the real capture has %d in %d", len(ours.Counters), len(ours.Passes),
			len(real.Counters), len(real.Passes))
	}
	// The real dispatches differ from each other by as much as low and high say.
	for _, c := range []struct {
		metric    string
		tolerance float64 // beyond the range of the real dispatches, as a share of its middle
	}{
		{"gl1c_hit_rate", 0.05},
		{"gl2c_hit_rate", 0.05},
		{"wavefront_occupancy", 0.15},
		{"wave_dependency_wait", 0.1},
		{"wave_issue_wait", 1.5},
		{"ipc", 0.3},
		{"gl1_gl2_read_latency", 0.3},
		{"gl1_gl2_write_latency", 0.4},
		{"gl2c_utilization", 0.25},
		{"gl1c_utilization", 0.25},
		{"gl1c_total_requests", 0.02},
		{"gl2c_total_requests", 0.02},
		{"gl2c_read_requests", 0.02},
		{"gl2c_write_requests", 0.02},
		{"dram_read_requests", 0.05},
		{"dram_write_requests", 0.25},
		{"read_returns", 0.05},
		{"write_returns", 0.1},
		{"sarb_utilization", 0.3},
		{"sarb_stall_rate", 0.3},
		{"dcache_hit_rate", 0.05},
		{"dcache_requests", 0.05},
	} {
		want, err := metrics.Resolve(real, c.metric)
		if err != nil {
			t.Fatal(err)
		}
		got, err := metrics.Resolve(ours, c.metric)
		if err != nil {
			t.Fatal(err)
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range want.Floats() {
			low, high = min(low, v), max(high, v)
		}
		v := got.Floats()[1]
		slack := c.tolerance * (low + high) / 2
		t.Logf("%-24s %12.4g, real %12.4g to %.4g", c.metric, v, low, high)
		if v < low-slack-0.01 || v > high+slack+0.01 {
			t.Errorf("%s is %v, the real dispatches have %v to %v", c.metric, v, low, high)
		}
	}
	shortest := math.Inf(1)
	for _, p := range real.Passes {
		for _, ns := range p.Duration.Data().Floats() {
			shortest = min(shortest, ns)
		}
	}
	if ns := float64(ours.Axis.Interval(1)); math.Abs(ns/shortest-1) > 0.35 {
		t.Errorf("a dispatch takes %v ns, the fastest real one %v", ns, shortest)
	} else {
		t.Logf("a dispatch takes %v ns, the fastest real one %v", ns, shortest)
	}
}
