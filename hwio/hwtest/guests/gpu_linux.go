package guests

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The registers of a Mali GPU with a job manager, which are plain memory of the guest's, and where the device tree puts
// them. Offsets and bits are those of Linux' drivers/gpu/drm/panfrost/panfrost_regs.h.
const (
	gpuAt   = memoryBase + memorySize - 1<<20
	gpuSize = 1 << 16

	regID           = 0x000
	regL2Features   = 0x004
	regCoreFeatures = 0x008
	regMemFeatures  = 0x010
	regMMUFeatures  = 0x014
	regASPresent    = 0x018
	regJSPresent    = 0x01c
	regRawStatus    = 0x020
	regStatus       = 0x02c
	regCommand      = 0x030
	regBaseLow      = 0x060
	regBaseHigh     = 0x064
	regCounters     = 0x068
	regShaderOn     = 0x070
	regThreads      = 0x0a0
	regShaders      = 0x100
	regTilers       = 0x110
	regL2s          = 0x120
	regReady        = 0x40 // after those of what is present
	regTables       = 0x2400

	commandSample          = 4
	commandCleanCaches     = 7
	commandCleanInvalidate = 8

	statusReset   = 1 << 8
	statusSampled = 1 << 16
	statusCleaned = 1 << 17

	// Shared interrupts of the machine that it has no device for: jobs, address translation, everything else.
	interruptJobs, interruptMMU, interruptGPU = 200, 201, 202
)

// gpu is what a GPU does beside its registers: it answers commands, writes counters where the driver's page tables say,
// and interrupts.
type gpu struct {
	memory *memory
	qtest  *qtest
	spec   gpuSpec
	layout []place

	mu      sync.Mutex
	totals  []uint64 // of each value of a dump, what was written into the samples that the driver took
	samples int      // of those
	asked   int      // commands for a sample
	stop    chan struct{}
	done    chan struct{}
	err     error

	silent atomic.Int64 // samples that are not answered from now on: the counts stay for the next
	delay  atomic.Int64 // ns between the command and its answer
}

// gpuSpec is what is in the registers.
type gpuSpec struct {
	product  uint32
	l2s      int
	cores    uint32 // mask
	old      bool   // blocks in the older order
	busWidth uint32 // log2 of bits
}

// preload writes what the driver reads before it uses the GPU.
func (g *gpu) preload() {
	for register, value := range map[uint64]uint32{
		regID: g.spec.product << 16, regL2Features: g.spec.busWidth << 24, regCoreFeatures: 2,
		regMemFeatures: uint32(g.spec.l2s-1)<<8 | 1, regMMUFeatures: 40<<8 | 48, regASPresent: 0xff, regJSPresent: 7,
		regThreads: 768,
		regShaders: g.spec.cores, regTilers: 1, regL2s: 1,
		// Whatever is switched on is ready, and a reset has always ended.
		regShaders + regReady: g.spec.cores, regTilers + regReady: 1, regL2s + regReady: 1, regRawStatus: statusReset,
	} {
		g.memory.swap(gpuAt+register, value)
	}
}

// newGPU makes one that does not answer yet.
func newGPU(m *memory) *gpu {
	return &gpu{memory: m, stop: make(chan struct{}), done: make(chan struct{})}
}

// become makes it another GPU, while no driver uses it.
func (g *gpu) become(s gpuSpec) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.spec, g.layout = s, s.layout()
	g.totals = make([]uint64, blockValues*len(g.layout))
	g.preload()
}

const blockValues = 64

// place is a block of a dump: the name and number of its unit, "" where the hardware writes nothing that means
// something.
type place struct {
	name   string
	number int
}

// layout is what a dump consists of (after Arm's and Linux' drivers): the job manager, the tiler, the caches and, by
// its number, each core up to the last one; GPUs before the Mali-T800 have places for four cores first.
func (s gpuSpec) layout() []place {
	core := func(i int) place {
		if s.cores>>i&1 == 0 {
			return place{}
		}
		return place{"core", i}
	}
	if s.old {
		return []place{core(0), core(1), core(2), core(3), {"tiler", 0}, {"memory", 0}, {}, {"fe", 0}}
	}
	out := []place{{"fe", 0}, {"tiler", 0}}
	for i := range s.l2s {
		out = append(out, place{"memory", i})
	}
	for i := range bits.Len32(s.cores) {
		out = append(out, core(i))
	}
	return out
}

