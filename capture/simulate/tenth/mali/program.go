package mali

// kindOfPass says what a pass does, and with that the way of its tasks.
type kindOfPass uint8

const (
	geometry kindOfPass = iota // vertex shading and tiling, in the non-fragment queue
	shading                    // fragment shading
	compute                    // in the non-fragment queue
)

// pass is a job of a queue. Its work is in ns at the highest clock: what each server takes for all of it, and for how
// long each of its tasks waits for memory.
type pass struct {
	name  string
	kind  kindOfPass
	queue int
	work  [servers]float64
	wait  float64 // ns of latency, of a task
	tasks int
	slots int
	laps  int // how often a task goes around the units
	start float64
	flush float64
	after []int // passes of the same frame whose results it needs
	turn  []int // passes of the same frame that it waits for needlessly
	// prior says that it waits needlessly for the last pass of the frame before.
	prior bool
	like  traits
	noise []float64 // of the tasks

	steps []step // of a task
}

// step is a station on the way of a task.
type step struct {
	leaf int8
	work float64 // ns, of a task without noise
}

// content is what a frame consists of.
type content struct {
	name   string
	passes []*pass
	app    float64 // ns
	driver float64
	system float64 // share of the driver's time that is the kernel's
	// wait says that the application waits for the GPU before it begins another frame.
	wait bool
}

// lay puts the steps of a pass's tasks in order.
func (p *pass) lay() {
	p.steps = p.steps[:0]
	add := func(leaf int, of float64) {
		w := p.work[leaf] / float64(p.tasks) * of
		if leaf == latency {
			w = p.wait * of
		}
		if w >= 1 {
			p.steps = append(p.steps, step{int8(leaf), w})
		}
	}
	if p.kind == shading {
		add(rasterizer, 1)
		add(varying, 1)
	}
	each := 1 / float64(p.laps)
	for range p.laps {
		add(loadStore, each)
		add(texture, each)
		add(rayTracing, each)
		add(cache, each)
		add(bandwidth, each)
		if w := p.wait * each; w >= 1 {
			p.steps = append(p.steps, step{latency, w})
		}
		add(arithmetic, each)
	}
	switch p.kind {
	case shading:
		add(backend, 1)
	case geometry:
		add(varying, 1)
		add(tiler, 1)
	}
	if len(p.steps) == 0 {
		p.steps = []step{{arithmetic, 1}}
	}
}

// pacing is how frames get out.
type pacing struct {
	display  bool  // frames are shown; otherwise fences alone hold the program back
	refresh  int64 // ns
	adaptive bool
	buffers  int
	cap      int64   // ns between the beginnings of frames, 0 for none
	asked    []int64 // when frames were asked for, nil for as fast as possible
}

// heat is what holds the clock down.
type heat struct {
	tick     int64   // ns between decisions of the governor
	up       float64 // load above which it goes up
	down     float64
	slowUp   bool    // it goes up one step at a time
	top      float64 // share of the highest clock that the policy allows
	always   bool    // the governor is set to the highest clock
	degrees  float64 // at the beginning
	ambient  float64 // what the temperature goes to without power
	ohm      float64 // degrees per watt
	tau      float64 // ns
	trip     float64 // degrees, 0 for none
	watts    float64 // budget, 0 for none
	atTop    float64 // watts of the busy GPU at its highest clock
	cpuWatts float64 // of a busy core
}

// program is contents over frames, on a machine.
type program struct {
	*machine
	contents []*content
	frames   int
	warm     int
	change   int // frame of the second content, 0 for none
	pace     pacing
	heat     heat
	scale    []float64 // by frame: work of the GPU
	cpuScale [2][]float64
	shift    []int // by frame: where the noise of its tasks begins
}

func (p *program) content(frame int) int {
	if p.change > 0 && frame >= p.change && len(p.contents) > 1 {
		return 1
	}
	return 0
}
