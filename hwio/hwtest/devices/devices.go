// Package devices lists every device that can be emulated. It imports the models, which do not know of each other.
package devices

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture/spelling"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/amdgpu"
	"astrolabe/hwio/hwtest/cpupmu"
	"astrolabe/hwio/hwtest/i915"
	"astrolabe/hwio/hwtest/mali"
	"astrolabe/hwio/hwtest/xe"
)

// All are the devices, by name.
func All() []hwtest.Model {
	out := slices.Concat(amdgpu.Models(), cpupmu.Models(), i915.Models(), mali.Models(), xe.Models())
	slices.SortStableFunc(out, func(a, b hwtest.Model) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Find returns the device of a name. The error names those that are spelled like it, or else all.
func Find(name string) (hwtest.Model, error) {
	all := All()
	var names []string
	for _, m := range all {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return hwtest.Model{}, unknown("device", name, names)
}

// Scenarios checks names against those of a model and the general ones.
func Scenarios(m hwtest.Model, names []string) error {
	var known []string
	for _, s := range slices.Concat(m.Scenarios, hwtest.General()) {
		known = append(known, s.Name)
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return unknown("scenario of "+m.Name, n, known)
		}
	}
	return nil
}

func unknown(what, name string, known []string) error {
	if near := spelling.Near(name, known); len(near) > 0 {
		return fmt.Errorf("no %s is called %q; did you mean %s?", what, name, strings.Join(near, " or "))
	}
	return fmt.Errorf("no %s is called %q; there are %s", what, name, strings.Join(known, ", "))
}
