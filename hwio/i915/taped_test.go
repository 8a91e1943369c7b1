package i915

import (
	"bytes"
	"slices"
	"testing"

	"astrolabe/capture/decode/oa"
)

func TestWhatIsNotKnownOfAnswersIsBlank(t *testing.T) {
	topology := gt2Topology()
	clean := slices.Clone(topology)
	copy(topology[24:], "secret!!") // EUs of slices that are fused off
	if got := knownTopology(topology); !bytes.Equal(got, clean) {
		t.Errorf("topology % x, want % x", got, clean)
	}
	engines := make([]byte, enginesHead+engineSize)
	engines[0], engines[enginesHead], engines[enginesHead+2] = 1, 2, 1
	clean = slices.Clone(engines)
	copy(engines[4:], "secret")
	copy(engines[enginesHead+8:], "secret")
	if got := knownEngines(engines); !bytes.Equal(got, clean) {
		t.Errorf("engines % x, want % x", got, clean)
	}
	long := []byte("a report, secret")
	stream := oa.AppendRecord(oa.AppendRecord(nil, oa.RecordSample, long), 77, []byte("secret"))
	keepRecords(stream, 8)
	if bytes.Contains(stream, []byte("secret")) || !bytes.Contains(stream, []byte("a report")) {
		t.Errorf("records %q", stream)
	}
}

// Nothing but the bits that stand for parts that are there stays, and what a reader makes of them is the same.
func FuzzKnownAnswers(f *testing.F) {
	f.Add(gt2Topology())
	f.Add(oa.AppendRecord(nil, oa.RecordSample, make([]byte, 256)))
	f.Fuzz(func(t *testing.T, b []byte) {
		kept := knownTopology(b)
		was, errWas := oa.ParseTopology(b)
		is, errIs := oa.ParseTopology(kept)
		if (errWas == nil) != (errIs == nil) || errWas == nil && was != is {
			t.Fatalf("%+v, %v; then %+v, %v", was, errWas, is, errIs)
		}
		if a, errA := parseEngines(b); errA == nil {
			if got, err := parseEngines(knownEngines(b)); err != nil || !slices.Equal(got, a) {
				t.Fatalf("%v, then %v, %v", a, got, err)
			}
		}
		records := slices.Clone(b)
		keepRecords(records, 256)
		again := slices.Clone(records)
		if keepRecords(again, 256); !bytes.Equal(again, records) {
			t.Fatal("what was known once is not known twice")
		}
	})
}
