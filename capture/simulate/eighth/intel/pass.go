package intel

// Kinds of messages that a thread sends.
const (
	opNone = iota // only instructions
	opTexture
	opLoad
	opLocal
	opRay
	opColor
	opStore
	opKinds
)

var stations = [...]int{opTexture: texture, opLoad: loadStore, opStore: loadStore, opLocal: localMemory, opRay: rayTracing,
	opColor: pixelBackend}

// op is a step of a program: instructions, and a message that the thread waits for.
type op struct {
	kind     uint8
	alu      float64 // instructions of a thread before the message
	messages float64 // clocks of the pipe that sends
	amount   float64 // quads, lines or rays of a batch
	cost     float64 // of each, as a share of the cheapest
	lines    float64 // that go on to L3, or to memory from the pixel backend
	atomic   float64 // share of the requests
}

// pass is the work of one queue between two synchronisations, by item: a piece of a draw, or a row of work-groups.
type pass struct {
	name    string
	compute bool
	async   bool // on the compute engine
	count   float64

	vertices, attributes, vertexLines float64
	vertexBatches, batches            float64 // at most 1
	triangles, setUp                  float64 // that are clipped, and set up
	quads, depthQuads, earlyQuads     float64
	tests                             float64 // cost of an early one
	depthLines, blendLines            float64
	hizFails, earlyFails              float64 // quads
	killed, failed, blended           float64 // shares of what is shaded, of the rest, and of what is written
	program, vertexProgram            []op
	second, dependency, miss, spread  float64
	rows                              int
	draws                             float64
}

func (p *pass) kind() int {
	if p.compute {
		return 2
	}
	return 0
}

// drawing describes a pass of draws as its author would. What is not said is nothing.
type drawing struct {
	name                       string
	pixels, overdraw           float64 // of the target, and how often each is rasterized
	hidden                     float64 // share of what is rasterized that hierarchical depth rejects
	early                      float64 // share of the rest that the early test rejects
	vertices, triangle, culled float64 // triangles per vertex
	attributes                 float64 // cost of a vertex's attributes
	vertexALU, alu             float64 // instructions of a thread
	samples, filter, texels    float64 // samples of a pixel, their cost, lines that a quad of a sample misses
	loads                      float64 // lines of a thread's buffers
	rounds                     int     // dependent messages
	color, blend, kill         float64 // bytes of a pixel, share that is blended, share that is discarded
	depth, tests               float64 // bytes of a pixel to and from memory, and the cost of an early test
	fill                       float64 // share of lanes that are lit
	second, dependency, miss   float64
	rows                       int
	spread                     float64
	draws                      float64
}

// pass works a drawing out for a machine.
func (m *machine) draw(d drawing) pass {
	if d.fill == 0 {
		d.fill = 0.9
	}
	rastered := d.pixels * d.overdraw
	left := rastered * (1 - d.hidden)
	shaded := left * (1 - d.early)
	if d.alu+d.samples+d.color == 0 { // depth only: no threads
		shaded = 0
	}
	batches := shaded / d.fill / m.batch()
	vertexBatches := d.vertices / m.batch()
	n := max(batches, vertexBatches, 1)
	p := pass{name: d.name, count: n, vertices: d.vertices / n, attributes: max(1, d.attributes),
		vertexLines: d.vertices / n * max(1, d.attributes) * 16 / 64 * 0.7, vertexBatches: vertexBatches / n, batches: batches / n,
		triangles: d.vertices * d.triangle / n, setUp: d.vertices * d.triangle * (1 - d.culled) / n,
		quads: rastered / d.fill / 4 / n, earlyQuads: left / d.fill / 4 / n, killed: d.kill, failed: 0.01 * d.kill, blended: d.blend,
		depthLines: left * d.depth / 64 / n, second: d.second, dependency: d.dependency, miss: d.miss, rows: d.rows, spread: d.spread, draws: d.draws}
	if d.depth > 0 || d.hidden > 0 {
		p.depthQuads, p.tests = p.quads, max(1, d.tests)
		p.hizFails, p.earlyFails = p.quads*d.hidden, p.earlyQuads*d.early
	} else {
		p.earlyQuads = 0
	}
	if p.rows == 0 {
		p.rows = m.rows
	}
	quads, eus := m.batch()/4, float64(m.eus)
	rounds := max(1, d.rounds)
	r := float64(rounds)
	for k := range rounds {
		o := op{kind: opNone, alu: d.alu / (r + 1)}
		switch {
		case d.samples > 0 && (d.loads == 0 || k%2 == 0 || rounds == 1):
			share := r
			if d.loads > 0 && rounds > 1 {
				share = float64((rounds + 1) / 2)
			}
			o.kind, o.amount, o.cost = opTexture, quads*d.samples/share, max(1, d.filter)
			o.messages, o.lines = 4*d.samples/share, quads*d.samples/share*d.texels
		case d.loads > 0:
			share := r
			if d.samples > 0 {
				share = float64(rounds / 2)
			}
			o.kind, o.amount, o.cost, o.messages = opLoad, eus*d.loads/share, 1, 3
			o.lines = o.amount * m.beyondL1()
		}
		p.program = append(p.program, o)
	}
	out := op{kind: opColor, alu: d.alu / (r + 1), messages: 6, amount: quads * d.fill, cost: max(1, d.color/4) * (1 + d.blend)}
	out.lines = m.batch() * d.fill * d.color / 64 * (1 - d.kill) * 0.8 // what is compressed
	if m.xe2 {                                                         // whose L2 keeps what is drawn over soon
		out.lines *= 0.2 + 0.8/max(1, d.overdraw)
	}
	p.blendLines = out.lines * d.blend * 0.6
	p.program = append(p.program, out)
	p.vertexProgram = []op{{kind: opLoad, alu: d.vertexALU / 2, messages: 3, amount: eus * 2, cost: 1, lines: eus * 2 * m.beyondL1()},
		{alu: d.vertexALU / 2}}
	return p
}

