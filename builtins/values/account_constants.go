package values

import (
	"errors"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
)

// constantAtLeast is a constant that a capture need not state, such as how many parts of a kind there are, and formulas of what all
// of these count together for each that there must be.
type constantAtLeast struct {
	name     string
	formulas []string // the first that the capture has the counters of
}

var errConstants = errors.New("got fewer than two texts, want the name of a constant and formulas")

// constantsField takes a list of lists: the name of a constant, then formulas.
func constantsField(to *[]constantAtLeast) func(starlark.Value) error {
	return func(v starlark.Value) error {
		return binding.Each(v, func(x starlark.Value) error {
			names, err := nameList(x)
			if err == nil && len(names) < 2 {
				err = errConstants
			}
			if err == nil {
				*to = append(*to, constantAtLeast{names[0], names[1:]})
			}
			return err
		})
	}
}

// constantSlack is by how much the highest count may be above a whole number that is meant: counters of one sample are read one after the other. Ours.
const constantSlack = 0.03

// state gives the capture of the account the constants of the table that it does not state, as few as its counters
// allow. Of what these counters are the capture itself stays as it is: only levels are made of that.
func (a *accounting) state() {
	var stated []capture.Property
	for _, c := range a.table.atLeast {
		if math.IsNaN(a.constant(c.name)) && a.named(c.name) == nil {
			if n := a.fewest(c.formulas); n > 0 {
				stated = append(stated, capture.Property{Name: c.name, Number: n})
			}
		}
	}
	if len(stated) == 0 {
		return
	}
	config := a.cap.Capture.Config
	config.Properties = slices.Concat(config.Properties, stated)
	with, err := capture.New(config)
	if err != nil {
		return // it stays unknown
	}
	a.cap = &Capture{env: a.cap.env, Capture: with}
	a.known, a.texts = map[string]*capture.Counter{}, map[string]*capture.Counter{}
}

// fewest is the least whole number that a formula's values allow, 0 where the capture has none.
func (a *accounting) fewest(formulas []string) float64 {
	c := a.find(formulas)
	if c == nil {
		return 0
	}
	return math.Ceil(max(0, highest(c.Floats())) * (1 - constantSlack)) // NaN where no sample has a value
}
