package amdgpu

import (
	"fmt"
	"math"
	"sync"
	"syscall"
	"time"

	"astrolabe/hwio/hwtest"
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
	number  int
	address string
	m       hwtest.Machine
	start   int64 // of the workload

	mu      sync.Mutex
	files   map[string]string // as they were written last
	opened  int64             // when the node was first opened, 0 before
	gone    bool
	off     bool
	reads   map[uint32]uint64 // successful, by register
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
	m.Own("/sys/class/drm")
	m.Own("/dev/dri")
	m.File("/sys/class/drm/version", "drm 1.1.0 20060810\n")
	for i, g := range d.gpus {
		g.m, g.number, g.start = m, i, hwtest.Now()
		g.address = fmt.Sprintf("0000:%02x:00.0", 3+0xc*i)
		g.files, g.reads, g.asked = map[string]string{}, map[uint32]uint64{}, map[string]uint64{}
		g.appear()
		g.renew()
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

// since is the time since the workload's start.
func (g *gpu) since() int64 { return hwtest.Now() - g.start }

func (g *gpu) has(scenario string) bool { return g.m.Settings().Has(scenario) }

// levels are what sensors show at t.
func (g *gpu) levels(t int64) levels {
	if heavy(t) {
		return g.part.heavy
	}
	return g.part.light
}

// energy is what was used until t, in joules. A powered-off GPU uses as much as before in this model: the count alone is of interest.
func (g *gpu) energy(t int64) float64 { return consumed(g.part.heavy.Watts, g.part.light.Watts, t) }

// inEvent reports whether now falls into the stretch of a scenario's event that lasts for length.
func (g *gpu) inEvent(scenario string, length int64) bool {
	if g.opened == 0 || !g.has(scenario) {
		return false
	}
	at := hwtest.Now() - g.opened - firstEvent
	return at >= 0 && at < length
}

// events makes happen what the scenarios hold.
func (g *gpu) events() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inEvent(unplugScenario, math.MaxInt64) && !g.gone {
		g.gone = true
		g.m.Remove("/sys/class/drm/" + g.card())
		g.m.Remove("/sys/class/drm/" + g.render())
		g.m.Remove("/dev/dri/" + g.card())
		g.m.Remove("/dev/dri/" + g.render())
		g.m.Remove(g.folder())
	}
	if off := g.inEvent(offScenario, suspendedLength); off != g.off {
		g.off = off
		for _, f := range []string{"/gpu_busy_percent", "/mem_busy_percent", "/gpu_metrics", "/hwmon/hwmon5/power1_average", "/hwmon/hwmon5/power1_input"} {
			if off {
				g.m.Fail(g.folder()+f, syscall.EBUSY)
			} else {
				g.m.Fail(g.folder()+f, nil)
			}
		}
	}
}

// Truth is what the GPUs did. Times are ns of CLOCK_MONOTONIC.
type Truth struct {
	GPUs []GPUTruth `json:"gpus"`
}

// GPUTruth is what one GPU did.
type GPUTruth struct {
	Card      string            `json:"card"`
	Start     int64             `json:"start_ns"`
	Opened    int64             `json:"opened_ns"`
	Frame     int64             `json:"frame_ns"`
	Turn      int64             `json:"heavy_or_light_ns"`
	Work      []work            `json:"blocks"`
	Heavy     levels            `json:"heavy"`
	Light     levels            `json:"light"`
	Registers map[uint32]uint64 `json:"register_reads"` // by byte offset
	Refused   uint64            `json:"refused"`
	Asked     map[string]uint64 `json:"asked"`
	Woken     uint64            `json:"asked_while_off"`
	EventFrom int64             `json:"event_from_ns"` // of the scenario
}

// Truth implements hwtest.Device.
func (d *device) Truth() any {
	t := &Truth{}
	for _, g := range d.gpus {
		g.mu.Lock()
		t.GPUs = append(t.GPUs, GPUTruth{Card: g.card(), Start: g.start, Opened: g.opened, Frame: frame, Turn: halfTurn, Work: g.part.work, Heavy: g.part.heavy, Light: g.part.light,
			Registers: g.reads, Refused: g.refused, Asked: g.asked, Woken: g.woken, EventFrom: g.opened + firstEvent})
		g.mu.Unlock()
	}
	return t
}

// Busy is the share of the time from one moment to another in which a block worked.
func (t *GPUTruth) Busy(block string, from, to int64) float64 {
	for i := range t.Work {
		if w := &t.Work[i]; w.Name == block {
			return (w.worked(to-t.Start) - w.worked(from-t.Start)) / float64(to-from)
		}
	}
	return 0
}

// Joules is the energy used from one moment to another.
func (t *GPUTruth) Joules(from, to int64) float64 {
	return consumed(t.Heavy.Watts, t.Light.Watts, to-t.Start) - consumed(t.Heavy.Watts, t.Light.Watts, from-t.Start)
}

// IsHeavy reports whether work is heavy at a moment.
func (t *GPUTruth) IsHeavy(at int64) bool { return heavy(at - t.Start) }

// Engines are the shares of time for which each engine kind works for each of the two clients.
var Engines = map[string][2]float64{"gfx": {0.50, 0.10}, "compute": {0, 0.25}, "dma": {0.05, 0}}

// Clients are the processes of the two clients: the first holds two descriptors of its own.
var Clients = [2]int{4100001, 4100002}
