package mali

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names are those of the models: the GPU's and that this is the second simulator of it.
var Names = []string{"mali-g720-second", "mali-g615-second"}

// Kinds are the kinds of cases that a model has.
func Kinds(name string) []string {
	if !slices.Contains(Names, name) {
		return nil
	}
	return simulate.Kinds()
}

// New makes a case. The same arguments give the same.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("second mali: there is no kind %q of %q", kind, name)
	}
	h := fnv.New64a()
	h.Write([]byte(name + "/" + kind))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	d := &drawing{r: r, m: newMachine(name, r), seed: seed}
	text := d.draw(kind)
	p := d.finish()
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed, Text: text, Plant: d.plant}
	c.Record = func(o simulate.Options) (*capture.Capture, error) {
		return record(p, rand.New(rand.NewPCG(seed, h.Sum64()+1)), o)
	}
	c.Judge = func() (*simulate.Truth, error) { return p.judge(), nil }
	return c, nil
}
