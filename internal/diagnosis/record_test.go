package diagnosis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture/capturetest"
)

func TestARecordGivesTheMatrixBack(t *testing.T) {
	m := twoPlants{}
	all := Full.Cases(m)
	x := newMatrix([]capturetest.Model{m})
	for i, c := range all {
		plant, err := capturetest.FindPlant(m, c.Plant)
		if err != nil {
			t.Fatal(err)
		}
		named := plant.Rule
		switch i % 7 {
		case 3:
			named = "other"
		case 5:
			named = ""
		}
		x.count(m, c, plant, named)
	}
	path := filepath.Join(t.TempDir(), "misses.txt")
	if err := x.WriteRecord(path); err != nil {
		t.Fatal(err)
	}
	got, err := readRecord(path, Full.Cases, m)
	if err != nil {
		t.Fatal(err)
	}
	if got.Summary() != x.Summary() || got.MissText() != x.MissText() || !slices.Equal(got.Classes, x.Classes) ||
		len(x.Misses) == 0 {
		t.Errorf("%s\n%s\nbecame %s\n%s", x.Summary(), x.MissText(), got.Summary(), got.MissText())
	}
	part, err := readRecord(path, Part, m)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(Part(m)); part.cases() != n || len(part.Misses) == 0 || len(part.Misses) >= len(x.Misses) {
		t.Errorf("the part has %d cases and %d misses, want %d and fewer than %d", part.cases(), len(part.Misses),
			n, len(x.Misses))
	}
}

func TestARecordOfOtherCasesIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "misses.txt")
	for text, want := range map[string]string{
		"": "record of 0 cases", "cases\t7\n": "record of 7 cases", "cases\tmany\n": "misses.txt:1:",
		"cases\t88\nmodel\tcase\n": "misses.txt:2:",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readRecord(path, Part, twoPlants{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestPartHasEachPlantAtItsLightestWithMostNoiseAndHealthyCaptures(t *testing.T) {
	m := twoPlants{}
	all, part := Full.Cases(m), Part(m)
	if len(part) >= len(all)/2 || len(part) < len(all)/thinned {
		t.Errorf("%d of %d cases", len(part), len(all))
	}
	for _, plant := range []string{"a", "b", ""} {
		if !slices.ContainsFunc(part, func(c capturetest.Case) bool {
			return c.Plant == plant && c.Load == 0 && c.Noise == 0.3 && c.Second == ""
		}) {
			t.Errorf("%q is in no light case with noise", plant)
		}
	}
	for _, c := range part {
		if !slices.Contains(all, c) {
			t.Errorf("%s is no case of Full", c)
		}
	}
}
