package capturetest

import (
	"fmt"
	"strings"
	"time"

	"astrolabe/capture"
)

// Case says what to generate. The zero value of a field is its default.
type Case struct {
	Plant   string        // id of what limits; "" for work that nothing limits in particular
	Load    float64       // how heavily it limits: 0 just so that an expert would name it, 1 as hard as it gets
	Second  string        // another plant, planted beside it at a quarter of its weight
	Noise   float64       // relative standard deviation of the work in a sample, such as 0.2
	Idle    float64       // share of the time without work, 0 to 0.9
	DVFS    bool          // the clock moves between a third of its maximum and all of it
	Samples int           // 240
	Period  time.Duration // 1 ms
	Seed    uint64
}

// Filled returns the case with its defaults.
func (c Case) Filled() Case {
	if c.Samples == 0 {
		c.Samples = 240
	}
	if c.Period == 0 {
		c.Period = time.Millisecond
	}
	return c
}

// String names the case in a line, without spaces.
func (c Case) String() string {
	plant := c.Plant
	if plant == "" {
		plant = "healthy"
	}
	parts := []string{plant, fmt.Sprintf("load=%g", c.Load), fmt.Sprintf("noise=%g", c.Noise)}
	if c.Second != "" {
		parts = append(parts, "second="+c.Second)
	}
	if c.Idle > 0 {
		parts = append(parts, fmt.Sprintf("idle=%g", c.Idle))
	}
	if c.DVFS {
		parts = append(parts, "dvfs")
	}
	return strings.Join(append(parts, fmt.Sprintf("seed=%d", c.Seed)), ",")
}

// Plant is a bottleneck that a model can plant.
type Plant struct {
	ID   string
	Rule string // id of the rule in the triage script that names it
	Doc  string // what limits, in a sentence
}

// Model generates captures of one GPU.
type Model interface {
	// GPU is the id of its catalogue.
	GPU() string
	// Name tells the models of one GPU apart, such as "intel-kbl-gt2 RenderBasic"; it is GPU() where there is one only.
	Name() string
	// Script is the triage script that judges its captures, such as "mali".
	Script() string
	// Plants lists what it can plant.
	Plants() []Plant
	// Generate makes a capture. Equal cases give equal captures.
	Generate(Case) (*capture.Capture, error)
	// Check says where the counters of a capture break an identity of the hardware.
	Check(*capture.Capture) error
}

// Limited is a model of work that something limits even where nothing is planted: a kernel that runs alone has no date
// to keep.
type Limited interface {
	// Always is what limits it then, without an id.
	Always() Plant
}

// FindPlant is the model's plant with that id; an unknown one is an error that lists what there is. The healthy "" is
// found always.
func FindPlant(m Model, id string) (Plant, error) {
	if id == "" {
		if a, ok := m.(Limited); ok {
			return a.Always(), nil
		}
		return Plant{}, nil
	}
	var ids []string
	for _, p := range m.Plants() {
		if p.ID == id {
			return p, nil
		}
		ids = append(ids, p.ID)
	}
	return Plant{}, fmt.Errorf("%s has no plant %q; it has %s", m.Name(), id, strings.Join(ids, ", "))
}
