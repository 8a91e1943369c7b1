package charts

import (
	"math"
	"strings"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/canvas/canvastest"
)

func TestQuantitiesReadAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{93.1e9, "bytes/s", "93.1 GB/s"}, {3 << 20, "bytes", "3 MiB"}, {1536, "B", "1.5 KiB"},
		{12.34567, "percent", "12.35 %"},
		{1.5e6, "cycles", "1.5M cycles"}, {0.00025, "s", "250 µs"}, {250, "us", "250 µs"}, {2.4e9, "Hz", "2.4 GHz"},
		{2400, "MHz", "2.4 GHz"},
		{999.96e3, "Hz", "1 MHz"}, {0, "cycles", "0 cycles"}, {-5, "W", "−5 W"}, {math.NaN(), "W", "missing"},
		{math.Inf(1), "", "∞"},
		{1e300, "cycles", "1e+300 cycles"}, {0.004, "instructions/cycle", "0.004 instructions/cycle"}, {7, "", "7"},
		{61.5, "celsius", "61.5 °C"},
	} {
		if got := Quantity(c.v, c.unit); got != c.want {
			t.Errorf("Quantity(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestDurationsReadAsPeopleWriteThem(t *testing.T) {
	for ns, want := range map[int64]string{0: "0 s", 5: "5 ns", 1500: "1.5 µs", 16_600_000: "16.6 ms", 5e9: "5 s",
		125e9: "2 min 5 s", 7260e9: "2 h 1 min", -5: "−5 ns"} {
		if got := Duration(ns); got != want {
			t.Errorf("Duration(%d) = %q, want %q", ns, got, want)
		}
	}
}

func TestTimeAxisChoosesItsUnitByTheRange(t *testing.T) {
	for _, c := range []struct {
		t0, t1      int64
		title, last string
	}{
		{0, 800, "time [ns]", "800"}, {0, 50_000, "time [µs]", "50"}, {0, 300e6, "time [ms]", "300"},
		{0, 5e9, "time [s]", "5.0"},
		{0, 600e9, "time [min]", "10"}, {0, 7 * 3600e9, "time [h:min]", "7:00"},
		{123_456_000_000, 123_456_100_000, "time [µs] after 123.456 s", "100"},
	} {
		a := newTimeAxis(c.t0, c.t1, canvas.Regular.Of(20), 1400)
		if a.title != c.title || len(a.ticks) < 3 || a.ticks[len(a.ticks)-1].label != c.last {
			t.Errorf("[%d, %d]: %q, ticks %v", c.t0, c.t1, a.title, a.ticks)
		}
	}
}

func TestTickLabelsDifferAndIncrease(t *testing.T) {
	r := canvastest.Noise()
	for range 3000 {
		lo := math.Pow(10, r.Float64()*40-20) * (r.Float64() - 0.5)
		hi := lo + math.Pow(10, r.Float64()*40-20)
		for _, u := range []string{"", "bytes", "percent", "s", "Hz"} {
			a := newValueAxis(spread{lo, hi}, Range{}, unitOf(u), 1+r.IntN(8), r.IntN(2) == 0)
			if !(a.lo <= lo && a.hi >= hi) {
				t.Fatalf("%q: axis [%g, %g] does not hold [%g, %g]", u, a.lo, a.hi, lo, hi)
			}
			for i := 1; i < len(a.ticks); i++ {
				if a.ticks[i].label == a.ticks[i-1].label || a.ticks[i].at <= a.ticks[i-1].at {
					t.Fatalf("%q [%g, %g]: ticks %v", u, lo, hi, a.ticks)
				}
			}
		}
		t0 := int64((r.Float64() - 0.2) * math.Pow(10, r.Float64()*15))
		ax := newTimeAxis(t0, t0+1+int64(math.Pow(10, r.Float64()*15)), canvas.Regular.Of(20), 1400)
		for i := 1; i < len(ax.ticks); i++ {
			if ax.ticks[i].label == ax.ticks[i-1].label {
				t.Fatalf("[%d, %d]: ticks %v", ax.t0, ax.t1, ax.ticks)
			}
		}
	}
}

func TestWrappedTextFitsAndLosesNothing(t *testing.T) {
	s := canvas.Regular.Of(20)
	for _, text := range []string{"", "one", "a few words that go on and on",
		strings.Repeat("MaliGPUCyclesAnyQueueActive_", 20), "日本語のとても長いテキスト日本語のとても長いテキスト", "a\nb",
		strings.Repeat("x", 500)} {
		for _, width := range []float64{1, 15, 60, 200, 1000} {
			lines := s.Wrap(text, width)
			strip := func(s string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(s) }
			if strip(strings.Join(lines, "")) != strip(text) {
				t.Fatalf("wrapping %q at %v lost something: %q", text, width, lines)
			}
			for _, l := range lines {
				if s.Width(l) > width && len([]rune(l)) > 1 {
					t.Errorf("%q is wider than %v", l, width)
				}
			}
		}
		if f := s.Fit(text, 60); s.Width(f) > 60 {
			t.Errorf("fit(%q) = %q is too wide", text, f)
		}
	}
}

func TestOneOfSomethingIsNoPlural(t *testing.T) {
	for _, c := range []struct {
		v          float64
		unit, want string
	}{
		{1, "requests", "1 request"}, {-1, "requests/s", "−1 request/s"},
		{1, "shader cycles per wave", "1 shader cycle per wave"},
		{1, "cache misses", "1 cache miss"}, {1, "entries", "1 entry"}, {1, "branches", "1 branch"},
		{1, "caches", "1 cache"},
		{2, "requests", "2 requests"}, {0, "requests", "0 requests"}, {1000, "requests", "1k requests"},
		{0.5, "requests", "0.5 requests"},
		{1, "status", "1 status"}, {1, "bus", "1 bus"}, {1, "IPS", "1 IPS"}, {1, "KiBs", "1 KiBs"}, {1, "", "1"},
	} {
		if got := Quantity(c.v, c.unit); got != c.want {
			t.Errorf("Quantity(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}
