package arrow

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"astrolabe/capture"
)

// takenApart is what a reader made of data, in words: its error, or all of its values.
func takenApart(data []byte, indirect bool) (out []string, plain int) {
	m := newMessages(data)
	m.indirect = indirect
	c, err := takeApart(background, m)
	if err != nil {
		return []string{err.Error()}, 0
	}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	defer func() {
		if p := recover(); p != nil {
			say("damaged: %v", p)
		}
	}()
	plain = len(c.plain)
	say("rows %v, cut %q at %d", c.first, c.cut, c.cutAt)
	for _, n := range c.notes {
		say("notes %+v", n)
	}
	for i := range c.cols {
		col := &c.cols[i]
		switch {
		case isNumber(col.field.Type):
			d, err := col.read(0, c.rows())
			say("%s: %v, %v", col.field.Name, d.Floats(), err)
			for at := 0; at < c.rows() && col.inParts(); at += max(d.Len(), 1) {
				if d, err = col.part(at, c.rows()); err != nil {
					break
				}
				say("from %d: %v, %v", at, d.Floats(), err)
			}
		case col.isText():
			l, err := col.label()
			if err != nil {
				say("%s: %v", col.field.Name, err)
				continue
			}
			say("%s: %v of %q", col.field.Name, l.Codes, l.Dict)
		case col.width > 0:
			col.pieces(0, c.rows(), func(ch chunk, a, b, at int) {
				say("%s at %d: %v of %v", col.field.Name, at, values[uint8](ch, a*col.width, b*col.width), ch.valid != nil)
			})
		}
	}
	return out, plain
}

// agree holds what is read of plain batches by their metadata against what arrow-go reads.
func agree(t *testing.T, data []byte) (plain int) {
	t.Helper()
	want, _ := takenApart(data, true)
	got, plain := takenApart(data, false)
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("read by arrow-go and by metadata (-, +):\n%s", d)
	}
	return plain
}

// numbersAndTexts is a file of another program: every width, times, texts, missing values, batches of several lengths.
func numbersAndTexts(t testing.TB, opts ...ipc.Option) []byte {
	row := func(ms int, v, text string) string {
		return strings.TrimSuffix(widthRow(fmt.Sprintf("2025-01-02T03:04:05.%03dZ", ms), v), "}") + `, "text": ` + text + "}"
	}
	fields := append(widthFields(), arrow.Field{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true})
	return foreign(t, fields, []string{"[" + row(0, "1", `"one"`) + "," + row(1, "null", "null") + "]", "[]",
		"[" + row(2, "3", `"three"`) + "]"}, opts...)
}

func TestPlainBatchesAreReadAsArrowGoReadsThem(t *testing.T) {
	for name, c := range map[string]struct {
		data  []byte
		plain int
	}{
		"recording":    {recordedBytesOf(t, 3), 3},
		"stream":       {streamBytes(t, 2, true), 2},
		"other widths": {numbersAndTexts(t), 3},
		"compressed":   {numbersAndTexts(t, ipc.WithZstd()), 0},
		"dictionaries": {fileBytes(t), 0},
	} {
		t.Run(name, func(t *testing.T) {
			if plain := agree(t, c.data); plain != c.plain {
				t.Errorf("%d batches were read by their metadata, want %d", plain, c.plain)
			}
		})
	}
}

// messagesOf are the bytes of the messages of a file.
func messagesOf(data []byte) (out [][]byte) {
	for _, b := range newMessages(data).blocks {
		out = append(out, data[b.at:b.at+b.size])
	}
	return out
}

func TestABatchOfAnotherFormAmongPlainOnes(t *testing.T) {
	file := numbersAndTexts(t)
	plain, packed := messagesOf(file), messagesOf(numbersAndTexts(t, ipc.WithZstd()))
	mixed := bytes.Clone(file[magicPadded:newMessages(file).blocks[0].at]) // the schema
	for _, m := range [][]byte{plain[0], packed[2], plain[2], packed[0], endMark} {
		mixed = append(mixed, m...)
	}
	agree(t, mixed)
	if got, _ := takenApart(mixed, false); got[0] != `rows [0 2 3 4 6], cut "" at `+fmt.Sprint(len(mixed)-8) {
		t.Errorf("%q", got)
	}
}

func TestADamagedRecordingIsReadAsArrowGoReadsIt(t *testing.T) {
	data := recordedBytesOf(t, 2)
	spoiled := make([]byte, len(data))
	for i := 0; i < len(data) && !t.Failed(); i += stride() {
		for _, mask := range []byte{0x01, 0x80} {
			copy(spoiled, data)
			spoiled[i] ^= mask
			agree(t, spoiled)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add(recordedBytesOf(f, 2))
	f.Add(numbersAndTexts(f))
	for _, data := range foreignSeeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { agree(t, data) })
}

func TestSamplesInARowShareTheirTimes(t *testing.T) {
	for _, hole := range []int{-1, 0, 7, 14} {
		s := recordingSchema()
		path := t.TempDir() + "/r.arrow"
		w, err := Create(path, s)
		if err != nil {
			t.Fatal(err)
		}
		b := capture.NewBatch(&s, 5)
		var starts, ends []int64
		for k := range 3 {
			b.Reset()
			fillBatch(b, 5*k, 5)
			for i := range b.Len() {
				if 5*k+i == hole {
					b.End[i]--
				}
			}
			starts, ends = append(starts, b.Start...), append(ends, b.End...)
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		a := open(t, path).Axis
		if d := cmp.Diff([][]int64{starts, ends}, [][]int64{a.Start, a.End}); d != "" {
			t.Errorf("sample %d ends early: %s", hole, d)
		}
		if shared := &a.Start[1] == &a.End[0]; shared != (hole < 0 || hole == 14) {
			t.Errorf("sample %d ends early: shared %t", hole, shared)
		}
	}
}