// beyondL1 is the share of what the data port reads that L3 sees: Gen9's has no cache of its own for data.
func (m *machine) beyondL1() float64 {
	if m.xe2 {
		return 0.45
	}
	return 1
}

// kernel describes a dispatch of compute.
type kernel struct {
	name                     string
	invocations              float64
	alu                      float64 // instructions of a thread, in all rounds
	rounds                   int
	loads, stores            float64 // lines of a thread and round
	apart                    float64 // lines that a message touches, 1 where neighbours read neighbours
	local, conflicts         float64 // lines of a thread and round
	samples, texels          float64
	rays                     float64
	atomic                   float64
	second, dependency, miss float64
	rows                     int
	spread                   float64
	async                    bool
}

func (m *machine) compute(k kernel) pass {
	n := max(1, k.invocations/m.batch())
	p := pass{name: k.name, compute: true, async: k.async, count: n, batches: 1, second: k.second, dependency: k.dependency,
		miss: k.miss, rows: k.rows, spread: k.spread}
	if p.rows == 0 {
		p.rows = m.rows
	}
	eus := float64(m.eus)
	l1 := m.beyondL1()
	if k.miss > 0.8 { // what is not in L3 was not nearer either
		l1 = 1
	}
	alu := k.alu / float64(max(1, k.rounds)+1)
	for range max(1, k.rounds) {
		before := len(p.program)
		if k.loads > 0 {
			p.program = append(p.program, op{kind: opLoad, messages: 3 * max(1, k.loads), amount: eus * k.loads * max(1, k.apart), cost: 1,
				lines: eus * k.loads * max(1, k.apart) * l1, atomic: k.atomic})
		}
		if k.samples > 0 {
			p.program = append(p.program, op{kind: opTexture, messages: 4, amount: m.batch() / 4 * k.samples, cost: 1,
				lines: m.batch() / 4 * k.samples * k.texels})
		}
		if k.local > 0 {
			p.program = append(p.program, op{kind: opLocal, messages: 3, amount: eus * k.local, cost: max(1, k.conflicts)})
		}
		if k.rays > 0 {
			p.program = append(p.program, op{kind: opRay, messages: 4, amount: m.batch() * k.rays, cost: 1, lines: m.batch() * k.rays * 0.4})
		}
		if len(p.program) == before {
			p.program = append(p.program, op{})
		}
		for i := before; i < len(p.program); i++ {
			p.program[i].alu = alu / float64(len(p.program)-before)
		}
	}
	last := op{alu: alu}
	if k.stores > 0 {
		last = op{kind: opStore, alu: alu, messages: 3, amount: eus * k.stores, cost: 1, lines: eus * k.stores}
	}
	p.program = append(p.program, last)
	return p
}
