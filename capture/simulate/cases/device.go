package cases

import (
	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// Device is one device of a family, with the content that was compiled for it.
type Device interface {
	// Machine is the hardware. Cases set its clock.
	Machine() *simulate.Machine
	// Has says what content may ask of it.
	Has() content.Has
	// Compile turns a scene into work. The device keeps what it needs to make counters of it: the n-th scene that is
	// compiled for good is content n of the load.
	Compile(s *content.Scene) simulate.Content
	// Keep makes the scene the next content of the load.
	Keep(s *content.Scene)
	// Capture makes the counters of a recorded simulation. run gives the simulation of a round, of which there is
	// more than one where sets of counters are measured one after the other.
	Capture(run func(round int) (*simulate.Run, error), rec *Recording) (*capture.Capture, error)
	// Periods are those that its reader is used with, in ns.
	Periods() []float64
	// Launch is how long it takes to start a pass, in ns.
	Launch() float64
	// Exact reports whether the hardware itself takes samples, so that none is late.
	Exact() bool
	// Counters are the counters that tell of a candidate, which a recording without them withholds.
	Counters(c simulate.Candidate) []string
	// Clock draws how the clock is set, for content that keeps the GPU busy all the time or not.
	Clock(r simulate.Random, mode ClockMode) simulate.Clock
}

// Recording says how a case is recorded, with everything that options left open decided.
type Recording struct {
	Seed    uint64
	Marks   bool
	Host    bool
	Options simulate.Options
	Period  float64 // ns
}

// ClockMode is how a clock is set.
type ClockMode uint8

const (
	ClockHighest  ClockMode = iota // always at its highest, as in the kernel's performance mode
	ClockGoverned                  // a governor follows the load
	ClockHot                       // heat holds it down
	ClockLimited                   // a power limit holds it down
)

// Family is a family of devices.
type Family struct {
	Name   string
	Device func(r simulate.Random) Device
	// Serial says how things work in turn on it: by queues, or processor and GPU.
	Queues bool
}
