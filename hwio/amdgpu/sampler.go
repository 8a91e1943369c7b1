package amdgpu

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"astrolabe/capture"
)

// sampler reads a GPU's status registers at random times, on average rate times a second, on a thread of its own. Every
// sample falls into its own slice of time but anywhere in it, so that work which repeats at the sampling rate is not
// always met in the same phase.
type sampler struct {
	g      *gpu
	regs   []register
	call   *call
	period int64 // ns
	random uint64

	begun  int64       // ns, of the first slice
	slept  atomic.Bool // no sample was taken for a while, because the GPU was asleep
	mu     sync.Mutex
	totals []regTotals // per register

	stop    atomic.Bool
	started bool
	done    chan struct{}
}

// regTotals counts what was seen of a register since the start.
type regTotals struct {
	samples uint64
	ones    [maxBits]uint64 // per bit of interest
	refused uint64
	last    error // of the latest refusal, nil after a sample
}

// maxBits bounds the bits of interest of one register.
const maxBits = 16

func newSampler(g *gpu, regs []register, rate float64) *sampler {
	return &sampler{g: g, regs: regs, call: new(call), period: int64(1e9 / rate), random: uint64(now()) | 1,
		totals: make([]regTotals, len(regs)), done: make(chan struct{})}
}

// readable asks for every register once and returns those that the driver lets be read, with the refusals of the
// others.
func readable(g *gpu, regs []register) (ok []register, refused map[string]error) {
	refused = map[string]error{}
	c := new(call)
	for _, r := range regs {
		err := readRegister(g.node, c, r.offset)
		// A reset passes and a sleeping GPU wakes: only the driver's "not this one" is for good.
		if errors.Is(err, syscall.EFAULT) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTTY) ||
			errors.Is(err, syscall.EOPNOTSUPP) {
			refused[r.name] = err
			continue
		}
		ok = append(ok, r)
	}
	return ok, refused
}

// readRegister puts the register's value into the first word of the answer.
func readRegister(n node, c *call, offset uint32) error {
	return n.info(c, queryReadRegister, 4, [4]uint32{offset, 1, allInstances, 0})
}

// start begins sampling. close ends it.
func (s *sampler) start() {
	s.started, s.begun = true, now()
	go func() {
		defer close(s.done)
		// The thread dies with the goroutine, because its timer slack is nobody else's business.
		runtime.LockOSThread()
		wakePrecisely()
		s.loop()
	}()
}

// nap bounds a sleep, so that a slow sampler is soon told to end.
const nap = 20_000_000

func (s *sampler) loop() {
	slice := now()
	for !s.stop.Load() {
		at := slice + int64(s.next()%uint64(s.period))
		for t := now(); t < at && !s.stop.Load(); t = now() {
			sleepUntil(min(at, t+nap))
		}
		if s.stop.Load() {
			return
		}
		s.sample()
		// Slices that passed while the thread did not run are left out: a burst of samples would not be a sample of
		// that time.
		if slice += s.period; slice < now()-s.period {
			slice = now()
		}
	}
}

// next is a pseudo-random number (xorshift).
func (s *sampler) next() uint64 {
	s.random ^= s.random << 13
	s.random ^= s.random >> 7
	s.random ^= s.random << 17
	return s.random
}

// sample reads every register once.
func (s *sampler) sample() {
	if s.g.sleeping.Load() || s.g.gone.Load() {
		s.slept.Store(true)
		return
	}
	for i := range s.regs {
		err := readRegister(s.g.node, s.call, s.regs[i].offset)
		value := binary.LittleEndian.Uint32(s.call.answer[:])
		s.mu.Lock()
		t := &s.totals[i]
		t.last = err
		if errors.Is(err, syscall.ENODEV) {
			s.mu.Unlock()
			s.g.gone.Store(true)
			return
		}
		if err != nil {
			t.refused++
			s.mu.Unlock()
			continue
		}
		t.samples++
		for k := range s.regs[i].bits {
			t.ones[k] += uint64(value >> s.regs[i].bits[k].bit & 1)
		}
		s.mu.Unlock()
	}
}

// take copies the totals.
func (s *sampler) take(dst []regTotals) {
	s.mu.Lock()
	copy(dst, s.totals)
	s.mu.Unlock()
}

// why says why no sample of a register was taken.
func (s *sampler) why(i int, t *regTotals) (capture.Reason, bool) {
	switch {
	case s.g.gone.Load():
		return removed, true
	case s.g.sleeping.Load():
		return asleep, true
	case t.last != nil:
		return explainRegister(s.regs[i].name, t.last), true
	}
	return capture.Reason{}, false
}

func (s *sampler) close() {
	s.stop.Store(true)
	if s.started {
		<-s.done
	}
}
