package cli

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// bombs are files of every format that is read, which hold far more than their size.
func bombs() []bomb {
	all := []bomb{
		{name: "a table of very many columns", make: wideTable, kind: true},
		{name: "a table of very many counters and times", make: longTable},
		{name: "text of very many names", make: manyTexts, slow: true},
		{name: "a table in UTF-16", make: wideUTF16, kind: true},
		{name: "runs of Arrow without end", make: endlessRuns},
		{name: "Parquet with a huge description", make: hugeFooter, kind: true},
		{name: "Parquet with a description of short entries", make: shortEntries},
		{name: "Parquet of one page", make: onePage, kind: true},
		{name: "Parquet of texts", make: parquetTexts, slow: true},
		{name: "packed packets of Perfetto", make: packedPackets, kind: true},
		{name: "a packet of Perfetto that is most of a sparse file", make: hugePacket},
		{name: "a dump of very many reports", make: sparseFile,
			args: []string{"-c",
				`capture.open("PATH", format = "oa", gpu = "intel-kbl-gt2", report_format = "A32u40_A4u32_B8_C8")`}},
		{name: "a row of SQLite in a circle of pages", make: circleOfPages},
		{name: "very many tables of SQLite", make: manyTables, kind: true},
		{name: "a line of sysinfo.csv", make: longSysinfo, kind: true},
		{name: "packed files of rocprof-compute", make: packedWorkload},
		{name: "a file of GPUPerfAPI", make: wideGPA},
		{name: "a file of perf stat", make: manyEvents, slow: true},
	}
	for name, codec := range map[string]compress.Codec{"zstd": &pq.Zstd, "gzip": &pq.Gzip, "snappy": &pq.Snappy,
		"brotli": &pq.Brotli, "lz4": &pq.Lz4Raw} {
		all = append(all, bomb{name: "Parquet packed by " + name, make: func(t *testing.T, path string, scale int) {
			parquetRows(t, path, scale, codec)
		}, slow: name != "zstd"})
	}
	for name, codec := range map[string]ipc.Option{"zstd": ipc.WithZstd(), "lz4": ipc.WithLZ4()} {
		all = append(all, bomb{name: "Arrow packed by " + name, make: func(t *testing.T, path string, scale int) {
			packedArrow(t, path, scale, codec)
		}})
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// create makes the file, and checks at the end that it is small.
func create(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	return f
}

func wideTable(t *testing.T, path string, scale int) {
	var text strings.Builder
	text.WriteString("time_ns")
	for i := range 500_000 * scale {
		fmt.Fprint(&text, ",c", i)
	}
	text.WriteString("\n0" + strings.Repeat(",1", 500_000*scale) + "\n")
	must(t, os.WriteFile(path, []byte(text.String()), 0o666))
}

func longTable(t *testing.T, path string, scale int) {
	f := create(t, path)
	defer f.Close()
	var text bytes.Buffer
	text.WriteString("time_ns,counter,value\n")
	for i := range 300_000 * scale {
		fmt.Fprintf(&text, "%d,c%d,1\n", i%(4800*scale), i%3989)
	}
	_, err := f.Write(text.Bytes())
	must(t, err)
}

func manyTexts(t *testing.T, path string, scale int) {
	var text bytes.Buffer
	text.WriteString("time_ns,kernel,n\n")
	for i := range 2_000_000 * scale {
		fmt.Fprintf(&text, "%d,k%d,1\n", i, i)
	}
	must(t, os.WriteFile(path, text.Bytes(), 0o666))
}

func wideUTF16(t *testing.T, path string, scale int) {
	text := []byte("\xff\xfet\x00,\x00n\x00\n\x00")
	text = append(text, bytes.Repeat([]byte("1\x00,\x002\x00\n\x00"), 6_000_000*scale)...)
	must(t, os.WriteFile(path, text, 0o666))
}

// arrowFile writes batches of one schema.
func arrowFile(t *testing.T, path string, schema *arrow.Schema, batch arrow.RecordBatch, times int,
	options ...ipc.Option) {
	t.Helper()
	f := create(t, path)
	w, err := ipc.NewFileWriter(f, append(options, ipc.WithSchema(schema))...)
	must(t, err)
	for range times {
		must(t, w.Write(batch))
	}
	must(t, w.Close())
	must(t, f.Close())
}

func packedArrow(t *testing.T, path string, scale int, codec ipc.Option) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "time_ns", Type: arrow.PrimitiveTypes.Int64},
		{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues(make([]int64, 1<<20), nil)
	zeros := b.NewArray()
	// 400 MB
	arrowFile(t, path, schema, array.NewRecordBatch(schema, []arrow.Array{zeros, zeros}, 1<<20), 24*scale, codec)
}

func endlessRuns(t *testing.T, path string, _ int) {
	typ := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String)
	schema := arrow.NewSchema([]arrow.Field{{Name: "kernel", Type: typ}, {Name: "n", Type: arrow.Null}}, nil)
	b := array.NewRunEndEncodedBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String)
	b.Append(1 << 40)
	must(t, b.ValueBuilder().AppendValueFromString("x"))
	arrowFile(t, path, schema, array.NewRecordBatch(schema, []arrow.Array{b.NewArray(), array.NewNull(1 << 40)}, 1<<40),
		1)
}

