package cpu

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

// Names lists the families.
var Names = []string{"cpu-tenth"}

// Kinds lists the kinds of cases of a family.
func Kinds(string) []string { return simulate.Kinds() }

// plants are what a single case is meant to be limited by, in turn by seed.
var plants = []simulate.Candidate{unitCore, simulate.MemoryBandwidth, cpuIO, unitBranch, simulate.ClockThermal, cpuLock,
	simulate.MemoryLatency, simulate.QueuesInTurn, timer, unitFront, cpuOthers, simulate.ClockPower, cpuFaults,
	simulate.ClockGovernor}

// load is a program on a machine, with how long its contents are to last.
type load struct {
	m       *machine
	p       *program
	n       int
	seconds []float64 // by content
	sized   sync.Once
	seed    uint64
	kind    string
}

// New makes a case.
func New(name, kind string, seed uint64) (*simulate.Case, error) {
	if !slices.Contains(Names, name) || !slices.Contains(Kinds(name), kind) {
		return nil, fmt.Errorf("there is no kind %q of family %q", kind, name)
	}
	r := simulate.NewRandom(seed, name+" "+kind)
	m := drawMachine(r)
	for kind == simulate.KindSingle && plants[seed%uint64(len(plants))] == simulate.ClockPower && m.family == "a76" {
		m = drawMachine(r) // such boards have no limit of power
	}
	p := &program{loose: -1, locks: 1, faultNs: r.Between(450, 900)}
	if m.family == "a76" {
		p.faultNs *= 2
	}
	p.drawNoise(r)
	l := &load{m: m, p: p, seed: seed, kind: kind}
	b := &builder{r: r, m: m, p: p}
	c := &simulate.Case{Family: name, Kind: kind, Seed: seed}
	sigma := r.Between(0.01, 0.1)
	switch kind {
	case simulate.KindSingle:
		plant := plants[seed%uint64(len(plants))]
		c.Plant = plant.String()
		b.single(plant)
	case simulate.KindSerial:
		b.serial()
	case simulate.KindHealthy:
		b.healthy()
	case simulate.KindTwoPhase:
		b.twoPhase()
	case simulate.KindArchetype:
		b.archetype()
	default:
		b.random()
	}
	p.scale = make([]float64, 997)
	for i := range p.scale {
		p.scale[i] = r.Spread(sigma)
	}
	l.seconds = make([]float64, len(p.names))
	for i := range l.seconds {
		l.seconds[i] = r.Between(0.6, 2.4)
	}
	if len(p.names) > 1 {
		long := r.IntN(2)
		l.seconds[long], l.seconds[1-long] = r.Between(0.8, 1.8), r.Between(0.6, 0.85)
	}
	c.Text = fmt.Sprintf("%s on %s", p.text, m.model)
	c.Record = func(o simulate.Options) (*capture.Capture, error) { return l.record(o) }
	c.Judge = l.judge
	return c, nil
}

// size decides how many iterations there are, by how long those of each content take.
func (l *load) size() {
	l.sized.Do(func() {
		const look = 400_000_000
		p := l.p
		for try := 0; ; try++ {
			var content []uint8
			warm := 0
			late := false
			for c, seconds := range l.seconds {
				p.content, p.rest = nil, c
				horizon := int64(look)
				if p.dates != nil {
					horizon = int64((seconds+0.4)*1e9) + 1
				}
				s := run(l.m, p, none, math.MaxInt32, horizon, false, nil)
				each := float64(horizon)
				if k := s.ended; k > 1 {
					each = float64(s.frames[k-1].end-s.frames[k/3].end) / float64(max(1, k-1-k/3))
				}
				n := max(10, int(seconds*1e9/max(1, each)))
				if len(l.seconds) > 1 {
					n += 3 // frames that belong to neither phase
				}
				if p.dates != nil {
					n = max(6, s.ended-1)
					for i := range s.ended {
						late = late || s.frames[i].end > p.dates[i]+p.within*9/10
					}
				}
				if c == 0 {
					warm = max(2, int(0.15e9/max(1, each)))
					if p.dates == nil {
						n += warm
					}
				}
				for range n {
					content = append(content, uint8(c))
				}
			}
			if late && try < 6 {
				for i := range p.scale {
					p.scale[i] *= 0.75
				}
				continue
			}
			p.content, p.rest = content, len(l.seconds)-1
			p.warm, l.n = min(warm, len(content)/3), len(content)
			return
		}
	})
}