// run answers commands until the test ends.
func (g *gpu) run(t testing.TB, q *qtest) {
	g.qtest = q
	go func() {
		defer close(g.done)
		for {
			select {
			case <-g.stop:
				return
			default:
			}
			command := g.memory.swap(gpuAt+regCommand, 0)
			if command == 0 {
				time.Sleep(20 * time.Microsecond)
				continue
			}
			if err := g.do(command); err != nil {
				g.mu.Lock()
				g.err = err
				g.mu.Unlock()
				return
			}
		}
	}()
	t.Cleanup(func() {
		close(g.stop)
		<-g.done
		if g.err != nil {
			t.Errorf("the GPU: %v", g.err)
		}
	})
}

func (g *gpu) do(command uint32) error {
	switch command {
	case commandSample:
		if d := g.delay.Load(); d > 0 {
			time.Sleep(time.Duration(d))
		}
		g.mu.Lock()
		g.asked++
		g.mu.Unlock()
		if g.silent.Add(-1) >= 0 {
			return nil
		}
		g.silent.Store(0)
		if err := g.sample(); err != nil {
			return err
		}
		return g.interrupt(statusSampled)
	case commandCleanCaches, commandCleanInvalidate:
		return g.interrupt(statusCleaned)
	}
	return nil // resets and clearing have ended when the driver looks
}

// sample writes the counts since the sample before.
func (g *gpu) sample() error {
	r := func(register uint64) uint64 { return uint64(g.memory.word(gpuAt + register)) }
	if r(regCounters)&1 == 0 || r(regShaderOn) == 0 {
		return fmt.Errorf("a sample is asked for with the counters off (%#x)", r(regCounters))
	}
	space := r(regCounters) >> 4 & 15
	root := r(regTables+space<<6) | r(regTables+space<<6+4)<<32
	at := r(regBaseLow) | r(regBaseHigh)<<32
	g.mu.Lock()
	defer g.mu.Unlock()
	g.samples++
	for block := range g.layout {
		// Blocks are 256 bytes, so none crosses a page.
		physical, err := g.translate(root, at+uint64(block)*blockValues*4)
		if err != nil {
			return err
		}
		b := g.memory.at(physical, blockValues*4)
		for i := range blockValues {
			v := g.count(block, i, g.samples)
			g.totals[block*blockValues+i] += uint64(v)
			binary.LittleEndian.PutUint32(b[4*i:], v)
		}
	}
	return nil
}

// count is what a value of a block counts in a sample: another number for each, some with the highest bit set.
func (g *gpu) count(block, index, sample int) uint32 {
	switch {
	case g.layout[block].name == "":
		return 0xdeadbeef // what was there before: nobody may read it
	case index == 2:
		return 0xffff // groups of counters that are on
	case index < 4:
		return 0
	case index%16 == 15:
		return ^uint32(block*1000 + sample)
	}
	return uint32(block+1)*1_000_003 + uint32(index)*10_007 + uint32(sample)*101
}

// translate walks the driver's page table (Arm's LPAE format as Mali has it: four levels of 512 entries; kinds of
// entries are 3 for a table and 1 for memory).
func (g *gpu) translate(root, address uint64) (uint64, error) {
	const addressBits = 0x0000_ffff_ffff_f000
	table := root & addressBits
	for level := range 4 {
		shift := 39 - 9*level
		e := g.memory.entry(table + address>>shift&511*8)
		switch {
		case e&3 == 3:
			table = e & addressBits
		case e&3 == 1:
			mask := uint64(1)<<shift - 1
			return e&addressBits&^mask | address&mask, nil
		default:
			return 0, fmt.Errorf("the page table at %#x has no entry for %#x: level %d holds %#x", root,
				address, level, e)
		}
	}
	return 0, fmt.Errorf("the page table at %#x has no memory for %#x", root, address)
}

// interrupt sets why and tells the processor.
func (g *gpu) interrupt(why uint32) error {
	g.memory.swap(gpuAt+regStatus, why)
	return g.qtest.pend(interruptGPU)
}

// told is what a GPU was asked and wrote until then.
type told struct {
	totals         []uint64
	samples, asked int
}

func (g *gpu) told() told {
	g.mu.Lock()
	defer g.mu.Unlock()
	return told{slices.Clone(g.totals), g.samples, g.asked}
}
