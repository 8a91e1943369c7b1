package amdgpu

import (
	"slices"

	"astrolabe/capture"
	"astrolabe/hwio"
)

// catalogue is the id under which live values of AMD GPUs are described.
const catalogue = "amd-live"

// column is one recorded value. It comes from a sampler or from slow readings.
type column struct {
	meta    capture.Meta
	integer bool

	readings int     // which, -1 for a sampler's
	slot     int     // of the readings; of a task until it is added
	scale    float64 // of a total's units, 1 where 0
	wide     uint8   // bits of a total, 64 where 0

	sampler, reg, bit int
	what              sampled
}

// sampled is what a column shows of a sampler's counts.
type sampled uint8

const (
	theSamples sampled = iota // of the register
	theOnes                   // those with the bit set
	theError                  // standard error of the share of ones
)

// absence is a counter that could not be offered.
type absence struct{ name, reason, fix string }

// builder collects what one stream shall record.
type builder struct {
	patterns []string
	several  bool // GPUs: instances then carry the card's name
	card     string
	// partitions are those of the card, and only the one that is recorded alone, nil for the whole card.
	partitions []partition
	only       *partition
	absent     []absence
	warnings   []string // of the recording
}

// wants completes the description of a counter of the current GPU and reports whether it shall be recorded. onlyNamed
// counters are recorded only where the user asks for them.
func (b *builder) wants(m *capture.Meta, onlyNamed bool) bool {
	m.GPU, m.Source = catalogue, sourceName
	if b.only != nil && m.Device != b.only.name(b.card) {
		b.lacks(m.Name, "it is of the whole card, and not of one partition", "record it with device="+b.card)
		return false
	}
	if b.several {
		if m.Instance == "" {
			m.Instance = b.card
		} else {
			m.Instance = b.card + "." + m.Instance
		}
	}
	if len(b.patterns) == 0 {
		return !onlyNamed
	}
	return hwio.MatchAny(b.patterns, m)
}

// lacks notes a counter that the machine does not give, with the reason.
func (b *builder) lacks(name, reason, fix string) {
	if !slices.ContainsFunc(b.absent, func(a absence) bool { return a.name == name && a.reason == reason }) {
		b.absent = append(b.absent, absence{name, reason, fix})
	}
}

// missed is the error for a counter that the user named and that is absent, nil if there is none.
func (b *builder) missed(found []column) error {
	for _, p := range b.patterns {
		if hwio.IsGlob(p) || slices.ContainsFunc(found, func(c column) bool { return hwio.Match(p, &c.meta) }) {
			continue
		}
		for _, a := range b.absent {
			// An absence may stand for a whole table of counters.
			if hwio.Match(p, &capture.Meta{Name: a.name}) || hwio.Match(a.name, &capture.Meta{Name: p}) {
				return &hwio.CounterError{Counter: p, Problem: hwio.Problem{Reason: a.reason, Fix: a.fix}}
			}
		}
	}
	return nil
}
