package intel

import "astrolabe/capture/simulate"

// Queues are engines of the hardware.
const (
	qRender = iota
	qCompute
	qCopy // copies and, of media programs, video
	queues
)

var queueNames = [queues]string{"render", "compute", "copy"}

// dep is what a pass waits for beside the one before it in its queue.
type dep struct {
	back, pass int
	loose      bool // content needs it not
}

type segment struct {
	load   int // of the program's loads
	launch float64
}

type pass struct {
	name   string
	queue  int
	segs   []segment
	others [][]segment // the same pass of other scenes or from other sides
	after  []dep
	submit float64 // share of the driver's work on the frame that comes before
}

// of is the segments of a view.
func (p *pass) of(view int) []segment {
	if k := view % (len(p.others) + 1); k > 0 {
		return p.others[k-1]
	}
	return p.segs
}

type content struct {
	name   string
	passes []pass
}

type frame struct {
	content     int
	app, driver float64
	scale       []float64
	view        int // which of a pass's segments it has
	request     int64
}

// wait lets the application wait within a frame for the end of one of its passes.
type wait struct {
	pass int
	at   float64 // share of the application's work that comes before
}

// behind is another program on the GPU, such as a compositor, and on the processors.
type behind struct {
	period, phase float64
	job           *pass
	scale         []float64
}

type program struct {
	contents  []content
	loads     []load
	frames    []frame
	warm      int
	pacing    simulate.Pacing
	threads   int
	interrupt float64
	wait      *wait
	behind    *behind
	clock     clock
}

// clock is the GPU's clock with what sets it.
type clock struct {
	steps    []float64 // GHz
	start    int
	period   int64 // ns between looks; 0 for a clock that stays
	up, down float64
	pace     int // steps at once
	limit    limit
}

// limit is what firmware keeps by taking the clock down: a temperature or a power.
type limit struct {
	cause            int // limitNone, limitHeat, limitPower
	full, idle       float64
	most             float64 // of the load's share of full that can last
	start            float64
	time             float64 // ns
	exponent, margin float64
}

const (
	limitNone = iota
	limitHeat
	limitPower
)

// clockState is the clock in a simulation.
type clockState struct {
	c             *clock
	step, ceiling int
	next          int64
	busy, seen    float64
	level         float64
	held          [3]float64 // ns below the highest, by limit
	top           bool
}

func (s *clockState) begin(c *clock, top bool) {
	n := len(c.steps) - 1
	*s = clockState{c: c, step: c.start, ceiling: n, level: c.limit.start, top: top, next: 1 << 62}
	if top {
		s.step = n
	} else if c.period > 0 {
		s.next = c.period
	}
}

func (s *clockState) at() int { return min(s.step, s.ceiling) }

// look is one decision of governor and firmware.
func (s *clockState) look() {
	c, n := s.c, len(s.c.steps)-1
	ns := float64(c.period)
	s.next += c.period
	busy := min(1, (s.busy-s.seen)/ns)
	s.seen = s.busy
	if at := s.at(); at < n {
		if s.ceiling < s.step {
			s.held[c.limit.cause] += ns
		} else {
			s.held[limitNone] += ns
		}
	}
	if l := &c.limit; l.cause != limitNone {
		load := (l.idle + (1-l.idle)*busy) * pow(c.steps[s.at()]/c.steps[n], l.exponent)
		s.level += (load*l.full - s.level) * min(1, ns/l.time)
		switch {
		case s.level > l.most && s.ceiling > 0:
			s.ceiling = min(s.ceiling, s.step) - 1
			s.ceiling = max(0, s.ceiling)
		case s.level < l.most*(1-l.margin) && s.ceiling < n:
			s.ceiling++
		}
	}
	switch {
	case busy > c.up:
		s.step = min(n, s.step+c.pace)
	case busy < c.down:
		s.step = max(0, s.step-max(1, c.pace/2))
	}
}
