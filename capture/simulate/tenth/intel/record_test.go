package intel

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/simulatetest"
)

func values(c *capture.Counter) []float64 { return c.Floats() }

// TestSame records cases twice.
func TestSame(t *testing.T) {
	for _, kind := range simulate.Kinds() {
		for seed := range uint64(simulatetest.Number(t, 4, 1)) {
			var texts [2]string
			var caps [2]*capture.Capture
			for i := range 2 {
				c := simulatetest.Make(New).Case(t, Names[0], kind, seed)
				caps[i] = simulatetest.Recorded(t, c, simulate.Options{})
				texts[i] = c.Text
			}
			if texts[0] != texts[1] || !reflect.DeepEqual(caps[0].Axis.Start, caps[1].Axis.Start) || len(caps[0].Counters) != len(caps[1].Counters) {
				t.Errorf("%s %d differ", kind, seed)
				continue
			}
			for k, c := range caps[0].Counters {
				if !slices.Equal(values(c), values(caps[1].Counters[k])) {
					t.Errorf("%s %d: %s differs", kind, seed, c.Name)
				}
			}
		}
	}
}

// TestBounds looks at what counters are at most, at their names, and at how long it takes.
func TestBounds(t *testing.T) {
	cat, err := metrics.Get(catalogue)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for s := range sets {
			if !yield(s) {
				return
			}
		}
	})
	slowest := time.Duration(0)
	for _, kind := range simulate.Kinds() {
		for seed := range uint64(simulatetest.Number(t, 22, 3)) {
			c := simulatetest.Make(New).Case(t, Names[0], kind, seed)
			set := names[int(seed)%len(names)]
			o := simulate.Options{Sets: []string{set}}
			if seed%5 == 4 {
				o.Sets = append(o.Sets, names[int(seed+3)%len(names)])
			}
			at := time.Now()
			cap := simulatetest.Recorded(t, c, o)
			slowest = max(slowest, time.Since(at))
			if start, end := cap.Axis.Extent(); end-start < 400e6 || end-start > 5e9 {
				t.Errorf("%s %d: %d ms", kind, seed, (end-start)/1e6)
			}
			ticks := values(cap.Counter("GPU_TICKS"))
			for i, v := range ticks {
				if rate := v / float64(cap.Axis.Interval(i)) * 1e3; rate > 2851 || rate < 390 {
					t.Fatalf("%s %d: %g MHz", kind, seed, rate)
				}
			}
			for _, ctr := range cap.Counters {
				where := catalogue
				if ctr.GPU == "cpu" {
					where = "cpu"
				}
				of := cat
				if where == "cpu" {
					if of, err = metrics.Get("cpu"); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := of.Find(ctr.Name); err != nil {
					t.Errorf("%s: %v", ctr.Name, err)
				}
			}
			if len(o.Sets) == 1 {
				bounds(t, fmt.Sprintf("%s %d %s", kind, seed, set), cap, set, ticks)
			}
		}
	}
	t.Logf("a capture takes %v at most", slowest)
}

func bounds(t *testing.T, what string, cap *capture.Capture, set string, ticks []float64) {
	number := func(name string) float64 {
		for _, p := range cap.Properties {
			if p.Name == name {
				return p.Number
			}
		}
		t.Fatalf("no %s", name)
		return 0
	}
	m := &machine{xecores: int(number("XeCoreTotalCount")), slices: int(number("SliceTotalCount")), banks: int(number("L3BankTotalCount")),
		nodes: int(number("L3NodeTotalCount")), copies: int(number("CopyEngineTotalCount"))}
	bandwidth := 456.0
	if m.xecores == 18 {
		bandwidth = 380
	}
	x, s := float64(m.xecores), float64(m.slices)
	most := map[string]float64{"IA_VERTEX": 1.5 * s, "CLIPPER_PRIMITIVE_OUTPUT": s, "RASTERIZER_SAMPLE_OUTPUT": 32 * s,
		"SAMPLER_2X2_READ": 2 * x, "LOAD_STORE_CACHE_ACCESS": 2 * x, "SLM_BYTE_READ": 128 * x, "L3_READ": float64(m.banks),
		"RT_TRAVERSAL_STEP_RAY_COUNT": 3 * x, "PIXEL_WRITE": 32 * s, "XVE_INST_EXECUTED_ALU0_ALL": 8 * x,
		"XVE_INST_EXECUTED_ALU1_ALL": 8 * x, "XVE_INST_EXECUTED_ALU2_ALL": 8 * x}
	at := map[string][]float64{}
	for i, symbol := range strings.Fields(sets[set]) {
		ctr := cap.Counter(fmt.Sprintf("PEC%d", i))
		if symbol == "-" || ctr == nil {
			continue
		}
		v := values(ctr)
		at[symbol] = v
		n := m.unitsOf(symbol)
		if n == 0 {
			n = most[symbol]
		}
		for k := range v {
			if n > 0 && v[k] > n*ticks[k]+2 {
				t.Errorf("%s: %s counts %g in %g clocks of %g", what, symbol, v[k], ticks[k], n)
				break
			}
			if strings.HasPrefix(symbol, "GPU_MEMORY_BYTE") && v[k]*2 > bandwidth*float64(cap.Axis.Interval(k))+1e4 {
				t.Errorf("%s: %s is %g bytes in %d ns", what, symbol, 2*v[k], cap.Axis.Interval(k))
				break
			}
		}
	}
	agree := func(sum string, parts ...string) {
		whole, ok := at[sum]
		if !ok {
			return
		}
		for k := range whole {
			all := 0.0
			for _, p := range parts {
				if at[p] == nil {
					return
				}
				all += at[p][k]
			}
			if all > whole[k]+float64(len(parts))+1 {
				t.Errorf("%s: %v are %g, and %s %g", what, parts, all, sum, whole[k])
				return
			}
		}
	}
	agree("LOAD_STORE_CACHE_ACCESS", "LOAD_STORE_CACHE_HIT")
	agree("SAMPLER_TEXTURE_CACHE_ACCESS", "SAMPLER_TEXTURE_CACHE_MISS")
	agree("XVE_INST_EXECUTED_ALU0_ALL", "XVE_INST_EXECUTED_ALU0_CS", "XVE_INST_EXECUTED_ALU0_PS", "XVE_INST_EXECUTED_ALU0_VS")
	agree("IA_PRIMITIVE", "CLIPPER_PRIMITIVE_OUTPUT")
	agree("RASTERIZER_SAMPLE_OUTPUT", "HIZ_DEPTH_TEST_PASS_P", "HIZ_DEPTH_TEST_AMBIG_P", "HIZ_DEPTH_TEST_AMBIG_NP", "HIZ_DEPTH_TEST_FAIL_P",
		"HIZ_DEPTH_TEST_FAIL_NP")
	agree("XVE_STALL", "XVE_STALL_SBID")
}
