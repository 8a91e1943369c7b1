package amd

import (
	"fmt"
	"slices"

	"astrolabe/capture/simulate"
)

const (
	gpaName  = "amd-gpa-fourth"
	liveName = "amd-live-fourth"
)

// Names are the families.
var Names = []string{gpaName, liveName}

// Kinds are the kinds of cases of a family; nil where there is none of that name.
func Kinds(name string) []string {
	switch name {
	case gpaName:
		return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindTwoPhase, simulate.KindRandom}
	case liveName:
		return simulate.Kinds()
	}
	return nil
}

// New draws a case. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) {
		return nil, fmt.Errorf("there is no family %q; there are %v", name, Names)
	}
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("%s has no kind %q; there are %v", name, kind, Kinds(name))
	}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	if name == gpaName {
		newDraws(c)
	} else {
		newProgram(c)
	}
	return c, nil
}
