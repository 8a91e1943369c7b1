package characters

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/plots/canvas"
	"astrolabe/plots/charts"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// wave is a series of 10 ms samples with a stretch that is missing, a spike, and a gap in time.
func wave(name, unit string, level float64) charts.Series {
	s := charts.Series{Name: name, Unit: unit}
	for i := range 400 {
		at := int64(i) * 10e6
		if i >= 300 {
			at += 500e6
		}
		v := level * (1 + 0.5*math.Sin(float64(i)/20))
		switch {
		case i >= 100 && i < 140:
			v = math.NaN()
		case i == 333:
			v = level * 2
		}
		s.Start, s.End, s.Y = append(s.Start, at), append(s.End, at+10e6), append(s.Y, v)
	}
	return s
}

// samples are the charts of the golden files.
func samples(t *testing.T) map[string]*charts.Plot {
	t.Helper()
	out := map[string]*charts.Plot{}
	add := func(name string, p *charts.Plot, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out[name] = p
	}
	clock := wave("clock 時計", "MHz", 1000)
	p, err := charts.Timeline(charts.TimelineOptions{Title: "Clock of the device",
		Bands: []charts.Band{{Lo: 1800, Hi: 1800, Label: "limit", Unit: "MHz"}},
		Marks: []charts.Mark{{At: 1e9, Label: "start"}},
		Spans: []charts.Interval{{Start: 2e9, End: 2.5e9, Label: "boost"}},
		Gaps:  []charts.Interval{{Start: 3e9, End: 3.5e9}}}, clock)
	add("timeline", p, err)
	var many []charts.Series
	for i := range 12 {
		many = append(many, wave(strings.Repeat("c", i+1), "%", float64(i)*5))
	}
	many[3].Y = slices.Repeat([]float64{math.NaN()}, 400)
	many[3].Why = "not collected"
	p, err = charts.Timeline(charts.TimelineOptions{}, many...)
	add("lanes", p, err)
	p, err = charts.Heatmap(charts.HeatmapOptions{Title: "cores", Pick: "mean"}, many...)
	add("heatmap", p, err)
	p, err = charts.Histogram(charts.HistogramOptions{XLabel: "clock", Unit: "MHz", Bins: 20},
		charts.Sample{Name: "clock", Values: clock.Y})
	add("histogram", p, err)
	p, err = charts.Latency(charts.LatencyOptions{Unit: "ms"}, charts.Sample{Name: "before", Values: []float64{1, 2, 2, 3, 50}},
		charts.Sample{Name: "after", Values: []float64{1, 1, 2, 2, math.NaN()}})
	add("latency", p, err)
	p, err = charts.Bar(charts.BarOptions{Title: "Traffic", Unit: "GB/s", Labels: []string{"read 読", "write", "none", "less"}},
		charts.BarSeries{Values: []float64{12.5, 3, math.NaN(), -2}})
	add("bar", p, err)
	p, err = charts.Bar(charts.BarOptions{Stacked: true, Labels: []string{"a", "b"}},
		charts.BarSeries{Name: "busy", Values: []float64{1, 2}}, charts.BarSeries{Name: "idle", Values: []float64{3, math.NaN()}})
	add("stacked", p, err)
	p, err = charts.Scatter(charts.ScatterOptions{XLabel: "clock", YLabel: "clock", XUnit: "MHz", YUnit: "MHz"}, clock.Y, clock.Y)
	add("scatter", p, err)
	groups := make([]string, len(clock.Y))
	for i := range groups {
		groups[i] = []string{"odd", "even"}[i*2/len(groups)]
	}
	p, err = charts.Scatter(charts.ScatterOptions{Groups: groups}, clock.Y, many[5].Y)
	add("groups", p, err)
	p, err = charts.Box(charts.BoxOptions{Unit: "MHz"}, charts.Sample{Name: "clock", Values: clock.Y},
		charts.Sample{Name: "none", Values: []float64{math.NaN()}})
	add("box", p, err)
	p, err = charts.Roofline(charts.RooflineOptions{Title: "Roofline", Bandwidth: []charts.Roof{{Name: "DRAM", Value: 2e11},
		{Name: "L2 読", Value: 2e12}}, Compute: []charts.Roof{{Name: "FP32", Value: 1e13}, {Name: "FP64", Value: 6e11}}},
		charts.RoofPoint{Name: "gemm", Intensity: 40, Rate: 7e12}, charts.RoofPoint{Name: "copy", Intensity: 0.2, Rate: 3e10},
		charts.RoofPoint{Name: "none", Intensity: math.NaN(), Rate: 1})
	add("roofline", p, err)
	p, err = charts.Correlation(charts.CorrelationOptions{Title: "Correlation", Method: "spearman"},
		charts.Sample{Name: "clock 時計", Values: clock.Y}, charts.Sample{Name: "against", Values: against(clock.Y)},
		charts.Sample{Name: "flat", Values: make([]float64, len(clock.Y))}, charts.Sample{Name: "other", Values: many[7].Y})
	add("correlation", p, err)
	out["account"] = charts.AccountChart(account(), "Where the time went")
	p, err = charts.TitledGrid("Two", [][]*charts.Plot{{out["bar"], out["stacked"]}})
	add("grid", p, err)
	return out
}

