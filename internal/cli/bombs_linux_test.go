package cli

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
)

// The limit that the bombs are held against, and what the program may be resident with at most: beside the limit, its own pages and those of the
// file that it has mapped.
const (
	bombLimit    = "128MB"
	bombResident = 192 << 20
)

// underLimit runs the program and returns how it ended, what it said, and the most that it was resident with, in bytes.
func underLimit(t *testing.T, args ...string) (status int, said string, resident int64) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := &exec.Cmd{Path: exe, Args: append([]string{"astrolabe"}, args...), Stderr: &errs, Dir: t.TempDir()}
	cmd.Run()
	return cmd.ProcessState.ExitCode(), errs.String(), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// holds checks that a bomb ends with an error that names the limit.
func holds(t *testing.T, path string, args ...string) {
	t.Helper()
	if len(args) == 0 {
		args = []string{"stat", path}
	}
	status, said, resident := underLimit(t, append([]string{"--max-memory=" + bombLimit}, args...)...)
	if status != 1 || !strings.Contains(said, "memory limit 122.1 MiB reached") || !strings.Contains(said, "raise --max-memory") {
		t.Errorf("status %d: %s", status, said)
	}
	if resident > bombResident {
		t.Errorf("%d MiB were resident: %s", resident>>20, said)
	}
}

func TestABombOfParquetEndsAtTheLimit(t *testing.T) {
	type row struct {
		Time int64   `parquet:"time_ns"`
		A    int64   `parquet:"a"`
		B    float64 `parquet:"b"`
		Kind string  `parquet:"kind,dict"`
	}
	for name, codec := range map[string]compress.Codec{"zstd": &pq.Zstd, "gzip": &pq.Gzip, "snappy": &pq.Snappy, "brotli": &pq.Brotli, "lz4": &pq.Lz4Raw} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bomb.parquet")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w := pq.NewGenericWriter[row](f, pq.Compression(codec))
			rows := make([]row, 100_000)
			for range 100 { // 10 million, 320 MB
				if _, err := w.Write(rows); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f.Close()
			if st, err := os.Stat(path); err != nil || st.Size() > 32<<20 {
				t.Fatalf("the bomb is no small file: %v", st.Size())
			}
			holds(t, path)
		})
	}
}

func TestABombOfArrowEndsAtTheLimit(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "time_ns", Type: arrow.PrimitiveTypes.Int64}, {Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	for name, codec := range map[string]ipc.Option{"zstd": ipc.WithZstd(), "lz4": ipc.WithLZ4()} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bomb.arrow")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema), codec)
			if err != nil {
				t.Fatal(err)
			}
			b := array.NewInt64Builder(memory.DefaultAllocator)
			b.AppendValues(make([]int64, 1<<20), nil)
			zeros := b.NewArray()
			batch := array.NewRecordBatch(schema, []arrow.Array{zeros, zeros}, 1<<20)
			for range 24 { // 400 MB
				if err := w.Write(batch); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f.Close()
			holds(t, path)
		})
	}
}

func TestAWideTableEndsAtTheLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wide.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	// It is never whole in memory: what this process once took counts as its child's.
	w := bufio.NewWriter(f)
	w.WriteString("time_ns")
	for i := range 2_000_000 { // of different names: equal ones are an error that may come first
		w.WriteString(",c")
		w.WriteString(strconv.Itoa(i))
	}
	w.WriteString("\n0")
	for range 2_000_000 {
		w.WriteString(",1")
	}
	w.WriteString("\n")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	holds(t, path)
}

func TestABombOfPacketsIsRefused(t *testing.T) {
	const compressedPackets = 50 // TracePacket.compressed_packets of Perfetto's trace_packet.proto
	var inner bytes.Buffer
	z := zlib.NewWriter(&inner)
	packets := bytes.Repeat([]byte{0x0a, 4, 0x40, 1, 0x50, 1}, 20_000)
	for range 1000 { // 20 million, in parts: what this process once took counts as its child's
		z.Write(packets)
	}
	z.Close()
	packet := append(binary.AppendUvarint(nil, compressedPackets<<3|2), binary.AppendUvarint(nil, uint64(inner.Len()))...)
	packet = append(packet, inner.Bytes()...)
	path := filepath.Join(t.TempDir(), "bomb.perfetto-trace")
	if err := os.WriteFile(path, append(binary.AppendUvarint([]byte{0x0a}, uint64(len(packet))), packet...), 0o666); err != nil {
		t.Fatal(err)
	}
	status, said, resident := underLimit(t, "--max-memory="+bombLimit, "stat", path)
	if status != 1 || !strings.Contains(said, "unpack the trace") || resident > bombResident {
		t.Errorf("status %d, %d MiB resident: %s", status, resident>>20, said)
	}
}

func TestAScriptIsBoundedToo(t *testing.T) {
	holds(t, "", "-c", "x = [0] * (1 << 26)")
}

// A file that is larger than the limit is legitimate: its pages are mapped, and the system takes them back.
func TestALargeNativeFileIsReadUnderASmallLimit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "large.arrow")
	code := `capture.from_columns({"n%d" % i: range(1 << 20) for i in range(20)}, period = "1us").save(args[0])`
	if status, said, _ := underLimit(t, "-c", code, path); status != 0 {
		t.Fatal(said)
	}
	if st, err := os.Stat(path); err != nil || st.Size() < 150<<20 {
		t.Fatalf("%v: %d bytes are no large file", err, st.Size())
	}
	png := filepath.Join(dir, "x.png")
	status, said, _ := underLimit(t, "--max-memory="+bombLimit, "-c", "plot.timeline(cap['n3'], cap['n17']).save('"+png+"')", path)
	if _, err := os.Stat(png); status != 0 || err != nil {
		t.Errorf("status %d: %s", status, said)
	}
}
