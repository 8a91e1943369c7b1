package xe

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
)

// secret is what no reader knows a meaning of.
var secret = []byte("secret")

func TestWhatIsNotKnownOfAnswersIsBlank(t *testing.T) {
	units := slices.Clone(unitsAnswer)
	copy(units[unitsHead+36:], secret)       // reserved
	copy(units[unitsHead+unitHead+6:], "se") // behind an engine
	gts := append(words(uint32(1), uint32(0), u16(0, 0, 0, 0), uint32(0), uint32(19_200_000)), make([]byte, 80)...)
	copy(gts[gtsHead+60:], secret)
	engines := append(words(uint32(1), uint32(0), u16(1, 0, 0, 0)), make([]byte, 24)...)
	copy(engines[enginesHead+10:], secret)
	config := words(uint32(2), uint32(0), uint64(0x64a0), uint64(0))
	copy(config[configHead+8:], secret)
	masks := slices.Concat(maskOf(0, topoGeometry, 0x0f), maskOf(0, 77, secret...), maskOf(0, topoEU, 0xff))
	for id, b := range map[uint32][]byte{queryOAUnits: units, queryGTs: gts, queryEngines: engines, queryConfig: config,
		queryTopology: masks} {
		kept := knownAnswer(id, b)
		if bytes.Contains(kept, secret) || bytes.Contains(kept, []byte("se")) || len(kept) != len(b) {
			t.Errorf("query %d: %q", id, kept)
		}
		if was, is := understood(id, b), understood(id, kept); !reflect.DeepEqual(was, is) {
			t.Errorf("query %d: %+v, then %+v", id, was, is)
		}
	}
	if kept := knownAnswer(77, secret); kept != nil {
		t.Errorf("a query that nobody knows: %q", kept)
	}
}

// understood is what a reader makes of an answer.
func understood(id uint32, b []byte) any {
	var out any
	var err error
	switch id {
	case queryOAUnits:
		out, err = parseUnits(b)
	case queryGTs:
		out, err = parseGTs(b)
	case queryEngines:
		out, err = parseEngines(b)
	case queryConfig:
		device, revision, bad := parseConfig(b)
		out, err = []uint64{device, revision}, bad
	case queryTopology:
		out, err = parseTopology(b)
	}
	if err != nil {
		return err.Error()
	}
	return out
}

func FuzzKnownAnswers(f *testing.F) {
	f.Add(uint32(queryOAUnits), unitsAnswer)
	f.Add(uint32(queryTopology), maskOf(0, topoGeometry, 0x0f))
	f.Add(uint32(queryGTs), make([]byte, gtsHead+gtSize))
	f.Add(uint32(queryEngines), make([]byte, enginesHead+engineEntry))
	f.Add(uint32(queryConfig), make([]byte, 24))
	f.Fuzz(func(t *testing.T, id uint32, b []byte) {
		kept := knownAnswer(id, b)
		if kept == nil {
			return
		}
		if again := knownAnswer(id, kept); !bytes.Equal(again, kept) {
			t.Fatalf("query %d: % x, then % x", id, kept, again)
		}
		if len(b) < 4096 {
			if was, is := understood(id, b), understood(id, kept); !reflect.DeepEqual(was, is) {
				t.Fatalf("query %d: %+v, then %+v", id, was, is)
			}
		}
	})
}
