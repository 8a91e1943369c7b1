// Package all lists the families that can be simulated.
package all

import (
	"fmt"
	"slices"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/amd"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/cpu"
	"astrolabe/capture/simulate/intel"
	"astrolabe/capture/simulate/mali"
	"astrolabe/capture/simulate/rdna"
)

// maker draws a case of a family.
type maker struct {
	name  string
	kinds []string
	make  func(kind string, seed uint64) (*simulate.Case, error)
}

var makers = func() (out []maker) {
	for _, f := range slices.Concat(mali.Families, intel.Families, []*cases.Family{amd.Live}) {
		out = append(out, maker{f.Name, simulate.Kinds(), func(kind string, seed uint64) (*simulate.Case,
			error) {
			return cases.New(f, kind, seed)
		}})
	}
	out = append(out, maker{amd.GPAName, amd.GPAKinds(), amd.NewGPA})
	for _, f := range rdna.Families {
		out = append(out, maker{f.Name, rdna.Kinds(), f.New})
	}
	return append(out, maker{cpu.Name, cpu.Kinds(), cpu.New})
}()

// Families are the names of the families.
func Families() []string {
	var out []string
	for _, m := range makers {
		out = append(out, m.name)
	}
	return out
}

// Kinds are the kinds of cases of a family; nil where there is no such family.
func Kinds(family string) []string {
	for _, m := range makers {
		if m.name == family {
			return slices.Clone(m.kinds)
		}
	}
	return nil
}

// Case draws a case of a kind for a family. The same arguments give the same case.
func Case(family, kind string, seed uint64) (*simulate.Case, error) {
	for _, m := range makers {
		if m.name == family {
			return m.make(kind, seed)
		}
	}
	return nil, fmt.Errorf("there is no family %q; there are %v", family, Families())
}
