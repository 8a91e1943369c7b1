package simulate

import (
	"cmp"
	"slices"
)

// Gain is what relieving a candidate gives.
type Gain struct {
	Candidate Candidate `json:"candidate"`
	// Percent is the reduction of the time per frame, or per kernel. It can be a little below 0 where an order of
	// service changed for the worse.
	Percent float64 `json:"percent"`
	// Simulated is false where nothing was simulated, because the candidate has no work, or the path never waited for
	// it.
	Simulated bool `json:"simulated"`
}

// Share is how long a candidate set the pace.
type Share struct {
	Candidate Candidate `json:"candidate"`
	Ns        int64     `json:"ns"`
}

// Part is the truth about some of the frames: all of them, or those of one phase.
type Part struct {
	Name   string `json:"name,omitempty"`
	First  int    `json:"first"` // frame
	Frames int    `json:"frames"`
	Start  int64  `json:"start"` // ns of the simulation: when the frame before the first was shown
	End    int64  `json:"end"`

	// Levels are the gains level by level, each with the best first: the whole, the processor's threads, each queue,
	// and the leaves.
	Whole  []Gain `json:"whole"`
	Queues []Gain `json:"queues"`
	Leaves []Gain `json:"leaves"`

	// Shares are how long each leaf set the pace. They add up to End - Start; of programs that a profiler runs one
	// dispatch after the other, to the time of the dispatches, because the gaps are the profiler's. QueueShares are the same by queue: what
	// is not of a queue has its leaf's name, and the time in which one queue worked while only a needless dependency
	// kept another from working is "queues in turn".
	Shares      []Share `json:"shares"`
	QueueShares []Share `json:"queue_shares"`

	// Healthy says that every date was kept and that the display, a cap or the lack of requests sets the pace.
	Healthy bool `json:"healthy"`
	Missed  int  `json:"missed"` // dates
	// Held says that a capture cannot tell what limits, whatever it has: the display held every frame to a refresh (see
	// Hold), or threads spin at a lock.
	Held bool `json:"held,omitempty"`
	// GPUBusy is the share of time in which the GPU had work, ClockMean the mean of its clock as a share of the
	// highest.
	GPUBusy   float64 `json:"gpu_busy"`
	ClockMean float64 `json:"clock_mean"`
}

// FrameTruth is one frame.
type FrameTruth struct {
	Content  int   `json:"content"`
	Begin    int64 `json:"begin"` // of the application's work
	GPUBegin int64 `json:"gpu_begin"`
	GPUEnd   int64 `json:"gpu_end"`
	Shown    int64 `json:"shown"`
	Missed   int   `json:"missed"`
	Judged   bool  `json:"judged"` // the first frames warm the simulation up
}

// Truth is what limited a case, found by relief.
type Truth struct {
	Part
	Phases []Part       `json:"phases,omitempty"` // of a case with several
	Each   []FrameTruth `json:"each,omitempty"`
}

// Rules of when a case is clear.
const (
	ClearGain  = 5.0 // percent that the best gain is at least
	ClearRatio = 1.3 // times the second's
)

// Best is the first of the gains, and whether it is clear: at least ClearGain, and ClearRatio times the second's.
func Best(gains []Gain) (g Gain, clear bool) {
	if len(gains) == 0 {
		return g, false
	}
	g = gains[0]
	second := 0.0
	if len(gains) > 1 {
		second = max(0, gains[1].Percent)
	}
	return g, g.Percent >= ClearGain && g.Percent >= ClearRatio*second
}

// Limiter is the leaf that limits, and whether that is clear, which it is not where no capture can tell. Of a healthy
// part it is what the display's side waits for, and clear.
func (p *Part) Limiter() (c Candidate, clear bool) {
	if p.Healthy {
		best := Share{DisplayVsync, -1}
		for _, s := range p.Shares {
			if s.Candidate.displays() && s.Ns > best.Ns {
				best = s
			}
		}
		return best.Candidate, true
	}
	g, clear := Best(p.Leaves)
	return g.Candidate, clear && !p.Held
}

// GainOf is the gain of a candidate, at whichever level it is.
func (p *Part) GainOf(c Candidate) (g Gain, ok bool) {
	for _, list := range [][]Gain{p.Leaves, p.Queues, p.Whole} {
		for _, g := range list {
			if g.Candidate == c {
				return g, true
			}
		}
	}
	return g, false
}

// ShareOf is the share of time, from 0 to 1, in which a candidate set the pace.
func (p *Part) ShareOf(c Candidate) float64 {
	for _, list := range [][]Share{p.Shares, p.QueueShares} {
		for _, s := range list {
			if s.Candidate == c && p.End > p.Start {
				return float64(s.Ns) / float64(p.End-p.Start)
			}
		}
	}
	return 0
}

// SortGains puts the best first; of equal ones the order of candidates decides, so that it never varies.
func SortGains(gains []Gain) {
	slices.SortStableFunc(gains, func(a, b Gain) int { return cmp.Compare(b.Percent, a.Percent) })
}

// Rank puts the best gain of each level first.
func (p *Part) Rank() {
	SortGains(p.Leaves)
	SortGains(p.Queues)
	SortGains(p.Whole)
}

// Displayed is the share of time, from 0 to 1, in which the display's side set the pace.
func (p *Part) Displayed() float64 {
	sum := int64(0)
	for _, s := range p.Shares {
		if s.Candidate.displays() {
			sum += s.Ns
		}
	}
	if p.End <= p.Start {
		return 0
	}
	return float64(sum) / float64(p.End-p.Start)
}

// Conclude ranks the gains, and says whether the part is healthy: it kept every date, the display's side sets the pace
// most of the time, and nothing gains.
func (p *Part) Conclude() {
	p.Rank()
	p.Healthy = p.Missed == 0 && p.Displayed() > 0.5 && (len(p.Leaves) == 0 || p.Leaves[0].Percent < ClearGain)
}

// Stretch is a row of frames that are judged together.
type Stretch struct {
	Name        string
	First, Last int // frames, both included
}

// Stretches are the frames of a program after its warm-up, and those of each phase where it has several, with the
// names of their contents. A phase's first frames, which the pipeline still shares with the phase before, belong to
// neither.
func Stretches(frames, warm, settle int, content func(frame int) int, name func(content int) string) []Stretch {
	all := []Stretch{{"", warm, frames - 1}}
	begin := warm
	var phases []Stretch
	for i := warm; i <= frames; i++ {
		if i == frames || content(i) != content(begin) {
			if i-begin > 2*settle {
				phases = append(phases, Stretch{name(content(begin)), begin + settle, i - 1})
			}
			begin = i
		}
	}
	if len(phases) > 1 {
		all = append(all, phases...)
	}
	return all
}
