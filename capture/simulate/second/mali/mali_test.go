package mali

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// made makes a case, its capture and its truth.
func made(t *testing.T, name, kind string, seed uint64) (*simulate.Case, *capture.Capture, *simulate.Truth) {
	t.Helper()
	c, err := New(name, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Record(simulate.Options{})
	if err != nil {
		t.Fatalf("%s %s %d: %v", name, kind, seed, err)
	}
	truth, err := c.Judge()
	if err != nil {
		t.Fatal(err)
	}
	return c, got, truth
}

func TestSingleCasesAreLimitedByWhatWasPlanted(t *testing.T) {
	for _, name := range Names {
		right, clear := 0, 0
		const all = 19
		for seed := range uint64(all) {
			c, err := New(name, simulate.KindSingle, seed)
			if err != nil {
				t.Fatal(err)
			}
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			best, sure := truth.Limiter()
			if sure {
				clear++
			}
			if best.String() == c.Plant {
				right++
			} else {
				t.Logf("%s %d: planted %s: %v", name, seed, c.Plant, truth.Leaves[:3])
			}
		}
		t.Logf("%s: %d right, %d clear of %d", name, right, clear, all)
		if right*100 < all*95 {
			t.Errorf("%s: %d of %d cases are limited by what was planted", name, right, all)
		}
	}
}

// text is everything in a capture.
func text(c *capture.Capture) string {
	var b bytes.Buffer
	fmt.Fprintln(&b, c.GPU, c.Properties, c.Axis.Start, c.Axis.End, c.Regions, c.Late)
	for _, x := range c.Counters {
		if x.Col != nil {
			fmt.Fprintln(&b, x.Name, x.Col.Floats())
		}
		for _, in := range x.Instances {
			fmt.Fprintln(&b, x.Name, in.Meta.Instance, in.Col.Floats())
		}
	}
	return b.String()
}

func TestCasesAreTheSameEachTime(t *testing.T) {
	for _, kind := range simulate.Kinds() {
		_, a, x := made(t, Names[0], kind, 7)
		_, b, y := made(t, Names[0], kind, 7)
		if text(a) != text(b) || fmt.Sprint(x) != fmt.Sprint(y) {
			t.Errorf("%s: two cases of the same seed differ", kind)
		}
	}
}

func TestCountersOfAllKindsAddUp(t *testing.T) {
	for i, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := uint64(i); seed < 30; seed += uint64(len(Names)) { // one model's turn, then the other's
				c, err := New(name, kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				got, err := c.Record(simulate.Options{})
				if err != nil {
					t.Fatalf("%s %s %d: %v", name, kind, seed, err)
				}
				identities(t, fmt.Sprintf("%s %s %d", name, kind, seed), got)
			}
		}
	}
}

func TestTruthOfAllKindsHolds(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(2) {
				c, got, truth := made(t, name, kind, seed)
				at := fmt.Sprintf("%s %s %d", name, kind, seed)
				for _, p := range append([]simulate.Part{truth.Part}, truth.Phases...) {
					sum := int64(0)
					for _, s := range p.Shares {
						sum += s.Ns
					}
					if sum != p.End-p.Start || len(p.Leaves) == 0 {
						t.Errorf("%s: shares of %d ns in %d ns", at, sum, p.End-p.Start)
					}
				}
				if _, end := got.Axis.Extent(); truth.Start != 0 || math.Abs(float64(end-truth.End)) > 2 {
					t.Errorf("%s: the truth is of %d to %d, the capture ends at %d", at, truth.Start, truth.End, end)
				}
				if len(truth.Each) != truth.Frames {
					t.Errorf("%s: %d frames, %d in all", at, len(truth.Each), truth.Frames)
				}
				if kind == simulate.KindHealthy && !truth.Healthy {
					t.Errorf("%s: %s: %d dates missed", at, c.Text, truth.Missed)
				}
				if kind == simulate.KindTwoPhase && len(truth.Phases) != 2 {
					t.Errorf("%s: %d phases", at, len(truth.Phases))
				}
			}
		}
	}
}

