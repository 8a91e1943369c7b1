package content

import "astrolabe/capture/simulate"

// Axis is a kind of resource that passes need.
type Axis uint8

const (
	Arithmetic  Axis = iota // shader arithmetic
	Texture                 // texture sampling and filtering
	Varying                 // interpolation
	LoadStore               // other memory accesses of shaders, as far as the shader core handles them
	LocalMemory             // memory that a work group shares
	RayTracing              // traversal of acceleration structures
	Geometry                // fixed functions for vertices and primitives: fetch, assembly, culling, binning
	Raster                  // fixed functions before pixel shading: rasterization and early depth
	Backend                 // fixed functions behind pixel shading: late depth, blending, writing out
	Cache                   // the GPU's shared cache
	Bandwidth               // memory
	Latency                 // waits for memory that too few threads can hide
	Axes
)

var axisNames = [Axes]string{"arithmetic", "texture", "varying", "load_store", "local_memory", "ray_tracing",
	"geometry", "rasterizer", "pixel_backend", "cache", "bandwidth", "latency"}

func (a Axis) String() string { return axisNames[a] }

// Candidate is what the truth calls the axis. Families whose hardware has another word for geometry use that.
func (a Axis) Candidate() simulate.Candidate {
	switch a {
	case Bandwidth:
		return simulate.MemoryBandwidth
	case Latency:
		return simulate.MemoryLatency
	case Cache:
		return simulate.Candidate{Level: simulate.LevelMemory, Name: "cache"}
	}
	return simulate.Candidate{Level: simulate.LevelUnit, Name: axisNames[a]}
}

// Press is what a pass needs: for each axis the share of the pass's time that it would take alone.
type Press [Axes]float64
