package perfevent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"syscall"

	"astrolabe/capture"
)

// stream reads all groups on every tick.
type stream struct {
	schema  capture.Schema
	groups  []*group
	cols    []column
	acc     []sum
	perTask bool
	opener  *opener
	began   bool
	closed  bool
}

// column is what a recorded column is made of.
type column struct {
	name     string
	scale    float64 // 0 for whole numbers
	cpu      int     // -1 for a task's
	coverage bool

	enabledTime bool // of the group whose coverage stands before it

	// Over the whole recording, to tell at its end how well it was covered.
	enabled, running uint64
}

// sum adds up what the groups of one column counted in one sample.
type sum struct {
	count, enabled, running uint64
	gone                    bool // a group of it cannot be read any more
	offline                 bool // because its CPU went offline
	later                   bool // a group of it could not be read for this sample
	still                   bool // a group of it was throttled by the kernel
}

func (s *stream) Schema() *capture.Schema { return &s.schema }

// Read appends one sample.
func (s *stream) Read(_ context.Context, b *capture.Batch) error {
	begun := s.began
	if err := s.readAll(b); err != nil || !begun {
		return err
	}
	for i := range s.cols {
		s.appendValue(b, i)
	}
	return nil
}

// readAll adds up what all groups have counted since it did so last.
func (s *stream) readAll(b *capture.Batch) error {
	for i := range s.acc {
		if s.acc[i].later {
			s.acc[i].later = false // the sample before had no value, so this one holds what counted since
		} else {
			s.acc[i] = sum{}
		}
	}
	for _, g := range s.groups {
		if g.broken == nil {
			read := g.read
			if !s.began {
				read = g.readFirst
			}
			err := read()
			if g.later = errors.Is(err, familyChanges); g.later && s.began {
				s.add(g)
				continue
			}
			if err != nil {
				if errors.Is(err, syscall.EBADF) || !s.began {
					return fmt.Errorf("read %s: %w", s.cols[g.firstCol()].name, err)
				}
				s.lose(b, g, err)
			}
		}
		if s.began {
			s.add(g)
		}
		stands := s.began && g.now.enabled == g.was.enabled
		g.cur, g.prev = g.prev, g.cur
		g.was = g.now
		if g.ended(s.opener.k.now(), stands) {
			if err := s.revive(g); err != nil {
				return err
			}
		}
	}
	s.began = true
	return nil
}

// still says that what is added up now holds no value of a group.
func (s *stream) still(g *group) {
	for _, col := range g.cols {
		if col >= 0 {
			s.acc[col].still = true
		}
	}
	if g.coverage >= 0 {
		s.acc[g.coverage].still, s.acc[g.coverage+1].still = true, true
	}
}

// lose gives a group up that cannot be read any more.
func (s *stream) lose(b *capture.Batch, g *group, err error) {
	g.broken = err
	if g.wentOffline() {
		b.Warnings = append(b.Warnings, fmt.Sprintf("perfevent: CPU %d went offline, which ended its counters: they have no values until it is online again",
			g.cpu))
		return
	}
	b.Warnings = append(b.Warnings, fmt.Sprintf("perfevent: %s cannot be read any more and is missing from here on: %v",
		s.cols[g.firstCol()].name, err))
}

// add puts the differences of a group into its columns.
func (s *stream) add(g *group) {
	enabled, running := g.now.enabled-g.was.enabled, g.now.running-g.was.running
	if g.extra {
		enabled = 0
	}
	if g.broken != nil || g.later {
		enabled, running = 0, 0
		s.without(g)
	} else {
		for k, col := range g.cols {
			if col < 0 {
				continue
			}
			a := &s.acc[col]
			a.count += g.cur[k] - g.prev[k]
			a.enabled += enabled
			a.running += running
		}
	}
	if g.coverage >= 0 {
		for _, a := range []*sum{&s.acc[g.coverage], &s.acc[g.coverage+1]} {
			a.enabled += enabled
			a.running += running
			a.later = a.later || g.later
		}
	}
}

// without says that a group adds nothing to its columns.
func (s *stream) without(g *group) {
	for _, col := range g.cols {
		if col < 0 {
			continue
		}
		a := &s.acc[col]
		a.gone = a.gone || g.broken != nil
		a.offline = a.offline || g.wentOffline()
		a.later = a.later || g.later
	}
}

