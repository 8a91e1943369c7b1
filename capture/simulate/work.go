package simulate

// Serve is the service that a mean chunk of a stream asks of a unit.
type Serve struct {
	Unit   uint8
	Spread uint8   // class of variation from chunk to chunk
	Time   float64 // ns for the whole stream at the highest clock, inefficiency included
}

// Stream is a row of chunks that go through the same stages.
type Stream struct {
	Chunks int
	Front  []Serve // one after the other, before the cores
	Core   []Serve // all at the same time
	Back   []Serve // one after the other, behind the cores
	Weight int     // slots that a chunk takes; 0 is 1
	Seed   uint32  // of its variation
}

// Exact corrects the times of a stream for how far its chunks, which vary, are from their mean together, so that the
// stream takes the time that was asked for in each unit. Where counters say what a whole kernel does, and not what its
// chunks did, the two would not fit otherwise.
func (s *Stream) Exact() {
	for _, list := range [][]Serve{s.Front, s.Core, s.Back} {
		for i := range list {
			v := &list[i]
			if v.Spread == 0 {
				continue
			}
			sum := 0.0
			for k := range s.Chunks {
				sum += variation(v.Spread, s.Seed, int(v.Unit), k)
			}
			v.Time *= float64(s.Chunks) / sum
		}
	}
}

// Job is a pass on a queue. It has one stream, or two where the second follows the first at a distance, as pixels
// follow the vertices of their triangles in an immediate-mode GPU.
type Job struct {
	Name    string
	Queue   int
	Streams []Stream
	Gap     int // chunks by which the first of two streams may be ahead of what the second has taken

	// Launch is the ns from when the queue has the job to its first chunk, whatever the clock.
	Launch float64
	// Drain says that the job waits until its queue's job before is done; otherwise until that has no more chunks to
	// issue.
	Drain bool
	// After are the jobs that it waits for.
	After []Dependency
	// Image says that it writes into the picture for the display, which must be free.
	Image bool
	// Tag, if not 0, is one of the machine's tags: the recorder keeps the time in which the cores had work with it.
	Tag int
	// Submit is where in the driver's work on the frame the job is handed over, from 0 to 1.
	Submit float64
}

// Dependency is a job that another waits for.
type Dependency struct {
	Job   int  // in the frame's list; -1 stands for all jobs of the frame
	Back  int  // how many frames before; 0 is the same frame
	Loose bool // a dependency that the content does not need: relieving "queues in turn" removes it
}

// Content is what the frames of a phase consist of.
type Content struct {
	Name string
	Jobs []Job
}

// Frame is one frame's share of randomness, and of the processor's work.
type Frame struct {
	Content int
	App     float64 // ns of the application's thread
	Driver  float64 // ns of the thread that records and submits
	// Scale multiplies the work of each job.
	Scale []float32
	// Request is when somebody asked for the frame, in ns, where frames are made on request.
	Request int64
}

// Wait is a wait of the application for the GPU.
type Wait struct {
	At   float64 // where in the application's work on a frame, from 0 to 1
	Back int     // of which frame: 0 is the same one
	Job  int     // which of its jobs; -1 is the whole frame
}

// Load is a row of frames with everything that paces them.
type Load struct {
	Contents []Content
	Frames   []Frame
	Pacing   Pacing
	// Warm is the number of frames that are simulated and not judged.
	Warm int
	// Threads is 1 where the application also submits, 2 where a driver's thread does.
	Threads int
	// Wait, if not nil, lets the application wait for results within each frame.
	Wait *Wait
	// Interrupt is the ns from the end of a job to when the processor knows.
	Interrupt float64
}

// Chunks is how many chunks a stream of so many ns is cut into: enough of them that filling and draining the cores is
// a small part of a long pass and a large one of a short, and not so many that a simulation takes long.
func Chunks(time float64) int {
	const usual, long = 65e3, 250e3
	switch {
	case time < 50e3:
		return 2
	case time < 32*usual:
		return max(6, int(time/usual))
	}
	return min(96, 32+int((time-32*usual)/long))
}
