package parquet

import (
	"bytes"
	"encoding/binary"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"astrolabe/capture/formats/internal/table"
)

// A column of equal numbers unpacks to more than three times its size, which parquet-go's own reading of LZ4 loses.
func TestLZ4OfManyEqualValuesIsRead(t *testing.T) {
	type row struct {
		Time float64 `parquet:"time"`
		Busy *int64  `parquet:"busy,optional"`
		Name string  `parquet:"name,dict"`
	}
	const n = 5000
	rows := make([]row, n)
	seven := int64(7)
	for i := range rows {
		rows[i] = row{float64(i) / 8, &seven, "a"}
	}
	rows[9].Busy = nil
	for name, opts := range map[string][]pq.WriterOption{"v1": {pq.DataPageVersion(1)}, "v2": {pq.DataPageVersion(2)},
		"small groups": {pq.MaxRowsPerRowGroup(1000)}} {
		var buf bytes.Buffer
		w := pq.NewGenericWriter[row](&buf, append(opts, pq.Compression(&pq.Lz4Raw))...)
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		c := mustDecode(t, buf.Bytes(), table.Options{})
		if got := c.Counter("busy"); got.Total().Float() != 7*(n-1) || !got.Value(9).Missing() ||
			c.Axis.Start[n-1] != (n-1)*125e6 {
			t.Errorf("%s: busy = %v, %v", name, got.Total().Float(), got.Col.Err())
		}
		if v, _ := c.Label("name").Value(n - 1); v != "a" {
			t.Errorf("%s: name = %q", name, v)
		}
	}
}

func TestTheOlderLZ4IsReadInEveryFrame(t *testing.T) {
	plain := bytes.Repeat([]byte("counters "), 1000)
	block := func(p []byte) []byte {
		out := make([]byte, lz4.CompressBlockBound(len(p)))
		n, err := lz4.CompressBlock(p, out, nil)
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		return out[:n]
	}
	hadoop := func(parts ...[]byte) (out []byte) {
		for _, p := range parts {
			b := block(p)
			out = binary.BigEndian.AppendUint32(out, uint32(len(p)))
			out = binary.BigEndian.AppendUint32(out, uint32(len(b)))
			out = append(out, b...)
		}
		return out
	}
	var frame bytes.Buffer
	w := lz4.NewWriter(&frame)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{"block": block(plain), "hadoop": hadoop(plain),
		"two of hadoop's": hadoop(plain[:5000], plain[5000:]), "frame": frame.Bytes()} {
		got, err := unLZ4(body, len(plain), format.Lz4)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		for cut := range min(40, len(body)) {
			if _, err := unLZ4(body[:cut], len(plain), format.Lz4); err == nil {
				t.Errorf("%s cut at %d is read", name, cut)
			}
		}
	}
}

func FuzzUnLZ4(f *testing.F) {
	f.Add([]byte{0x1f, 'a', 1, 0}, 20, true)
	f.Add([]byte{0, 0, 0, 9, 0, 0, 0, 1, 0}, 9, false)
	f.Fuzz(func(t *testing.T, body []byte, size int, older bool) {
		codec := format.Lz4Raw
		if older {
			codec = format.Lz4
		}
		if size < 0 || size > 1<<20 {
			return
		}
		if out, err := unLZ4(body, size, codec); err == nil && len(out) != size {
			t.Fatalf("%d bytes, want %d", len(out), size)
		}
	})
}
