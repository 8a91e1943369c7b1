package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// segment is what a thread does in one go: it waits for storage, takes a lock, computes, and gives the lock back.
type segment struct {
	code         int // its profile
	instructions float64
	lock         bool
	reads        float64 // bytes of one request to storage; 0 is none
}

// stage is one step of a unit of work: parts of it go to threads of a group.
type stage struct {
	group, parts int
	segments     []segment
}

// program is something that runs: units of work, each of some stages that follow each other. As many units as window
// says are under way.
type program struct {
	name   string
	groups []int // threads
	stages []stage
	window int
	spread float64            // how much parts differ
	loose  bool               // nothing but the program's own order keeps the window at 1
	pace   simulate.Candidate // timer, or requests, that start units; none where the next follows when there is room
	every  float64            // ns between dates, or in the mean between requests
	units  int
	batch  int // units that a frame is made of
}

// other is a program beside the one that is measured: it computes, and sleeps until its next date.
type other struct {
	code                int
	instructions, every float64
	nice                bool
}

// scene is all that is drawn of a case.
type scene struct {
	m        *machine
	codes    []*profile
	phases   []*program
	channels int     // requests that storage serves together
	latency  float64 // ns, and bytes/ns, of one request
	rate     float64
	others   []other
	seed     uint64
	random   [1024]float64 // normal numbers, from which sizes come
}

const warm = 3 // frames before the first that counts

func newScene(r simulate.Random, m *machine, seed uint64) *scene {
	s := &scene{m: m, seed: seed}
	for i := range s.random {
		s.random[i] = r.NormFloat64()
	}
	switch r.Weighted([]float64{9, 5, 4, 2}) {
	case 0: // NVMe
		s.channels, s.latency, s.rate = 32, r.Between(60e3, 120e3), r.Between(2, 6)
	case 1: // SATA
		s.channels, s.latency, s.rate = 8, r.Between(90e3, 200e3), 0.5
	case 2: // a volume over a network
		s.channels, s.latency, s.rate = 64, r.Between(400e3, 900e3), 0.3
	default: // a disk that turns
		s.channels, s.latency, s.rate = 1, r.Between(3e6, 8e6), 0.18
	}
	return s
}

// size is how much larger than the mean a part of a unit is. It depends on nothing that relief changes.
func (s *scene) size(unit, stage, part int, spread float64) float64 {
	h := uint64(unit)*2654435761 + uint64(stage)*40503 + uint64(part)*2246822519 + s.seed
	h = (h ^ h>>15) * 0x9E3779B97F4A7C15
	return math.Exp(spread*s.random[h>>54] - spread*spread/2)
}

// date is when unit k of a program may start, from the program's beginning on.
func (s *scene) date(p *program, k int) float64 {
	if p.pace == timer {
		return p.every * float64(k)
	}
	return p.every * (float64(k) + 0.7*s.random[k%1024])
}

// late is the ns after its date from which on a unit has missed it: a period for what a timer starts, and what users
// of a service take for slow otherwise.
func (p *program) late() float64 {
	if p.pace == timer {
		return p.every
	}
	return 12*p.every + 20e6
}

func (p *program) frames() int { return p.units / p.batch }

func (p *program) paced() bool { return p.pace.Level != "" }
