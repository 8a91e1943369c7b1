package fleet

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// Pool is a number of worker processes.
type Pool struct {
	Command func() *exec.Cmd // a worker that is not started; its pipes are the pool's
	Setup   any              // for every worker, as JSON
	Jobs    int              // how many workers
	// Timeout is how long a capture may take; 0 is without end. A worker keeps it by itself, if it can: it is ended
	// where it has said nothing for some time after that.
	Timeout time.Duration
	Late    string // why a capture failed that was ended so
	// Ended reads the exit status, -1 where a signal ended it, and the last words of a worker that has ended during a
	// capture; told says that the worker did so because of the capture, and gave the reason.
	Ended func(status int, words string) (o Outcome, told bool)
	Talk  func(capture, line string) // what a worker says; may be called by several goroutines
	// Keep leaves workers running between calls of Run, which may be made at the same time and share them, until Close.
	Keep bool

	mu   sync.Mutex
	idle []*worker
	busy chan struct{} // has a place for each that may work at once
}

// tries is how often a capture is given to a new worker before it is to blame for the end of all of them.
const tries = 3

// overrun is how long a worker may take to notice that its capture has taken too long.
const overrun = 3 * time.Second

// Run does the tasks 0 to n-1 and hands each outcome to done, one at a time, in the order in which they come. The error
// is that of done, of ctx, or of workers that cannot be started.
func (p *Pool) Run(ctx context.Context, n int, task func(i int) Task, done func(i int, o Outcome) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	busy := p.places()
	var next atomic.Int64
	var mu sync.Mutex // of done
	var group sync.WaitGroup
	for range min(max(p.Jobs, 1), n) {
		group.Go(func() {
			for ctx.Err() == nil {
				select {
				case busy <- struct{}{}:
				case <-ctx.Done():
					return
				}
				i := int(next.Add(1)) - 1
				if i >= n {
					<-busy
					return
				}
				w := p.take()
				o, err := w.do(ctx, task(i))
				p.leave(w, err == nil)
				<-busy
				if err != nil {
					stop(err)
					return
				}
				mu.Lock()
				if ctx.Err() == nil {
					if err := done(i, o); err != nil {
						stop(err)
					}
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if !p.Keep {
		p.Close()
	}
	return context.Cause(ctx)
}

// places is what those who work take a place in.
func (p *Pool) places() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy == nil {
		p.busy = make(chan struct{}, max(p.Jobs, 1))
	}
	return p.busy
}

// take is a worker that has nothing to do, or a new one.
func (p *Pool) take() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return w
	}
	return &worker{pool: p}
}

// leave keeps a worker for the next task, or ends it where it is of no more use.
func (p *Pool) leave(w *worker, good bool) {
	if !good {
		w.end()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
}

// Close ends the workers that were kept. No Run may be going on.
func (p *Pool) Close() {
	var group sync.WaitGroup
	for _, w := range p.idle {
		group.Go(func() { w.end() })
	}
	group.Wait()
	p.idle = nil
}

// worker is a process that is started when it is needed, and again where it has ended.
type worker struct {
	pool *Pool
	proc *process // nil where none runs
	done int      // captures that proc was given
}

// renewal is how many captures a worker is given before another takes its place. A large capture stays mapped as long
// as the process runs, and a process has room for some tens of thousands of mappings.
const renewal = 1000

// do does a task. A capture that ends its worker is tried again by a new one, so that nobody is blamed for what was
// there before or came from outside; only what takes too long is not tried again.
func (w *worker) do(ctx context.Context, t Task) (Outcome, error) {
	if w.proc != nil && w.done >= renewal {
		w.end()
	}
	for try := 0; ; try++ {
		if w.proc == nil {
			proc, err := start(ctx, w.pool)
			for again := 1; errors.Is(err, errKilled) && again < tries && ctx.Err() == nil; again++ {
				proc, err = start(ctx, w.pool) // what killed it may have been meant for the one before
			}
			if err != nil {
				return Outcome{}, err
			}
			w.proc, w.done = proc, 0
		}
		fresh := w.done == 0
		w.done++
		o, err := w.once(ctx, t)
		if ctx.Err() != nil {
			return Outcome{}, context.Cause(ctx)
		}
		switch {
		case err == nil && o.Status == Memory && !fresh:
			w.end() // some of the memory may be that of the captures before
		case err == nil:
			return o, nil
		case errors.Is(err, errOverrun):
			w.end()
			return Outcome{Capture: t.Capture, Status: Timeout, Error: w.pool.Late,
				Detail: "a single operation did not stop within the time limit, so its process was ended\n"}, nil
		default:
			status, words := w.end()
			o, told := w.pool.Ended(status, words)
			if o.Capture = t.Capture; told && fresh || try >= tries-1 {
				return o, nil
			}
		}
	}
}

var errOverrun = errors.New("the worker did not stop")

// once hands a task to the running process. An error says that the process is of no more use.
func (w *worker) once(ctx context.Context, t Task) (Outcome, error) {
	var late <-chan time.Time
	if w.pool.Timeout > 0 {
		timer := time.NewTimer(w.pool.Timeout + overrun)
		defer timer.Stop()
		late = timer.C
	}
	w.proc.words.reset()
	if err := w.proc.send(frameTask, t); err != nil {
		return Outcome{}, err
	}
	for {
		select {
		case <-ctx.Done():
			return Outcome{}, ctx.Err()
		case <-late:
			return Outcome{}, errOverrun
		case m, ok := <-w.proc.messages:
			if !ok {
				return Outcome{}, errors.New("the worker has ended")
			}
			switch m.kind {
			case frameTalk:
				var line string
				if err := decode(m.body, &line); err != nil {
					return Outcome{}, err
				}
				w.pool.Talk(t.Capture, line)
			case frameOutcome:
				var o Outcome
				err := decode(m.body, &o)
				o.Capture = t.Capture
				return o, err
			default:
				return Outcome{}, fmt.Errorf("%w: a frame of type %q", errFrame, m.kind)
			}
		}
	}
}

// end ends the process; it returns its exit status, -1 where a signal ended it, and its last words.
func (w *worker) end() (status int, words string) {
	if w.proc == nil {
		return 0, ""
	}
	status, words = w.proc.end()
	w.proc = nil
	return status, words
}
