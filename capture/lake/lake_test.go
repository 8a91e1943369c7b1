package lake

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
)

// entry is an entry of made-up rows: n metrics of the capture number i.
func entry(i, n int, labels map[string]string) *Entry {
	hash := fmt.Sprintf("%064x", 0xabc000+i)
	start := time.Date(2026, 11, 23, 10, 0, i, 123456000, time.UTC)
	yes := true
	e := &Entry{Capture: Capture{Capture: hash, Name: fmt.Sprintf("run %d.arrow", i), Format: "arrow",
		DeviceName: Text("Böard/7"), StartTime: &start, Seconds: Number(1.5), Samples: 10, Counters: 2, Judged: &yes,
		Labels: labels, Astrolabe: "0.1.0"}}
	if i%3 == 2 { // one of which little is known
		e.Capture.StartTime, e.Capture.Seconds, e.Capture.Judged, e.Capture.DeviceName = nil, nil, nil, nil
	}
	var rows []Metric
	for k := range n {
		m := Metric{Capture: hash, Scope: ScopeCapture, Metric: fmt.Sprintf("metric_%d", k), Title: Text("Título"),
			Kind: "gauge", Basis: "mean", Unit: Text("percent"), Value: Number(float64(k) / 3),
			Error: Number(1e-300), Missing: Number(0), Seconds: Number(1.5)}
		blocks := int64(math.MaxInt64)
		m.Blocks = &blocks
		switch k % 4 {
		case 1:
			m.Value, m.Error, m.Blocks, m.Reason = nil, nil, nil, Text("division by zero")
		case 2:
			m.Scope, m.Key, m.Total, m.TotalUnit = ScopeKernel, Text("void f<int>(a*, b*)"), Number(1e18+1), Text("bytes")
		case 3:
			m.Value = Number(math.Inf(1))
		}
		rows = append(rows, m)
	}
	e.Metrics = func(more func([]Metric) error) error { return more(rows) }
	for k := range i % 3 {
		e.Findings = append(e.Findings, Finding{Capture: hash, Finding: fmt.Sprintf("rule_%d", k), Severity: "warning",
			Title: "too slow: 名前", Value: Number(31.25), Hint: k == 1})
	}
	return e
}