// against falls where values rise.
func against(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = -x * x
	}
	return out
}

// account has three parts that lead in turn, and one that leads nowhere.
func account() *charts.Account {
	return &charts.Account{Base: 1e9, Idle: 1e8, Parts: []charts.AccountPart{
		{Name: "vector", Title: "vector units 読", Explained: true, Time: 5e8, Low: 1e8, High: 2e8,
			Spans: []capture.Span{{Start: 0, End: 3e8}, {Start: 8e8, End: 1e9}}},
		{Name: "memory", Title: "memory bandwidth", Explained: true, Time: 3e8, Spans: []capture.Span{{Start: 3e8, End: 6e8}}},
		{Name: "idle", Kind: "idle", Title: "waiting for the CPU", Time: 2e8, Spans: []capture.Span{{Start: 7e8, End: 8e8}}},
	}}
}

func TestChartsInCharactersLookAsTheyDid(t *testing.T) {
	for name, p := range samples(t) {
		var all strings.Builder
		for _, s := range []Style{{Width: 70}, {Width: 60, ASCII: true}} {
			text, err := Chart(p, s)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all.WriteString(text + "---\n")
			for line := range strings.Lines(text) {
				if n := notation.TextCells(strings.TrimSuffix(line, "\n")); n > s.Width {
					t.Errorf("%s: a line takes %d cells of %d: %q", name, n, s.Width, line)
				}
				if s.ASCII && strings.IndexFunc(line, func(r rune) bool { return r > 0x7e }) >= 0 {
					t.Errorf("%s: not ASCII: %q", name, line)
				}
			}
		}
		path := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (go test -update writes the golden files)", err)
		}
		if string(want) != all.String() {
			t.Errorf("%s has changed (go test -update, then look at it):\n%s", name, &all)
		}
	}
}

func TestColoursAreOnlyAdded(t *testing.T) {
	strip := func(s string) string {
		for {
			i := strings.Index(s, "\x1b[")
			if i < 0 {
				return s
			}
			s = s[:i] + s[i+strings.IndexByte(s[i:], 'm')+1:]
		}
	}
	for name, p := range samples(t) {
		plain, _ := Chart(p, Style{Width: 60})
		for _, c := range []Colors{Colors16, Colors256, TrueColors} {
			colored, _ := Chart(p, Style{Width: 60, Colors: c})
			if strip(colored) != plain {
				t.Errorf("%s in colours %d is another chart:\n%s", name, c, colored)
			}
			if name == "timeline" && colored == plain {
				t.Errorf("colours %d colour nothing", c)
			}
		}
	}
}

