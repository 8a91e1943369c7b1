package amdgpu

// The workload: frames with a start on CLOCK_MONOTONIC, in which block b works from phase to phase+share of the frame.
// Every other half second is light: shares are a quarter then.
const (
	frame    = 20_000_000  // ns
	halfTurn = 500_000_000 // of heavy or light work: a whole number of frames
)

// work is what one block does.
type work struct {
	Name  string
	Phase float64 // of the frame
	Share float64 // while heavy; Phase+Share is at most 1
	Bit   uint    // in its register
	Reg   uint32  // byte offset
}

const (
	grbmStatus  = 0x8010
	grbmStatus2 = 0x8008
	// gbAddrConfig is no status: the driver answers with what it read once.
	gbAddrConfig = 0x98f8
)

// vegaWork and strixWork say which bits stand for which blocks on the two generations.
var vegaWork = []work{
	{"gfx", 0, 0.80, 31, grbmStatus}, {"cb", 0.40, 0.30, 30, grbmStatus}, {"cp", 0, 0.84, 29, grbmStatus},
	{"db", 0.38, 0.24, 26, grbmStatus},
	{"pa", 0.02, 0.20, 25, grbmStatus}, {"sc", 0.04, 0.40, 24, grbmStatus}, {"bci", 0.05, 0.36, 23, grbmStatus},
	{"spi", 0.03, 0.60, 22, grbmStatus},
	{"wd", 0.01, 0.12, 21, grbmStatus}, {"sx", 0.30, 0.44, 20, grbmStatus}, {"ia", 0.01, 0.16, 19, grbmStatus},
	{"vgt", 0.02, 0.28, 17, grbmStatus},
	{"ta", 0.10, 0.52, 14, grbmStatus},
	{"cpf", 0, 0.56, 28, grbmStatus2}, {"cpc", 0.82, 0.16, 29, grbmStatus2}, {"cpg", 0, 0.80, 30, grbmStatus2},
	{"tc", 0.10, 0.64, 25, grbmStatus2},
	{"rlc", 0, 0.08, 24, grbmStatus2}, {"utcl2", 0.10, 0.32, 15, grbmStatus2}, {"ea", 0.12, 0.48, 16, grbmStatus2},
	{"rmi", 0.40, 0.20, 17, grbmStatus2},
}

var strixWork = []work{
	{"gfx", 0, 0.72, 31, grbmStatus}, {"cb", 0.40, 0.20, 30, grbmStatus}, {"cp", 0, 0.76, 29, grbmStatus},
	{"db", 0.30, 0.28, 26, grbmStatus},
	{"pa", 0.02, 0.16, 25, grbmStatus}, {"sc", 0.04, 0.36, 24, grbmStatus}, {"spi", 0.03, 0.64, 22, grbmStatus},
	{"ge", 0.02, 0.24, 21, grbmStatus},
	{"sx", 0.30, 0.40, 20, grbmStatus}, {"ta", 0.10, 0.44, 14, grbmStatus},
	{"cpf", 0, 0.52, 28, grbmStatus2}, {"cpc", 0.60, 0.32, 29, grbmStatus2}, {"cpg", 0, 0.72, 30, grbmStatus2},
	{"rlc", 0, 0.08, 26, grbmStatus2},
	{"tc", 0.10, 0.56, 27, grbmStatus2}, {"utcl2", 0.10, 0.24, 15, grbmStatus2}, {"sdma", 0.80, 0.12, 21, grbmStatus2},
}

// heavy reports whether the time since the start falls into a heavy half second.
func heavy(t int64) bool { return t/halfTurn%2 == 0 }

// share is the part of a frame that begins at t in which the block works.
func (w *work) share(t int64) float64 {
	if heavy(t) {
		return w.Share
	}
	return w.Share / 4
}

// busy reports whether the block works at t, ns since the start.
func (w *work) busy(t int64) bool {
	at := float64(t%frame) / frame
	return at >= w.Phase && at < w.Phase+w.share(t)
}

// levels are what sensors show in heavy and in light times.
type levels struct {
	SclkMHz, MclkMHz, FclkMHz     uint64
	Watts, Celsius, HotCelsius    uint64
	BusyPercent, MemPercent       uint64
	GfxMillivolts, VRAM, GTT, RPM uint64
}

// consumed is the energy used from the start until t, in joules.
func consumed(h, l uint64, t int64) float64 {
	turns := t / (2 * halfTurn)
	rest := t % (2 * halfTurn)
	ns := float64(turns)*halfTurn*float64(h+l) + float64(min(rest, halfTurn))*float64(h) + float64(max(rest-halfTurn,
		0))*float64(l)
	return ns / 1e9
}
