package arrow

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/table"
)

// foreign builds an Arrow file as another program would: columns of any type, values given as the JSON that arrow-go
// reads.
func foreign(t testing.TB, fields []arrow.Field, batches []string, opts ...ipc.Option) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	var buf bytes.Buffer
	w, err := ipc.NewFileWriter(&buf, append(opts, ipc.WithSchema(schema))...)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range batches {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func mustDecode(t testing.TB, data []byte) *capture.Capture {
	t.Helper()
	c, err := decode(background, data, "f.arrow", &table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var widths = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
}

func widthFields() []arrow.Field {
	fields := []arrow.Field{{Name: "time", Type: arrow.FixedWidthTypes.Timestamp_ms}}
	for _, t := range widths {
		fields = append(fields, arrow.Field{Name: t.Name(), Type: t, Nullable: true})
	}
	return fields
}

func widthRow(ms string, v string) string {
	row := `{"time": "` + ms + `"`
	for _, t := range widths {
		row += `, "` + t.Name() + `": ` + v
	}
	return row + "}"
}

func TestNumbersOfEveryWidthBecomeCounters(t *testing.T) {
	batches := []string{
		"[" + widthRow("2025-01-02T03:04:05.000Z", "1") + "," + widthRow("2025-01-02T03:04:05.010Z", "null") + "]",
		"[" + widthRow("2025-01-02T03:04:05.030Z", "100") + "]",
	}
	for name, opts := range map[string][]ipc.Option{"plain": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
		t.Run(name, func(t *testing.T) {
			c := mustDecode(t, foreign(t, widthFields(), batches, opts...))
			if len(c.Counters) != len(widths) {
				t.Fatalf("%d counters", len(c.Counters))
			}
			for _, ctr := range c.Counters {
				a, b, z := ctr.Value(0), ctr.Value(1), ctr.Value(2)
				if a.Float() != 1 || !b.Missing() || z.Float() != 100 || !z.IsInt() {
					t.Errorf("%s: %v %v %v (integers: %t)", ctr.Name, a.Float(), b.Float(), z.Float(), z.IsInt())
				}
			}
			if want := time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC); !c.StartTime.Equal(want) {
				t.Errorf("starts %v, want %v", c.StartTime, want)
			}
			if a := c.Axis; a.Start[1] != 10e6 || a.End[1] != 30e6 || a.End[2] != 50e6 {
				t.Errorf("axis %v %v", a.Start, a.End)
			}
			if len(c.Warnings) > 0 {
				t.Errorf("warnings %q", c.Warnings)
			}
		})
	}
}

func TestNegativeValuesBecomeDoubles(t *testing.T) {
	fields := []arrow.Field{{Name: "time_us", Type: arrow.PrimitiveTypes.Int64},
		{Name: "temp", Type: arrow.PrimitiveTypes.Int16, Nullable: true},
		{Name: "huge", Type: arrow.PrimitiveTypes.Int64}}
	c := mustDecode(t, foreign(t, fields,
		[]string{`[{"time_us": 5, "temp": -3, "huge": -9007199254740993}, {"time_us": 7, "temp": null, "huge": 1}]`}))
	temp := c.Counter("temp")
	if v := temp.Value(0); v.Float() != -3 || !v.IsInt() || !temp.Value(1).Missing() {
		t.Errorf("temp %v", plainData(temp.Col))
	}
	if c.Axis.Start[0] != 5000 || c.Axis.End[0] != 7000 {
		t.Errorf("the first sample lasts from %d to %d ns, want 5 to 7 µs", c.Axis.Start[0], c.Axis.End[0])
	}
	if !hasWarning(c, `"huge"`) || hasWarning(c, `"temp"`) {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestFractionsAreNoLevelUnlessTheFileOrTheUnitSaysSo(t *testing.T) {
	f64 := arrow.PrimitiveTypes.Float64
	unit := arrow.NewMetadata([]string{"unit", "kind", "title"}, []string{"cycles", "gauge", "GPU cycles"})
	fields := []arrow.Field{{Name: "t", Type: f64}, {Name: "work", Type: f64}, {Name: "events", Type: f64},
		{Name: "said", Type: f64, Metadata: unit}, {Name: "load (%)", Type: f64}}
	path := filepath.Join(t.TempDir(), "f.arrow")
	data := foreign(t, fields,
		[]string{
			`[{"t": 0.5, "work": 0.25, "events": 3, "said": 4, "load (%)": 7}, {"t": 0.75, "work": 1, "events": 5, "said": 6, "load (%)": 9}]`})
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := formats.NewRegistry(Format{}).Open(background, path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w := c.Counter("work"); w.Kind != capture.Delta || !w.Guessed || !hasWarning(c, "guessed") {
		t.Errorf("work is a %v, guessed %t", w.Kind, w.Guessed)
	}
	if k := c.Counter("load").Kind; k != capture.Gauge {
		t.Errorf("load is a %v", k)
	}
	if ev := c.Counter("events"); ev.Kind != capture.Delta || !ev.Value(1).IsInt() {
		t.Errorf("events is a %v, integer %t", ev.Kind, ev.Value(1).IsInt())
	}
	if m := c.Counter("said").Meta; m.Kind != capture.Gauge || m.Guessed || m.Unit != "cycles" ||
		m.Title != "GPU cycles" {
		t.Errorf("said is %+v", m)
	}
	if c.Axis.Start[0] != 500e6 || c.Axis.Start[1] != 750e6 {
		t.Errorf("axis %v, warnings %q", c.Axis.Start, c.Warnings)
	}
}

func TestTextColumnsBecomeLabelsAndOthersAreNamedInAWarning(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}
	fields := []arrow.Field{
		{Name: "start_ms", Type: arrow.PrimitiveTypes.Float32}, {Name: "end_ms", Type: arrow.PrimitiveTypes.Uint16},
		{Name: "kernel", Type: arrow.BinaryTypes.LargeString, Nullable: true},
		{Name: "queue", Type: dict, Nullable: true}, {Name: "view", Type: arrow.BinaryTypes.StringView, Nullable: true},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "list", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8), Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Uint8},
	}
	c := mustDecode(t, foreign(t, fields, []string{
		`[{"start_ms": 1.5, "end_ms": 2, "kernel": "a", "queue": "q", "view": "v", "flag": true, "list": [1], "n": 1},
		  {"start_ms": 3, "end_ms": 4, "kernel": null, "queue": null, "view": null, "flag": true, "list": null, "n": 2}]`}))
	for name, want := range map[string]string{"kernel": "a", "queue": "q", "view": "v", "flag": "true"} {
		l := c.Label(name)
		if l == nil {
			t.Errorf("no label %s", name)
			continue
		}
		if got, ok := l.Value(0); !ok || got != want {
			t.Errorf("%s[0] = %q, %t", name, got, ok)
		}
		if got, ok := l.Value(1); ok && name != "flag" {
			t.Errorf("%s[1] = %q, want none", name, got)
		}
	}
	if !hasWarning(c, `left out: "list" (list<`) || len(c.Counters) != 1 {
		t.Errorf("warnings %q, %d counters", c.Warnings, len(c.Counters))
	}
	if a := c.Axis; a.Start[0] != 1500000 || a.Start[1] != 3000000 || a.End[0] != 2000000 || a.End[1] != 4000000 {
		t.Errorf("axis %v %v", a.Start, a.End)
	}
}

func TestDataWithoutTimeCountsRowsAndSaysSo(t *testing.T) {
	c := mustDecode(t, foreign(t, []arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Uint8}},
		[]string{`[{"n": 1}, {"n": 2}]`}))
	if c.Len() != 2 || c.Axis.Start[1] != 1e9 || !hasWarning(c, "no time column") {
		t.Errorf("axis %v, warnings %q", c.Axis.Start, c.Warnings)
	}
}