func TestWhatColoursATerminalHas(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want Colors
	}{
		{map[string]string{"TERM": "xterm"}, Colors16},
		{map[string]string{"TERM": "xterm-256color"}, Colors256},
		{map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}, TrueColors},
		{map[string]string{"TERM": "xterm", "COLORTERM": "24bit"}, TrueColors},
		{map[string]string{"TERM": "xterm", "COLORTERM": "24bit", "NO_COLOR": "1"}, NoColors},
		{map[string]string{"TERM": "dumb", "COLORTERM": "24bit"}, NoColors},
		{map[string]string{}, NoColors},
	} {
		if got := ColorsOf(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %d, want %d", c.env, got, c.want)
		}
	}
}

// random is a series with samples of different lengths, gaps, missing and infinite values.
func random(r *rand.Rand) charts.Series {
	s := charts.Series{Name: "s"}
	at := r.Int64N(1e9)
	for range 1 + r.IntN(300) {
		if r.IntN(20) == 0 {
			at += r.Int64N(2e9)
		}
		end := at + 1 + r.Int64N(50e6)
		v := r.NormFloat64()*100 + 300
		switch r.IntN(12) {
		case 0:
			v = math.NaN()
		case 1:
			v = math.Inf(1)
		case 2:
			v = 0
		case 3:
			v = -v
		}
		s.Start, s.End, s.Y = append(s.Start, at), append(s.End, end), append(s.Y, v)
		at = end
	}
	return s
}

// extent is the first and last row of a column of a frame that is not blank; ok is false where all are.
func extent(rows [][]rune, x int) (top, bottom int, ok bool) {
	top = -1
	for y, row := range rows {
		if x < len(row) && row[x] != ' ' {
			if top < 0 {
				top = y
			}
			bottom = y
		}
	}
	return top, bottom, top >= 0
}

func TestTheDrawnHeightsOfATimelineAreTheDatas(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 4))
	for round := range 300 {
		s := random(r)
		p, err := charts.Timeline(charts.TimelineOptions{}, s)
		if err != nil {
			t.Fatal(err)
		}
		style := Style{Width: 30 + r.IntN(120), Height: 2 + r.IntN(20), ASCII: round%2 == 0}
		text, err := Chart(p, style)
		if err != nil {
			t.Fatal(err)
		}
		o, _ := p.Outline()
		if o.Times.Lanes[0].Why != "" {
			continue
		}
		axis := o.Times.Lanes[0].Axis(max(style.Height/2, 2))
		var rows [][]rune
		w := 0
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if trimmed := strings.TrimLeft(line, " "); strings.HasPrefix(trimmed, style.pick("└", "+")) {
				_, rule, _ := strings.Cut(line, style.pick("└", "+"))
				w = len([]rune(rule))
				break
			}
			for _, edge := range []string{"│", "┤", "|", "+"} {
				if before, row, found := strings.Cut(line, " "+edge); found && strings.Trim(before, "−- 0123456789.kM") == "" &&
					(edge != "|" || style.ASCII) && (edge != "+" || style.ASCII) {
					rows = append(rows, []rune(row))
					break
				}
			}
		}
		if len(rows) != style.Height || w == 0 {
			t.Fatalf("%d rows of %d, %d cells wide:\n%s", len(rows), style.Height, w, text)
		}
		k := float64(o.Times.T1-o.Times.T0) / float64(w)
		for x := range w {
			// What surely lies in the cell, and what may: on its edges the arithmetic of doubles decides.
			from, to := float64(o.Times.T0)+float64(x)*k, float64(o.Times.T0)+float64(x+1)*k
			sure, may := [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
			for i, v := range s.Y {
				if !canvas.Drawable(v) {
					continue
				}
				a, b := max(float64(s.Start[i]), from), min(float64(s.End[i]), to)
				if b-a > -2 {
					may = [2]float64{min(may[0], v), max(may[1], v)}
				}
				if b-a > 2 {
					sure = [2]float64{min(sure[0], v), max(sure[1], v)}
				}
			}
			top, bottom, ok := extent(rows, x)
			if ok != (sure[0] <= sure[1]) && ok != (may[0] <= may[1]) {
				t.Fatalf("cell %d is drawn: %v, has values from %v to %v:\n%s", x, ok, may[0], may[1], text)
			}
			if !ok || sure[0] > sure[1] {
				continue
			}
			height := func(v float64) float64 { return float64(style.Height) * (1 - axis.Frac(v)) }
			near := func(row int, v, other float64) bool {
				return math.Abs(float64(row)+0.5-height(v)) <= 1 || math.Abs(float64(row)+0.5-height(other)) <= 1
			}
			if !near(top, sure[1], may[1]) || !near(bottom, sure[0], may[0]) {
				t.Fatalf("round %d: cell %d is drawn in rows %d to %d, its values are from %v to %v:\n%s", round, x, top,
					bottom, sure[0], sure[1], text)
			}
		}
	}
}

