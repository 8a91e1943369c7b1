package intel

import (
	"math"
	"testing"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/content"
)

// The rows are what unitrace printed of one kernel on an Arc Pro B60 (Battlemage with 20 Xe-cores at 2.4 GHz), as its
// author published it: a softmax that reads a matrix three times, and the same with stores of whole lines in place of
// quarters. Of both the work is given, as bytes, lines and instructions, and the time follows from the model. How often
// a wait is seen as a stall differs between programs of the model by a factor of two, so that stalls have a wide margin.
func TestKernelsOfKnownWorkLandNearThoseOfBattlemage(t *testing.T) {
	for _, c := range []struct {
		name    string
		press   map[content.Axis]float64
		writes  float64            // share of accesses
		written float64            // share of memory's bytes
		real    map[string]float64 // metrics
		most    map[string]float64 // by which the model may differ
	}{
		{
			// 29.4 million lines go through the first level, 16.8 million of them written to L3, which is what limits.
			"partial lines", map[content.Axis]float64{content.Cache: 1, content.LoadStore: 0.18, content.Arithmetic: 0.31,
				content.Bandwidth: 0.61, content.Latency: 0.3}, 0.57, 0.31,
			map[string]float64{"XVE_ACTIVE": 31.5, "XVE_STALL": 66.8, "XVE_SHARED_FUNCTION_ACCESS_HOLD": 54.5, "L3_STALL": 69,
				"GPU_MEMORY_BYTE_READ_RATE": 178, "GPU_MEMORY_BYTE_WRITE_RATE": 82},
			map[string]float64{"XVE_ACTIVE": 6, "XVE_STALL": 6, "XVE_SHARED_FUNCTION_ACCESS_HOLD": 14, "L3_STALL": 25,
				"GPU_MEMORY_BYTE_READ_RATE": 20, "GPU_MEMORY_BYTE_WRITE_RATE": 12},
		},
		{
			// A quarter of the stores, the same arithmetic: memory is close to what it gives.
			"whole lines", map[content.Axis]float64{content.Cache: 0.2, content.LoadStore: 0.2, content.Arithmetic: 0.57,
				content.Bandwidth: 0.81, content.Latency: 0.7}, 0.25, 0.45,
			map[string]float64{"XVE_ACTIVE": 56.9, "XVE_STALL": 42.4, "XVE_SHARED_FUNCTION_ACCESS_HOLD": 10.4, "L3_STALL": 1.2,
				"GPU_MEMORY_BYTE_READ_RATE": 189, "GPU_MEMORY_BYTE_WRITE_RATE": 155},
			map[string]float64{"XVE_ACTIVE": 6, "XVE_STALL": 6, "XVE_SHARED_FUNCTION_ACCESS_HOLD": 8, "L3_STALL": 5,
				"GPU_MEMORY_BYTE_READ_RATE": 20, "GPU_MEMORY_BYTE_WRITE_RATE": 15},
		},
	} {
		p := platforms[len(platforms)-1]
		d := made(p, p.parts[1], 3)
		d.hz, d.memory, d.launch = 2400e6, 425, 4e3
		d.machine.Clock = simulate.FixedClock(d.hz)
		r := simulate.NewRandom(5, "real")
		part := &content.Part{Time: 3e6, Seed: 4 << 8}
		for a, x := range c.press {
			part.Press[a] = x
		}
		for a := range content.Axes {
			part.Effort[a], part.Spread[a] = 0.99, 0
		}
		pass := &content.Pass{Name: c.name, Kind: content.Compute, Groups: part, Shader: content.DrawShader(r),
			Memory: content.DrawMemory(r), Drain: true}
		pass.Shader.Atomics, pass.Shader.Writes, pass.Memory.Written, pass.Memory.HitNear = 0, c.writes, c.written, 0.1
		s := &content.Scene{Name: c.name, Passes: []*content.Pass{pass}}
		d.Keep(s)
		w := simulate.Load{Contents: []simulate.Content{d.Compile(s)}, Warm: 2, Threads: 1,
			Pacing: simulate.Pacing{Ahead: 2}}
		for range 16 {
			w.Frames = append(w.Frames, simulate.Frame{App: 1e3, Driver: 1e3, Scale: []float32{1}})
		}
		cap, err := d.Capture(func(int) (*simulate.Run, error) {
			return simulate.Record(&d.machine, &w, simulate.NewBounds(d.Periods()[1], nil))
		}, &cases.Recording{Seed: 1, Options: simulate.Options{Sets: []string{"ComputeBasic"}}, Period: d.Periods()[1]})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range c.real {
			m, err := metrics.Resolve(cap, name)
			if err != nil {
				t.Fatal(err)
			}
			v := m.Total().Float()
			t.Logf("%s: %s is %.1f, the real one %.1f", c.name, name, v, want)
			if math.Abs(v-want) > c.most[name] {
				t.Errorf("%s: %s is %.1f, the real one %.1f", c.name, name, v, want)
			}
		}
	}
}