var (
	notScheduled = capture.Reason{Code: capture.NotScheduled,
		Text: "the kernel did not put this counter on the hardware during the sample: other groups had their turn"}
	notRun       = capture.Reason{Code: capture.NotCollected, Text: "the process did not run during the sample"}
	familyChange = capture.Reason{Code: capture.NotCollected,
		Text: "a process was beginning or ending: the kernel could not add up the family's counts, and the next sample holds them"}
	throttled = capture.Reason{Code: capture.LostReports,
		Text: "the kernel throttled the timer that takes the samples, and stopped the counters with it: take a longer period"}
	unreadable = capture.Reason{Code: capture.Unsupported,
		Text: "the kernel took the counter away: its processor or counter unit is gone"}
)

func (s *stream) appendValue(b *capture.Batch, i int) {
	c, a := &s.cols[i], &s.acc[i]
	if a.later {
		b.AppendMissingFor(i, familyChange)
		return
	}
	if a.still {
		b.AppendMissingFor(i, throttled)
		return
	}
	c.enabled += a.enabled
	c.running += a.running
	switch {
	case a.gone && !a.offline:
		b.AppendMissingFor(i, unreadable)
	case a.offline, a.enabled == 0 && a.running == 0 && c.cpu >= 0:
		b.AppendMissingFor(i, capture.Reason{Code: capture.PowerGated, Text: fmt.Sprintf("CPU %d was offline", c.cpu)})
	case c.enabledTime:
		b.AppendInt(i, a.enabled)
	case c.coverage && a.enabled == 0:
		b.AppendMissingFor(i, notRun)
	case c.coverage:
		b.AppendFloat(i, min(100, 100*float64(a.running)/float64(a.enabled)))
	case a.running == 0 && a.enabled > 0:
		b.AppendMissingFor(i, notScheduled)
	case c.scale != 0:
		v := float64(a.count) * c.scale
		if a.running < a.enabled {
			v *= float64(a.enabled) / float64(a.running)
		}
		b.AppendFloat(i, v)
	default:
		b.AppendInt(i, scaleUp(a.count, a.enabled, a.running))
	}
}

// scaleUp estimates the count over the enabled time from that over the running time: count·enabled/running, rounded,
// and exact where the group ran all the time.
func scaleUp(count, enabled, running uint64) uint64 {
	if running >= enabled {
		return count
	}
	hi, lo := bits.Mul64(count, enabled)
	lo, carry := bits.Add64(lo, running/2, 0)
	hi += carry
	if hi >= running {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, running)
	return q
}

// fewTurns is a time (ns) in which a group may not have had its turn, as the kernel changes groups with its timer:
// every 1 to 10 ms, one step for each of a few groups.
const fewTurns = 50e6

// Conclude tells which counters had to share the hardware.
func (s *stream) Conclude() []string {
	var out []string
	for _, g := range s.groups {
		if g.later {
			out = append(out, fmt.Sprintf("perfevent: what %s counted last is lost: processes were beginning or ending when the recording ended, and the kernel could not add up their counts", s.cols[g.firstCol()].name))
		}
	}
	seen := map[string]bool{}
	counted := slices.ContainsFunc(s.cols, func(c column) bool { return c.coverage && c.running > 0 })
	for i := range s.cols {
		c := &s.cols[i]
		if !c.coverage || seen[c.name] {
			continue
		}
		seen[c.name] = true
		var enabled, running uint64
		for k := i; k < len(s.cols); k++ {
			if s.cols[k].coverage && s.cols[k].name == c.name {
				enabled += s.cols[k].enabled
				running += s.cols[k].running
			}
		}
		switch {
		case enabled == 0:
		case running == 0 && counted && enabled < fewTurns:
			out = append(out, fmt.Sprintf("perfevent: %s never got onto the hardware and have no values: other counters of this recording had it, and it ended before "+
				"the kernel gave these their turn, which takes some milliseconds: measure for longer, or fewer hardware counters at once", c.name))
		case running == 0:
			out = append(out, fmt.Sprintf("perfevent: %s never got onto the hardware and have no values: another profiler or the kernel's NMI watchdog holds the counters "+
				"(as root type sysctl kernel.nmi_watchdog=0), or too many were asked for at once", c.name))
		case float64(running) < 0.995*float64(enabled):
			out = append(out, fmt.Sprintf("perfevent: %s shared the hardware counters and were counting %.0f %% of the time: their values are estimates, scaled up to the whole sample, and sums are scaled up over samples without a value; "+
				"measure fewer hardware counters at once for exact ones", c.name,
				100*float64(running)/float64(enabled)))
		}
	}
	slices.Sort(out)
	return out
}

// Close closes all events.
func (s *stream) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var errs []error
	for _, g := range s.groups {
		errs = append(errs, g.close())
	}
	return errors.Join(errs...)
}