func TestTheDrawnLengthsOfBarsAreTheDatas(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 5))
	for round := range 300 {
		var values []float64
		var labels []string
		for range 1 + r.IntN(8) {
			v := r.Float64() * 1000
			if r.IntN(6) == 0 {
				v = math.NaN()
			} else if round%3 == 0 && r.IntN(3) == 0 {
				v = -v
			}
			values, labels = append(values, v), append(labels, "L")
		}
		p, err := charts.Bar(charts.BarOptions{Labels: labels}, charts.BarSeries{Values: values})
		if err != nil {
			t.Fatal(err)
		}
		style := Style{Width: 40 + r.IntN(80), ASCII: round%2 == 0}
		text, _ := Chart(p, style)
		o, _ := p.Outline()
		if o.Why != "" {
			continue
		}
		a := o.Bars.Axis(4)
		right := 0
		for _, v := range values {
			right = max(right, notation.TextCells(style.Text(o.Bars.Format(v))))
		}
		w := style.Width - 1 - 1 - right - 1
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			v := values[i]
			if v != v {
				if !strings.HasSuffix(line, "missing") || strings.ContainsAny(line, "█#▏▌") {
					t.Fatalf("a missing value is drawn: %q", line)
				}
				continue
			}
			cells := []rune(line)[2:]
			n := 0.0
			for _, c := range cells[:min(w, len(cells))] {
				if k := slices.Index(parts, c); k >= 0 {
					n += float64(k+1) / 8
				} else if c == '#' {
					n++
				}
			}
			if want := math.Abs(a.Frac(v)-a.Frac(0)) * float64(w); math.Abs(n-want) > 1 {
				t.Fatalf("round %d: %v is %v cells long, want %v:\n%s", round, v, n, want, text)
			}
		}
	}
}

func TestTheDrawnHeightsOfAHistogramAreTheCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 6))
	for round := range 200 {
		var values []float64
		for range 1 + r.IntN(1000) {
			values = append(values, r.NormFloat64())
		}
		p, err := charts.Histogram(charts.HistogramOptions{Bins: 1 + r.IntN(200), LogY: round%4 == 0},
			charts.Sample{Name: "s", Values: values})
		if err != nil {
			t.Fatal(err)
		}
		style := Style{Width: 30 + r.IntN(100), Height: 3 + r.IntN(12), ASCII: round%2 == 0}
		text, _ := Chart(p, style)
		o, _ := p.Outline()
		up := o.Counts.Up(max(style.Height/2, 2))
		var rows [][]rune
		for line := range strings.Lines(text) {
			for _, edge := range []string{" │", " ┤", " |", " +"} {
				if before, row, found := strings.Cut(strings.TrimSuffix(line, "\n"), edge); found &&
					len(rows) < style.Height && strings.Trim(before, " 0123456789.kM") == "" {
					rows = append(rows, []rune(row))
					break
				}
			}
		}
		if len(rows) != style.Height {
			t.Fatalf("%d rows of %d:\n%s", len(rows), style.Height, text)
		}
		bins := o.Counts.Bins[0]
		w := style.Width - (&drawing{style: style, width: style.Width}).gutter(up) - 2
		if len(bins) <= w {
			w = len(bins) * (w / len(bins))
		}
		for x := range w {
			n := 0
			for b := x * len(bins) / w; b < max((x+1)*len(bins)/w, x*len(bins)/w+1); b++ {
				n = max(n, bins[b])
			}
			top, bottom, ok := extent(rows, x)
			if ok != (n > 0) {
				t.Fatalf("cell %d counts %d, drawn: %v\n%s", x, n, ok, text)
			}
			if height := float64(style.Height) * (1 - up.Frac(float64(n))); ok &&
				(math.Abs(float64(top)+0.5-height) > 1 || bottom != style.Height-1) {
				t.Fatalf("cell %d counts %d, drawn in rows %d to %d:\n%s", x, n, top, bottom, text)
			}
		}
	}
}