func hugeFooter(t *testing.T, path string, _ int) {
	f := create(t, path)
	defer f.Close()
	const size = 4 << 30
	must(t, f.Truncate(size))
	_, err := f.WriteAt([]byte("PAR1"), 0)
	must(t, err)
	_, err = f.WriteAt(append(binary.LittleEndian.AppendUint32(nil, size-100), "PAR1"...), size-8)
	must(t, err)
}

// shortEntries are row groups of one byte each: the end of a structure.
func shortEntries(t *testing.T, path string, scale int) {
	n := 4_000_000 * scale
	// field 4, a list of structures
	footer := append(binary.AppendUvarint([]byte{0x49, 0xfc}, uint64(n)), make([]byte, n+1)...)
	file := append([]byte("PAR1"), footer...)
	file = append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
	must(t, os.WriteFile(path, file, 0o666))
}

func parquetRows(t *testing.T, path string, scale int, codec compress.Codec) {
	type row struct {
		Time int64   `parquet:"time_ns"`
		A    int64   `parquet:"a"`
		B    float64 `parquet:"b"`
		Kind string  `parquet:"kind,dict"`
	}
	parquetOf(t, path, make([]row, 100_000), 50*scale, pq.Compression(codec)) // 5 million rows, 160 MB
}

func parquetOf[T any](t *testing.T, path string, rows []T, times int, options ...pq.WriterOption) {
	t.Helper()
	f := create(t, path)
	w := pq.NewGenericWriter[T](f, options...)
	for range times {
		_, err := w.Write(rows)
		must(t, err)
	}
	must(t, w.Close())
	must(t, f.Close())
	if st, err := os.Stat(path); err != nil || st.Size() > 32<<20*int64(max(1, *bombLimit/128)) {
		t.Fatalf("the bomb is no small file: %v", st.Size())
	}
}

func onePage(t *testing.T, path string, scale int) {
	type row struct {
		Time int64  `parquet:"time_ns"`
		Kind string `parquet:"kind"`
		A    int64  `parquet:"a"`
	}
	rows := make([]row, 200)
	for i := range rows {
		rows[i] = row{int64(i), strings.Repeat(string(rune('a'+i%26)), 1<<20*scale), 1}
	}
	parquetOf(t, path, rows, 1, pq.Compression(&pq.Gzip), pq.PageBufferSize(1<<30))
}

func parquetTexts(t *testing.T, path string, scale int) {
	type row struct {
		Time int64  `parquet:"time_ns"`
		Kind string `parquet:"kind,delta"`
		A    int64  `parquet:"a"`
	}
	rows := make([]row, 1_500_000*scale)
	for i := range rows {
		rows[i] = row{int64(i), fmt.Sprint("kernel ", i), 1}
	}
	parquetOf(t, path, rows, 1, pq.Compression(&pq.Zstd))
}

// packedPackets are many packets with packed ones, none of which is too large by itself.
func packedPackets(t *testing.T, path string, scale int) {
	const packet, compressedPackets = 0x0a, 50 // fields of Perfetto's Trace and TracePacket (trace_packet.proto)
	var inner bytes.Buffer
	z := zlib.NewWriter(&inner)
	// A time stamp, and a TrackEvent of the type counter on track 1 with the value 1.
	one := []byte{packet, 12, 0x40, 1, 0x5a, 8, 0x48, 4, 0x58, 1, 0xf0, 0x01, 1, 0x50, 1}
	one[1] = byte(len(one) - 2)
	one[5] = byte(len(one) - 6)
	z.Write(bytes.Repeat(one, 1_000_000))
	z.Close()
	body := binary.AppendUvarint(nil, compressedPackets<<3|2)
	body = append(binary.AppendUvarint(body, uint64(inner.Len())), inner.Bytes()...)
	whole := append(binary.AppendUvarint([]byte{packet}, uint64(len(body))), body...)
	must(t, os.WriteFile(path, bytes.Repeat(whole, 16*scale), 0o666))
}

func hugePacket(t *testing.T, path string, _ int) {
	f := create(t, path)
	defer f.Close()
	const size = 8 << 30
	first := []byte{0x0a, 4, 0x40, 1, 0x50, 1}
	_, err := f.Write(append(binary.AppendUvarint(append(bytes.Repeat(first, 3), 0x0a), size), 0x40, 1))
	must(t, err)
	must(t, f.Truncate(size+1000))
}

func sparseFile(t *testing.T, path string, _ int) {
	f := create(t, path)
	defer f.Close()
	must(t, f.Truncate(1<<40))
}

