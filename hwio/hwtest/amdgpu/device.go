package amdgpu

import (
	"fmt"
	"math"
	"sync"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/drm"
)

// device is one or two GPUs.
type device struct {
	m    hwtest.Machine
	gpus []*gpu
	stop chan struct{}
	done chan struct{}
}

// gpu is one GPU at its place on the bus.
type gpu struct {
	part    *part
	xcp     string // the platform device of a partition that is not the card on the bus, "" of a whole card
	unused  bool   // a partition that the mode does not have
	number  int
	address string
	m       hwtest.Machine
	start   int64 // of the workload

	mu      sync.Mutex
	files   map[string]string // as they were written last
	opened  int64             // when the node was first opened, -1 before
	rounds  int               // rounds of reading, as they can be told by the opens of the runtime status
	gone    bool
	off     bool
	reads   map[uint32]uint64 // successful, by register
	answers []Answer
	refused uint64
	asked   map[string]uint64
	woken   uint64 // questions asked of it while it was powered off, after a grace
}

func newDevice(p *part) *device { return &device{gpus: []*gpu{{part: p}}} }

var _ hwtest.Device = (*device)(nil)

// Start implements hwtest.Device.
func (d *device) Start(m hwtest.Machine) error {
	d.m = m
	if m.Settings().Has(twoScenario) {
		d.gpus = []*gpu{{part: vega20}, {part: strixHalo}}
	}
	if p := d.gpus[0].part; p.partitions > 0 {
		for i := range p.partitions { // one more than the mode has: the kernel shows all that it could have
			d.gpus = append(d.gpus, &gpu{part: p, xcp: fmt.Sprintf("amdgpu_xcp_%d", i), unused: i == p.partitions-1})
		}
	}
	m.File("/sys/module/amdgpu/initstate", "live\n") // AMD's programs look whether the driver is there
	for i, g := range d.gpus {
		g.m, g.number, g.start, g.opened = m, i, hwtest.Now(), -1
		g.address = fmt.Sprintf("0000:%02x:00.0", 3+0xc*i)
		g.files, g.reads, g.asked = map[string]string{}, map[uint32]uint64{}, map[string]uint64{}
		g.appear()
		g.renew()
		m.Watch(g.folder()+"/power/runtime_status", g.round)
	}
	d.topology()
	if m.Settings().Has(steppedScenario) {
		return nil
	}
	d.stop, d.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(d.done)
		t := time.NewTicker(10 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				for _, g := range d.gpus {
					g.events()
					g.renew()
				}
			case <-d.stop:
				return
			}
		}
	}()
	return nil
}

// Stop implements hwtest.Device.
func (d *device) Stop() {
	if d.stop != nil {
		close(d.stop)
		<-d.done
		d.stop = nil
	}
}

// round begins a round of reading: a program that watches a GPU looks at its runtime status before it asks for anything
// that would wake it.
func (g *gpu) round() {
	g.mu.Lock()
	g.rounds++
	n := g.rounds
	g.mu.Unlock()
	if g.has(steppedScenario) {
		g.events()
		g.renew()
	}
	g.m.Settings().Tell(n)
}

// since is the time since the workload's start.
func (g *gpu) since() int64 {
	if g.has(steppedScenario) {
		return int64(g.rounds) * Step
	}
	return hwtest.Now() - g.start
}

func (g *gpu) has(scenario string) bool { return g.m.Settings().Has(scenario) }

// levels are what sensors show at t.
func (g *gpu) levels(t int64) levels {
	if heavy(t) {
		return g.part.heavy
	}
	return g.part.light
}

// energy is what was used until t, in joules. A powered-off GPU uses as much as before in this model: the count alone
// is of interest.
func (g *gpu) energy(t int64) float64 { return consumed(g.part.heavy.Watts, g.part.light.Watts, t) }

// inEvent reports whether now falls into the stretch of a scenario's event that lasts for length.
func (g *gpu) inEvent(scenario string, length int64) bool {
	if g.opened < 0 || !g.has(scenario) {
		return false
	}
	begins := int64(firstEvent)
	if scenario == unplugScenario {
		begins = unplugEvent
	}
	at := g.since() - g.opened - begins
	return at >= 0 && at < length
}

// events makes happen what the scenarios hold.
func (g *gpu) events() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inEvent(unplugScenario, math.MaxInt64) && !g.gone {
		g.gone = true
		drm.RemoveNodes(g.m, g.number)
		g.m.Remove("/sys/class/" + g.hwmon())
		drm.RemovePCI(g.m, g.folder(), g.address)
	}
	if off := g.inEvent(offScenario, suspendedLength); off != g.off {
		g.off = off
		for _, f := range []string{"/gpu_busy_percent", "/mem_busy_percent", "/gpu_metrics", "/" +
			g.hwmon() + "/power1_average", "/" + g.hwmon() + "/power1_input"} {
			if off {
				g.m.Fail(g.folder()+f, syscall.EBUSY)
			} else {
				g.m.Fail(g.folder()+f, nil)
			}
		}
	}
}

// Truth is what the GPUs did.
type Truth struct {
	GPUs []GPUTruth `json:"gpus"`
}

// GPUTruth is what one GPU did.
type GPUTruth struct {
	Card      string            `json:"card"`
	Frame     int64             `json:"frame_ns"`
	Turn      int64             `json:"heavy_or_light_ns"`
	Work      []work            `json:"blocks"`
	Heavy     levels            `json:"heavy"`
	Light     levels            `json:"light"`
	Rounds    int               `json:"rounds"`         // of reading, see the scenario "stepped"
	Registers map[uint32]uint64 `json:"register_reads"` // by byte offset
	Refused   uint64            `json:"refused"`
	Asked     map[string]uint64 `json:"asked"`
	Woken     uint64            `json:"asked_while_off"`
	// Answers are the values of status registers that were read, in order, up to maxAnswers of them.
	Answers []Answer `json:"-"`
}

// Answer is the value of a register that a program was told.
type Answer struct {
	Register uint32 // byte offset
	Value    uint32
}

// maxAnswers bounds the memory of the account: half a minute of reading two registers at the usual rate.
const maxAnswers = 600_000

// Truth implements hwtest.Device.
func (d *device) Truth() any {
	t := &Truth{}
	for _, g := range d.gpus {
		g.mu.Lock()
		t.GPUs = append(t.GPUs, GPUTruth{Card: g.card(), Frame: frame, Turn: halfTurn, Work: g.part.work,
			Heavy: g.part.heavy, Light: g.part.light,
			Rounds: g.rounds, Registers: g.reads, Refused: g.refused, Asked: g.asked, Woken: g.woken,
			Answers: g.answers})
		g.mu.Unlock()
	}
	return t
}

// Energy is the count of energy in gpu_metrics, in units of 2^-16 J and before it wraps, at a time since the start of
// the workload.
func (t *GPUTruth) Energy(at int64) uint64 {
	return energyUnits(consumed(t.Heavy.Watts, t.Light.Watts, at))
}

func energyUnits(joules float64) uint64 { return uint64(joules * 65536) }

// Engines are the shares of time for which each engine kind works for each of the two clients.
var Engines = map[string][2]float64{"gfx": {0.50, 0.10}, "compute": {0, 0.25}, "dma": {0.05, 0}}

// Clients are the processes of the two clients: the first holds two descriptors of its own.
var Clients = [2]int{4100001, 4100002}
