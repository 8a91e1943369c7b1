package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// fixture is a capture with everything a table can hold.
func fixture(t testing.TB) *capture.Capture {
	t.Helper()
	nan := math.NaN()
	a := &capture.Axis{Start: []int64{5, 10, 40}, End: []int64{10, 20, 1 << 50}}
	valid := capture.NewBitmap(3)
	valid.Clear(1)
	col := func(d capture.Data) *capture.Column { return capture.NewColumn(d) }
	instance := func(id string, u ...uint64) *capture.Counter {
		return &capture.Counter{Meta: capture.Meta{Name: "hits[" + id + "]", Instance: id, Unit: "requests"}, Axis: a,
			Col: col(capture.Data{U: u})}
	}
	c, err := capture.New(capture.Config{
		Name: "fixture", Axis: a,
		Labels: []*capture.Label{
			{Name: "kernel", Codes: []int32{1, -1, 0}, Dict: []string{"copy(double*, \"x\",\n\tint) ", "#add"}},
			{Name: "step", Codes: []int32{0, 1, 0}, Dict: []string{"1", "2"}},
			{Name: "start", Codes: []int32{0, 1, 0}, Dict: []string{"cold", "warm"}},
		},
		Counters: []*capture.Counter{
			{Meta: capture.Meta{Name: "exact", Unit: "cycles"}, Axis: a,
				Col: col(capture.Data{U: []uint64{math.MaxUint64, 0, 3}, Valid: valid})},
			{Meta: capture.Meta{Name: "Load (MB/s)"}, Axis: a, Col: col(capture.Data{F: []float64{0.1, nan, 1e-300}})},
			{Meta: capture.Meta{Name: "odd", Unit: "widgets"}, Axis: a,
				Col: col(capture.Data{F: []float64{math.Inf(-1), -0.25, 1.0 / 3}})},
			{Meta: capture.Meta{Name: "time", Unit: "ns"}, Axis: a, Col: col(capture.Data{U: []uint64{1, 2, 3}})},
			{Meta: capture.Meta{Name: "frame"}, Axis: a, Col: col(capture.Data{U: []uint64{7, 8, 9}})},
			{Meta: capture.Meta{Name: "mem", Unit: "MiB", Kind: capture.Gauge}, Axis: a,
				Col: col(capture.Data{U: []uint64{7, 8, 9}})},
			{Meta: capture.Meta{Name: "busy", Unit: "percent", Kind: capture.Gauge}, Axis: a,
				Col: col(capture.Data{U: []uint64{7, 8, 9}})},
			{Meta: capture.Meta{Name: "spent", Unit: "percent"}, Axis: a, Col: col(capture.Data{U: []uint64{7, 8, 9}})},
			{Meta: capture.Meta{Name: "cores", Kind: capture.Constant}, Axis: a,
				Col: col(capture.Data{U: []uint64{7, 7, 7}})},
			{Meta: capture.Meta{Name: "set {gauge}"}, Axis: a, Col: col(capture.Data{U: []uint64{7, 8, 9}})},
			{Meta: capture.Meta{Name: "a,b; \"c\""}, Axis: a, Col: col(capture.Data{F: []float64{nan, nan, nan}})},
			{Meta: capture.Meta{Name: "hits", Unit: "requests"}, Axis: a,
				Instances: []*capture.Counter{instance("0", 1, 2, 3), instance("xcc0/ch3", 4, 5, 6)}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// same reports differences in what a table can hold.
func same(t testing.TB, want, got *capture.Capture) {
	t.Helper()
	eq(t, "axis", got.Axis, want.Axis)
	if len(got.Counters) != len(want.Counters) || len(got.Labels) != len(want.Labels) {
		t.Fatalf("%d counters and %d labels, want %d and %d", len(got.Counters), len(got.Labels), len(want.Counters),
			len(want.Labels))
	}
	for k, l := range want.Labels {
		for i := range want.Len() {
			w, wok := l.Value(i)
			g, gok := got.Labels[k].Value(i)
			if w != g || wok != gok || l.Name != got.Labels[k].Name {
				t.Errorf("label %s[%d] = %q, %v, want %q, %v", got.Labels[k].Name, i, g, gok, w, wok)
			}
		}
	}
	for k, c := range want.Counters {
		sameCounter(t, c, got.Counters[k])
		if len(c.Instances) != len(got.Counters[k].Instances) {
			t.Fatalf("%s has %d instances, want %d", c.Name, len(got.Counters[k].Instances), len(c.Instances))
		}
		for j, in := range c.Instances {
			sameCounter(t, in, got.Counters[k].Instances[j])
		}
	}
}

func sameCounter(t testing.TB, want, got *capture.Counter) {
	t.Helper()
	// The header has no room for the brackets of a unit: they come back as parentheses.
	unit := strings.NewReplacer("[", "(", "]", ")").Replace(want.Unit)
	if want.Name != got.Name || want.Unit != got.Unit && unit != got.Unit || want.Kind != got.Kind ||
		want.Meta.Instance != got.Meta.Instance {
		t.Errorf("counter %q (%s) [%s] %s, want %q (%s) [%s] %s", got.Name, got.Unit, got.Meta.Instance, got.Kind,
			want.Name, want.Unit, want.Meta.Instance, want.Kind)
	}
	for i := range want.Len() {
		w, g := want.Value(i), got.Value(i)
		if w.Missing() != g.Missing() || !w.Missing() && math.Float64bits(w.Float()) != math.Float64bits(g.Float()) {
			t.Errorf("%s[%d] = %v, want %v", want.Name, i, g, w)
		}
		if wu, ok := w.Uint64(); ok {
			if gu, ok := g.Uint64(); !ok || gu != wu {
				t.Errorf("%s[%d] = %d, want %d", want.Name, i, gu, wu)
			}
		}
	}
}

func TestWhatIsWrittenReadsBackTheSame(t *testing.T) {
	want := fixture(t)
	for _, name := range []string{"x.csv", "x.tsv"} {
		path := filepath.Join(t.TempDir(), name)
		reg := formats.NewRegistry(Format{})
		if err := reg.Save(context.Background(), path, "", want); err != nil {
			t.Fatal(err)
		}
		got, err := reg.Open(context.Background(), path, formats.Options{GPU: "mali-g615"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, got)
		if len(got.Warnings) != 1 || !strings.HasPrefix(got.Warnings[0], "guessed: ") ||
			strings.Contains(got.Warnings[0], "mem") {
			t.Errorf("%s: warnings %q", name, got.Warnings)
		}
	}
}

func TestTheWrittenTextIsPlain(t *testing.T) {
	var b bytes.Buffer
	if err := (Format{}).Encode(context.Background(), &b, fixture(t)); err != nil {
		t.Fatal(err)
	}
	eq(t, "text", strings.Split(b.String(), "\n"), []string{
		`start (ns),end (ns),kernel,step (label),start (label),exact (cycles),Load (MB/s) [],odd [widgets],time [ns],frame [],mem (MiB) {gauge},busy (percent),spent (percent) {delta},cores {constant},` +
			`set {gauge} {delta},"a,b; ""c""",hits[0] (requests),hits[xcc0/ch3] (requests)`,
		`5,10,"#add",1,cold,18446744073709551615,0.1,-inf,1,7,7,7,7,7,7,,1,4`,
		`10,20,,2,warm,,,-0.25,2,8,8,8,8,7,8,,2,5`,
		`40,1125899906842624,"copy(double*, ""x"",`,
		"\tint) \",1,cold,3,1e-300,0.3333333333333333,3,9,9,9,9,7,9,,3,6",
		``,
	})
}

func TestRandomColumnsSurviveManyBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 5000
	a := capture.NewUniformAxis(n, 1000)
	u, f := make([]uint64, n), make([]float64, n)
	for i := range n {
		u[i] = rng.Uint64() >> rng.IntN(64)
		if f[i] = math.Float64frombits(rng.Uint64()); i%7 == 0 {
			f[i] = math.NaN()
		}
	}
	want, err := capture.New(capture.Config{Axis: a, Counters: []*capture.Counter{
		{Meta: capture.Meta{Name: "u"}, Axis: a, Col: capture.NewColumn(capture.Data{U: u})},
		{Meta: capture.Meta{Name: "f"}, Axis: a, Col: capture.NewColumn(capture.Data{F: f})},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (Format{}).Encode(context.Background(), &b, want); err != nil {
		t.Fatal(err)
	}
	same(t, want, mustOpen(t, b.String(), nil))
}

func TestAColumnThatCannotBeReadIsNotWrittenAsMissing(t *testing.T) {
	a := capture.NewUniformAxis(2, 1)
	c, err := capture.New(capture.Config{Axis: a, Counters: []*capture.Counter{{Meta: capture.Meta{Name: "x"}, Axis: a,
		Col: capture.LazyColumn(2, func() (capture.Data, error) { return capture.Data{}, errors.New("bad block") })}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.csv")
	wantError(t, formats.NewRegistry(Format{}).Save(context.Background(), path, "", c), "counter x: bad block")
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was left behind")
	}
}

func TestSniffingGoesByContent(t *testing.T) {
	for text, want := range map[string]bool{
		"time,a\n0.5,1\n":                 true,
		"a;b\n1;2\n":                      true,
		"ARROW1\x00\x00":                  false,
		"%PDF-1.4\n\x80\x81\x82\x83, 5\n": false,
		"plain prose, with a comma\nand another line\n":         false,
		"{\"a\": 1,\n \"b\": 2}\n":                              false,
		"\xff\xfet\x00":                                         false,
		"t\x00,\x00a\x00\n\x001\x00,\x002\x00":                  true,
		"name,colour\nx,red\ny,blue\n":                          false,
		"{\"traceEvents\":[{\"ph\":\"C\",\"ts\":0,\"pid\":1}]}": false,
	} {
		in := &formats.Input{Path: "f.csv", Size: int64(len(text)), Head: []byte(text)}
		if got := (Format{}).Sniff(in) > 0; got != want {
			t.Errorf("%q: recognised = %v, want %v (%s)", text, got, want, Format{}.WhyNot(in))
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, s := range []string{
		"time,a\n0.5,1\n", "time (ns),counter,value\n0,a,1\n0,b,2\n", "start;end;k;a[0]\n0;1;x;2,5\n", "a\n",
		"t|x (%)\n1|\n", "time,a\n2024-01-02T03:04:05Z,1\n",
		"time,counter,instance,value,unit\n1,a,0,2,s\n", "time,counter,instance,value,unit\n1,a,0,2,]\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := &formats.Input{Path: "f.csv", Size: int64(len(text)), Head: []byte(text)}
		_ = Format{}.Sniff(in)
		_ = Format{}.WhyNot(in)
		c, err := open(t, "f.csv", text, map[string]any{"period": "1ms"})
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := (Format{}).Encode(context.Background(), &b, c); err != nil {
			t.Fatal(err)
		}
		again, err := open(t, "f.csv", b.String(), nil)
		if err != nil {
			t.Fatalf("%q was written as %q: %v", text, b.String(), err)
		}
		if c.Len() > 0 {
			same(t, c, again)
		}
	})
}

// BenchmarkOpen reads the reference capture: 89 counters of ASTROLABE_BENCH_ROWS samples (1000000 makes 538 MB; 10000
// by default).
func BenchmarkOpen(b *testing.B) {
	rows := 10000
	if s := os.Getenv("ASTROLABE_BENCH_ROWS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		rows = n
	}
	path := filepath.Join(b.TempDir(), "bench.csv")
	a := capture.NewUniformAxis(rows, 1000)
	rng := rand.New(rand.NewPCG(1, 2))
	cfg := capture.Config{Axis: a}
	for k := range 89 {
		u := make([]uint64, rows)
		for i := range u {
			u[i] = rng.Uint64N(100000)
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: fmt.Sprint("Counter", k)},
			Axis: a, Col: capture.NewColumn(capture.Data{U: u})})
	}
	c, err := capture.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	reg := formats.NewRegistry(Format{})
	if err := reg.Save(context.Background(), path, "", c); err != nil {
		b.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	cfg, c, a = capture.Config{}, nil, nil
	b.SetBytes(st.Size())
	b.ReportAllocs()
	for b.Loop() {
		got, err := reg.Open(context.Background(), path, formats.Options{GPU: "mali-g615"})
		if err != nil {
			b.Fatal(err)
		}
		if got.Len() != rows {
			b.Fatalf("%d rows, want %d", got.Len(), rows)
		}
	}
}
