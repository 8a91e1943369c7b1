package content

// Kind is what a pass does.
type Kind uint8

const (
	Render  Kind = iota // draws triangles: a vertex part and a pixel part
	Compute             // runs work groups
	Copy                // moves data, with hardly any arithmetic
)

// Part is one part of a pass: vertices, pixels or work groups.
type Part struct {
	Time   float64 // ns at the highest clock that its heaviest axis takes alone
	Press  Press
	Spread [Axes]uint8 // class of variation from chunk to chunk
	// Effort is the share of a unit's service in which the unit itself works. Conflicts, dependencies and refills
	// take the rest.
	Effort [Axes]float64
	Wide   bool // its shader needs so many registers that half as many threads fit
	Seed   uint32
	Stage  uint8 // 0 to 9: which of a family's several fixed functions for one axis the part leans on
}

// Pass is one pass.
type Pass struct {
	Name   string
	Kind   Kind
	Vertex *Part // of a Render
	Pixel  *Part
	Groups *Part // of Compute and Copy

	Async bool   // runs on a queue of its own where the GPU has one
	After []Link // what it waits for
	Drain bool   // waits until the pass before it is done
	Image bool   // writes the picture for the display

	Shape  Shape
	Shader Shader
	Memory Memory
}

// Link is a pass that another waits for.
type Link struct {
	Pass   int  // in the frame's list; -1 stands for all passes of the frame
	Back   int  // how many frames before; 0 is the same one
	Vertex bool // the vertex part waits too; otherwise only pixels and work groups do
	Loose  bool // the content would do without
}

// Parts are the parts that the pass has.
func (p *Pass) Parts() []*Part {
	var out []*Part
	for _, x := range []*Part{p.Vertex, p.Pixel, p.Groups} {
		if x != nil {
			out = append(out, x)
		}
	}
	return out
}

// Shape says what a pass draws. Counts of a family are made of it as far as its units allow.
type Shape struct {
	Pixels    float64 // of the target
	Layers    float64 // of fragments that the rasterizer makes for each
	PerVertex float64 // triangles for each vertex that is shaded
	Facing    float64 // share of triangles that face away
	Frustum   float64 // share of the rest that is outside the view
	Scissor   float64
	Sample    float64 // share of the rest that hits no sample
	Partial   float64 // share of quads with an uncovered sample
	EarlyTest float64 // share of quads that depth is tested for before shading
	EarlyKill float64 // share of those that fail
	CoarseZ   float64 // share of the failing ones that whole blocks of depth reject
	Hidden    float64 // share of the rest that later opaque geometry covers before it is shaded
	LateTest  float64
	LateKill  float64
	Discard   float64 // share of quads that the shader throws away
	Blended   float64 // share of quads that are blended
	PixelSize float64 // bytes per pixel that are written
	Unchanged float64 // share of tiles that were the same before
	Hull      float64 // share of vertices that go through tessellation
	Rays      float64 // rays for each fragment of a pass that traces them
}

// Shader says what shaders consist of.
type Shader struct {
	Special    float64 // share of the arithmetic time that special functions take
	Convert    float64 // share that conversions and simple operations take
	Double     float64 // share in double precision
	Scalar     float64 // scalar instructions for each vector instruction
	Narrow     float64 // share of instructions on 8 or 16 bits
	Diverged   float64 // share of instructions that run with some threads off
	Trilinear  float64 // share of samples that filter between levels
	Wide       float64 // share of texture formats that take more than one beat
	Compressed float64 // share of texture loads that need unpacking
	Half       float64 // share of interpolation at 16 bits
	Full       float64 // share of load/store accesses of full width
	Writes     float64 // share of load/store accesses that write
	Atomics    float64 // share of load/store time in atomics
	Conflicts  float64 // share of local memory time lost to bank conflicts
	Filled     float64 // share of warps that are full
	Barriers   float64 // per work group
	GroupSize  int     // threads
}

// Memory says where data lives.
type Memory struct {
	Texture, Buffer, Attachment float64 // weights of what memory traffic is for
	Written                     float64 // share of traffic that is written
	HitNear                     float64 // share of requests that the cache in the shader core holds
	HitFar                      float64 // share of the rest that the GPU's shared cache holds
	Instructions                float64 // share of instruction fetches that miss the near cache
}