func TestSparklinesShowThePeaksAndLeaveGaps(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		v           []float64
		width       int
		want, plain string
	}{
		{[]float64{0, 1, 2, 3, 4, 5, 6, 7}, 8, "▁▂▃▄▅▆▇█", "_.,-=+*#"},
		{[]float64{0, 7, nan, nan, 1, 0}, 3, "█ ▂", "# ."},
		{[]float64{5, 5, 5}, 3, "███", "###"},
		{[]float64{0, 0}, 2, "▁▁", "__"},
		{[]float64{nan, math.Inf(1), 1}, 3, "  █", "  #"},
		{[]float64{-7, 0}, 2, "▁█", "_#"},
		{nil, 5, "", ""},
	} {
		if got := Sparkline(c.v, c.width, false); got != c.want {
			t.Errorf("%v: %q, want %q", c.v, got, c.want)
		}
		if got := Sparkline(c.v, c.width, true); got != c.plain {
			t.Errorf("%v: %q, want %q", c.v, got, c.plain)
		}
	}
}

func TestChartsThatArePicturesOnlySaySo(t *testing.T) {
	p := account().Below(nil) // of a page only
	if _, err := Chart(p, Style{}); err == nil || !strings.Contains(err.Error(), "save it") || Drawable(p) {
		t.Errorf("got %v", err)
	}
}

