package amdgpu

import (
	"errors"
	"sync"
	"time"

	"astrolabe/capture"
)

// value is one slow reading. A level is in number, or whole where its column holds integers; a total is in whole,
// unscaled.
type value struct {
	number float64
	whole  uint64
	ok     bool
	why    capture.Reason // where not ok
}

func (v *value) set(x float64)            { *v = value{number: x, ok: true} }
func (v *value) setWhole(u uint64)        { *v = value{whole: u, ok: true} }
func (v *value) miss(why *capture.Reason) { *v = value{why: *why} }

// task reads some values together, such as those of one file.
type task struct {
	read  func(out []value) // fills all of them
	close func() error      // nil where there is nothing to close
	size  int
	cols  []column // their slot counts from the task's first
}

// readings renews slow values on a thread of its own.
type readings struct {
	g      *gpu // whose state decides whether to read; nil for values of no GPU
	tasks  []task
	period time.Duration
	blocks bool // a reading takes a second: even the first is left to the thread

	mu    sync.Mutex
	now   []value
	turns int // how often everything was read

	next     []value
	stop     chan struct{}
	finished chan struct{}
	started  bool
	once     sync.Once
	err      error
}

// add takes a task in and returns the slot of its first value.
func (r *readings) add(t task) int {
	base := len(r.next)
	for range t.size {
		r.next = append(r.next, value{why: resting})
		r.now = append(r.now, value{why: resting})
	}
	r.tasks = append(r.tasks, t)
	return base
}

// refresh reads everything once.
func (r *readings) refresh() {
	var why *capture.Reason
	if r.g != nil {
		r.g.look()
		switch {
		case r.g.gone.Load():
			why = &removed
		case r.g.sleeping.Load():
			why = &asleep
		}
	}
	at := 0
	for i := range r.tasks {
		t := &r.tasks[i]
		out := r.next[at : at+t.size]
		at += t.size
		if why != nil {
			for k := range out {
				out[k].miss(why)
			}
			continue
		}
		t.read(out)
	}
	r.mu.Lock()
	copy(r.now, r.next)
	r.turns++
	r.mu.Unlock()
}

// take copies the latest values.
func (r *readings) take(dst []value) {
	r.mu.Lock()
	copy(dst, r.now)
	r.mu.Unlock()
}

// start renews the values every period until close.
func (r *readings) start() {
	if len(r.tasks) == 0 {
		return
	}
	r.stop, r.finished, r.started = make(chan struct{}), make(chan struct{}), true
	go func() {
		defer close(r.finished)
		t := time.NewTicker(r.period)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				r.refresh()
			case <-r.stop:
				return
			}
		}
	}()
}

// closePatience is how long close waits for a driver that hangs; then the files stay open until it answers.
const closePatience = 1500 * time.Millisecond

func (r *readings) close() error {
	r.once.Do(func() {
		if r.started {
			close(r.stop)
			select {
			case <-r.finished:
			case <-time.After(closePatience):
				go func() {
					<-r.finished
					_ = r.closeTasks()
				}()
				return
			}
		}
		r.err = r.closeTasks()
	})
	return r.err
}

func (r *readings) closeTasks() error {
	var errs []error
	for _, t := range r.tasks {
		if t.close != nil {
			errs = append(errs, t.close())
		}
	}
	return errors.Join(errs...)
}
