package mali

// arithmetic is how a core's arithmetic pipes share issue cycles, and what of that is counted.
type arithmetic uint8

const (
	byInstruction arithmetic = iota // one counter of instructions, each issued in a cycle: Bifrost
	bySide                          // multiply-adds, conversions and special functions issue side by side
	inTurn                          // one of them issues in a cycle
	twoAdds                         // a cycle issues two multiply-adds, or one beside another pipe's instruction
	twoSlots                        // two slots, of which the second is used where an instruction fits beside the first
)

// culling is the order in which triangles are tested.
type culling uint8

const (
	planesXY     culling = iota // facing together with the planes at the sides, then depth planes
	facingFirst                 // facing, then the frustum
	frustumFirst                // the frustum, the scissor, then facing
)

// filtering is what is counted of texture units.
type filtering uint8

const (
	passes filtering = iota // quads and passes
	full                    // messages, cycles at full rate
	stages                  // the cycles of each stage
)

// product is a GPU, or those that share a name of the simulator. Numbers are those of Arm's counter data and of the
// kernel driver's tables, but for clocks and shares of memory, which are of devices that were sold with them.
type product struct {
	gpu, layout string
	id          uint64 // of the GPU's register
	csf         bool   // command stream front-end; else a job manager with its slots
	cores       []int
	engines     []int // execution engines of a core, where counters are of one of several
	threads     float64
	warp        float64
	tile        float64 // pixels of a tile's side
	task        float64 // pixels of a fragment task
	request     float64 // vertices in a tiler's request
	samples     float64 // bilinear texture samples in a cycle
	message     float64 // quads in a texture message
	slots       float64 // of the varying unit in a cycle
	calls       float64 // warps for an instruction of a blend shader's call that share one
	kills       float64 // tiles that are compared apart, in each that is counted
	issue       arithmetic
	culls       culling
	filters     filtering
	late        float64 // share of visible vertices whose shading is left to the main phase
	domains     []int   // how many clocks the driver tells
	low, high   int     // MHz
	weight      float64 // a core's share of memory, those of the newest being 1
	rays        int     // from how many cores on there is a ray tracing unit; 0 is never
	names       []named // ascending
}

// named is a name from so many cores on.
type named struct {
	cores int
	name  string
}

var products = []product{
	{gpu: "mali-g52", layout: "Mali-G52", id: 0x70020000, cores: []int{1, 2, 2, 2, 3, 4, 6}, engines: []int{1, 2, 2,
		3, 3}, threads: 768, warp: 8, tile: 16, task: 1024, request: 4, samples: 2, message: 1, slots: 1, kills: 1,
		issue: byInstruction, culls: planesXY, filters: passes, domains: []int{1}, low: 500, high: 950, weight: 0.7,
		names: []named{{1, "Mali-G52"}}},
	{gpu: "mali-g76", layout: "Mali-G76", id: 0x70010000, cores: []int{4, 4, 5, 8, 10, 10, 12, 16}, engines: []int{3},
		threads: 768, warp: 8, tile: 16, task: 1024, request: 4, samples: 2, message: 1, slots: 1, kills: 1,
		issue: byInstruction, culls: planesXY, filters: passes, domains: []int{1}, low: 600, high: 850, weight: 0.6,
		names: []named{{1, "Mali-G76"}}},
	{gpu: "mali-g57", layout: "Mali-G77", id: 0x90010000, cores: []int{1, 2, 2, 3, 4, 5, 6}, threads: 1024,
		warp: 16, tile: 16, task: 1024, request: 4, samples: 4, message: 1, slots: 1, calls: 2, kills: 1,
		issue: bySide, culls: planesXY, filters: full, domains: []int{1}, low: 600, high: 1070, weight: 0.7,
		names: []named{{1, "Mali-G57"}}},
	{gpu: "mali-g78", layout: "Mali-G78", id: 0x90020000, cores: []int{7, 10, 14, 14, 20, 22, 24}, threads: 1024,
		warp: 16, tile: 16, task: 1024, request: 4, samples: 4, message: 1, slots: 1, calls: 2, kills: 1,
		issue: bySide, culls: planesXY, filters: full, domains: []int{1, 2}, low: 550, high: 900, weight: 0.5,
		names: []named{{1, "Mali-G78"}}},
	{gpu: "mali-g710", layout: "Mali-G710", id: 0xa0020000, csf: true, cores: []int{7, 7, 8, 10, 10, 14, 16},
		threads: 2048, warp: 16, tile: 32, task: 1024, request: 4, samples: 8, message: 2, slots: 2,
		calls: 4, kills: 4, issue: inTurn, culls: planesXY, filters: full, domains: []int{1, 2}, low: 600, high: 950,
		weight: 0.7, names: []named{{1, "Mali-G710"}}},
	{gpu: "mali-g615", layout: "Mali-G715", id: 0xb0020000, csf: true, cores: []int{2, 4, 4, 5, 6, 7, 8, 10, 11},
		threads: 2048, warp: 16, tile: 32, task: 1024, request: 4, samples: 8, message: 2, slots: 4, calls: 4,
		kills: 4, issue: twoAdds, culls: facingFirst, filters: full, domains: []int{1, 2}, low: 600, high: 1300,
		weight: 1, rays: 10, names: []named{{1, "Mali-G615"}, {7, "Mali-G715"}, {10, "Immortalis-G715"}}},
	{gpu: "mali-g720", layout: "Mali-G720", id: 0xc0000000, csf: true, cores: []int{2, 4, 6, 6, 7, 7, 8, 10, 12},
		threads: 2048, warp: 16, tile: 32, task: 4096, request: 4, samples: 8, message: 2, slots: 4, calls: 4,
		kills: 4, issue: twoAdds, culls: frustumFirst, filters: stages, late: 0.6, domains: []int{1, 2}, low: 600,
		high: 1300, weight: 1, rays: 10, names: []named{{1, "Mali-G620"}, {6, "Mali-G720"}, {10, "Immortalis-G720"}}},
	{gpu: "immortalis-g925", layout: "Mali-G725", id: 0xd0000000, csf: true, cores: []int{10, 10, 12, 12, 14, 16},
		threads: 2048, warp: 16, tile: 32, task: 4096, request: 16, samples: 8, message: 2, slots: 4, calls: 4,
		kills: 4, issue: twoSlots, culls: frustumFirst, filters: stages, late: 0.6, domains: []int{1, 2}, low: 800,
		high: 1650, weight: 0.9, rays: 10, names: []named{{10, "Immortalis-G925"}}},
	{gpu: "mali-g1-ultra", layout: "Mali G1", id: 0xe0000000, csf: true, cores: []int{10, 11, 12, 12, 14, 16},
		threads: 2048, warp: 16, tile: 32, task: 4096, request: 16, samples: 8, message: 2, slots: 4, calls: 4,
		kills: 4, issue: twoSlots, culls: frustumFirst, filters: stages, late: 0.6, domains: []int{1, 2}, low: 900,
		high: 1750, weight: 0.9, rays: 10, names: []named{{10, "Mali G1-Ultra"}}},
}

// name is what a product with so many cores is called.
func (p *product) name(cores int) string {
	out := ""
	for _, n := range p.names {
		if cores >= n.cores {
			out = n.name
		}
	}
	return out
}

// prepass reports whether fragments go through a pass that removes hidden ones before the main one.
func (p *product) prepass() bool { return p.issue == twoSlots }
