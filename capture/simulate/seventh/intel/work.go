package intel

import "astrolabe/capture/simulate"

// segments is in how many parts the work of a pass varies.
const segments = 8

// threads is what the threads of a stage do, all together, on the machine's servers.
type threads struct {
	n        float64
	most     float64           // share of the slots that they may have: registers and shared memory limit it
	work     [stations]float64 // items: cycles of an EU, blocks of texels, messages, lines, bytes
	wait     float64           // accesses to memory in a row that each thread waits for
	near     float64           // the same of accesses that L3 or a sampler answers
	first    float64           // cycles of the first pipe, as a share of the cycles of an EU
	second   float64           // of the second
	sends    float64           // of sending messages
	atomics  float64
	barriers float64
	cost     float64 // blocks of texels that the sampler takes time for, per block that is asked for
	misses   float64 // share of blocks that the sampler's cache does not hold
}

// pixels are the blocks of 2x2 that a pass of draws has in each stage.
type pixels struct{ rasterized, coarseFails, earlyFails, killed, lateFails, written, blended float64 }

// dependency is of a job of a frame on one of the same frame, or of one before.
type dependency struct {
	job, back int
	loose     bool // it keeps no data right: only the order of commands makes it
}

// pass is work between two barriers of one engine.
type pass struct {
	name   string
	engine int
	after  []dependency
	submit float64 // share of the driver's work on the frame after which it is handed on
	start  float64 // ns in which the engine has it and nothing works
	pieces float64 // dispatches with a barrier between them
	gap    float64 // ns of each such barrier
	items  [stages]float64
	vs, ps threads
	px     pixels
	reads  float64 // share of its bytes that are read
	lines  float64 // of bytes to L3 that come from draws' targets, not from threads
	uneven [units]float64
	seed   uint64
	parts  [units][segments]float64 // made of uneven
	list   []stage
}

// settle makes what follows from the rest.
func (p *pass) settle() *pass {
	r := simulate.NewRandom(p.seed, "parts")
	for u := range p.parts {
		sum := 0.0
		for i := range p.parts[u] {
			p.parts[u][i] = r.Spread(p.uneven[u])
			sum += p.parts[u][i]
		}
		for i := range p.parts[u] {
			p.parts[u][i] *= segments / sum
		}
	}
	p.list = p.list[:0]
	for s := range stages {
		if s == shading || s == vertices && p.vs.n > 0 || p.items[s] > 0 {
			p.list = append(p.list, s)
		}
	}
	return p
}

// scale multiplies the work of a pass; waits and starts stay.
func (p *pass) scale(by float64) {
	for s := range p.items {
		p.items[s] *= by
	}
	for _, t := range []*threads{&p.vs, &p.ps} {
		t.n *= by
		for i := range t.work {
			t.work[i] *= by
		}
		t.atomics *= by
		t.barriers *= by
	}
	x := &p.px
	for _, v := range []*float64{&x.rasterized, &x.coarseFails, &x.earlyFails, &x.killed, &x.lateFails, &x.written, &x.blended} {
		*v *= by
	}
	p.lines *= by
	p.pieces *= by
}

// content is a frame's work in the order in which the driver hands it on.
type content struct {
	name string
	jobs []*pass
}

// frame is what one frame takes.
type frame struct {
	content     int
	scale       float64
	app, driver float64 // ns
	request     float64 // when it was asked for
}

// wait is where the application waits for the GPU's results.
type wait struct {
	back int     // frames ago; 0 is within the frame
	job  int     // of the frame
	at   float64 // share of the application's work before it
}

// other is what else uses the machine: programs on processors and in memory, and one that draws now and then.
type other struct {
	load   float64 // of each processor, mean
	bytes  float64 // per ns of memory
	period float64 // ns between its own passes; 0 for none
	pass   *pass
}

// program is a whole case.
type program struct {
	m         *machine
	contents  []content
	frames    []frame
	warm      int
	pacing    simulate.Pacing
	wait      *wait
	split     bool // the driver has a thread of its own
	workers   int  // of the application, which share part of its work
	interrupt float64
	gov       governor
	other     other
	asleep    bool // the recorder lets the GPU sleep
	weights   [4]float64
	noise     float64
}
