package vendorproc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
)

func TestFramesComeBackAsWritten(t *testing.T) {
	var b bytes.Buffer
	long := bytes.Repeat([]byte("x"), 3*firstRead+7)
	for _, body := range [][]byte{[]byte(`{"a":1}`), {}, long} {
		if err := writeFrame(&b, frameMessage, body); err != nil {
			t.Fatal(err)
		}
		kind, got, err := readFrame(&b, nil)
		if err != nil || kind != frameMessage || !bytes.Equal(got, body) {
			t.Errorf("a frame of %d bytes came back as %q with %d bytes, %v", len(body), kind, len(got), err)
		}
	}
	if _, _, err := readFrame(&b, nil); err != io.EOF {
		t.Errorf("the end between two frames is %v, want io.EOF", err)
	}
	if err := writeFrame(&b, frameMessage, make([]byte, maxFrame+1)); err == nil {
		t.Error("a frame beyond the limit was written")
	}
}

func TestSamplesKeepEveryBit(t *testing.T) {
	in := Sample{Start: -5, End: 1 << 62, Values: []float64{0, math.Inf(1), math.Copysign(0, -1), 1 << 53, math.NaN()}}
	var out Sample
	if err := decodeSample(encodeSample(nil, &in), &out); err != nil {
		t.Fatal(err)
	}
	bits := func(v []float64) (b []uint64) {
		for _, x := range v {
			b = append(b, math.Float64bits(x))
		}
		return b
	}
	if out.Start != in.Start || out.End != in.End || !slices.Equal(bits(out.Values), bits(in.Values)) {
		t.Errorf("%+v came back as %+v", in, out)
	}
}

func TestDamagedFramesAreRefused(t *testing.T) {
	head := func(n uint32, kind byte) []byte { return append(binary.LittleEndian.AppendUint32(nil, n), kind) }
	for name, data := range map[string][]byte{
		"another type":        append(head(2, 'X'), "{}"...),
		"half a head":         {1, 0, 0},
		"half a body":         append(head(8, 'J'), "{}"...),
		"more than the limit": head(maxFrame+1, 'J'),
	} {
		if _, _, err := readFrame(bytes.NewReader(data), nil); !errors.Is(err, errFrame) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
	for name, body := range map[string][]byte{"too short": make([]byte, 8), "half a value": make([]byte, 20), "backwards": encodeSample(nil, &Sample{Start: 2, End: 1})} {
		if err := decodeSample(body, new(Sample)); !errors.Is(err, errFrame) {
			t.Errorf("a sample that is %s: %v, want a refusal", name, err)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, 'J', '{', '}'})
	f.Add(append([]byte{24, 0, 0, 0, 'S'}, encodeSample(nil, &Sample{Start: 1, End: 2, Values: []float64{3}})...))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		var buf []byte
		for {
			at := len(data) - r.Len()
			kind, body, err := readFrame(r, buf)
			if err != nil {
				return
			}
			if cap(body) > 2*len(data)+2*firstRead {
				t.Fatalf("%d bytes of memory for an input of %d", cap(body), len(data))
			}
			var again bytes.Buffer
			if err := writeFrame(&again, kind, body); err != nil || !bytes.Equal(again.Bytes(), data[at:len(data)-r.Len()]) {
				t.Fatalf("a frame is written differently from how it was read: %v", err)
			}
			var s Sample
			if kind == frameSample && decodeSample(body, &s) == nil && !bytes.Equal(encodeSample(nil, &s), body) {
				t.Fatal("a sample is written differently from how it was read")
			}
			buf = body
		}
	})
}
