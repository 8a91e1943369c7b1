package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Run says how to measure a command.
type Run struct {
	Args   []string
	Output io.Writer // of the command's output and errors; nil discards them
	// Period is the time between two samples; 0 makes the whole command one sample.
	Period time.Duration
	// Warn is told what a user should know, such as that the command failed; it may be nil.
	Warn func(text string)
}

// Run makes a whole session with the enabled counters: it runs the command once per pass and ends the session, whose number it returns. The
// samples of the passes belong together by their position. It is for backends that can run commands; of others the session is ended without samples.
func (l *Library) Run(ctx context.Context, r *Run) (session uint32, err error) {
	if session, err = l.BeginSession(); err != nil {
		return 0, err
	}
	s := l.current
	active := s.active
	defer l.done("Run", &err)
	defer func() {
		if err != nil {
			active.closePass()
			active.inPass, active.ended, s.active = false, true, nil
		}
	}()
	runner, ok := s.backend.(commandRunner)
	if !ok {
		return session, fail(Failed, "this context cannot run a command: use begin and end of samples")
	}
	counts := map[int]int{}
	for k, hardware := range active.plan.passes {
		if err := l.BeginPass(); err != nil {
			return session, err
		}
		list, err := runner.RunPass(ctx, k, hardware, r)
		if err != nil {
			return session, failCause(Failed, fmt.Errorf("pass %d of %d: %w", k+1, len(active.plan.passes), err))
		}
		p := active.pass()
		for i, m := range list {
			id := uint32(i)
			p.order = append(p.order, id)
			p.samples[id] = &sampleRun{id: id, result: resultOf(m)}
		}
		p.counted = len(list)
		counts[len(list)]++
		// Runs of a program are not equally long: what a shorter pass lacks is missing, with a reason.
		if err := l.EndPass(); err != nil && !errors.Is(err, VariableNumberOfSamplesInPasses) {
			return session, err
		}
	}
	if len(counts) > 1 && r.Warn != nil {
		r.Warn("the runs of the command have different numbers of samples: the passes match by position only, and the last samples lack some counters")
	}
	return session, l.EndSession()
}
