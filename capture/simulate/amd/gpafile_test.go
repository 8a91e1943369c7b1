package amd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/gpa"
	"astrolabe/capture/simulate"
)

func TestRowsOfDrawsAreWhatTheReaderMakesOfTheirFile(t *testing.T) {
	for seed := range uint64(6) { // of both generations
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { rereadDraws(t, seed) })
	}
}

func rereadDraws(t *testing.T, seed uint64) {
	ours := draws(t, simulate.KindArchetype, seed, simulate.Options{})
	var b bytes.Buffer
	if err := (gpa.Format{}).Encode(context.Background(), &b, ours); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "draws.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	read, err := formats.NewRegistry(gpa.Format{}).Open(context.Background(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if read.Len() != ours.Len() || len(read.Counters) != len(ours.Counters) {
		t.Fatalf("%d rows of %d counters are read as %d of %d", ours.Len(), len(ours.Counters), read.Len(),
			len(read.Counters))
	}
	for _, c := range ours.Counters {
		x := read.Counter(c.Name)
		if x == nil || x.Kind != c.Kind || x.Unit != c.Unit {
			t.Errorf("%s is a %v in %q; of the file the reader makes %+v", c.Name, c.Kind, c.Unit, x)
			continue
		}
		for i := range ours.Len() {
			if a, b := c.Value(i).Float(), x.Value(i).Float(); a != b {
				t.Errorf("%s: row %d is %v, and %v of the file", c.Name, i, a, b)
				break
			}
		}
	}
	if a, b := ours.Axis.End[ours.Len()-1], read.Axis.End[read.Len()-1]; a != b {
		t.Errorf("the rows end at %d, those of the file at %d", a, b)
	}
}
