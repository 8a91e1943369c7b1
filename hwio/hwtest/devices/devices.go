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

// pairs are machines with two graphics cards. Their truth is a list: card0's, then card1's.
var pairs = []hwtest.Model{
	{
		Name: "tgl-and-dg2", Doc: "two cards of the driver i915: Tiger Lake in the processor and an Arc A770",
		Scenarios: both("loaded", "busy", "clock-change"),
		New:       func() hwtest.Device { return hwtest.Several(i915.New("tglgt2", 0), i915.New("acmgt3", 1)) },
	},
	{
		Name: "lnl-and-bmg", Doc: "two cards of the driver xe: Lunar Lake in the processor and an Arc B580",
		Scenarios: both("loaded", "busy", "clock-change"),
		New:       func() hwtest.Device { return hwtest.Several(xe.New("lnl", 0), xe.New("bmg", 1)) },
	},
	{
		Name: "tgl-and-bmg", Doc: "a card of each driver: Tiger Lake in the processor with i915, and an Arc B580 with xe",
		Scenarios: both("loaded", "busy", "clock-change"),
		New:       func() hwtest.Device { return hwtest.Several(i915.New("tglgt2", 0), xe.New("bmg", 1)) },
	},
}

// both are scenarios that both drivers' models have, which both cards are in.
func both(names ...string) (out []hwtest.Scenario) {
	for _, s := range i915.Models()[0].Scenarios {
		if slices.Contains(names, s.Name) {
			out = append(out, s)
		}
	}
	return out
}

// All are the devices, by name.
func All() []hwtest.Model {
	out := slices.Concat(amdgpu.Models(), cpupmu.Models(), i915.Models(), mali.Models(), xe.Models(), pairs)
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
