package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// segment is what a thread does in one go: it waits for storage, takes a lock, computes, and gives the lock back.
type segment struct {
	profile      int
	instructions float64
	lock         int     // its number from 1 on; 0 is none
	reads        float64 // bytes of one request to storage; 0 is none
}

// stage is one step of a unit of work: parts of it go to threads of a group.
type stage struct {
	group, parts int
	segments     []segment
	spread       float64 // how much parts differ
}

// pace is what starts units.
type pace uint8

const (
	unpaced  pace = iota // the next unit follows when there is room
	dates                // a timer
	requests             // others ask
)

// program is something that runs: units of work, each of some stages that follow each other. As many units as window
// says are under way.
type program struct {
	name   string
	groups []int // threads
	stages []stage
	window int
	loose  bool // nothing but the program's own order keeps the window at 1
	pace   pace
	every  float64 // ns between dates, or in the mean between requests
	spin   bool    // locks are waited for by spinning
	units  int
	batch  int // units that a frame is made of
}

// device is storage.
type device struct {
	channels int     // requests that are served together
	latency  float64 // ns
	rate     float64 // bytes/ns
	spread   float64
}

// other is a program beside the one that is measured: it computes, and sleeps until its next date.
type other struct {
	profile      int
	instructions float64
	every        float64
	nice         bool
}

// scene is all that is drawn of a case.
type scene struct {
	m        *machine
	profiles []*profile
	phases   []*program
	device   device
	others   []other
	seed     uint64
	random   [1024]float64 // normal numbers, from which sizes come
}

const warm = 3 // frames before the first that counts

// newScene is a scene without programs. Profile 0 is the kernel's, 1 that of spinning.
func newScene(r simulate.Random, m *machine, seed uint64) *scene {
	s := &scene{m: m, seed: seed, profiles: []*profile{vary(r, "kernel"), vary(r, "spin")}}
	for i := range s.random {
		s.random[i] = r.NormFloat64()
	}
	s.device = simulate.Pick(r,
		device{32, r.Between(60e3, 120e3), r.Between(2, 6), 0.25}, // NVMe
		device{8, r.Between(90e3, 200e3), 0.5, 0.3},               // SATA, SD cards read ahead
		device{64, r.Between(400e3, 900e3), 0.3, 0.4},             // volumes over a network
		device{1, r.Between(3e6, 8e6), 0.18, 0.4})                 // a disk that turns
	return s
}

func (s *scene) add(p *profile) int {
	s.profiles = append(s.profiles, p)
	return len(s.profiles) - 1
}

// size is how much larger than the mean a part of a unit is. It depends on nothing that relief changes.
func (s *scene) size(unit, stage, part int, spread float64) float64 {
	if spread == 0 {
		return 1
	}
	h := uint64(unit)*2654435761 + uint64(stage)*40503 + uint64(part)*2246822519 + s.seed
	h ^= h >> 15
	h *= 0x9E3779B97F4A7C15
	return math.Exp(spread*s.random[h>>54] - spread*spread/2)
}

// date is when unit k of a program may start, from the program's beginning on.
func (s *scene) date(p *program, k int) float64 {
	if p.pace == requests {
		return p.every * (float64(k) + 0.7*s.random[k%1024])
	}
	return p.every * float64(k)
}

// late is the ns after its date from which on a unit has missed it: a period for what a timer starts, and what users
// of a service take for slow otherwise.
func (p *program) late() float64 {
	if p.pace == requests {
		return 12*p.every + 20e6
	}
	return p.every
}

// frames is how many frames the phases have together.
func (s *scene) frames() (n int) {
	for _, p := range s.phases {
		n += p.units / p.batch
	}
	return n
}
