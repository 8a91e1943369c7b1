package parquet

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pq "github.com/parquet-go/parquet-go"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/table"
)

var background = context.Background()

func mustNew(t testing.TB, cfg capture.Config) *capture.Capture {
	t.Helper()
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func encoded(t testing.TB, c *capture.Capture) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := (Format{}).Encode(background, &buf, c); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func decodeBytes(data []byte, o *table.Options) (*capture.Capture, error) {
	cfg, _, err := decode(background, sourceOf(data), "x.parquet", o)
	if err != nil {
		return nil, err
	}
	return capture.New(*cfg)
}

func mustDecode(t testing.TB, data []byte, o table.Options) *capture.Capture {
	t.Helper()
	c, err := decodeBytes(data, &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ints(v ...uint64) *capture.Column    { return capture.NewColumn(capture.Data{U: v}) }
func floats(v ...float64) *capture.Column { return capture.NewColumn(capture.Data{F: v}) }

// plainData is a column as text: doubles as their bits.
func plainData(col *capture.Column) []string {
	if col == nil {
		return nil
	}
	d := col.Data()
	out := make([]string, d.Len())
	for i := range out {
		switch {
		case d.Missing(i):
			out[i] = "missing"
		case d.U != nil:
			out[i] = fmt.Sprint(d.U[i])
		default:
			out[i] = fmt.Sprintf("%x", math.Float64bits(d.F[i]))
		}
	}
	return out
}

type plainCounter struct {
	Meta      capture.Meta
	Integer   bool
	Values    []string
	Pass      string
	PassTimes []string
	Reasons   []capture.ReasonRun
	Warnings  []string
	Instances []plainCounter
}

func plainCounters(cs []*capture.Counter) (out []plainCounter) {
	for _, c := range cs {
		p := plainCounter{Meta: c.Meta, Values: plainData(c.Col), Reasons: c.Reasons, Warnings: c.Warnings,
			Instances: plainCounters(c.Instances)}
		p.Integer = c.Col != nil && c.Col.Data().U != nil
		if c.Pass != nil {
			p.Pass = c.Pass.ID
			p.PassTimes = append(plainData(c.Pass.Start), plainData(c.Pass.Duration)...)
		}
		out = append(out, p)
	}
	return out
}

// plain is everything of a capture but its path and format.
func plain(c *capture.Capture) map[string]any {
	props := ""
	for _, p := range c.Properties {
		props += fmt.Sprintf("%s=%x/%q/%t;", p.Name, math.Float64bits(p.Number), p.Text, p.IsText)
	}
	labels := map[string][]string{}
	for _, l := range c.Labels {
		var texts []string
		for i := range l.Codes {
			v, ok := l.Value(i)
			texts = append(texts, fmt.Sprint(v, ok))
		}
		labels[l.Name] = texts
	}
	var passes []string
	for _, p := range c.Passes {
		passes = append(passes, fmt.Sprint(p.ID, plainData(p.Start), plainData(p.Duration)))
	}
	return map[string]any{
		"name": c.Name, "gpu": c.GPU, "device": c.Device, "properties": props, "start": c.StartTime.UnixNano(),
		"options": c.Options,
		"clock":   c.Axis.Clock, "axis": fmt.Sprint(c.Axis.Start, c.Axis.End, c.Axis.Covered, c.Axis.Count),
		"counters": plainCounters(c.Counters),
		"labels":   labels, "regions": c.Regions, "gaps": c.Gaps, "late": c.Late, "passes": passes,
		"warnings": c.Warnings,
	}
}

// everything is a capture that uses every part of the data model.
func everything() capture.Config {
	axis := &capture.Axis{Clock: "CLOCK_MONOTONIC", Start: []int64{-5, 10, 10, 1 << 60},
		End:     []int64{10, 20, 30, 1<<60 + 5},
		Covered: []int64{10, 3, 0, 5}, Count: []float64{1, 2.5, 0, 1e9}}
	listed := &capture.Pass{ID: "0", Start: ints(1, 2, 3, math.MaxUint64), Duration: floats(1.5, math.NaN(), 0, 4)}
	unlisted := &capture.Pass{Duration: ints(9, 8, 7, 6)}
	valid := capture.NewBitmap(9)
	valid.Clear(5)
	holes := capture.NewColumn(capture.Data{U: []uint64{1, 2, 3, 1<<53 + 1}, Valid: valid.Slice(3)})
	whole := &capture.Counter{Axis: axis,
		Meta: capture.Meta{Name: "TCP_REQ", Combine: capture.CombineMax, Block: "TCP"}}
	for i := range 3 {
		id := fmt.Sprint(5 - i)
		whole.Instances = append(whole.Instances,
			&capture.Counter{Axis: axis, Col: ints(uint64(i), 2, 3, math.MaxUint64), Pass: unlisted,
				Meta: capture.Meta{Name: "TCP_REQ[" + id + "]", Instance: id, Block: "TCP", Device: "card0"}})
	}
	counters := []*capture.Counter{
		whole,
		{Axis: axis, Col: ints(0, 1<<53+1, math.MaxUint64, 7), Pass: listed, Meta: capture.Meta{
			Name: "GRBM COUNT;{x}", Title: "Cycles <&>", Unit: "cycles", Doc: "says\n\"hello\" π", GPU: "gfx1151",
			Block: "GRBM", Source: "test",
			Expr: "$A / $B", Inputs: []string{"A", "B"}, Refs: []string{"3.2.2"}, Aliases: []string{"x", "y,z", ""},
			Combine: capture.CombineMean}},
		{Axis: axis, Col: floats(math.Inf(1), math.NaN(), math.Copysign(0, -1), 5e-324),
			Meta:     capture.Meta{Name: "gauge", Kind: capture.Gauge, Integral: true},
			Warnings: []string{"doubtful", ""},
			Reasons: []capture.ReasonRun{
				{From: 1, To: 2, Reason: capture.Reason{Code: capture.PowerGated, Text: "off"}}}},
		{Axis: axis, Col: holes, Meta: capture.Meta{Name: "holes", Kind: capture.Constant}},
		{Axis: axis, Col: holes, Meta: capture.Meta{Name: "HOLES"}}, // Spark does not tell it from holes
		{Axis: axis, Meta: capture.Meta{Name: "absent", Unit: "bytes"}, Pass: listed,
			Reasons: []capture.ReasonRun{{From: 0, To: 4, Reason: capture.Reason{Code: capture.NotCollected}}}},
		{Axis: axis, Col: ints(1, 2, 3, 4), Meta: capture.Meta{Name: "start"}},
	}
	return capture.Config{
		Name: "all of it", GPU: "gfx1151",
		StartTime: time.Date(2025, 3, 4, 5, 6, 7, 123456789, time.FixedZone("", 3600)),
		Device: capture.Device{Name: "n", Vendor: "v", Driver: "d", ID: "i",
			Extra: map[string]string{"k": "w", "": ""}},
		Properties: []capture.Property{{Name: "cu", Number: 40}, {Name: "nan", Number: math.NaN()},
			{Name: "text", Text: "t", IsText: true}},
		Options: capture.Options{Denom: "per_wave", Duration: "median", Zero: "vendor"},
		Axis:    axis, Counters: counters,
		Labels: []*capture.Label{
			{Name: "kernel", Codes: []int32{1, -1, 0, 1}, Dict: []string{"vcopy(double*, int)", "", "unused"}},
			{Name: "none", Codes: []int32{-1, -1, -1, -1}},
		},
		Regions: []capture.Region{{Name: "frame 1", Start: 0, End: 20, Depth: 2}, {Start: 5, End: 5}},
		Gaps: []capture.Gap{{Start: 30, End: 1 << 60, Lost: math.MaxUint64,
			Reason: capture.Reason{Code: capture.LostReports, Text: "buffer full"}}},
		Late: []capture.Gap{{Start: 5, End: 9, Lost: 3,
			Reason: capture.Reason{Code: capture.LostReports, Text: "slept"}}, {Start: 20, End: 30}},
		Passes:   []*capture.Pass{listed},
		Warnings: []string{"first", "second: ünïcode"},
	}
}

func TestEveryPartOfACaptureSurvivesParquet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.parquet")
	want := mustNew(t, everything())
	if err := formats.NewRegistry(Format{}).Save(background, path, Format{}.Name(), want); err != nil {
		t.Fatal(err)
	}
	got, err := formats.NewRegistry(Format{}).Open(background, path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(plain(want), plain(got)); d != "" {
		t.Errorf("saved and opened capture differs (-want +got):\n%s", d)
	}
	if got.Counters[0].Instances[0].Pass != got.Counters[0].Instances[1].Pass {
		t.Error("instances of one pass no longer share it")
	}
}

func TestCapturesOfUnusualShapesSurviveParquet(t *testing.T) {
	axis := capture.NewUniformAxis(3*blockRows+7, 1000)
	big := capture.Config{Axis: axis}
	for k := range 3 {
		u := make([]uint64, axis.Len())
		f := make([]float64, axis.Len())
		for i := range u {
			u[i], f[i] = uint64(i*(k+1)), float64(i)/3
			if i%7 == k {
				f[i] = math.NaN()
			}
		}
		big.Counters = append(big.Counters,
			&capture.Counter{Axis: axis, Col: ints(u...), Meta: capture.Meta{Name: fmt.Sprint("u", k)}},
			&capture.Counter{Axis: axis, Col: floats(f...), Meta: capture.Meta{Name: fmt.Sprint("f", k)}})
	}
	for name, cfg := range map[string]capture.Config{
		"no counters": {Axis: capture.NewUniformAxis(5, 7)},
		"no samples":  {Axis: &capture.Axis{Start: []int64{}, End: []int64{}}, Counters: []*capture.Counter{}},
		"many pages":  big,
	} {
		t.Run(name, func(t *testing.T) {
			want := mustNew(t, cfg)
			if d := cmp.Diff(plain(want), plain(mustDecode(t, encoded(t, want), table.Options{}))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestColumnsAreReadFromSeveralRowGroups(t *testing.T) {
	// So many columns leave room for few rows in a group.
	const cols, n = 3000, 2*blockRows + 5
	axis := capture.NewUniformAxis(n, 10)
	u := make([]uint64, n)
	for i := range u {
		u[i] = uint64(i)
	}
	shared := ints(u...)
	cfg := capture.Config{Axis: axis}
	for k := range cols {
		cfg.Counters = append(cfg.Counters,
			&capture.Counter{Axis: axis, Col: shared, Meta: capture.Meta{Name: fmt.Sprint("c", k)}})
	}
	data := encoded(t, mustNew(t, cfg))
	f, err := openFile(sourceOf(data))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.RowGroups()) < 3 {
		t.Fatalf("%d row groups, the test wants several", len(f.RowGroups()))
	}
	if d := cmp.Diff(plainData(shared), plainData(mustDecode(t, data, table.Options{}).Counters[cols-1].Col)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSavingTwiceGivesTheSameParquet(t *testing.T) {
	if a, b := encoded(t, mustNew(t, everything())), encoded(t, mustNew(t, everything())); !bytes.Equal(a, b) {
		t.Error("the same capture was saved as different bytes")
	}
}

func TestTheFileKeepsToWhatSparkAccepts(t *testing.T) {
	f, err := openFile(sourceOf(encoded(t, mustNew(t, everything()))))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	types := map[string]string{}
	for _, col := range f.Root().Columns() {
		name := col.Name()
		if strings.ContainsAny(name, " ,;{}()\n\t=") {
			t.Errorf("Spark refuses the name %q", name)
		}
		if seen[strings.ToLower(name)] {
			t.Errorf("%q differs from another name in case only", name)
		}
		seen[strings.ToLower(name)] = true
		types[name] = col.Type().String()
		if codec := f.Metadata().RowGroups[0].Columns[col.Index()].MetaData.Codec; codec.String() != "SNAPPY" {
			t.Errorf("%s is compressed with %s", name, codec)
		}
	}
	const signed = "INT(64,true)" // INT64 with its plain annotation
	want := map[string]string{"start": signed, "end": signed, "GRBM_COUNT__x_": "DECIMAL(20,0)", "gauge": "DOUBLE",
		"holes": signed, "HOLES_2": signed, "start_2": signed, "kernel": "STRING", "TCP_REQ[5]": "DECIMAL(20,0)"}
	for name, typ := range want {
		if types[name] != typ {
			t.Errorf("column %s is %q, want %s (%v)", name, types[name], typ, types)
		}
	}
	for _, d := range (Format{}).Doubts(mustNew(t, everything())) {
		if !strings.Contains(d, "DECIMAL(20,0)") && !strings.Contains(d, "GRBM COUNT;{x} is GRBM_COUNT__x_") {
			t.Errorf("doubt %q", d)
		}
	}
}

func TestColumnsAreReadOnlyWhenUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	n := 100_000
	axis := capture.NewUniformAxis(n, 10)
	u := make([]uint64, n)
	for i := range u {
		u[i] = uint64(i) * 2654435761 % (1 << 40)
	}
	c := mustNew(t, capture.Config{Axis: axis,
		Counters: []*capture.Counter{{Axis: axis, Col: ints(u...), Meta: capture.Meta{Name: "c"}}}})
	if err := formats.NewRegistry(Format{}).Save(background, path, Format{}.Name(), c); err != nil {
		t.Fatal(err)
	}
	got, err := formats.NewRegistry(Format{}).Open(background, path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctr := got.Counter("c")
	if err := ctr.Col.Err(); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("the column of a replaced file gives error %v", err)
	}
	if why, _ := ctr.Why(0); why.Code != capture.Damaged || !strings.Contains(why.Text, "open it again") {
		t.Errorf("the value is missing because %+v", why)
	}
}

// foreign writes rows as another program would.
func foreign[T any](t testing.TB, rows []T, opts ...pq.WriterOption) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := pq.NewGenericWriter[T](&buf, opts...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

type foreignRow struct {
	Time  int64    `parquet:"time,timestamp(microsecond)"`
	I8    int8     `parquet:"i8"`
	U16   uint16   `parquet:"u16"`
	I64   int64    `parquet:"i64"`
	U64   uint64   `parquet:"u64,optional"`
	F32   float32  `parquet:"f32"`
	F64   *float64 `parquet:"f64,optional"`
	Price int64    `parquet:"price,decimal(2:18)"`
	Count int32    `parquet:"count,decimal(0:9)"`
	Text  string   `parquet:"text,dict"`
	Flag  bool     `parquet:"flag"`
	Many  []int64  `parquet:"many,list"`
	Deep  struct {
		N int64 `parquet:"n"`
	} `parquet:"deep"`
}

func foreignRows() []foreignRow {
	half := 0.5
	a := foreignRow{Time: 1_700_000_000_000_000, I8: -3, U16: 65535, I64: 7, U64: math.MaxUint64, F32: 2, F64: &half,
		Price: 1234, Count: 5, Text: "x"}
	b := foreignRow{Time: 1_700_000_000_250_000, I8: 4, U16: 1, I64: 8, F32: 3, Price: 1, Count: 6, Text: "y"}
	a.Deep.N = 9
	return []foreignRow{a, b}
}

func TestForeignColumnsBecomeCountersAndLabels(t *testing.T) {
	for name, opts := range map[string][]pq.WriterOption{"v2": nil,
		"v1 zstd": {pq.DataPageVersion(1), pq.Compression(&pq.Zstd)}, "gzip": {pq.Compression(&pq.Gzip)},
		"lz4": {pq.Compression(&pq.Lz4Raw)}} {
		t.Run(name, func(t *testing.T) {
			c := mustDecode(t, foreign(t, foreignRows(), opts...), table.Options{})
			if !c.StartTime.Equal(time.Unix(1_700_000_000, 0)) || c.Axis.End[0] != 250e6 || c.Axis.End[1] != 500e6 {
				t.Errorf("start %v, axis %+v", c.StartTime, c.Axis)
			}
			for name, want := range map[string]string{"i8": "-3 delta", "u16": "65535 delta", "i64": "7 delta",
				"f32": "2 delta", "f64": "0.5 delta", "price": "12.34 delta", "count": "5 delta", "deep.n": "9 delta"} {
				ctr := c.Counter(name)
				if ctr == nil {
					t.Errorf("no counter %s", name)
					continue
				}
				if got := fmt.Sprint(ctr.Value(0).Float(), " ", ctr.Kind); got != want {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
			u, ok := c.Counter("u64").Value(0).Uint64()
			if !ok || u != math.MaxUint64 || !c.Counter("u64").Value(1).Missing() ||
				!c.Counter("f64").Value(1).Missing() {
				t.Errorf("u64 = %v, f64 = %v", plainData(c.Counter("u64").Col), plainData(c.Counter("f64").Col))
			}
			if v, _ := c.Label("text").Value(1); v != "y" {
				t.Errorf("text is %q", v)
			}
			all := strings.Join(c.Warnings, "\n")
			if v, _ := c.Label("flag").Value(1); v != "false" {
				t.Errorf("flag is %q", v)
			}
			if !strings.Contains(all, `left out: "many.list.element" (a list)`) || len(c.Warnings) != 1 {
				t.Errorf("warnings %q", c.Warnings)
			}
		})
	}
}

func TestOptionsSayWhatAForeignFileDoesNot(t *testing.T) {
	type row struct {
		When int64 `parquet:"when"`
		Load int64 `parquet:"load"`
	}
	data := foreign(t, []row{{5, 1}, {7, 2}})
	if c := mustDecode(t, data, table.Options{}); len(c.Counters) != 2 ||
		!strings.Contains(c.Warnings[0], "no time column") {
		t.Errorf("%d counters, warnings %q", len(c.Counters), c.Warnings)
	}
	var o table.Options
	if err := o.Parse("parquet", map[string]any{"time_column": "when", "time_unit": "ms", "period": "3ms"},
		nil); err != nil {
		t.Fatal(err)
	}
	c := mustDecode(t, data, o)
	if len(c.Counters) != 1 || !c.Counter("load").Guessed || c.Axis.Start[1] != 7e6 || c.Axis.End[1] != 10e6 {
		t.Errorf("axis %+v, counters %+v", c.Axis, c.Counters[0].Meta)
	}
	for _, bad := range []map[string]any{{"time_unit": "weeks"}, {"period": "soon"}, {"colour": "red"},
		{"time_column": 5}} {
		if err := new(table.Options).Parse("parquet", bad, nil); err == nil {
			t.Errorf("options %v are taken", bad)
		}
	}
	if _, err := decodeBytes(data, &table.Options{TimeColumn: "then"}); err == nil ||
		!strings.Contains(err.Error(), `"then"`) {
		t.Errorf("error %v", err)
	}
}

func TestTimesThatMakeNoAxisAreErrorsInParquetToo(t *testing.T) {
	type row struct {
		Start int64 `parquet:"start_s"`
		End   int64 `parquet:"end_s"`
		N     int64 `parquet:"n"`
	}
	for want, rows := range map[string][]row{
		"row 1: column \"start_s\": time goes back": {{3, 3, 1}, {2, 3, 1}}, "before its start": {{3, 2, 1}},
		"292 years": {{1e12, 1e12, 1}},
	} {
		if _, err := decodeBytes(foreign(t, rows), &table.Options{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestDamagedParquetIsNamed(t *testing.T) {
	data := encoded(t, mustNew(t, everything()))
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut":          {data[:len(data)-3], "truncated"},
		"only a start": {data[:6], "truncated"},
		"long footer": {append(append([]byte{}, data[:len(data)-8]...), 0xff, 0xff, 0xff, 0x7f, 'P', 'A', 'R', '1'),
			"damaged: byte"},
	} {
		if _, err := decodeBytes(c.data, &table.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(encoded(f, mustNew(f, everything())))
	f.Add(foreign(f, foreignRows()))
	f.Add(foreign(f, foreignRows(), pq.DataPageVersion(1), pq.Compression(&pq.Zstd)))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeBytes(data, &table.Options{})
		if err != nil {
			return
		}
		for _, ctr := range c.Counters {
			for _, one := range append([]*capture.Counter{ctr}, ctr.Instances...) {
				if one.Col != nil && one.Col.Data().Len() != c.Len() {
					t.Fatalf("%s has %d values in %d samples", one.Name, one.Col.Data().Len(), c.Len())
				}
			}
		}
	})
}

func sourceOf(data []byte) *source { return &source{size: int64(len(data)), data: data} }
