package script

import (
	"context"
	"math"

	"go.starlark.net/starlark"
)

// stepCount is a thread that runs, and the step at which it has to stop.
type stepCount struct {
	thread *starlark.Thread
	limit  uint64
}

// beginThread lets a new thread take the steps that are left of the run.
func (r *Runner) beginThread(ctx context.Context, thread *starlark.Thread) {
	s := &stepCount{thread: thread, limit: r.stepsLeft()}
	r.threads = append(r.threads, s)
	thread.OnMaxSteps = func(t *starlark.Thread) {
		if t.ExecutionSteps() < s.limit {
			if r.memory != nil {
				r.memory.pause()
			}
			r.setStop(s)
			return
		}
		err := stepsStopped(r.opt.Limits.MaxSteps)
		stopRun(ctx, err)
		t.Cancel(err.Error())
	}
	r.setStop(s)
}

// setStop makes the interpreter call OnMaxSteps at the limit, or before it where memory is watched.
func (r *Runner) setStop(s *stepCount) {
	next := s.limit
	if r.memory != nil {
		next = min(next, s.thread.ExecutionSteps()+pauseSteps)
	}
	s.thread.SetMaxExecutionSteps(next)
}

// stepsLeft is what the next thread may take: at least one step, because none means no limit.
func (r *Runner) stepsLeft() uint64 {
	if r.opt.Limits.MaxSteps == 0 {
		return math.MaxUint64
	}
	used := r.steps
	for _, s := range r.threads {
		used += s.thread.ExecutionSteps()
	}
	if used >= r.opt.Limits.MaxSteps {
		return 1
	}
	return r.opt.Limits.MaxSteps - used
}

// endThread counts the steps of the innermost thread and leaves the one around it only the rest.
func (r *Runner) endThread() {
	last := len(r.threads) - 1
	r.steps += r.threads[last].thread.ExecutionSteps()
	r.threads = r.threads[:last]
	if last > 0 && r.opt.Limits.MaxSteps > 0 {
		outer := r.threads[last-1]
		outer.limit = outer.thread.ExecutionSteps() + r.stepsLeft()
		r.setStop(outer)
	}
}
