package vendorproc

import "encoding/json"

// protocol is the version of what the two programs say to each other. Each says its own first; they work together only
// where both are the same.
const protocol = 1

// Program is the name of the second program.
const Program = "astrolabe-vendorlib"

// hello is the second program's first message.
type hello struct {
	Program  string `json:"program"`
	Protocol int    `json:"protocol"`
}

// request asks the second program for something. One is answered before the next.
type request struct {
	Op   string          `json:"op"`
	Body json.RawMessage `json:"body,omitempty"`
}

// reply answers a request, or, with Event set, tells of an end that nobody asked for.
type reply struct {
	Event string          `json:"event,omitempty"`
	Error *Error          `json:"error,omitempty"`
	Body  json.RawMessage `json:"body,omitempty"`
}

// eventEnded is the Event of a reply: no more samples will come.
const eventEnded = "ended"

// Kinds of errors that a reader can act on.
const (
	ProgramMissing = "program missing" // the second program itself; BuildHint says how it is made
	LibraryMissing = "library missing"
	LibraryVersion = "library version"
	NoDevice       = "no device"
	NotPermitted   = "not permitted"
	NotSupported   = "not supported"
	TooMany        = "too many counters" // for one pass
	LibraryFailed  = "library failed"
	BadRequest     = "bad request"
)

// Error is what the second program says of a library, or that there is no such program.
type Error struct {
	Kind   string     `json:"kind"`
	Text   string     `json:"text"`
	Status string     `json:"status,omitempty"` // the library's own name of it
	Passes [][]string `json:"passes,omitempty"` // of TooMany: names that can be counted together; the last is nil where some can't be counted at all
}

func (e *Error) Error() string { return e.Text }

// Operations.
const (
	OpRocprofilerList  = "rocprofiler.list"
	OpRocprofilerStart = "rocprofiler.start"
	OpRocprofilerBegin = "rocprofiler.begin"
	OpRocprofilerStop  = "rocprofiler.stop"
	OpGPAList          = "gpa.list"
)

// RocprofilerQuery is the body of OpRocprofilerList.
type RocprofilerQuery struct {
	Library  string `json:"library,omitempty"` // path; "" is the standard places
	Counters bool   `json:"counters"`          // list those of every GPU
}

// RocprofilerInfo answers OpRocprofilerList.
type RocprofilerInfo struct {
	Library string  `json:"library"`
	Version string  `json:"version"`
	Agents  []Agent `json:"agents"`
}

// Agent is a GPU as rocprofiler-sdk describes it. Numbers are 0 where it does not know them.
type Agent struct {
	ID                uint64    `json:"id"`
	Name              string    `json:"name"` // such as "gfx1151"
	Product           string    `json:"product"`
	Model             string    `json:"model"`
	Node              uint32    `json:"node"`
	Logical           int32     `json:"logical"`
	RenderMinor       uint32    `json:"render_minor"`
	Vendor            uint16    `json:"vendor"`
	Device            uint16    `json:"device"`
	ComputeUnits      uint32    `json:"compute_units"`
	SIMDs             uint32    `json:"simds"`
	SIMDsPerCU        uint32    `json:"simds_per_cu"`
	WavesPerSIMD      uint32    `json:"waves_per_simd"`
	WavesPerCU        uint32    `json:"waves_per_cu"`
	WaveSize          uint32    `json:"wave_size"`
	LDSKiB            uint32    `json:"lds_kib"`
	XCCs              uint32    `json:"xccs"`
	Engines           uint32    `json:"engines"`
	ArraysPerEngine   uint32    `json:"arrays_per_engine"`
	MaxClockMHz       uint32    `json:"max_clock_mhz"`
	GFXTarget         uint32    `json:"gfx_target"`
	CountersAvailable int       `json:"counters_available"`
	Counters          []Counter `json:"counters,omitempty"`
}

// Counter is one that the library offers for an agent.
type Counter struct {
	ID         uint64      `json:"id"`
	Name       string      `json:"name"`
	Doc        string      `json:"doc,omitempty"`
	Block      string      `json:"block,omitempty"`
	Expression string      `json:"expression,omitempty"` // "" of a hardware counter
	Dimensions []Dimension `json:"dimensions,omitempty"`
}

// Dimension is one of the directions in which a counter's instances lie.
type Dimension struct {
	ID   uint64 `json:"id"`
	Name string `json:"name"` // such as "DIMENSION_SHADER_ENGINE"
	Size uint64 `json:"size"`
}

// RocprofilerStart is the body of OpRocprofilerStart.
type RocprofilerStart struct {
	Library  string   `json:"library,omitempty"`
	Agent    uint64   `json:"agent"` // node number
	Counters []string `json:"counters"`
	PeriodNS int64    `json:"period_ns"`
}

// RocprofilerStarted answers OpRocprofilerStart: the GPU counts. Samples, with one value per column, come after
// OpRocprofilerBegin, whose answer follows the first.
type RocprofilerStarted struct {
	Library string   `json:"library"`
	Version string   `json:"version"`
	Agent   Agent    `json:"agent"`
	Columns []Column `json:"columns"`
}

// Column is one instance of a counter.
type Column struct {
	Counter   Counter  `json:"counter"`
	Positions []uint64 `json:"positions,omitempty"` // one per dimension of the counter
}

// RocprofilerStopped answers OpRocprofilerStop.
type RocprofilerStopped struct {
	Samples uint64 `json:"samples"`
	Failed  uint64 `json:"failed"` // attempts that the library answered with an error
	Failure string `json:"failure,omitempty"`
	Strange uint64 `json:"strange"` // records of instances that the first sample did not have
	Grown   int    `json:"grown"`   // times the buffer was too small
}

// GPAQuery is the body of OpGPAList.
type GPAQuery struct {
	Library  string `json:"library,omitempty"`
	API      string `json:"api"` // dx11, dx12, opengl, opencl or vulkan: of the library that needs no GPU
	Vendor   uint32 `json:"vendor"`
	Device   uint32 `json:"device"`
	Revision uint32 `json:"revision"`
}

// GPAInfo answers OpGPAList.
type GPAInfo struct {
	Library   string       `json:"library"`
	Interface string       `json:"interface"` // "counter library", "function table" or "flat functions"
	Version   string       `json:"version,omitempty"`
	Device    string       `json:"device,omitempty"`
	Counters  []GPACounter `json:"counters"`
	Passes    int          `json:"passes"` // of all counters together; 0 if the library does not say
}

// GPACounter is one that GPA offers.
type GPACounter struct {
	Name   string `json:"name"`
	Group  string `json:"group,omitempty"`
	Doc    string `json:"doc,omitempty"`
	Type   string `json:"type,omitempty"`
	Usage  string `json:"usage,omitempty"`
	Passes int    `json:"passes"` // of the counter alone; 0 if the library does not say
}
