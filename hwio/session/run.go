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

// Run makes a whole session with the enabled counters: it runs the command once per pass and ends the session, whose
// number it returns. The samples of the passes belong together by their position. It is for backends that can run
// commands; of others the session is ended without samples.
func (c *Context) Run(ctx context.Context, r *Run) (session uint32, err error) {
	if err = c.Step(ctx, BeginSession, 0); err != nil {
		return 0, err
	}
	active := c.run()
	defer c.log.done("Run", &err)
	defer func() {
		if err != nil {
			active.closePass()
			c.phase = idle
		}
	}()
	runner, ok := c.backend.(commandRunner)
	if !ok {
		return active.id, fail(Failed, "this context cannot run a command: use begin and end of samples")
	}
	counts := map[int]int{}
	for k, hardware := range active.plan.passes {
		if err := c.Step(ctx, BeginPass, 0); err != nil {
			return active.id, err
		}
		list, err := runner.RunPass(ctx, k, hardware, r)
		if err != nil {
			return active.id, failCause(Failed, fmt.Errorf("pass %d of %d: %w", k+1, len(active.plan.passes), err))
		}
		for i, m := range list {
			active.pass().add(&sampleRun{id: uint32(i), result: resultOf(m)})
		}
		counts[len(list)]++
		// Runs of a program are not equally long: what a shorter pass lacks is missing, with a reason.
		if err := c.Step(ctx, EndPass, 0); err != nil && !errors.Is(err, VariableNumberOfSamplesInPasses) {
			return active.id, err
		}
	}
	if len(counts) > 1 && r.Warn != nil {
		r.Warn("the runs of the command have different numbers of samples: the passes match by position only, and the last samples lack some counters")
	}
	return active.id, c.Step(ctx, EndSession, 0)
}
