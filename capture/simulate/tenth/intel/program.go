package intel

import "astrolabe/capture/simulate"

// Queues are the engines that run work.
const (
	qRender = iota
	qCompute
	qCopy
	nQueue
)

var queueNames = [nQueue]string{"render", "compute", "copy"}

func queueCandidate(q int) simulate.Candidate {
	return simulate.Candidate{Level: simulate.LevelQueue, Name: queueNames[q]}
}

// dep is what a job waits for: another job of its frame, or of a frame before.
type dep struct {
	job, back int
	needless  bool // the data do not demand it
}

// job is a pass in a frame.
type job struct {
	queue  int
	name   string
	chunks []*chunk
	deps   []dep
	submit float64 // share of the driver's work after which it is handed over
}

// content is what frames of a kind consist of.
type content struct {
	name        string
	jobs        []job
	app, driver float64 // ns
	wobble      float64 // from frame to frame
}

// pacing is what decides when frames begin and are shown.
type pacing struct {
	refresh  int64 // ns; 0 without
	stay     int64 // refreshes
	adaptive bool
	buffers  int
	cap      int64
	request  int64 // ns between requests; 0 without
}

// limits are what holds the clock down.
type limits struct {
	governor  bool    // follows how busy the GPU is
	lazy      float64 // how busy it wants the GPU before it raises the clock
	favour    float64 // share of the highest clock that a choice for less power allows; 1 for all
	power     float64 // watts; 0 for none
	heat      float64 // degrees at which it throttles; 0 for none
	ambient   float64
	perWatt   float64 // degrees
	timeConst float64 // ns
	idle      float64 // watts
	dynamic   float64 // watts of a busy machine at the highest clock
}

// program is all that runs on the machine.
type program struct {
	m        *machine
	contents []*content
	phases   []int // frames of each content in turn; the last goes on
	pacing   pacing
	limits   limits
	ahead    int     // frames that may be in the making
	sync     bool    // the application waits for the frame's results
	overhead float64 // ns of a dispatch that begins with an empty machine
	inter    float64 // ns of an interrupt until the processor goes on
	warm     int
	frames   int
	length   float64 // ns that a capture lasts
	seed     uint64
	unknown  bool // nothing is displayed
}

// contentOf is the content of a frame.
func (p *program) contentOf(frame int) int {
	for c, n := range p.phases {
		if frame < n || c == len(p.phases)-1 {
			return c
		}
		frame -= n
	}
	return 0
}

// relief is what is faster in a simulation.
type relief struct {
	speeds                   speeds
	queue                    int // all work of this one; -1 for none
	app, driver              float64
	launch                   float64
	noSync, noTurn           bool
	governor, thermal, power bool
}

const faster = 1.5

func noRelief() relief {
	return relief{speeds: normal(), queue: -1, app: 1, driver: 1, launch: 1}
}

// reliefOf is a candidate's.
func reliefOf(c simulate.Candidate) relief {
	r := noRelief()
	for k, s := range stations {
		if s == c {
			r.speeds.of[k] = faster
		}
	}
	switch c {
	case simulate.CPUApp:
		r.app = faster
	case simulate.CPUDriver:
		r.driver = faster
	case simulate.WholeCPU:
		r.app, r.driver = faster, faster
	case simulate.WholeGPU:
		r.launch = faster
		for k := range r.speeds.of {
			r.speeds.of[k] = faster
		}
	case simulate.LaunchOverhead:
		r.launch = 100
	case simulate.CPUSync:
		r.noSync = true
	case simulate.QueuesInTurn:
		r.noTurn = true
	case simulate.ClockGovernor:
		r.governor = true
	case simulate.ClockThermal:
		r.thermal = true
	case simulate.ClockPower:
		r.power = true
	}
	for q := range nQueue {
		if c == queueCandidate(q) {
			r.queue = q
		}
	}
	return r
}
