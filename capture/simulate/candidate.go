package simulate

// Candidate is something that can limit a case, in neutral words of hardware. Level says with which others it is
// compared.
type Candidate struct {
	Level string `json:"level"`
	Name  string `json:"name"`
}

func (c Candidate) String() string { return c.Level + "/" + c.Name }

// Levels of candidates, from the whole to its parts.
const (
	LevelWhole   = "whole"   // the processor's side or the GPU's, as a whole
	LevelDisplay = "display" // refresh, a cap on the frame rate, frames that nobody asked for: never relieved
	LevelCPU     = "cpu"     // threads of the application and the driver, and their waits for the GPU
	LevelQueues  = "queues"  // how queues depend on each other
	LevelQueue   = "queue"   // all work of one hardware queue
	LevelUnit    = "unit"    // one unit of the GPU
	LevelMemory  = "memory"  // bandwidth and latency
	LevelLaunch  = "launch"  // time to start passes and to tell the processor of their end
	LevelClock   = "clock"   // a clock below its highest
)

// Candidates that every machine has.
var (
	WholeCPU = Candidate{LevelWhole, "cpu"}
	WholeGPU = Candidate{LevelWhole, "gpu"}

	DisplayVsync   = Candidate{LevelDisplay, "vsync"}   // the display's refresh
	DisplayCap     = Candidate{LevelDisplay, "cap"}     // a limit on the frame rate that the application keeps
	DisplayRequest = Candidate{LevelDisplay, "request"} // nobody asked for another frame

	CPUApp    = Candidate{LevelCPU, "app"}
	CPUDriver = Candidate{LevelCPU, "driver"}
	CPUSync   = Candidate{LevelCPU, "sync"} // the application waits for results of the GPU, so that both work in turn

	QueuesInTurn = Candidate{LevelQueues,
		"in_turn"} // a dependency lets queues work in turn although they have room for both

	MemoryBandwidth = Candidate{LevelMemory, "bandwidth"}
	MemoryLatency   = Candidate{LevelMemory, "latency"}

	LaunchOverhead = Candidate{LevelLaunch, "overhead"}

	ClockGovernor = Candidate{LevelClock, "governor"}
	ClockThermal  = Candidate{LevelClock, "thermal"}
	ClockPower    = Candidate{LevelClock, "power"}
)

// displays reports whether the candidate is of the display's side, which paces and is never relieved.
func (c Candidate) displays() bool { return c.Level == LevelDisplay }
