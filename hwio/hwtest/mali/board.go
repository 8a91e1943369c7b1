package mali

import (
	"sync"
	"time"

	"astrolabe/hwio/hwtest"
)

// board is a device of this package: a GPU, its driver and the files around them.
type board struct {
	spec    spec
	set     *hwtest.Settings
	machine hwtest.Machine
	now     func() int64        // CLOCK_MONOTONIC_RAW in ns
	sleep   func(time.Duration) // of a call that takes long
	timed   bool                // whether a goroutine takes the periodic samples; tests do it themselves

	mu        sync.Mutex
	gpu       *gpu
	readers   []reader
	truth     Truth
	enumCount int // items of the last enumeration; a setup is measured by it
	holder    *panfrostFile
	removed   bool
	fetched   int   // samples that programs were given
	gauged    int64 // when the gauges in sysfs were last written

	wake, quit chan struct{}
	done       chan struct{}
}

// reader is an open counter reader, with the board locked.
type reader interface {
	// due is when the next periodic sample is to be taken, 0 where none is.
	due() int64
	// periodic takes it.
	periodic(now int64)
	// broken says that the device is gone.
	broken()
}

func newBoard(s spec) *board {
	return &board{
		spec: s, now: hwtest.NowRaw, sleep: time.Sleep, timed: true,
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
}

// Start makes the node and the files of sysfs.
func (b *board) Start(m hwtest.Machine) error {
	b.machine, b.set = m, m.Settings()
	b.spec = b.spec.with(b.set)
	s := &b.spec
	b.gpu = newGPU(*s, b.set, b.now())
	b.truth = Truth{
		Device: s.name, Scenarios: append([]string{}, b.set.Scenarios...), GPU: s.gpu, GPUID: s.id, CoreMask: s.cores,
		Slices:  s.slices,
		BusBits: 1 << s.busBits, Major: s.version.major, Minor: s.version.minor, Files: []*FileTruth{},
		Clients: []*ClientTruth{},
	}
	if b.gpu.plant != nil {
		b.truth.Limiter = b.gpu.plant.limiter
	}
	b.makeTree()
	if b.set.Has("two-clients") {
		b.mu.Lock()
		b.startNeighbour()
		b.mu.Unlock()
	}
	if b.timed {
		go b.run()
	} else {
		close(b.done)
	}
	return nil
}

// Stop ends the model's goroutine.
func (b *board) Stop() {
	select {
	case <-b.quit:
	default:
		close(b.quit)
	}
	<-b.done
}

// Truth is a *Truth.
func (b *board) Truth() any {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.truth
	t.Started = b.gpu.started
	t.Released = true
	for _, f := range t.Files {
		t.Released = t.Released && f.Closed
	}
	for _, c := range t.Clients {
		t.Released = t.Released && c.released(t.Removed != 0)
	}
	return &t
}

// run takes the periodic samples and lets the scenarios happen.
func (b *board) run() {
	defer close(b.done)
	idle := time.NewTimer(0)
	defer idle.Stop()
	for {
		now := b.now()
		b.mu.Lock()
		next := b.tick(now)
		b.mu.Unlock()
		if next == 0 {
			// Nobody samples: wait until somebody does, looking in at times for the scenarios' sake.
			idle.Reset(20 * time.Millisecond)
			select {
			case <-b.quit:
				return
			case <-b.wake:
			case <-idle.C:
			}
			continue
		}
		select {
		case <-b.quit:
			return
		default:
			nap(min(time.Duration(next-b.now()), 2*time.Millisecond))
		}
	}
}

// tick does what is due and returns when the next periodic sample is, 0 where nobody samples periodically.
func (b *board) tick(now int64) int64 {
	if b.removed {
		return 0
	}
	if b.set.Has("unplug") && b.gpu.started != 0 && now >= b.gpu.started+unplugAfter && b.fetched >= unplugSamples {
		b.unplug(now)
		return 0
	}
	if now-b.gauged >= gaugeEvery {
		b.writeGauges(now)
	}
	next := int64(0)
	for _, r := range b.readers {
		if d := r.due(); d != 0 && d <= now {
			r.periodic(now)
		}
		if d := r.due(); d != 0 && (next == 0 || d < next) {
			next = d
		}
	}
	return next
}

// kick makes the goroutine look at the readers now.
func (b *board) kick() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// unplug removes the device.
func (b *board) unplug(now int64) {
	b.removed = true
	b.truth.Removed = now
	b.removeTree()
	for _, r := range b.readers {
		r.broken()
	}
}

// drop takes a reader off the list.
func (b *board) drop(r reader) {
	for i, x := range b.readers {
		if x == r {
			b.readers = append(b.readers[:i], b.readers[i+1:]...)
			return
		}
	}
}

// client opens a client's account in the truth.
func (b *board) client(pid int, iface string) *ClientTruth {
	c := &ClientTruth{
		ID: len(b.truth.Clients), PID: pid, Interface: iface, Enabled: map[uint8][2]uint64{}, Totals: []*BlockTotal{},
		Samples: []*SampleTruth{},
	}
	b.truth.Clients = append(b.truth.Clients, c)
	if pid != 0 {
		c.told = func() {
			b.fetched++
			if iface != "panfrost" { // whose requests are told of
				b.set.Tell(b.fetched)
			}
		}
	}
	return c
}

// alignedAfter is the first multiple of a period after a time: clients of equal period are sampled together.
func alignedAfter(t, period int64) int64 { return (t/period + 1) * period }

// periods are how many multiples of a period there are from one that is due to now: more than one where the model was
// late.
func periods(due, now, period int64) int { return int((now-due)/period) + 1 }

// overdue are the periods whose samples were due, the first at due, and had not been taken when sampling ended: the
// last sample, which began at from, covers them. One that is hardly longer than a period is only the next sample, taken
// by another hand.
func overdue(due, now, period, from int64) int {
	if due == 0 || due > now || now-from < period*3/2 {
		return 0
	}
	return periods(due, now, period)
}