func TestTheWrittenCorrelationsAreThoseOfThePicture(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 7))
	for round := range 100 {
		var samples []charts.Sample
		for i := range 2 + r.IntN(30) {
			v := random(r).Y
			for len(v) < 301 {
				v = append(v, r.NormFloat64())
			}
			if r.IntN(8) == 0 {
				v = make([]float64, 301) // without a correlation
			}
			samples = append(samples, charts.Sample{Name: strings.Repeat("n", 1+i%9), Values: v[:301]})
		}
		p, err := charts.Correlation(charts.CorrelationOptions{}, samples...)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Chart(p, Style{Width: 60 + r.IntN(120), ASCII: round%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		o, _ := p.Outline()
		if o.Why != "" {
			continue
		}
		got := map[[2]int]string{}
		var columns []string
		row := len(samples)
		for line := range strings.Lines(text) {
			switch fields := strings.Fields(line); {
			case len(fields) == 0 || strings.Contains(line, "corr") || strings.Contains(line, "sample"):
			case row == len(samples): // of the block before
				columns, row = fields, 0
			default:
				for k, f := range fields[2:] { // behind the number and the name
					j, _ := strconv.Atoi(columns[k])
					got[[2]int{row, j - 1}] = f
				}
				row++
			}
		}
		n := len(samples)
		if len(got) != n*n {
			t.Fatalf("round %d: %d of %d numbers:\n%s", round, len(got), n*n, text)
		}
		for at, f := range got {
			want := o.Pairs.Of[at[0]][at[1]]
			v, err := strconv.ParseFloat(strings.Replace(f, "−", "-", 1), 64)
			if math.IsNaN(want) != (err != nil) || err == nil && math.Abs(v-want) > 0.00501 {
				t.Fatalf("round %d: %v is %q, want %v:\n%s", round, at, f, want, text)
			}
		}
	}
}

// Every point is in its cell, and every limit in the cells that it crosses, unless a point is there.
func TestTheLimitsAndPointsOfARooflineAreInTheirCells(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 8))
	for round := range 200 {
		o := charts.RooflineOptions{}
		for range 1 + r.IntN(3) {
			o.Bandwidth = append(o.Bandwidth, charts.Roof{Name: "b", Value: math.Exp(20 + 5*r.Float64())})
			o.Compute = append(o.Compute, charts.Roof{Name: "c", Value: math.Exp(25 + 5*r.Float64())})
		}
		p, err := charts.Roofline(o, charts.RoofPoint{Name: "p", Intensity: math.Exp(6 * r.NormFloat64()), Rate: math.Exp(20 + 5*r.Float64())})
		if err != nil {
			t.Fatal(err)
		}
		style := Style{Width: 40 + r.IntN(80), Height: 6 + r.IntN(20), ASCII: round%2 == 0}
		text, err := Chart(p, style)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := p.Outline()
		pts := out.Points
		up := pts.Up(max(style.Height/3, 2))
		w := style.Width - (&drawing{style: style, width: style.Width}).gutter(up) - 2
		across := pts.Across(max(w/10, 1))
		var rows [][]rune
		for line := range strings.Lines(text) {
			for _, edge := range []string{" │", " ┤", " |", " +"} {
				if before, row, found := strings.Cut(strings.TrimSuffix(line, "\n"), edge); found && len(rows) < style.Height &&
					strings.Trim(before, " 0123456789.kMGTPEFLOps/µmn") == "" {
					cells := []rune(row)
					for len(cells) < w {
						cells = append(cells, ' ')
					}
					rows = append(rows, cells)
					break
				}
			}
		}
		if len(rows) != style.Height {
			t.Fatalf("%d rows of %d:\n%s", len(rows), style.Height, text)
		}
		at := func(fx, fy float64) (x, y int) { return place(fx, w), style.Height - 1 - place(fy, style.Height) }
		if x, y := at(across.Frac(pts.X[0]), up.Frac(pts.Y[0])); rows[y][x] != 'a' {
			t.Fatalf("round %d: the point is not at %d, %d:\n%s", round, x, y, text)
		}
		for _, l := range pts.Limits {
			for k := range 50 {
				f := (float64(k) + 0.5) / 50
				fx := across.Frac(l.X0) + f*(across.Frac(l.X1)-across.Frac(l.X0))
				fy := up.Frac(l.Y0) + f*(up.Frac(l.Y1)-up.Frac(l.Y0))
				if fx <= 0 || fx >= 1 || fy <= 0 || fy >= 1 {
					continue
				}
				if x, y := at(fx, fy); rows[y][x] == ' ' {
					t.Fatalf("round %d: %v is not at %d, %d:\n%s", round, l, x, y, text)
				}
			}
		}
	}
}

