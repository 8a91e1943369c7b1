// Package telling lists the counters that tell most directly of a candidate, by the descriptions of those who make the
// hardware, as recorders call them. Models of the same hardware leave them out of a capture where their recorder withholds
// the candidate.
package telling

import (
	"slices"

	"astrolabe/capture/simulate"
)

// Left are the counters that a recorder with these options does not measure.
func Left(o *simulate.Options, of map[simulate.Candidate][]string) []string {
	left := slices.Clone(o.Without)
	for _, c := range o.Withheld {
		left = append(left, of[c]...)
	}
	return left
}

func unit(name string) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelUnit, Name: name}
}

var cache = simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}
