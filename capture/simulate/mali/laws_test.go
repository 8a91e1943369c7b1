package mali

import (
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/simulatetest"
)

// totals are a capture's counters over its whole time.
type totals struct {
	t   *testing.T
	cap *capture.Capture
}

func (x totals) of(names ...string) (sum float64) {
	for _, name := range names {
		if find(x.cap, name) == nil {
			continue // of other GPUs
		}
		for _, v := range column(x.t, x.cap, name, "") {
			sum += v
		}
	}
	return sum
}

func (x totals) property(name string) float64 {
	p, ok := x.cap.Property(name)
	if !ok {
		x.t.Fatalf("the capture has no %s", name)
	}
	return p.Number
}

// active is how many cycles the GPU worked.
func (x totals) active() float64 {
	if find(x.cap, "MaliGPUActiveCy") != nil {
		return x.of("MaliGPUActiveCy")
	}
	return x.of("MaliGPUAnyQueueActiveCy")
}

// linesUnderWay is how many lines of 64 bytes external memory had not answered yet, in the mean of the time in which
// the GPU worked: how many are read in a cycle by how many cycles one takes (Little's law).
func (x totals) linesUnderWay() float64 {
	reads := x.of("MaliExtBusRdBt")
	if reads == 0 {
		return 0
	}
	latency, rest := 0.0, reads
	for _, b := range []struct {
		band string
		mean float64
	}{{"0", 100}, {"128", 160}, {"192", 224}, {"256", 288}, {"320", 352}} {
		n := x.of("MaliExtBusRdLat" + b.band)
		latency += n * b.mean
		rest -= n
	}
	latency = (latency + rest*440) / reads
	lines := reads * x.property("MaliConstantsBusWidthBits") / 8 / 64
	return lines / x.active() * latency
}

// TestThreadsThatWaitForMemoryHaveLinesUnderWay was added when latency set the pace of cases with a tenth of a line
// under way for each core, and the pixel backend that of cases with a quad in two hundred cycles.
func TestThreadsThatWaitForMemoryHaveLinesUnderWay(t *testing.T) {
	backend := simulate.Candidate{Level: simulate.LevelUnit, Name: "pixel_backend"}
	latencies, backends := 0, 0
	for _, f := range Families {
		for seed := range uint64(simulatetest.Number(t, 20, 20)) {
			kind := simulate.KindSingle
			if seed%6 == 0 {
				kind = simulate.KindArchetype
			}
			c, err := cases.New(f, kind, seed)
			if err != nil {
				t.Fatal(err)
			}
			planted := c.Plant == "latency" || c.Plant == "pixel_backend"
			if kind == simulate.KindSingle && !planted {
				continue
			}
			cap, err := c.Record(simulate.Options{Host: simulate.No})
			if err != nil {
				t.Fatal(err)
			}
			x := totals{t, cap}
			cores, lines := x.property("MaliConstantsShaderCoreCount"), x.linesUnderWay()
			if most := 128 * cores; lines > most {
				t.Errorf("%s %s %d: %.0f lines are under way, threads have room for %.0f", f.Name, kind, seed, lines,
					most)
			}
			tiles := 16 * x.of("MaliSCBusTileWrBt")
			written := x.of("MaliExtBusWrBt") * x.property("MaliConstantsBusWidthBits") / 8
			if written < 0.75*tiles {
				t.Errorf("%s %s %d: tiles write %.0f bytes, memory gets %.0f", f.Name, kind, seed, tiles, written)
			}
			if !planted {
				continue
			}
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			l, clear := truth.Limiter()
			share := truth.ShareOf(l)
			if !clear || share < 0.3 {
				continue
			}
			switch l {
			case simulate.MemoryLatency:
				latencies++
				if lines < 0.6*share*cores {
					t.Errorf(
						"%s %s %d: memory's latency sets the pace for %.0f %% with %.1f lines under way for %.0f cores",
						f.Name, kind, seed, 100*share, lines, cores)
				}
			case backend:
				backends++
				quads := x.of("MaliFragWarp") * x.property("mali_warp_width") / 4
				cycles := x.of("MaliFragActiveCy", "MaliMainActiveCy")
				if quads < 0.15*share*cycles {
					t.Errorf(
						"%s %s %d: the pixel backend sets the pace for %.0f %% with %.3f quads in a cycle of a core",
						f.Name, kind, seed, 100*share, quads/cycles)
				}
			}
		}
	}
	if latencies < 3 || backends < 3 {
		t.Errorf("latency limits %d cases, the pixel backend %d: too few to tell", latencies, backends)
	}
}
