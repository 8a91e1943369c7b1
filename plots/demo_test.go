package plots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

func uniform(n int, period int64) (s, e []int64) {
	s, e = make([]int64, n), make([]int64, n)
	for i := range n {
		s[i], e[i] = int64(i)*period, int64(i+1)*period
	}
	return
}
func gen(n int, f func(i int) float64) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = f(i)
	}
	return y
}
func demo(t *testing.T, name string, p *Plot, err error, sz Size) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t0 := time.Now()
	for _, f := range Formats() {
		if err := p.Save(os.Getenv("DEMO")+"/"+name+"."+f, sz); err != nil {
			t.Fatal(err)
		}
		fmt.Println(name, f, time.Since(t0))
		t0 = time.Now()
	}
}
func TestDemo(t *testing.T) {
	if os.Getenv("DEMO") == "" {
		t.Skip()
	}
	r := rand.New(rand.NewPCG(1, 2))
	s, e := uniform(500, 10e6)
	util := gen(500, func(i int) float64 { return 50 + 40*math.Sin(float64(i)/40) + 8*r.NormFloat64() })
	for i := range util {
		util[i] = min(max(util[i], 0), 100)
	}
	util[100], util[101], util[102] = math.NaN(), math.NaN(), math.NaN()
	p, err := Timeline(TimelineOptions{Title: "GPU busy while the main menu animates", Bands: []Band{{Lo: 80, Hi: 80, Label: "threshold 80 %", Severity: Warning}},
		Spans: []Interval{{Start: 1e9, End: 1.6e9, Label: "busy", Severity: Warning}}, Marks: []Mark{{2.5e9, "frame 150"}, {2.55e9, "frame 153"}},
		Gaps: []Interval{{Start: 1.0e9, End: 1.03e9}}},
		Series{Name: "gpu_busy", Unit: "percent", Start: s, End: e, Y: util})
	demo(t, "single", p, err, Size{})
	var ss []Series
	for k := range 4 {
		ss = append(ss, Series{Name: fmt.Sprintf("TCP_REQ[xcc0/ch%d]", k), Unit: "cycles", Start: s, End: e, Y: gen(500, func(i int) float64 {
			return (1.5 + math.Sin(float64(i)/30+float64(k))) * 3e6 * (1 + .1*r.NormFloat64())
		})})
	}
	p, err = Timeline(TimelineOptions{Title: "Requests per channel"}, ss...)
	demo(t, "four", p, err, Size{})
	p, err = Timeline(TimelineOptions{Title: "Requests per channel, stacked", Stacked: true}, ss...)
	demo(t, "stacked", p, err, Size{})
	ss = nil
	for k := range 20 {
		ss = append(ss, Series{Name: fmt.Sprintf("core %d utilisation", k), Unit: "%", Start: s, End: e, Y: gen(500, func(i int) float64 {
			return min(100, max(0, float64(k)*4.5+5+3*math.Sin(float64(i)/30+float64(k))+r.NormFloat64()))
		})})
	}
	p, err = Timeline(TimelineOptions{Title: "Twenty cores"}, ss...)
	demo(t, "twenty", p, err, Size{})
	p, err = Timeline(TimelineOptions{Title: "Twenty cores"}, ss...)
	demo(t, "small", p, err, Size{640, 360, 96})
	n := 1000000
	s, e = uniform(n, 1000)
	noisy := gen(n, func(i int) float64 { return 1e9 * (2 + math.Sin(float64(i)/1e5) + .3*r.NormFloat64()) })
	noisy[n/2] = 9e9
	big := Series{Name: "read bandwidth", Unit: "bytes/s", Start: s, End: e, Y: noisy}
	p, err = Timeline(TimelineOptions{Title: "Noise"}, big)
	demo(t, "noise", p, err, Size{})
	rows := [][]*Plot{}
	for range 6 {
		rows = append(rows, []*Plot{p})
	}
	p, err = Grid(rows)
	demo(t, "six", p, err, Size{1600, 900, 96})
	p, err = Timeline(TimelineOptions{}, Series{Name: "IPC", Unit: "instructions/cycle", Start: s[:1000], End: e[:1000], Y: noisy[:1000]},
		Series{Name: "read", Unit: "B/s", Start: s[:1000], End: e[:1000], Y: noisy[:1000]}, Series{Name: "write", Unit: "MB/s", Start: s[:1000], End: e[:1000], Y: gen(1000, func(i int) float64 { return 500 })},
		Series{Name: "L2 hit rate", Unit: "percent", Start: s[:1000], End: e[:1000], Y: gen(1000, func(i int) float64 { return math.NaN() }), Why: "TCC_HIT was not collected in this capture; collect TCC_HIT_sum and TCC_MISS_sum"})
	demo(t, "units", p, err, Size{})
	p, err = Bar(BarOptions{Title: "Kernel time", Unit: "ns", Labels: []string{"void gemm_kernel<float, 128, 64, 32>(float const*, float const*, float*, int)", "vecCopy", "reduce_max_with_a_rather_long_kernel_name_v2", "memset", "empty"}},
		BarSeries{Name: "t", Values: []float64{1.2e6, 3.4e5, 8.8e5, 1200, math.NaN()}})
	demo(t, "bar", p, err, Size{})
	p, err = Bar(BarOptions{Title: "Utilisation by core", YLabel: "busy", Vertical: true, Unit: "%", Labels: []string{"cpu0", "cpu1", "cpu2", "cpu3"}},
		BarSeries{Name: "user", Values: []float64{12, 90, 33, 4}}, BarSeries{Name: "system", Values: []float64{2, 100, 13, math.NaN()}})
	demo(t, "barv", p, err, Size{})
	p, err = Histogram(HistogramOptions{Title: "Frame time", Unit: "ms"}, Sample{"frame_time", gen(20000, func(i int) float64 { return 16.6 * math.Exp(.2*r.NormFloat64()) })})
	demo(t, "hist", p, err, Size{})
	p, err = Histogram(HistogramOptions{Title: "Frame time", Unit: "ms"}, Sample{"before", gen(20000, func(i int) float64 { return 16.6 * math.Exp(.2*r.NormFloat64()) })}, Sample{"after", gen(20000, func(i int) float64 { return 14.6 * math.Exp(.25*r.NormFloat64()) })})
	demo(t, "hist2", p, err, Size{})
}