func TestTimesThatMakeNoAxisAreErrors(t *testing.T) {
	i64, f64 := arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64
	n := arrow.Field{Name: "n", Type: i64}
	for name, c := range map[string]struct {
		fields []arrow.Field
		rows   string
		want   string
	}{
		"time goes back": {[]arrow.Field{{Name: "time", Type: i64}, n},
			`[{"time": 3, "n": 1}, {"time": 2, "n": 1}]`, "row 1: column \"time\": time goes back"},
		"a time is missing": {[]arrow.Field{{Name: "time", Type: i64, Nullable: true}, n},
			`[{"time": 3, "n": 1}, {"time": null, "n": 1}]`, "row 1: time column \"time\" has no value"},
		"the end comes first": {[]arrow.Field{{Name: "start", Type: i64}, {Name: "end", Type: i64}, n},
			`[{"start": 3, "end": 2, "n": 1}]`, "before its start"},
		"too late": {[]arrow.Field{{Name: "time_s", Type: f64}, n}, `[{"time_s": 1e12, "n": 1}]`,
			"292 years"},
		"too late an integer": {[]arrow.Field{{Name: "time_s", Type: i64}, n}, `[{"time_s": 1000000000000, "n": 1}]`,
			"292 years"},
		"only text": {[]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, `[{"s": "x"}]`,
			"no numeric column"},
		"only text and time": {[]arrow.Field{{Name: "time", Type: i64}, {Name: "s", Type: arrow.BinaryTypes.String}},
			`[{"time": 1, "s": "x"}]`, "no numeric column"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decode(background, foreign(t, c.fields, []string{c.rows}), "f.arrow", &table.Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestAMissingDoubleIsNaNWhateverLiesBeneath(t *testing.T) {
	f64 := arrow.PrimitiveTypes.Float64
	fields := []arrow.Field{{Name: "time", Type: f64}, {Name: "x", Type: f64, Nullable: true}}
	c := mustDecode(t, foreign(t, fields, []string{`[{"time": 0, "x": 7}, {"time": 1, "x": null}]`}))
	if f := c.Counter("x").Floats(); f[0] != 7 || !math.IsNaN(f[1]) {
		t.Errorf("x = %v", f)
	}
}

func TestColumnsThatAnotherProgramDroppedAreNotMissed(t *testing.T) {
	// What "select end, both[0], start from ..." leaves of a capture, with its metadata.
	r, err := ipc.NewFileReader(bytes.NewReader(fileBytes(t)))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.RecordBatch(0)
	if err != nil {
		t.Fatal(err)
	}
	var fields []arrow.Field
	var cols []arrow.Array
	for _, name := range []string{"end", "both[0]", "TCP_REQ[4]", "start"} {
		i := r.Schema().FieldIndices(name)[0]
		fields, cols = append(fields, r.Schema().Field(i)), append(cols, rec.Column(i))
	}
	md := r.Schema().Metadata()
	schema := arrow.NewSchema(fields, &md)
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecordBatch(schema, cols, rec.NumRows())); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c := mustDecode(t, buf.Bytes())
	if b := c.Counter("both"); b == nil || len(b.Instances) != 1 || b.Value(0).Float() != 1 {
		t.Errorf("both = %+v", b)
	}
	if r := c.Counter("TCP_REQ"); r == nil || len(r.Instances) != 1 || r.Instances[0].Pass == nil {
		t.Errorf("TCP_REQ = %+v", r)
	}
	if c.Axis.Start[3] != 1<<60 {
		t.Errorf("axis %v", c.Axis.Start)
	}
}

// foreignSeeds are small files of other programs for fuzzing.
func foreignSeeds(t testing.TB) [][]byte {
	rows := []string{"[" + widthRow("2025-01-02T03:04:05.000Z", "1") + "]"}
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	text := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32},
		{Name: "s", Type: arrow.BinaryTypes.StringView}, {Name: "d", Type: dict},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}}
	return [][]byte{
		foreign(t, widthFields(), rows), foreign(t, widthFields(), rows, ipc.WithLZ4()),
		foreign(t, widthFields(), rows, ipc.WithZstd()),
		foreign(t, text, []string{`[{"a": 1, "s": "a string longer than twelve", "d": "x", "l": [1]}]`}),
	}
}
