//go:build amd64 || arm64

package main

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"

	"astrolabe/hwio/internal/vendorproc"
)

// setup is the library's one and only configuration in this process. Its callbacks have no room for Go values, so that
// it is a variable of the package.
var setup struct {
	*rocprofiler
	began     bool
	clientOf  []uint64 // rocprofiler_tool_configure_result_t
	initErr   error
	initDone  bool
	wantAgent func(*vendorproc.Agent) bool // to count on; nil for none
	agents    []vendorproc.Agent
	all       int // agents of any type
	agent     *vendorproc.Agent
	context   uint64
	config    uint64 // counter set, chosen before the context is started
	setStatus int32  // of the library's answer to that choice
	wasSet    bool
}

// configure sets the library up. wantAgent says which GPU will be counted on; nil only lists them.
func configure(path string, wantAgent func(*vendorproc.Agent) bool) error {
	if setup.began {
		return &vendorproc.Error{Kind: vendorproc.BadRequest,
			Text: "rocprofiler-sdk can be set up once per process only: start the program again"}
	}
	setup.began = true
	r, err := openRocprofiler(path)
	if err != nil {
		return err
	}
	setup.rocprofiler, setup.wantAgent = r, wantAgent
	st := call(r.forceConfigure, purego.NewCallback(onConfigure))
	if setup.initErr != nil {
		return setup.initErr // what failed in a callback says more than the status that follows from it
	}
	if st != 0 {
		return r.failure("rocprofiler_force_configure", st)
	}
	if err := r.startRuntime(); err != nil {
		return err
	}
	if !setup.initDone {
		return &vendorproc.Error{Kind: vendorproc.LibraryFailed,
			Text: fmt.Sprintf("rocprofiler-sdk %s never called its tool back: another tool may have been set up first (ROCP_TOOL_LIBRARIES)", r.version)}
	}
	return setup.initErr
}

// clientName is what the library knows this tool by.
var clientName = append([]byte("astrolabe"), 0)

// onConfigure is called by the library to learn what its tool needs.
func onConfigure(version, runtime, priority, client uintptr) uintptr {
	if client != 0 && field[uint64](client, 0) >= clientSize {
		*(*uintptr)(unsafe.Add(at(client), clientNameAt)) = uintptr(unsafe.Pointer(&clientName[0]))
	}
	setup.clientOf = room(configureSize / 8)
	setup.clientOf[0] = configureSize
	setup.clientOf[configureInit/8] = uint64(purego.NewCallback(onInitialize))
	setup.clientOf[configureFini/8] = uint64(purego.NewCallback(onFinalize))
	setup.clientOf[configureData/8] = 0
	return address(setup.clientOf)
}

// onInitialize is called by the library when contexts can be made.
func onInitialize(finalize, data uintptr) uintptr {
	setup.initDone = true
	setup.initErr = initialize()
	if setup.initErr != nil {
		return 1
	}
	return 0
}

func onFinalize(uintptr) uintptr { return 0 }

// initialize finds the GPUs with their counters and makes a context for the one that is wanted.
func initialize() error {
	r := setup.rocprofiler
	found := purego.NewCallback(onAgents)
	st := call(r.queryAgents, agentVersion, found, agentSize, 0)
	if strings.HasSuffix(r.name(st), wrongABI) {
		// Before ROCm 6.4 the struct was shorter at its end.
		st = call(r.queryAgents, agentVersion, found, agentKnown, 0)
	}
	if st != 0 {
		return r.failure("rocprofiler_query_available_agents", st)
	}
	if setup.initErr != nil {
		return setup.initErr
	}
	if setup.wantAgent == nil {
		return r.listCounters()
	}
	for i := range setup.agents {
		if setup.wantAgent(&setup.agents[i]) {
			setup.agent = &setup.agents[i]
			break
		}
	}
	if setup.agent == nil {
		return nil // the caller says what there is
	}
	if st := call(r.createContext, address(r.out)); st != 0 {
		return r.failure("rocprofiler_create_context", st)
	}
	setup.context = r.out[0]
	if st := call(r.configureCounting, uintptr(setup.context), 0, uintptr(setup.agent.ID), purego.NewCallback(onStart),
		0); st != 0 {
		return r.failure("rocprofiler_configure_device_counting_service", st)
	}
	return r.listCounters()
}

// onStart is called by the library when the context starts, to be told what to count.
func onStart(context, agent, set, user uintptr) uintptr {
	setup.setStatus = call(set, context, uintptr(setup.config))
	setup.wasSet = true
	return 0
}

// mostAgents bounds what a library may claim to have.
const mostAgents = 4096

// onAgents keeps the GPUs among the agents.
func onAgents(version, agents, n, user uintptr) uintptr {
	if version != agentVersion {
		setup.initErr = &vendorproc.Error{Kind: vendorproc.LibraryVersion,
			Text: fmt.Sprintf("rocprofiler-sdk describes GPUs in version %d; version %d is known here", version,
				agentVersion)}
		return 0
	}
	setup.all = int(min(n, mostAgents))
	for i := range min(n, mostAgents) {
		a := field[uintptr](agents, i*8)
		if size := field[uint64](a, agentSizeAt); size < agentKnown {
			setup.initErr = &vendorproc.Error{Kind: vendorproc.LibraryVersion,
				Text: fmt.Sprintf("rocprofiler-sdk %s describes a GPU in %d bytes; at least %d are needed: install ROCm 6.3 or newer", setup.version, size, agentKnown)}
			return 0
		}
		if field[uint32](a, agentType) == agentTypeGPU {
			setup.agents = append(setup.agents, readAgent(a))
		}
	}
	return 0
}

func readAgent(a uintptr) vendorproc.Agent {
	u32 := func(offset uintptr) uint32 { return field[uint32](a, offset) }
	str := func(offset uintptr) string { return text(field[uintptr](a, offset)) }
	return vendorproc.Agent{
		ID: field[uint64](a, agentID), Name: str(agentName), Product: str(agentProduct), Model: str(agentModel),
		Node: u32(agentNode), Logical: field[int32](a, agentLogical), RenderMinor: u32(agentMinor),
		Vendor: field[uint16](a, agentVendor), Device: field[uint16](a, agentDevice),
		ComputeUnits: u32(agentCUs), SIMDs: u32(agentSIMDs), SIMDsPerCU: u32(agentSIMDsCU),
		WavesPerSIMD: u32(agentWavesSIMD),
		WavesPerCU:   u32(agentWavesCU), WaveSize: u32(agentWaveSize), LDSKiB: u32(agentLDS), XCCs: u32(agentXCCs),
		Engines: u32(agentEngines), ArraysPerEngine: u32(agentArraysSE), MaxClockMHz: u32(agentClock),
		GFXTarget: u32(agentTarget),
	}
}

// noGPU says why there is nothing to count on.
func noGPU() error {
	return &vendorproc.Error{Kind: vendorproc.NoDevice,
		Text: fmt.Sprintf("rocprofiler-sdk %s finds no GPU (%d agents, none of them a GPU)", setup.version, setup.all)}
}
