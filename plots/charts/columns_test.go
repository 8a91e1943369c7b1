package charts

import (
	"encoding/binary"
	"image"
	"math"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

// inkIn counts the pixels of an image that have a colour near c, in columns [x0, x1).
func inkIn(img *image.RGBA, x0, x1 int, c [3]uint8) int {
	n := 0
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := max(x0, 0); x < min(x1, img.Rect.Max.X); x++ {
			i := img.PixOffset(x, y)
			if near(img.Pix[i], c[0]) && near(img.Pix[i+1], c[1]) && near(img.Pix[i+2], c[2]) {
				n++
			}
		}
	}
	return n
}

func near(a, b uint8) bool { return math.Abs(float64(a)-float64(b)) < 40 }

var blue = [3]uint8{0x00, 0x72, 0xb2}

func paint(t *testing.T, p *Plot, sz canvas.Size) *image.RGBA {
	t.Helper()
	sc, err := p.scene(sz)
	if err != nil {
		t.Fatal(err)
	}
	return sc.Paint()
}

func TestASpikeOfOneSampleAmongAMillionLeavesInk(t *testing.T) {
	const n = 1_000_000
	for _, at := range []int{0, 1, 333_333, 500_000, n - 1} {
		for _, up := range []bool{true, false} {
			y := canvastest.Values(n, func(int) float64 { return 50 })
			flat, err := Timeline(TimelineOptions{Y: Range{0, 100}}, series("a", "", 1000, y))
			before := inkIn(paint(t, must(t, flat, err), canvas.Size{}), 0, 1600, blue)
			y[at] = 0
			if up {
				y[at] = 100
			}
			spiky, err := Timeline(TimelineOptions{Y: Range{0, 100}}, series("a", "", 1000, y))
			after := inkIn(paint(t, must(t, spiky, err), canvas.Size{}), 0, 1600, blue)
			if after-before < 350 { // half of the frame's height, at least one pixel wide
				t.Errorf("sample %d: the spike (up %v) added %d pixels to %d", at, up, after-before, before)
			}
		}
	}
}

func TestEverySpikeAmongManyLeavesItsOwnInk(t *testing.T) {
	const n, spikes = 1_000_000, 100
	y := canvastest.Values(n, func(int) float64 { return 0 })
	for i := range spikes {
		y[i*(n/spikes)+n/spikes/2] = 100
	}
	p, err := Timeline(TimelineOptions{}, series("a", "", 1000, y))
	img := paint(t, must(t, p, err), canvas.Size{})
	seen, run := 0, false
	row := 200
	for x := range 1600 {
		i := img.PixOffset(x, row)
		ink := near(img.Pix[i], blue[0]) && near(img.Pix[i+1], blue[1]) && near(img.Pix[i+2], blue[2])
		if ink && !run {
			seen++
		}
		run = ink
	}
	if seen != spikes {
		t.Errorf("%d of %d spikes are visible", seen, spikes)
	}
}

func TestAFlatLineOfAMillionSamplesCrossesTheWholeFrame(t *testing.T) {
	p, err := Timeline(TimelineOptions{}, series("a", "", 1000, canvastest.Values(1_000_000, func(int) float64 {
		return 3
	})))
	img := paint(t, must(t, p, err), canvas.Size{})
	ink := inkIn(img, 0, 1600, blue)
	if ink < 2*1400 || ink > 2*1600 {
		t.Errorf("a flat line has %d pixels of ink; two rows of the frame's width are expected", ink)
	}
}

func TestQuietLinesUnderNoiseStayVisible(t *testing.T) {
	r := canvastest.Noise()
	noisy := series("noisy", "", 1000, canvastest.Values(100_000, func(int) float64 { return 50 + 15*r.NormFloat64() }))
	quiet := series("quiet", "", 1000, canvastest.Values(100_000, func(int) float64 { return 50 }))
	p, err := Timeline(TimelineOptions{}, quiet, noisy)
	if ink := inkIn(paint(t, must(t, p, err), canvas.Size{}), 100, 1300, blue); ink < 2000 {
		t.Errorf("the quiet line under the noise has %d pixels", ink)
	}
}

func TestGapsAndMissingValuesBreakTheLine(t *testing.T) {
	gap := Series{Name: "gap", Start: []int64{0, 600}, End: []int64{400, 1000}, Y: []float64{5, 5}}
	missing := Series{Name: "missing", Start: []int64{0, 400, 600}, End: []int64{400, 600, 1000},
		Y: []float64{5, math.NaN(), 5}}
	for _, s := range []Series{gap, missing} {
		p, err := Timeline(TimelineOptions{}, s)
		img := paint(t, must(t, p, err), canvas.Size{})
		if ink := inkIn(img, 720, 900, blue); ink != 0 {
			t.Errorf("%s: %d pixels of ink where there is no data", s.Name, ink)
		}
		if ink := inkIn(img, 100, 600, blue); ink < 900 {
			t.Errorf("%s: only %d pixels of ink where there are data", s.Name, ink)
		}
	}
}