func TestCountersThatAreWithheldAreLeftOut(t *testing.T) {
	c, err := New(Names[0], simulate.KindArchetype, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Record(simulate.Options{Without: []string{"MaliGPUCyclesGPUActive", "cpu_user"}, Host: simulate.Yes})
	if err != nil {
		t.Fatal(err)
	}
	if got.Counter("MaliGPUCyclesGPUActive") != nil || got.Counter("cpu_user") != nil || got.Counter("cpu_idle") == nil {
		t.Error("counters without which it was to be recorded are there, or others are not")
	}
}

// identities checks what holds between counters of hardware.
func identities(t *testing.T, at string, c *capture.Capture) {
	t.Helper()
	byHardware := map[string][]float64{}
	for _, x := range c.Counters {
		for _, a := range x.Aliases {
			if x.Col != nil {
				byHardware[a] = x.Col.Floats()
			}
		}
	}
	sum := func(i int, names ...string) (out float64) {
		for _, n := range names {
			if v, ok := byHardware[n]; ok {
				out += v[i]
			}
		}
		return out
	}
	cores, slices := number(c, "MaliConstantsShaderCoreCount"), number(c, "MaliConstantsL2SliceCount")
	clock := c.Counter("gpu_clock_cycles").Col.Floats()
	for i := 0; i < len(clock); i += 1 + len(clock)/120 { // enough of a long capture
		equal := func(what string, a, b float64) {
			if a != b {
				t.Fatalf("%s sample %d: %s: %g and %g", at, i, what, a, b)
			}
		}
		atMost := func(what string, a, b float64) {
			if a > b*1.001+8 {
				t.Fatalf("%s sample %d: %s: %g of %g", at, i, what, a, b)
			}
		}
		culled := sum(i, "PRIM_FACE_CULLED", "PRIM_FRUSTUM_CULLED", "PRIM_SAMPLE_CULLED", "PRIM_SCISSOR_CULLED")
		equal("primitives", sum(i, "TRIANGLES", "LINES", "POINTS"), culled+sum(i, "PRIM_VISIBLE"))
		equal("facing", sum(i, "FRONT_FACING", "BACK_FACING"), sum(i, "PRIM_VISIBLE"))
		equal("lookups", sum(i, "L2_ANY_LOOKUP"),
			sum(i, "L2_READ_LOOKUP", "L2_WRITE_LOOKUP", "L2_RD_MSG_IN_EVICT", "L2_RD_MSG_IN_CU"))
		equal("writes", sum(i, "L2_EXT_WRITE"), sum(i, "L2_EXT_WRITE_NOSNP_FULL", "L2_EXT_WRITE_NOSNP_PTL",
			"L2_EXT_WRITE_SNP_FULL", "L2_EXT_WRITE_SNP_PTL"))
		atMost("any queue", sum(i, "GPU_ITER_ACTIVE"), clock[i])
		for _, q := range []string{"ITER_TILER", "ITER_COMP", "ITER_FRAG"} {
			atMost(q, sum(i, q+"_ACTIVE"), sum(i, "GPU_ITER_ACTIVE"))
			atMost(q+" blocked", sum(i, q+"_READY_BLOCKED"), sum(i, q+"_ACTIVE"))
		}
		atMost("cores", sum(i, "SHADER_CORE_ACTIVE"), cores*sum(i, "GPU_ITER_ACTIVE"))
		atMost("execution", sum(i, "EXEC_CORE_ACTIVE"), sum(i, "SHADER_CORE_ACTIVE"))
		atMost("main phase", sum(i, "FRAG_ACTIVE"), sum(i, "SHADER_CORE_ACTIVE"))
		exec := sum(i, "EXEC_CORE_ACTIVE")
		fma, other, sfu := sum(i, "EXEC_INSTR_FMA"), sum(i, "EXEC_INSTR_CVT", "EXEC_INSTR_SFU"), sum(i, "EXEC_INSTR_SFU")
		atMost("arithmetic", max(other+(fma-min(fma, other))/2, 4*sfu), exec)
		atMost("texture", sum(i, "TEX_FILT_NUM_OPERATIONS"), exec)
		atMost("load/store", sum(i, "LS_MEM_READ_FULL", "LS_MEM_READ_SHORT", "LS_MEM_WRITE_FULL", "LS_MEM_WRITE_SHORT",
			"LS_MEM_ATOMIC"), exec)
		atMost("varying", sum(i, "VARY_SLOT_32", "VARY_SLOT_16")/4, exec)
		atMost("shaded quads", 4*sum(i, "FRAG_WARPS"), sum(i, "FRAG_QUADS_RAST")-sum(i, "FRAG_QUADS_EZS_KILL"))
		atMost("early tests", sum(i, "FRAG_QUADS_EZS_TEST"), sum(i, "FRAG_QUADS_RAST"))
		atMost("latency", sum(i, "L2_EXT_RRESP_0_127", "L2_EXT_RRESP_128_191", "L2_EXT_RRESP_192_255",
			"L2_EXT_RRESP_256_319", "L2_EXT_RRESP_320_383"), sum(i, "L2_EXT_READ_BEATS"))
		atMost("under way", sum(i, "L2_EXT_AR_CNT_Q1", "L2_EXT_AR_CNT_Q2", "L2_EXT_AR_CNT_Q3"), sum(i, "L2_EXT_READ"))
		atMost("read beats", sum(i, "L2_EXT_READ_BEATS")*number(c, "MaliConstantsBusWidthBits")/8, 64*sum(i, "L2_EXT_READ")+64)
		atMost("beats of reads", sum(i, "L2_EXT_READ_BEATS"), slices*clock[i])
		atMost("beats of writes", sum(i, "L2_EXT_WRITE_BEATS"), slices*clock[i])
		atMost("cache", sum(i, "L2_READ_LOOKUP", "L2_WRITE_LOOKUP"), slices*clock[i])
		atMost("external loads", 16*sum(i, "BEATS_RD_TEX_EXT", "BEATS_RD_LSC_EXT", "BEATS_RD_FTC_EXT"),
			64*sum(i, "L2_EXT_READ")*1.02+64)
	}
}

func number(c *capture.Capture, name string) float64 {
	p, _ := c.Property(name)
	return p.Number
}
