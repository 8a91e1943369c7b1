package simulate

// Relief is what one simulation makes easier than the case has it. The zero value relieves nothing.
type Relief struct {
	Unit    Candidate // served Faster times as fast; memory latency and launches take 1/Faster of their time
	Queue   string    // all work of the queue is that much faster
	GPU     bool      // all units, queues and launches
	App     bool      // the application's work takes 1/Faster of its time
	Driver  bool
	Wait    bool // the application waits for no result, and two more frames may be in the making
	Loose   bool // dependencies that the content does not need are gone
	Highest bool // the clock stays at its highest
}

// Faster is how much faster a relieved thing works: rates times 1.5, times times 2/3.
const Faster = 1.5

// reliefOf is the relief of a candidate; ok is false for those of the display, which are never relieved.
func reliefOf(c Candidate) (r Relief, ok bool) {
	switch c.Level {
	case LevelDisplay:
		return r, false
	case LevelQueue:
		r.Queue = c.Name
	case LevelClock:
		r.Highest = true
	default:
		switch c {
		case WholeCPU:
			r.App, r.Driver, r.Wait = true, true, true
		case WholeGPU:
			r.GPU = true
		case CPUApp:
			r.App = true
		case CPUDriver:
			r.Driver = true
		case CPUSync:
			r.Wait = true
		case QueuesInTurn:
			r.Loose = true
		default:
			r.Unit = c
		}
	}
	return r, true
}
