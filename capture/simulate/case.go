package simulate

import (
	"time"

	"astrolabe/capture"
)

// Case is one simulated program on one simulated machine: what a recorder would have recorded of it, and the truth.
type Case struct {
	Family string
	Kind   string
	Seed   uint64
	Text   string // what it is, in a few words
	Plant  string // of KindSingle: what it is meant to be limited by. Seeds take a family's plants in turn

	// Record makes the capture. The same options give the same capture.
	Record func(Options) (*capture.Capture, error)
	// Judge finds out what limited it, by simulating it again and again. It takes some ten times as long as a capture.
	Judge func() (*Truth, error)
}

// Kinds of cases.
const (
	KindArchetype = "archetype" // a kind of content with everything drawn
	KindSingle    = "single"    // content that only one thing limits
	KindSerial    = "serial"    // queues, or processor and GPU, that work in turn although either has room
	KindHealthy   = "healthy"   // every date kept
	KindTwoPhase  = "two-phase" // content A, then content B, with other limits
	KindRandom    = "random"    // passes of any kind in any mixture
)

// Kinds lists the kinds of cases.
func Kinds() []string {
	return []string{KindArchetype, KindSingle, KindSerial, KindHealthy, KindTwoPhase, KindRandom}
}

// Options say how a case is recorded. The zero value leaves everything to the case's seed.
type Options struct {
	Period time.Duration // between samples, where the reader samples by time
	Marks  Choice        // labels and regions of frames
	Host   Choice        // counters of the processor beside those of the GPU
	Sets   []string      // Intel's metric sets; several are measured in rounds, one after the other
	// Noise multiplies the differences between passes that measure the same work again; 0 is 1, negative is none.
	Noise float64
	// Late and Missed are the shares of samples that are taken late, and of ticks without a sample. Negative is none.
	Late, Missed float64
	// Gaps is the number of stretches without data.
	Gaps int
	// Withheld are candidates whose own counters the recorder did not measure.
	Withheld []Candidate
	// Without are counters that the recorder did not measure, by name.
	Without []string
}

// Choice is yes, no, or what the seed says.
type Choice int8

const (
	Drawn Choice = iota
	Yes
	No
)

// Of is the choice, or what was drawn where it is left open.
func (c Choice) Of(drawn bool) bool {
	if c == Drawn {
		return drawn
	}
	return c == Yes
}