// made is a new lake.
func made(t testing.TB) *Lake {
	t.Helper()
	l, err := Create(filepath.Join(t.TempDir(), "lake"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func add(t testing.TB, l *Lake, e *Entry) Outcome {
	t.Helper()
	out, err := l.Add(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// holds are the hashes that the lake's captures have, in order.
func holds(t testing.TB, l *Lake) (out []string) {
	t.Helper()
	if err := l.Captures(t.Context(), func(c *Capture) bool { out = append(out, c.Capture); return true }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// whole fails where Verify finds a problem.
func whole(t testing.TB, l *Lake) Verified {
	t.Helper()
	v, err := l.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Problems {
		t.Errorf("verify: %s", p)
	}
	return v
}

func build(b string) map[string]string { return map[string]string{"build": b} }

func TestWhatIsAddedIsReadAgainAsItWas(t *testing.T) {
	l := made(t)
	labels := map[string]string{"build": "007", "scene": `a/b="ü"%41`, "device": "board #7: A/B"}
	var want []Capture
	var wantMetrics []Metric
	for i := range 4 {
		e := entry(i, 9, labels)
		if out := add(t, l, e); !out.Added {
			t.Errorf("%d was not added", i)
		}
		want = append(want, e.Capture)
		e.Metrics(func(rows []Metric) error { wantMetrics = append(wantMetrics, rows...); return nil })
	}
	var got []Capture
	if err := l.Captures(t.Context(), func(c *Capture) bool { got = append(got, *c); return true }); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("captures\n%+v\nand not\n%+v", got, want)
	}
	files, foreign, err := l.scan(tableMetrics)
	if err != nil || len(foreign) > 0 {
		t.Fatal(err, foreign)
	}
	var metrics []Metric
	for _, f := range files {
		if f.partition != (partition{"007", "board #7: A/B"}) {
			t.Errorf("%s is of %q", f.path, f.partition)
		}
		err := read(t.Context(), f.path, func(rows []Metric) error { metrics = append(metrics, rows...); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(metrics, wantMetrics) {
		t.Errorf("metrics\n%+v\nand not\n%+v", metrics, wantMetrics)
	}
	if v := whole(t, l); v.Captures != 4 || v.Metrics != 36 || v.Findings != 0+1+2+0 {
		t.Errorf("%+v", v)
	}
}

func TestACaptureIsThereOnceHoweverOftenItIsAdded(t *testing.T) {
	l := made(t)
	add(t, l, entry(1, 5, build("A")))
	if out := add(t, l, entry(1, 5, build("A"))); out.Added || out.Old.Name != "run 1.arrow" {
		t.Errorf("it was added again: %+v", out)
	}
	var different *DifferentError
	if _, err := l.Add(t.Context(), entry(1, 5, build("B"))); !errors.As(err, &different) ||
		!strings.Contains(err.Error(), "build=A") || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("other labels: %v", err)
	}
	if got := holds(t, l); len(got) != 1 {
		t.Errorf("%d captures", len(got))
	}
	whole(t, l)
}

func TestReplaceTakesTheOldRowsOut(t *testing.T) {
	for _, compacted := range []bool{false, true} {
		t.Run(fmt.Sprintf("compacted=%v", compacted), func(t *testing.T) {
			l := made(t)
			for i := range 3 {
				add(t, l, entry(i, 5, build("A")))
			}
			if compacted {
				compact(t, l)
			}
			for _, b := range []string{"A", "B", "A"} { // in its place, elsewhere, and back
				e := entry(1, 7, build(b))
				e.Replace = true
				if out := add(t, l, e); !out.Replaced {
					t.Errorf("%+v", out)
				}
				if v := whole(t, l); v.Captures != 3 || v.Metrics != 5+7+5 {
					t.Errorf("%+v", v)
				}
			}
			e := entry(9, 7, build("C")) // nothing to replace
			e.Replace = true
			if out := add(t, l, e); out.Replaced || !out.Added {
				t.Errorf("%+v", out)
			}
		})
	}
}

func compact(t testing.TB, l *Lake) Compacted {
	t.Helper()
	c, err := l.Compact(t.Context())
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("SKIPPED: this system cannot exchange folders: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompactionKeepsEveryRow(t *testing.T) {
	l := made(t)
	for i := range 10 {
		add(t, l, entry(i, 3000, build(fmt.Sprint(i%2))))
	}
	before, v := holds(t, l), whole(t, l)
	// Captures 2, 5 and 8 know no device: a folder of 0 and one of 1 more in each table.
	if c := compact(t, l); c.Folders != 3*3 || c.Files != 3*9 {
		t.Errorf("%+v", c)
	}
	after := whole(t, l)
	if !slices.Equal(before, holds(t, l)) || after.Metrics != v.Metrics || after.Findings != v.Findings {
		t.Errorf("%+v became %+v", v, after)
	}
	if c := compact(t, l); c.Folders != 0 {
		t.Errorf("compacted again: %+v", c)
	}
	if out := add(t, l, entry(3, 3000, build("1"))); out.Added {
		t.Error("what is in a file of several was added again")
	}
	add(t, l, entry(20, 5, build("0")))
	if c := compact(t, l); c.Folders != 3 || len(holds(t, l)) != 11 {
		t.Errorf("%+v", c)
	}
	whole(t, l)
}

func TestVerifyNamesWhatIsNotAsItWasWritten(t *testing.T) {
	file := func(t *testing.T, l *Lake, table string) string {
		t.Helper()
		files, _, err := l.scan(table)
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		return files[0].path
	}
	put := func(path, text string) {
		os.MkdirAll(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, want string
		harm       func(t *testing.T, l *Lake)
	}{
		{"a file is missing", "has 0 rows in metrics, and should have 5", func(t *testing.T, l *Lake) {
			os.Remove(file(t, l, tableMetrics))
		}},
		{"a capture is missing", "which captures does not have", func(t *testing.T, l *Lake) {
			os.Remove(file(t, l, tableCaptures))
		}},
		{"a file is cut", "damaged", func(t *testing.T, l *Lake) { os.Truncate(file(t, l, tableMetrics), 1000) }},
		{"a copy in another folder", "belongs into the folder build=A", func(t *testing.T, l *Lake) {
			data, _ := os.ReadFile(file(t, l, tableCaptures))
			put(strings.Replace(file(t, l, tableCaptures), "build=A", "build=B", 1), string(data))
		}},
		{"a copy under another name", "holds rows of the capture", func(t *testing.T, l *Lake) {
			data, _ := os.ReadFile(file(t, l, tableMetrics))
			put(filepath.Join(filepath.Dir(file(t, l, tableMetrics)), "copy.parquet"), string(data))
		}},
		{"a note", "does not belong to the lake", func(t *testing.T, l *Lake) {
			put(filepath.Join(filepath.Dir(file(t, l, tableMetrics)), "notes.txt"), "hello")
		}},
		{"a folder", "does not belong to the lake", func(t *testing.T, l *Lake) {
			put(filepath.Join(l.dir, tableMetrics, "other", "x.parquet"), "hello")
		}},
		{"no Parquet", "no Parquet file", func(t *testing.T, l *Lake) {
			put(filepath.Join(filepath.Dir(file(t, l, tableMetrics)), "x.parquet"), "hello")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := made(t)
			add(t, l, entry(1, 5, build("A")))
			c.harm(t, l)
			v, err := l.Verify(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(v.Problems, "\n"), c.want) {
				t.Errorf("%q, want %q", v.Problems, c.want)
			}
		})
	}
}

func TestEveryByteThatChangesIsFoundOrChangesNothing(t *testing.T) {
	l := made(t)
	add(t, l, entry(1, 8, build("A")))
	files, _, err := l.scan(tableMetrics)
	if err != nil {
		t.Fatal(err)
	}
	path := files[0].path
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := count[Metric](t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := 0; i < len(good); i += 7 {
		bad := slices.Clone(good)
		bad[i] ^= 0x24
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := count[Metric](t.Context(), path, nil)
		if err != nil {
			found++
		} else if got != want {
			t.Errorf("byte %d: %v and not %v, without an error", i, got, want)
		}
	}
	t.Logf("%d of %d changes of a byte are errors", found, (len(good)+6)/7)
	if found == 0 {
		t.Error("no change was found")
	}
}

func TestTheSumOfRowsDoesNotDependOnTheirOrder(t *testing.T) {
	var rows []Metric
	entry(1, 5, nil).Metrics(func(r []Metric) error { rows = r; return nil })
	var a, b sum
	for i := range rows {
		a.add(sumOf(rows[i]))
		b.add(sumOf(rows[len(rows)-1-i]))
	}
	if a != b {
		t.Error("it does")
	}
	for i := range reflect.TypeFor[Metric]().NumField() { // every column counts
		changed := rows[2]
		switch f := reflect.ValueOf(&changed).Elem().Field(i); {
		case f.Kind() == reflect.String:
			f.SetString(f.String() + "x")
		case f.IsNil():
			f.Set(reflect.New(f.Type().Elem()))
		default:
			f.SetZero()
		}
		if sumOf(changed) == sumOf(rows[2]) {
			t.Errorf("column %s does not count", reflect.TypeFor[Metric]().Field(i).Name)
		}
	}
}

func TestLakesOfOthersAreRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "lake add") {
		t.Errorf("no lake: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "absent")); err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Errorf("absent: %v", err)
	}
	os.WriteFile(filepath.Join(dir, "photo.jpg"), nil, 0o666)
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "photo.jpg") {
		t.Errorf("photos: %v", err)
	}
	if _, err := Create(filepath.Join(dir, "photo.jpg", "lake")); err == nil {
		t.Error("a lake in a file")
	}
	if _, err := Create(""); err == nil {
		t.Error("no name")
	}
	l := made(t)
	add(t, l, entry(1, 5, build("A")))
	for content, want := range map[string]string{`{"lake":"2"}`: "use a newer astrolabe", `{}`: "not what", "": "not what"} {
		os.WriteFile(filepath.Join(l.dir, markName), []byte(content), 0o666)
		if _, err := Open(l.dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

func TestLabelsThatCannotNameFoldersAreRefused(t *testing.T) {
	for label, want := range map[string]string{strings.Repeat("x", 300): "shorten", noValue: "choose another"} {
		if _, err := made(t).Add(t.Context(), entry(1, 5, build(label))); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", label, err)
		}
	}
}

func TestAMeasuredCaptureHasRowsOfEveryScope(t *testing.T) {
	n := 240
	cfg := capture.Config{Name: "x", Path: "x.arrow", Axis: capture.NewUniformAxis(n, 1e6)}
	work, kernel := make([]float64, n), make([]string, n)
	for i := range work {
		work[i], kernel[i] = float64(10+i%3), []string{"a", "b"}[i/120]
		if i >= 120 {
			work[i] *= 5
		}
	}
	cfg.Counters = []*capture.Counter{{Meta: capture.Meta{Name: "work", Unit: "events", Kind: capture.Delta},
		Axis: cfg.Axis, Col: capture.NewColumn(capture.Data{F: work})}}
	cfg.Labels = []*capture.Label{capture.NewLabel("kernel", kernel, nil)}
	for f := range 12 {
		at := int64(f) * 20e6
		cfg.Regions = append(cfg.Regions, capture.Region{Name: fmt.Sprintf("frame %d", f), Start: at, End: at + 20e6},
			capture.Region{Name: "shadows", Start: at + 5e6, End: at + 10e6, Depth: 1})
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	of := &Of{Hash: "h", Scopes: Scopes}
	got := map[string]*Metric{}
	err = of.Rows(t.Context(), c, func(rows []Metric) error {
		for i := range rows {
			r := rows[i]
			got[strings.TrimSuffix(r.Scope+" "+orEmpty(r.Key), " ")+": "+r.Metric] = &r
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sum := func(lo, hi int) (s float64) {
		for _, w := range work[lo:hi] {
			s += w
		}
		return s
	}
	for name, want := range map[string]struct{ value, total float64 }{
		"capture: work":            {sum(0, n) / 0.24, sum(0, n)},
		"capture: duration":        {0.24, 0.24},
		"kernel a: work":           {sum(0, 120) / 120, sum(0, 120)}, // per sample: a kernel's samples are dispatches
		"region shadows: work":     {0, 0},
		"frames: work":             {sum(0, n) / 12, sum(0, n)},
		"frames: duration":         {0.02, 0.24},
		"frame 3: work":            {sum(60, 80), math.NaN()},
		"frame 11: duration":       {0.02, math.NaN()},
		"phase 1: work":            {sum(0, 120) / 0.12, sum(0, 120)},
		"phase 2: work":            {sum(120, n) / 0.12, sum(120, n)},
		"region shadows: duration": {0.005, 0.06},
	} {
		m := got[name]
		if m == nil {
			t.Errorf("no row %s among %q", name, sortedKeys(got))
			continue
		}
		if name == "region shadows: work" {
			continue
		}
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*math.Abs(b) || a != a && b != b }
		if name == "kernel a: work" && m.Basis == "per second" {
			want.value = sum(0, 120) / 0.12
		}
		if !near(orNaN(m.Value), want.value) || !near(orNaN(m.Total), want.total) {
			t.Errorf("%s is %v (%s, total %v), want %v (total %v)", name, orNaN(m.Value), m.Basis, orNaN(m.Total),
				want.value, want.total)
		}
	}
	if _, ok := got["region frame 3: work"]; ok {
		t.Error("frames are regions, too")
	}
	if of.Scopes = []string{ScopeFrames}; true {
		of.Rows(t.Context(), c, func(rows []Metric) error {
			if rows[0].Scope != ScopeFrames {
				t.Errorf("a row of %s was not asked for", rows[0].Scope)
			}
			return nil
		})
	}
}

// TestAFrameIsTheRatioOfSamplesWithAllOperands has two frames of three samples; in the first an operand is missing once.
func TestAFrameIsTheRatioOfSamplesWithAllOperands(t *testing.T) {
	a := capture.NewUniformAxis(6, 10e6)
	counter := func(name, unit string, v ...float64) *capture.Counter {
		return &capture.Counter{Meta: capture.Meta{Name: name, Unit: unit, GPU: "cpu"}, Axis: a,
			Col: capture.NewColumn(capture.Data{F: v})}
	}
	c, err := capture.New(capture.Config{GPU: "cpu", Axis: a, Counters: []*capture.Counter{
		counter("instructions", "instructions", 10, math.NaN(), 20, 5, 6, 7),
		counter("cycles", "cycles", 10, 10, 10, 10, 10, 10),
	}, Regions: []capture.Region{{Name: "frame 1", Start: 0, End: 30e6}, {Name: "frame 2", Start: 30e6, End: 60e6}}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	err = (&Of{Hash: "h", Scopes: []string{ScopeCapture, ScopeFrame, ScopeFrames}}).Rows(t.Context(), c, func(rows []Metric) error {
		for _, r := range rows {
			if r.Metric == "ipc" {
				got[r.Scope+orEmpty(r.Key)] = orNaN(r.Value)
			}
		}
		return nil
	})
	if err != nil || got["frame1"] != 30/20. || got["frame2"] != 18/30. || got["frames"] != 48/50. || got["capture"] != 48/50. {
		t.Errorf("ipc is %v, want 1.5, 0.6 and 0.96 of both; error %v", got, err)
	}
}

// asJSON are rows as testdata/engines.py prints them.
func asJSON(t testing.TB, table string, p partition, row any) string {
	t.Helper()
	out := map[string]any{"table": table, "build": nil, "device": nil}
	if p.build != "" {
		out["build"] = p.build
	}
	if p.device != "" {
		out["device"] = p.device
	}
	v := reflect.ValueOf(row)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
		x := v.Field(i).Interface()
		if at, ok := x.(*time.Time); ok {
			x = nil
			if at != nil {
				x = at.UnixMicro()
			}
		}
		if f, ok := x.(*float64); ok && f != nil && math.IsInf(*f, 1) {
			x = "Infinity"
		}
		out[name] = x
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return canonical(t, text)
}

// canonical is JSON in one form.
func canonical(t testing.TB, text []byte) string {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(string(text), ": Infinity", `: "Infinity"`)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for k, x := range v {
		if n, ok := x.(json.Number); ok {
			if f, err := n.Float64(); err == nil && strings.ContainsAny(n.String(), ".eE") {
				v[k] = f
			} else if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
				v[k] = f
			}
		}
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// orNaN is the value of such a column.
func orNaN(f *float64) float64 {
	if f == nil {
		return math.NaN()
	}
	return *f
}

// orEmpty is the value of a column of a text.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// A bucket is no folder: nothing is made that is called like one.
func TestALakeIsNoBucket(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"s3://bucket/lake", "gs://bucket"} {
		_, made := Create(dir)
		_, opened := Open(dir)
		for _, err := range []error{made, opened} {
			if err == nil || !strings.Contains(err.Error(), dir+": a lake is a folder") {
				t.Errorf("%s: %v", dir, err)
			}
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("made: %v %v", left, err)
	}
}