// rocpdFile makes a database with the tables that a reader needs.
func rocpdFile(t *testing.T, path string, then ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, text := range append([]string{
		"PRAGMA page_size = 4096", "BEGIN",
		"CREATE TABLE rocpd_info_kernel_symbol_1 (id INTEGER PRIMARY KEY, guid TEXT, display_name TEXT)",
		"CREATE TABLE rocpd_kernel_dispatch_1 (id INTEGER PRIMARY KEY, guid TEXT, dispatch_id INTEGER, kernel_id INTEGER)",
		"INSERT INTO rocpd_kernel_dispatch_1 VALUES (1, 'g', 1, 1)",
	}, append(then, "COMMIT")...) {
		_, err := db.Exec(text)
		must(t, err)
	}
}

// circleOfPages is a name of a megabyte or two whose length is rewritten, and whose last page is followed by its first.
func circleOfPages(t *testing.T, path string, _ int) {
	const was, is, page = 2_200_001, 130_000_001, 4096
	rocpdFile(t, path,
		fmt.Sprintf(
			"INSERT INTO rocpd_info_kernel_symbol_1 VALUES (1, 'g', replace(hex(zeroblob(%d)), '00', 'kk') || 'k')",
			was/2))
	data, err := os.ReadFile(path)
	must(t, err)
	// The row is: size of the payload, row id 1, size of the header, types (NULL for the id, a text of 1, a text of N
	// being 13+2N).
	cell := func(n uint64) []byte {
		types := append([]byte{0, 15}, sqliteVarint(13+2*n)...)
		header := append([]byte{byte(1 + len(types))}, types...)
		return append(append(sqliteVarint(uint64(len(header))+1+n), 1), header...)
	}
	old, forged := cell(was), cell(is)
	at := bytes.Index(data, old)
	if at < 0 || len(old) != len(forged) {
		t.Fatalf("the row is not where it should be: %d, %d and %d bytes", at, len(old), len(forged))
	}
	copy(data[at:], forged)
	// The chain of the pages that follow begins behind the part of the cell that its own page has, at the end of the
	// page.
	first := binary.BigEndian.Uint32(data[(at/page+1)*page-4:])
	last := first
	for next := first; next != 0; next = binary.BigEndian.Uint32(data[(next-1)*page:]) {
		last = next
	}
	binary.BigEndian.PutUint32(data[(last-1)*page:], first)
	must(t, os.WriteFile(path, data, 0o666))
}

// sqliteVarint is a number of SQLite: seven bits a byte, the highest first.
func sqliteVarint(n uint64) []byte {
	out := []byte{byte(n & 0x7f)}
	for n >>= 7; n > 0; n >>= 7 {
		out = append([]byte{byte(n&0x7f) | 0x80}, out...)
	}
	return out
}

func manyTables(t *testing.T, path string, scale int) {
	columns := strings.TrimSuffix(strings.Repeat("c%d,", 100), ",")
	for i := range 100 {
		columns = strings.Replace(columns, "%d", fmt.Sprint(i), 1)
	}
	rocpdFile(t, path, "PRAGMA writable_schema = 1",
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO sqlite_master SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || ' (%s)' FROM n`, 60_000*scale, columns))
}

// workload writes the files of a folder of rocprof-compute.
func workload(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	must(t, os.Mkdir(dir, 0o777))
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
}

func longSysinfo(t *testing.T, path string, scale int) {
	workload(t, path, map[string]string{
		"pmc_perf.csv": "Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES,Start_Timestamp,End_Timestamp\n0,k,0,1,10,20\n",
		"sysinfo.csv":  strings.Repeat(",", 30_000_000*min(2, scale)) + "\n1,2\n",
	})
}

func packedWorkload(t *testing.T, path string, scale int) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES,Start_Timestamp,End_Timestamp\n")
	for range 200 * scale {
		io.WriteString(z, strings.Repeat("0,k,0,1,10,20\n", 1<<16))
	}
	z.Close()
	workload(t, path, map[string]string{"pmc_perf_0.csv.gz": packed.String(), "sysinfo.csv": "gpu_arch\ngfx90a\n"})
}

func wideGPA(t *testing.T, path string, scale int) {
	var text strings.Builder
	text.WriteString("Identifier,")
	for i := range 200_000 * scale {
		fmt.Fprintf(&text, "c%d,", i)
	}
	text.WriteString("\nsession: 1; sample: 0," + strings.Repeat("1,", 200_000*scale) + "\n")
	must(t, os.WriteFile(path, []byte(text.String()), 0o666))
}

func manyEvents(t *testing.T, path string, scale int) {
	var text strings.Builder
	for i := range 250_000 * scale {
		fmt.Fprintf(&text, "12,,e%d,940915,100.00,,\n", i)
	}
	must(t, os.WriteFile(path, []byte(text.String()), 0o666))
}
