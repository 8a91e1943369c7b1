package intel

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/content"
	"astrolabe/internal/testfiles"
)

// rows are real metric values of a GT2 that Intel's oneprof printed.
func rows(t *testing.T) (out []map[string]float64, kernels []string) {
	t.Helper()
	for _, r := range testfiles.Rows(t, "intel-rows", "oneprof_gen9_rows.csv") {
		m := map[string]float64{}
		for name, cell := range r {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				m[name] = v
			}
		}
		out, kernels = append(out, m), append(kernels, r["Kernel"])
	}
	return out, kernels
}

// mean is the mean of a metric over rows of some kernels that fill their sample.
func mean(list []map[string]float64, kernels []string, word, metric string) (v float64, n int) {
	for i, m := range list {
		if strings.Contains(kernels[i], word) && m["GpuBusy"] > 99.5 || word == "Buffer" &&
			strings.Contains(kernels[i], word) {
			v += m[metric]
			n++
		}
	}
	return v / float64(n), n
}

// A program is given by what it does, not by how long that takes: for each access of a data port, so many
// instructions and lines of memory.
func TestKernelsOfKnownWorkLandNearRealOnes(t *testing.T) {
	real, kernels := rows(t)
	for _, c := range []struct {
		name, word string
		part       func(d *device) *content.Part
		kind       content.Kind
		tolerance  map[string]float64
	}{
		{
			// A matrix product reads its operands through the data port again and again. The real one issues about
			// 8.5 FPU instructions for an access, and its data ports are full.
			"matrix product", "GEMM", func(d *device) *content.Part {
				p := &content.Part{Time: 20e6, Seed: 61 << 8}
				p.Press[content.LoadStore], p.Press[content.Arithmetic], p.Press[content.Cache], p.Press[content.Bandwidth] = 1, 0.74, 1.04, 0.3
				p.Press[content.Latency] = 0.5
				return p
			}, content.Compute,
			map[string]float64{"EuActive": 12, "EuStall": 12, "Fpu0Active": 9, "Fpu1Active": 9, "EuSendActive": 4,
				"EuThreadOccupancy": 8, "EuAvgIpcRate": 0.2, "GpuBusy": 1},
		},
		{
			// A copy has a handful of instructions for a line, and waits for memory.
			"copy", "Buffer", func(d *device) *content.Part {
				p := &content.Part{Time: 4e6, Seed: 4 << 8}
				p.Press[content.LoadStore], p.Press[content.Arithmetic], p.Press[content.Cache] = 0.16, 0.025, 0.18
				p.Press[content.Bandwidth], p.Press[content.Latency] = 0.9, 1
				return p
			}, content.Copy,
			map[string]float64{"EuActive": 2, "EuStall": 10, "Fpu0Active": 2, "Fpu1Active": 4, "EuSendActive": 1,
				"EuThreadOccupancy": 17, "EuAvgIpcRate": 0.1, "GpuBusy": 12},
		},
	} {
		r := simulate.NewRandom(5, "real")
		d := newDevice(r, "intel-kbl-gt2")
		d.hz, d.memory, d.launch = 1150e6, 20, 10e3
		d.machine.Clock = simulate.FixedClock(d.hz)
		p := &content.Pass{Name: c.name, Kind: c.kind, Groups: c.part(d), Shader: content.DrawShader(r),
			Memory: content.DrawMemory(r), Drain: true}
		p.Shader.Atomics, p.Shader.Writes, p.Memory.Written = 0, 0.35, 0.45
		for a := range content.Axes {
			p.Groups.Effort[a], p.Groups.Spread[a] = 0.99, 2
		}
		s := &content.Scene{Name: c.name, Passes: []*content.Pass{p}}
		d.Keep(s)
		w := simulate.Load{Contents: []simulate.Content{d.Compile(s)}, Warm: 2, Threads: 1,
			Pacing: simulate.Pacing{Ahead: 2}}
		for range 24 {
			w.Frames = append(w.Frames, simulate.Frame{App: 1e3, Driver: 1e3, Scale: []float32{1}})
		}
		cap, err := d.Capture(func(int) (*simulate.Run, error) {
			return simulate.Record(&d.machine, &w, simulate.NewBounds(d.Periods()[1], nil))
		}, &cases.Recording{Seed: 1, Options: simulate.Options{Sets: []string{"ComputeBasic"}}, Period: d.Periods()[1]})
		if err != nil {
			t.Fatal(err)
		}
		for name, most := range c.tolerance {
			got, err := metrics.Resolve(cap, name)
			if err != nil {
				t.Fatal(err)
			}
			want, n := mean(real, kernels, c.word, name)
			if n < 2 {
				t.Fatalf("%d real rows of %s", n, c.word)
			}
			v := got.Total().Float()
			t.Logf("%s: %s is %.2f, in %d real rows %.2f", c.name, name, v, n, want)
			if math.Abs(v-want) > most {
				t.Errorf("%s: %s is %.2f, real rows have %.2f", c.name, name, v, want)
			}
		}
	}
}
