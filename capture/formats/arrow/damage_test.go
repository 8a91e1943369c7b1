package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/table"
	"astrolabe/internal/longtests"
)

// streamBytes is a recording of the given number of batches of 5 samples in the stream form, with its end mark or
// without.
func streamBytes(t testing.TB, batches int, ended bool) []byte {
	t.Helper()
	data := recordedBytesOf(t, batches)[magicPadded:]
	if ended {
		data = append(data, endMark...)
	}
	return data
}

// recordedBytesOf is a recording of the given number of batches of 5 samples that was not closed.
func recordedBytesOf(t testing.TB, batches int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.arrow")
	s := recordingSchema()
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 5)
	for k := range batches {
		fillBatch(b, 5*k, 5)
		b.Gaps = append(b.Gaps, capture.Gap{Start: 1, End: 2})
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	return data
}

func fileBytes(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := (Format{}).Encode(background, &buf, mustNew(t, everything())); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestAStreamCutAtAnyByteKeepsItsWholeBatches(t *testing.T) {
	data := streamBytes(t, 3, true)
	kept := -1
	for n := 0; n < len(data); n += stride() {
		c, err := decode(background, data[:n:n], "r.arrow", &table.Options{})
		if err != nil {
			if kept >= 0 {
				t.Fatalf("cut at %d: %v, though fewer bytes gave %d samples", n, err, kept)
			}
			if n > 0 && !strings.Contains(err.Error(), "truncated at byte 0") {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if c.Len() < kept || c.Len()%5 != 0 {
			t.Fatalf("cut at %d: %d samples after %d", n, c.Len(), kept)
		}
		kept = c.Len()
		checkRecording(t, c, kept)
		if !hasWarning(c, "truncated: the data breaks off at byte ") ||
			!hasWarning(c, fmt.Sprintf("%d samples in %d batches", kept, kept/5)) {
			t.Fatalf("cut at %d: warnings %q", n, c.Warnings)
		}
		if len(c.Gaps) != kept/5 {
			t.Fatalf("cut at %d: %d gaps beside %d samples", n, len(c.Gaps), kept)
		}
	}
	if kept != 15 {
		t.Errorf("%d samples without the end mark", kept)
	}
	whole, err := decode(background, data, "r.arrow", &table.Options{})
	if err != nil || hasWarning(whole, "truncated") {
		t.Errorf("the whole stream: %v, warnings %q", err, whole.Warnings)
	}
}

func TestAFileCutAtAnyByteIsAnErrorOrAWarning(t *testing.T) {
	data := fileBytes(t)
	warned := 0
	for n := 0; n < len(data); n += stride() {
		c, err := decode(background, data[:n:n], "r.arrow", &table.Options{})
		switch {
		case err == nil && hasWarning(c, "truncated"):
			warned++
		case err == nil && n < len(data)-8:
			// From the end mark on only the footer is lost, which says nothing new.
			if c.Len() != 4 {
				t.Fatalf("cut at %d: %d samples and no warning", n, c.Len())
			}
		case err != nil && !strings.Contains(err.Error(), "truncated"):
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	if warned == 0 {
		t.Error("no cut gave a warning")
	}
}

// stride is 1 in the long form, so that every byte is damaged in turn. Others visit every place of a word, in every
// third word, or in a few words where the race detector runs them.
func stride() int {
	if testing.Short() {
		return 11
	}
	return longtests.Of(1, 3)
}

// decodeAll opens data and reads everything in it, which must not panic. It returns the error of opening.
func decodeAll(data []byte) error {
	c, err := decode(background, data, "r.arrow", &table.Options{})
	if err != nil {
		return err
	}
	for _, whole := range c.Counters {
		for _, ctr := range append([]*capture.Counter{whole}, whole.Instances...) {
			ctr.Floats()
			if ctr.Col != nil {
				_ = ctr.Col.Err()
			}
		}
	}
	for _, p := range c.Passes {
		for _, col := range []*capture.Column{p.Start, p.Duration} {
			if col != nil {
				_ = col.Data().Floats()
			}
		}
	}
	for _, l := range c.Labels {
		for i := range l.Codes {
			l.Value(i)
		}
	}
	return nil
}

func TestAnyFlippedBitIsAnErrorOrOtherDataAndNeverAPanic(t *testing.T) {
	for name, data := range map[string][]byte{"stream": streamBytes(t, 2, true), "file": fileBytes(t),
		"recording": recordedBytesOf(t, 2)} {
		t.Run(name, func(t *testing.T) {
			failed := 0
			spoiled := make([]byte, len(data))
			for i := 0; i < len(data); i += stride() {
				for _, mask := range []byte{0x01, 0x80} {
					copy(spoiled, data)
					spoiled[i] ^= mask
					if decodeAll(spoiled) != nil {
						failed++
					}
				}
			}
			if failed == 0 {
				t.Error("no damage was noticed")
			}
		})
	}
}

func TestDamageInTheMiddleIsAnErrorWithItsOffset(t *testing.T) {
	data := streamBytes(t, 3, true)
	m := newMessages(data)
	var offsets []int64
	for {
		if _, err := m.Message(); err != nil {
			break
		}
		offsets = append(offsets, m.current)
	}
	at := offsets[len(offsets)-2]
	spoiled := bytes.Clone(data)
	for i := range 16 {
		spoiled[at+8+int64(i)] = 0xff
	}
	_, err := decode(background, spoiled, "r.arrow", &table.Options{})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprint("byte ", at)) {
		t.Errorf("error %v, want one with byte %d", err, at)
	}
}

func TestZerosAfterTheLastBatchAreATruncation(t *testing.T) {
	// So looks a file whose last blocks never reached the disk when the machine stopped.
	data := append(streamBytes(t, 2, false), make([]byte, 4096)...)
	c, err := decode(background, data, "r.arrow", &table.Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkRecording(t, c, 10)
	if !hasWarning(c, "zeros") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestALengthBeyondTheFileCostsNoMemory(t *testing.T) {
	data := streamBytes(t, 1, true)
	for _, n := range []uint32{1 << 20, 1 << 30, 1<<31 - 8, 1<<32 - 8} {
		binary.LittleEndian.PutUint32(data[4:], n)
		allocs := testing.AllocsPerRun(1, func() {
			if err := decodeAll(data); err == nil || !strings.Contains(err.Error(), "truncated") {
				t.Errorf("schema of %d bytes: %v", n, err)
			}
		})
		if allocs > 1000 {
			t.Errorf("schema of %d bytes: %v allocations", n, allocs)
		}
	}
}

func TestANewerLayoutIsRefusedByName(t *testing.T) {
	data := bytes.Replace(streamBytes(t, 1, true), []byte(keyLayout+"\x00"), []byte(keyLayout+"\x00"), 1)
	i := bytes.Index(data, []byte(keyLayout))
	// The value follows or precedes its key in the schema message: it is the only text of one byte "1" near it.
	j := bytes.Index(data[max(0, i-64):], []byte("\x01\x00\x00\x001\x00"))
	if i < 0 || j < 0 {
		t.Fatal("cannot find the layout version in the file")
	}
	data[max(0, i-64)+j+4] = '2'
	_, err := decode(background, data, "r.arrow", &table.Options{})
	if err == nil || !strings.Contains(err.Error(), "newer astrolabe (layout 2") {
		t.Errorf("error %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(streamBytes(f, 2, true))
	f.Add(streamBytes(f, 1, false))
	f.Add(recordedBytesOf(f, 2))
	f.Add(fileBytes(f))
	for _, data := range foreignSeeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = decodeAll(data)
	})
}

// decode makes a capture of the bytes of one file.
func decode(ctx context.Context, data []byte, path string, o *table.Options) (c *capture.Capture, err error) {
	return decodePieces(ctx, []piece{{data: data}}, path, o)
}