func TestReduceKeepsFirstExtremesAndLastInTimeOrder(t *testing.T) {
	s, e := canvastest.Times(8, 10)
	r := canvas.Reduce(s, e, []float64{5, 9, 1, 6, 2, 2, 2, 2}, 0, 80, 2)
	c := r.Cols[0]
	if c.First != 5 || c.Max != 9 || c.Min != 1 || c.Last != 6 || c.MinFirst {
		t.Errorf("first column is %+v", c)
	}
	if c = r.Cols[1]; c.Min != c.Max || !c.Joined || r.Min != 1 || r.Max != 9 || r.Shown != 8 {
		t.Errorf("second column is %+v, reduction %+v", c, r)
	}
}

func TestReduceCountsWhatItCannotShow(t *testing.T) {
	s, e := canvastest.Times(4, 10)
	r := canvas.Reduce(s, e, []float64{math.NaN(), math.Inf(1), 3, math.NaN()}, 0, 40, 8)
	if r.Shown != 1 || r.Missing != 2 || r.Infinite != 1 || r.Min != 3 || r.Max != 3 {
		t.Errorf("%+v", r)
	}
	if canvas.Reduce(nil, nil, nil, 0, 10, 5).Shown != 0 ||
		canvas.Reduce(s, e, make([]float64, 4), 5, 5, 5).Shown != 0 {
		t.Error("an empty series or window shows something")
	}
}

func TestVectorPathsReachEveryExtreme(t *testing.T) {
	r := canvastest.Noise()
	y := canvastest.Values(50_000, func(int) float64 { return r.NormFloat64() })
	y[31_234] = 40
	s, e := canvastest.Times(len(y), 10)
	red := canvas.Reduce(s, e, y, 0, e[len(e)-1], 300)
	frame := canvas.Box(0, 0, 300, 100)
	tr := canvas.NewTrace(red, frame, 1, func(v float64) float64 { return -v })
	top, points := 0.0, 0
	paths := tr.Paths()
	for _, p := range paths {
		points += len(p)
		for _, q := range p {
			top = min(top, q.Y)
		}
	}
	if top != -40 {
		t.Errorf("the highest point of the path is at %v", -top)
	}
	if len(paths) != 1 || points > 300*6 {
		t.Errorf("%d paths with %d points for 300 columns", len(paths), points)
	}
}

func TestStackedPeaksLeaveInkAndTotalsAreSums(t *testing.T) {
	const n = 1_000_000
	a, b := canvastest.Values(n, func(int) float64 { return 10 }), canvastest.Values(n, func(int) float64 { return 20 })
	b[700_000] = 80
	p, err := Timeline(TimelineOptions{Stacked: true}, series("a", "", 1000, a), series("b", "", 1000, b))
	tl := must(t, p, err).body.(*timeline)
	if got := tl.lanes[0].spread; got != (spread{0, 90}) {
		t.Errorf("the stack spans %v", got)
	}
	layers := tl.lanes[0].stack.columns(1000)
	if layers[0].up[10] != 10 || math.Abs(layers[1].up[10]-30) > 1e-9 || layers[1].upPeak[700] != 90 ||
		layers[1].upPeak[10] != 30 {
		t.Errorf("edges at 10: %v %v, peak at 700: %v", layers[0].up[10], layers[1].up[10], layers[1].upPeak[700])
	}
}

func TestStackingUnlikeTimeAxesIsAnError(t *testing.T) {
	_, err := Timeline(TimelineOptions{Stacked: true}, series("a", "", 1000, []float64{1, 2}),
		series("b", "", 500, []float64{1, 2}))
	if err == nil {
		t.Fatal("no error")
	}
}

// FuzzTimeline draws intervals of any length, order and value.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte{}, int64(0), int64(0), false)
	f.Add([]byte("one two three four five six seven eight nine ten"), int64(-5), int64(1<<40), true)
	f.Add(binary.LittleEndian.AppendUint64(make([]byte, 16), math.Float64bits(math.NaN())), int64(math.MinInt64),
		int64(math.MaxInt64), false)
	f.Fuzz(func(t *testing.T, data []byte, from, to int64, stacked bool) {
		s := Series{Name: "a", Unit: "bytes"}
		at := from
		for len(data) >= 24 && len(s.Y) < 200 {
			at += int64(binary.LittleEndian.Uint64(data) >> 24)
			s.Start = append(s.Start, at)
			s.End = append(s.End, int64(binary.LittleEndian.Uint64(data[8:])))
			s.Y = append(s.Y, math.Float64frombits(binary.LittleEndian.Uint64(data[16:])))
			data = data[24:]
		}
		p, err := Timeline(TimelineOptions{From: from, To: to, Stacked: stacked}, s, s)
		if err != nil {
			return
		}
		sc, err := p.scene(canvas.Size{Width: 320, Height: 200, DPI: 96})
		if err != nil {
			t.Fatal(err)
		}
		canvastest.CheckLayout(t, "fuzzed", sc)
		sc.Paint()
	})
}

func TestADipOfOneSampleAmongAMillionShowsInAStack(t *testing.T) {
	level := canvastest.Values(million, func(int) float64 { return 100 })
	dipped := canvastest.Values(million, func(i int) float64 {
		if i == 333333 {
			return 0
		}
		return 100
	})
	draw := func(y []float64) *Plot {
		p, err := Timeline(TimelineOptions{Stacked: true}, series("a", "", 1000, y))
		return must(t, p, err)
	}
	if n := changed(paint(t, draw(level), canvas.Size{}), paint(t, draw(dipped), canvas.Size{})); n < 400 {
		t.Errorf("a single 0 among a million of 100 changes %d pixels, want the whole height of the stack", n)
	}
}
