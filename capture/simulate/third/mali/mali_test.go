package mali

import (
	"testing"

	"astrolabe/capture/simulate"
)

func TestRecord(t *testing.T) {
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			for seed := range uint64(6) {
				c, err := New(name, kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				cap, err := c.Record(simulate.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Log(name, kind, seed, cap.Len(), len(cap.Counters))
			}
		}
	}
}
