package metrics

import (
	"slices"
	"strings"

	"astrolabe/capture"
)

// A GPU's counters are measured in several runs of the same work, and a counter that more than one of them measured has
// a value of each: the name alone is the one that counts, and NAME@RUN are the others. A formula whose entry names a
// run reads every counter as that run measured it, so that what it divides happened at once.

// ofRun is the name under which a capture holds what a run measured of a counter, where that is not what counts.
func ofRun(name, run string) string { return name + "@" + run }

// entryOfRun is the entry of a counter that holds what a run measured, nil for any other. Its other names are those of
// the counter that counts.
func (s *scope) entryOfRun(c *capture.Counter) *Entry {
	name, run, ok := strings.Cut(c.Name, "@")
	if !ok {
		return nil
	}
	counts := &capture.Counter{Meta: c.Meta}
	counts.Name = name
	e := s.entryOf(counts)
	if e == nil {
		return nil
	}
	own := *e
	own.Title, own.Aliases = e.Title+" in the run "+run, nil
	return &own
}

// run is the pass of the run that the formula reads, nil where it names none or the capture does not tell its runs
// apart by such names.
func (v *formulaEnv) run() *capture.Pass {
	if v.entry == nil || v.entry.Run == "" {
		return nil
	}
	i := slices.IndexFunc(v.s.cap.Passes, func(p *capture.Pass) bool { return p.ID == v.entry.Run })
	if i < 0 {
		return nil
	}
	return v.s.cap.Passes[i]
}

// inRun is a measured counter as the formula's run measured it, or why that run has no value of it.
func (v *formulaEnv) inRun(c *capture.Counter) (*capture.Counter, *capture.Reason) {
	run := v.run()
	if run == nil || c == nil {
		return c, nil
	}
	if p := passOf(c); p == nil || p.ID == run.ID {
		return c, nil // what no run measured, such as a property of the dispatch, holds for all
	}
	if own := v.s.raw(ofRun(c.Name, run.ID)); own != nil {
		return own, nil
	}
	return nil, missing(capture.NotCollected, "%s was not measured in the run %s, which the formula reads", c.Name,
		run.ID).MissingReason
}
