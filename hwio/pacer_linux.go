//go:build linux

package hwio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/internal/clock"
)

// timerPacer ticks by a timerfd on absolute CLOCK_MONOTONIC, so that lateness never adds up, and counts the expirations
// that nobody read. An eventfd wakes it. Slow ticks are the Go runtime's: a goroutine that waits in a system call keeps
// its scheduler awake, which then costs more than the tick.
type timerPacer struct {
	slow          *time.Timer // nil where ticks come fast
	first, period int64       // of slow ticks
	seen          uint64
	woken         chan struct{}

	timer int
	mu    sync.Mutex // guards event against Wake after Close
	event int
	fds   [2]unix.PollFd
	buf   [8]byte
}

var _ pacer = (*timerPacer)(nil)

func newPacer() (pacer, error) {
	timer, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("create the recording timer: %w", err)
	}
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(timer)
		return nil, fmt.Errorf("create the recording's stop event: %w", err)
	}
	p := &timerPacer{timer: timer, event: event, woken: make(chan struct{}, 1)}
	p.fds = [2]unix.PollFd{{Fd: int32(timer), Events: unix.POLLIN}, {Fd: int32(event), Events: unix.POLLIN}}
	return p, nil
}

func (p *timerPacer) Now() int64 { return clock.Monotonic() }

func (p *timerPacer) Arm(first, period int64) error {
	if time.Duration(period) >= slowTicks {
		p.slow, p.first, p.period, p.seen = time.NewTimer(0), first, period, 0
		return nil
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(first), Interval: unix.NsecToTimespec(period)}
	if err := unix.TimerfdSettime(p.timer, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		return fmt.Errorf("start the recording timer with a period of %d ns: %w", period, err)
	}
	return nil
}

func (p *timerPacer) Wait(deadline int64) (uint64, error) {
	if p.slow != nil {
		return p.waitSlowly(deadline), nil
	}
	for {
		var left *unix.Timespec
		if deadline > 0 {
			ts := unix.NsecToTimespec(max(deadline-p.Now(), 0))
			left = &ts
		}
		n, err := unix.Ppoll(p.fds[:], left, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, fmt.Errorf("wait for the recording timer: %w", err)
		case n == 0:
			return 0, nil
		}
		ticks, err := p.drain(p.timer)
		if err != nil {
			return 0, fmt.Errorf("read the recording timer: %w", err)
		}
		if p.fds[1].Revents != 0 {
			if _, err := p.drain(p.event); err != nil {
				return 0, fmt.Errorf("read the recording's stop event: %w", err)
			}
		} else if ticks == 0 {
			continue
		}
		return ticks, nil
	}
}

// waitSlowly is Wait for slow ticks.
func (p *timerPacer) waitSlowly(deadline int64) (ticks uint64) {
	for woken := false; ; {
		now := p.Now()
		if now >= p.first {
			due := uint64((now-p.first)/p.period) + 1
			ticks, p.seen = due-p.seen, due
		}
		if ticks > 0 || woken || deadline > 0 && now >= deadline {
			return ticks
		}
		until := p.first + int64(p.seen)*p.period
		if deadline > 0 {
			until = min(until, deadline)
		}
		p.slow.Reset(time.Duration(until - now))
		select {
		case <-p.slow.C:
		case <-p.woken:
			woken = true
		}
	}
}

// drain reads an 8-byte counter, 0 where it has nothing.
func (p *timerPacer) drain(fd int) (uint64, error) {
	for {
		_, err := unix.Read(fd, p.buf[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return 0, nil
		case err != nil:
			return 0, err
		}
		return binary.NativeEndian.Uint64(p.buf[:]), nil
	}
}

func (p *timerPacer) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.woken <- struct{}{}:
	default: // it will wake already
	}
	if p.event >= 0 {
		one := [8]byte{}
		binary.NativeEndian.PutUint64(one[:], 1)
		// It only fails where the counter is full, and then the wait ends anyway.
		_, _ = unix.Write(p.event, one[:])
	}
}

func (p *timerPacer) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.event < 0 {
		return nil
	}
	err := errors.Join(unix.Close(p.timer), unix.Close(p.event))
	p.event = -1
	return err
}

// ownUse is the processor time that this program has used, in ns, and how often its threads had to wait.
func ownUse() (cpu, waits int64) {
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		return 0, 0
	}
	return ru.Utime.Nano() + ru.Stime.Nano(), int64(ru.Nvcsw)
}
