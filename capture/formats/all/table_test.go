package all

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/parquet-go/parquet-go"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

type wideRow struct {
	Time float64 `parquet:"time"`
	Work float64 `parquet:"work"`
	Load float64 `parquet:"load (%)"`
	Hits float64 `parquet:"hits[0]"`
	Mem  int64   `parquet:"mem (MiB)"`
}

type longRow struct {
	Time    float64 `parquet:"time"`
	Counter string  `parquet:"counter"`
	Value   float64 `parquet:"value"`
}

// sameTable writes one table, wide and long, in every format that tables come in.
func sameTable(t *testing.T) map[string]string {
	t.Helper()
	const n = 800
	var wide []wideRow
	var long []longRow
	for i := range n {
		r := wideRow{float64(i) / 1000, 750.5, 50, 3, 100}
		wide = append(wide, r)
		for name, v := range map[string]float64{"work": r.Work, "load (%)": r.Load, "hits[0]": r.Hits,
			"mem (MiB)": float64(r.Mem)} {
			long = append(long, longRow{r.Time, name, v})
		}
	}
	dir := t.TempDir()
	out := map[string]string{}
	add := func(name string, data []byte) {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "_"))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		out[name] = path
	}
	var w, l bytes.Buffer
	fmt.Fprintln(&w, "time,work,load (%),hits[0],mem (MiB)")
	for _, r := range wide {
		fmt.Fprintf(&w, "%v,%v,%v,%v,%v\n", r.Time, r.Work, r.Load, r.Hits, r.Mem)
	}
	fmt.Fprintln(&l, "time,counter,value")
	for _, r := range long {
		fmt.Fprintf(&l, "%v,%v,%v\n", r.Time, r.Counter, r.Value)
	}
	add("wide csv", w.Bytes())
	add("long csv", l.Bytes())
	add("wide parquet", parquetOf(t, wide))
	add("long parquet", parquetOf(t, long))
	f64, str := arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.String
	add("wide arrow", arrowOf(t, []arrow.Field{{Name: "time", Type: f64}, {Name: "work", Type: f64},
		{Name: "load (%)", Type: f64}, {Name: "hits[0]", Type: f64},
		{Name: "mem (MiB)", Type: arrow.PrimitiveTypes.Int64}},
		len(wide), func(b *array.RecordBuilder, i int) {
			for k, v := range []float64{wide[i].Time, wide[i].Work, wide[i].Load, wide[i].Hits} {
				b.Field(k).(*array.Float64Builder).Append(v)
			}
			b.Field(4).(*array.Int64Builder).Append(wide[i].Mem)
		}))
	add("long arrow", arrowOf(t, []arrow.Field{{Name: "time", Type: f64}, {Name: "counter", Type: str},
		{Name: "value", Type: f64}}, len(long), func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.Float64Builder).Append(long[i].Time)
		b.Field(1).(*array.StringBuilder).Append(long[i].Counter)
		b.Field(2).(*array.Float64Builder).Append(long[i].Value)
	}))
	return out
}

func parquetOf[T any](t *testing.T, rows []T) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := pq.NewGenericWriter[T](&buf)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func arrowOf(t *testing.T, fields []arrow.Field, n int, row func(b *array.RecordBuilder, i int)) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for i := range n {
		row(b, i)
	}
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(schema))
	if err := w.Write(b.NewRecordBatch()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestOneTableGivesOneCaptureInEveryFormat(t *testing.T) {
	for name, path := range sameTable(t) {
		c, err := Registry().Open(t.Context(), path, formats.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Len() != 800 || c.Duration() != 800e6 || c.Axis.Start[0] != 0 {
			t.Errorf("%s: %d samples over %d ns", name, c.Len(), c.Duration())
		}
		for counter, want := range map[string]string{"work": "600400 delta", "load": "50 gauge %", "hits": "2400 delta",
			"mem": "80000 delta MiB"} {
			ctr := c.Counter(counter)
			if ctr == nil {
				t.Errorf("%s: no counter %s", name, counter)
				continue
			}
			if got := strings.TrimSpace(fmt.Sprint(ctr.Total().Float(), " ", ctr.Kind, " ", ctr.Unit)); got != want {
				t.Errorf("%s: %s is %s, want %s", name, counter, got, want)
			}
		}
		if in := c.Counter("hits").Instance("0"); in == nil {
			t.Errorf("%s: hits has no instance 0", name)
		}
		var guesses []string
		for _, w := range c.Warnings {
			if strings.Contains(w, "guessed") {
				guesses = append(guesses, w)
			}
		}
		if len(guesses) != 1 || !strings.Contains(guesses[0], "work") || !strings.Contains(guesses[0], "mem") ||
			strings.Contains(guesses[0], "load") {
			t.Errorf("%s: guesses told as %q", name, guesses)
		}
		if c, err = Registry().Open(t.Context(), path,
			formats.Options{Kinds: formats.Kinds{"mem": capture.Gauge, "w*": capture.Gauge}}); err != nil ||
			c.Counter("mem").Total().Float() != 100 || c.Counter("work").Total().Float() != 750.5 {
			t.Errorf("%s: kinds decide nothing: %v", name, err)
		}
	}
}
