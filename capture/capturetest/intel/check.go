package intel

import (
	"fmt"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
)

// Check says where counters break what holds on the hardware: parts and wholes, the pipes of an EU, tests and what is
// left after them, traffic and its sources, widths of links.
func (m *model) Check(c *capture.Capture) error {
	k := &checker{c: c, eus: m.part.eus(), subslices: float64(m.part.slices * subslices),
		slices: float64(m.part.slices)}
	k.most("TIMESTAMP", k.value("TIMESTAMP"), k.scaled(timestampHz, k.seconds()), 1)
	k.most("GPU_TICKS", k.value("GPU_TICKS"), k.scaled(m.part.maxHz, k.seconds()), 1)
	ticks := k.value("GPU_TICKS")
	k.most("A0", k.value("A0"), ticks, 1)
	eus := k.scaled(k.eus, k.value("A0"))
	k.most("the EUs' clocks", k.sum("A7", "A8"), eus, 2)
	if names, ok := pipes[m.set]; ok {
		f0, f1, both, send := k.value(names[0]), k.value(names[1]), k.value(names[2]), k.value(names[3])
		k.most("both FPUs", both, f0, 1)
		k.most("both FPUs", both, f1, 1)
		either := k.add(f0, f1, -1, both)
		k.most("either FPU", either, k.value("A7"), 2)
		k.most("any pipe", k.value("A7"), k.add(either, send, 0, nil), 2)
	}
	k.most("early tests", k.sum("A22", "A23"), k.value("A21"), 2)
	k.most("all tests", k.sum("A22", "A23", "A24", "A25"), k.value("A21"), 4)
	k.most("blended", k.value("A27"), k.value("A26"), 1)
	k.most("sampler misses", k.value("A29"), k.value("A28"), 1)
	k.most("data port misses", k.value("A33"), k.value("A32"), 1)
	k.most("atomics", k.value("A34"), k.value("A32"), 1)
	clocks := k.value("A0")
	k.most("SLM", k.sum("A30", "A31"), k.scaled(k.subslices*1.01, clocks), 2)
	k.most("data port", k.value("A32"), k.scaled(k.subslices*1.01, clocks), 2)
	for n := range 8 {
		limit := ticks
		for _, x := range []string{"B", "C"} { // a counter advances at most once in a clock for each slice
			k.most(fmt.Sprintf("%s%d", x, n), k.value(fmt.Sprintf("%s%d", x, n)), k.scaled(k.slices*1.01, limit), 2)
		}
	}
	switch m.set {
	case "RenderBasic":
		k.most("the sources of memory traffic", k.sum("B6", "B7", "C0", "C1", "C2", "C3", "C4"), k.sum("C6", "C7"), 8)
		lines := k.sum("B4", "B5")
		k.most("misses of L3", k.value("C4"), k.add(k.scaled(8, lines), k.value("A32"), 0, nil), 10)
		k.most("samplers held up", k.value("B2"), k.value("A0"), 1)
		k.most("writes", k.value("C7"), k.scaled(0.505, ticks), 2)
	case "MemoryReads":
		k.same("memory reads", k.sum("B0", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "C4", "C5", "C6", "C7"),
			k.value("C0"), 12)
	case "MemoryWrites":
		k.same("memory writes", k.sum("B0", "B2", "B3", "B4", "B5", "B6", "B7", "C4", "C5", "C6", "C7"),
			k.value("C0"), 12)
	case "HDCAndSF":
		for _, p := range [][2]string{{"C6", "C7"}, {"C4", "C5"}, {"C2", "C3"}} {
			k.most("requests of the data port", k.value(p[0]), k.value(p[1]), 1)
		}
	}
	return k.err
}

// pipes are the counters of FPU0, FPU1, both and SEND in the sets that count them over all shaders.
var pipes = map[string][4]string{
	"ComputeBasic": {"A10", "A11", "A9", "A12"}, "ComputeExtended": {"A10", "A11", "A9", "A12"},
	"ComputeL3Cache": {"A10", "A11", "A9", "A12"},
}

// checker compares columns; it keeps the first error.
type checker struct {
	c                      *capture.Capture
	eus, subslices, slices float64
	err                    error
}

func (k *checker) value(name string) []float64 {
	x, err := capturetest.Column(k.c, name)
	if err != nil && k.err == nil {
		k.err = err
	}
	return x
}

func (k *checker) seconds() []float64 {
	out := make([]float64, k.c.Axis.Len())
	for i := range out {
		out[i] = float64(k.c.Axis.End[i]-k.c.Axis.Start[i]) / 1e9
	}
	return out
}

func (k *checker) scaled(by float64, x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * by
	}
	return out
}

func (k *checker) sum(names ...string) []float64 {
	var out []float64
	for _, n := range names {
		out = k.add(out, k.value(n), 0, nil)
	}
	return out
}

// add is a + b + by c.
func (k *checker) add(a, b []float64, by float64, c []float64) []float64 {
	out := make([]float64, max(len(a), len(b)))
	for i := range out {
		for j, x := range [][]float64{a, b, c} {
			if i < len(x) {
				out[i] += x[i] * [3]float64{1, 1, by}[j]
			}
		}
	}
	return out
}

func (k *checker) most(what string, x, limit []float64, slack float64) {
	for i := range x {
		if k.err == nil && x[i] > limit[i]+slack {
			k.err = fmt.Errorf("sample %d: %s: %g is more than %g", i, what, x[i], limit[i])
		}
	}
}

func (k *checker) same(what string, x, y []float64, slack float64) {
	k.most(what, x, y, slack)
	k.most(what, y, x, slack)
}
