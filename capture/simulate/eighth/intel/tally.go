package intel

// What is counted while a section is simulated. Times are clocks, added up over clusters, banks or pipes; work is
// threads, 2x2 blocks of pixels, lines of 64 bytes or messages.
const (
	tBusy        = 0                      // of the fixed functions, by cause: they had work
	tWait        = tBusy + earlyDepth + 1 // work waited for them
	tThreads     = tWait + earlyDepth + 1 // by stage
	tPipe        = tThreads + 3           // by stage and pipe: it executed
	tBoth        = tPipe + 6              // by stage: both did
	tSend        = tBoth + 3              // by stage
	tReady       = tSend + 3              // threads of pixels, vertices and compute waited for slots
	tSamplerHold = tReady + 3             // by cluster: threads waited for room before the sampler
	tSamplerBusy = tSamplerHold + 3       // by cluster
	tPortHeld    = tSamplerBusy + 3       // by cluster: L3 had no room
	tBank0       = tPortHeld + 3          // of the first two banks
	tBankStall0  = tBank0 + 2
	tLookups     = tBankStall0 + 2 // lines, by kind of message
	tMisses      = tLookups + opKinds
	tOccupied    = tMisses + opKinds     // slots held threads
	tLoaded      = tOccupied + iota - 14 // EUs held at least one thread
	tHold                                // a thread could not send
	tFixedHeld                           // the clipper and what follows could not go on
	tSampler                             // samplers worked
	tBank                                // banks worked
	tBankStall                           // banks had no room before memory
	tBus                                 // memory worked
	tFull                                // requests waited for room before memory
	tColorBusy                           // the pixel backend worked
	tVertices
	tTriangles
	tQuads // rasterized
	tHizFails
	tEarlyFails
	tVertexLines
	tDepthRead
	tDepthWrite
	tColorRead
	tColorWrite
	tStoreLines
	tReadLines // from memory, all together
	tWriteLines
	tTexels // quads asked of samplers
	tTexelMisses
	tLocalRead // lines
	tLocalWrite
	tConflicts
	tBarriers // messages
	tLoads
	tStores
	tAtomics
	tRays
	tKilled // quads
	tFailed
	tColor
	tBlended
	tTime   // the section took
	tGroups // work-groups
	tKernels
	tCulled // triangles
	tDraws
	tSections
	tAsync  // the compute engine alone worked
	tBeside // it worked beside the other
	tallies
)

// Stages of threads.
const (
	vs = iota
	ps
	cs
)

// waited are the times that depend on what else goes on.
var waited = func() (out [tallies]bool) {
	for _, r := range [][2]int{{tWait, earlyDepth + 1}, {tReady, 6}, {tPortHeld, 3}, {tBankStall0, 2}, {tOccupied, 4}, {tBankStall, 1}, {tFull, 1}} {
		for i := range r[1] {
			out[r[0]+i] = true
		}
	}
	return out
}()
