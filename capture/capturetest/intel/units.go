package intel

// unit is a part of the GPU that can be the slowest one.
type unit int

// In the order of the pipeline: up to dispatch the EUs run out of threads where the unit is the limit, behind it
// threads pile up and wait.
const (
	vf unit = iota // vertex fetch
	vs             // stages of the geometry pipeline
	hs
	ds
	gs
	so
	cl
	sf
	raster  // windower: pixels out of triangles
	hiz     // hierarchical depth
	iz      // early depth
	stencil // the wait between early and late tests of stencil
	bc      // barycentrics
	dispatch
	eu   // instructions
	wait // latency that the threads in flight have to cover
	sampler
	slm
	data  // the data port's way to L3
	hdc   // the data port's misses in flight
	texL3 // the samplers' way to L3
	bank  // the busiest bank of L3
	vme   // motion estimation
	backend
	gti // the graphics interface: 64 bytes per clock read, 32 written
	mem // DRAM
	flow
	nUnits
)

// flow is what nobody in particular causes: passes that wait for each other, draws that start and end. It paces work
// that nothing limits.

// base is how long each unit needs for a piece of work in which all are busy and none is the limit, as a share of
// flow's time. What is not here follows from the work: settle fills it in.
var base = [nUnits]float64{
	vf: 0.40, vs: 0.45, hs: 0.05, ds: 0.10, gs: 0.05, so: 0.03, cl: 0.35, sf: 0.40, raster: 0.40, hiz: 0.45, iz: 0.45,
	stencil: 0.02, bc: 0.40, dispatch: 0.35,
	eu: 0.36, wait: 0.55, sampler: 0.34, slm: 0.05, data: 0.06, hdc: 0.25, vme: 0.05, backend: 0.40, flow: 1,
}

func (u unit) front() bool { return u <= dispatch }