func TestTheLettersOfAnAccountAreItsShares(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 9))
	for round := range 200 {
		a := &charts.Account{Base: 1e9}
		left, at := int64(1e9), int64(0)
		for i := range 1 + r.IntN(5) {
			p := charts.AccountPart{Name: strconv.Itoa(i), Title: "part", Explained: true, Time: r.Int64N(left/2) + 1e7}
			p.Spans = []capture.Span{{Start: at, End: at + p.Time}}
			at += p.Time
			if left -= p.Time; left < 5e7 {
				break
			}
			a.Parts = append(a.Parts, p)
		}
		if len(a.Parts) == 0 {
			continue
		}
		a.Parts[0].Time += left // they add up
		width := 20 + r.IntN(150)
		text, err := Chart(charts.AccountChart(a, ""), Style{Width: width, ASCII: round%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		var bar, lead string
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if bar == "" && strings.Trim(line, "abcde") == "" {
				bar = line
			}
			if rest, ok := strings.CutPrefix(strings.Replace(line, "│", "|", 1), " |"); ok {
				lead = rest
			}
		}
		sum := 0.0
		for i, p := range a.Parts {
			letter := string(rune('a' + i))
			if n := float64(strings.Count(bar, letter)); math.Abs(n-a.Share(p)*float64(width)) > 1 {
				t.Fatalf("round %d: %q has %v cells of %d, share %v:\n%s", round, letter, n, width, a.Share(p), text)
			}
			s := p.Spans[0]
			k := float64(width-2) / float64(a.Parts[len(a.Parts)-1].Spans[0].End)
			if n := float64(strings.Count(lead, letter)); math.Abs(n-float64(s.End-s.Start)*k) > 1.01 {
				t.Fatalf("round %d: %q leads in %v cells, want %v:\n%s", round, letter, n, float64(s.End-s.Start)*k, text)
			}
			sum += a.Share(p)
		}
	}
}

func FuzzChart(f *testing.F) {
	f.Add("name", "unit", uint64(1), 40, 5)
	f.Add("שם 温度\x1b[31m", "%", uint64(7), 20, 1)
	f.Fuzz(func(t *testing.T, name, unit string, seed uint64, width, height int) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := random(r)
		s.Name, s.Unit = name, unit
		width, height = width%200, height%50
		for _, p := range []func() (*charts.Plot, error){
			func() (*charts.Plot, error) {
				return charts.Timeline(charts.TimelineOptions{Title: name, Log: seed%2 == 0}, s, random(r))
			},
			func() (*charts.Plot, error) { return charts.Heatmap(charts.HeatmapOptions{}, s) },
			func() (*charts.Plot, error) {
				return charts.Histogram(charts.HistogramOptions{Unit: unit, LogX: seed%3 == 0}, charts.Sample{Name: name, Values: s.Y})
			},
			func() (*charts.Plot, error) {
				return charts.Bar(charts.BarOptions{Unit: unit, Labels: []string{name}}, charts.BarSeries{Values: s.Y[:1]})
			},
			func() (*charts.Plot, error) {
				return charts.Scatter(charts.ScatterOptions{XUnit: unit, LogY: seed%2 == 0}, s.Y, s.Y)
			},
			func() (*charts.Plot, error) {
				return charts.Correlation(charts.CorrelationOptions{Title: name}, charts.Sample{Name: name, Values: s.Y},
					charts.Sample{Name: unit, Values: s.Y})
			},
			func() (*charts.Plot, error) {
				return charts.Roofline(charts.RooflineOptions{Unit: unit, Bandwidth: []charts.Roof{{Name: name, Value: math.Abs(s.Y[0])}},
					Compute: []charts.Roof{{Name: unit, Value: math.Exp(float64(seed % 700))}}},
					charts.RoofPoint{Name: name, Intensity: s.Y[0], Rate: math.Exp(float64(seed % 600))})
			},
			func() (*charts.Plot, error) {
				a := account()
				a.Parts[0].Title, a.Base = name, int64(seed>>1)
				return charts.AccountChart(a, unit), nil
			},
			func() (*charts.Plot, error) {
				return charts.Box(charts.BoxOptions{Unit: unit}, charts.Sample{Name: name, Values: s.Y})
			},
		} {
			plot, err := p()
			if err != nil {
				continue
			}
			text, err := Chart(plot, Style{Width: width, Height: height, ASCII: seed%2 == 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := notation.Visible(text); got != text {
				t.Fatalf("a terminal would obey %q", text)
			}
			for line := range strings.Lines(text) {
				if n := notation.TextCells(strings.TrimSuffix(line, "\n")); n > (Style{Width: width}).width() {
					t.Fatalf("%d cells of %d: %q", n, width, line)
				}
			}
		}
	})
}
