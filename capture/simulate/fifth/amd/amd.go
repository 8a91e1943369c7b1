package amd

import (
	"fmt"

	"astrolabe/capture/simulate"
)

// Names of the families.
const (
	GPAName  = "amd-gpa-fifth"
	LiveName = "amd-live-fifth"
)

// Names lists the families of this model.
var Names = []string{GPAName, LiveName}

// Kinds are the kinds of cases of a family. What a profiler replays has neither dates nor queues.
func Kinds(name string) []string {
	switch name {
	case GPAName:
		return []string{simulate.KindArchetype, simulate.KindSingle, simulate.KindRandom, simulate.KindTwoPhase}
	case LiveName:
		return simulate.Kinds()
	}
	return nil
}

// New draws a case of a family. The same arguments give the same case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	switch name {
	case GPAName:
		return newGPA(kind, seed)
	case LiveName:
		return newLive(kind, seed)
	}
	return nil, fmt.Errorf("there is no family %q; there are %v", name, Names)
}
