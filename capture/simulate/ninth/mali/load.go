package mali

import "astrolabe/capture/simulate"

// job is a render pass's binning or fragments, or a dispatch.
type job struct {
	queue    int
	after    []dependency
	segments []int   // of the load
	at       float64 // share of the driver's work after which it is handed over
}

// dependency is a job that must end before: of the same frame, or of the one before.
type dependency struct {
	job   int
	prior bool
	loose bool // the content does not need it
}

// content is what a frame is made of.
type content struct {
	name        string
	app, driver float64 // ns of the two threads
	jobs        []job
	wait        bool // the application needs results of the frame before, before it goes on
}

// frame is one of the program, with how much more or less there is in it.
type frame struct {
	content  int
	gpu, cpu float64
}

// load is a program.
type load struct {
	contents []*content
	segments []segment
	frames   []frame
	warm     int
	pace     simulate.Pacing
	single   bool // application and driver are one thread
}

func (w *load) stretches() []simulate.Stretch {
	return simulate.Stretches(len(w.frames), w.warm, 3, func(i int) int { return w.frames[i].content },
		func(c int) string { return w.contents[c].name })
}
