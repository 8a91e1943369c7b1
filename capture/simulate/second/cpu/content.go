package cpu

// content is a kind of program: its text, and the frame that it repeats.
type content struct {
	text  string
	shape func(b *builder) (shapes []shape, frame float64)
	ahead int // frames that its threads run ahead, as they take work from a queue
}

var contents = []content{
	{"web server", webServer, 1},
	{"database of orders", orders, 1},
	{"analytical queries", analytics, 0},
	{"build of a program", compile, 2},
	{"video encoder", encoder, 0},
	{"stencil solver", stencil, 0},
	{"search in a graph", graph, 0},
	{"compressor", compressor, 1},
	{"hashing and encryption", hashing, 1},
	{"interpreter", interpreter, 0},
	{"game simulation", simulation, 0},
	{"language model on the processor", language, 0},
	{"image network on the processor", network, 0},
	{"backup", backup, 1},
	{"log search", logSearch, 1},
	{"garbage collected service", collected, 0},
	{"sorting", sorting, 0},
	{"desktop application that loads", loading, 0},
	{"key-value store", keyValue, 1},
	{"photo editor", photo, 0},
	{"browser that renders pages", browser, 0},
	{"proxy", proxy, 1},
	{"chess engine", chess, 1},
	{"message broker", broker, 1},
}

// work is a piece of computing. Real code is rarely as pure as a kind of mix.
func (b *builder) work(kind func(dice, *model) mix, ns float64) piece {
	x := blend(kind(b.d, b.m.cpu), plain(b.d, b.m.cpu), b.d.in(0.55, 1))
	return piece{mix: b.add(x), ns: ns}
}

// some is a number of threads, more often many. Few programs have more than there are processors.
func (b *builder) some() int {
	if b.d.chance(0.1) {
		return min(24, int(float64(b.m.cpu.threads())*b.d.in(1.1, 2)))
	}
	if b.d.chance(0.5) {
		return b.most()
	}
	return b.d.whole(2, b.most())
}

// command is a piece that reads or writes storage.
func (b *builder) command(kib ...float64) piece { return piece{bytes: pick(b.d, kib...) * 1024} }

// storage is about how long a command takes with n threads at it.
func (b *builder) storage(bytes float64, n int) float64 {
	return max(1, float64(n)/float64(b.m.slots))*b.m.latency + bytes/b.m.transfers*float64(n)
}

// pure is a piece of computing that is much like its kind.
func (b *builder) pure(kind func(dice, *model) mix, ns float64) piece {
	return piece{mix: b.add(blend(kind(b.d, b.m.cpu), plain(b.d, b.m.cpu), b.d.in(0.8, 1))), ns: ns}
}

func browser(b *builder) ([]shape, float64) {
	d := b.d
	frame := d.in(8e6, 40e6)
	return []shape{
		{threads: workers(0, 1), pieces: []piece{b.pure(sprawling, frame*d.in(0.5, 0.8)),
			b.work(chasing, frame*d.in(0.02, 0.15))}},
		{threads: workers(0, d.whole(2, min(6, b.most()))), uneven: 0.2, pieces: []piece{
			b.work(pick(d, executing, streaming, blended), frame*d.in(0.05, 0.25))}},
	}, frame
}

func proxy(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(6e6, 20e6)
	return []shape{{threads: workers(0, n), uneven: 0.1, repeat: d.whole(2, 5), pieces: []piece{
		b.pure(calling, frame*d.in(0.1, 0.2)), b.pure(sprawling, frame*d.in(0.1, 0.2)),
		b.work(streaming, frame*d.in(0.005, 0.03))}}}, frame
}

func chess(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(10e6, 40e6)
	return []shape{{threads: workers(0, n), uneven: 0.1, pieces: []piece{b.pure(guessing, frame*d.in(0.6, 0.85)),
		b.work(chasing, frame*d.in(0.02, 0.15)), b.work(executing, frame*d.in(0.02, 0.15))}}}, frame
}

func broker(b *builder) ([]shape, float64) {
	d := b.d
	n := d.whole(3, max(4, b.most()))
	frame := d.in(5e6, 15e6)
	repeat := d.whole(8, 20)
	part := frame / float64(repeat)
	queue := b.pure(shared, part*d.in(0.5, 1.6)/float64(n))
	queue.locked = true
	return []shape{{threads: workers(0, n), uneven: 0.1, repeat: repeat, pieces: []piece{
		b.work(pick(d, sprawling, guessing, blended), part*d.in(0.2, 0.7)), queue}}}, frame
}

func webServer(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(8e6, 25e6)
	repeat := d.whole(4, 9)
	request := frame / float64(repeat)
	pieces := []piece{b.work(sprawling, request*d.in(0.4, 0.7)), b.work(guessing, request*d.in(0.1, 0.25)),
		b.work(blended, request*d.in(0.05, 0.2))}
	if d.chance(0.5) {
		session := b.work(shared, request*d.in(0.2, 1.6)/float64(n))
		session.locked = true
		pieces = append(pieces, session)
	}
	return []shape{{threads: workers(0, n), uneven: 0.15, repeat: repeat, pieces: pieces}}, frame
}

func orders(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	log := b.command(4, 8, 16)
	wait := b.storage(log.bytes, 1)
	repeat := d.whole(2, 5)
	frame := max(6e6, float64(repeat)*wait*d.in(1.2, 3))
	part := frame / float64(repeat)
	if d.chance(0.3) {
		n = max(2, n/2)
	}
	index, plan := b.work(chasing, part*d.in(0.2, 0.45)), b.work(sprawling, part*d.in(0.15, 0.4))
	latch := b.work(shared, part*d.in(0.2, 1.6)/float64(n))
	latch.locked = true
	pieces := []piece{plan, index, latch}
	if d.chance(0.6) {
		pieces = append(pieces, log)
	}
	return []shape{{threads: workers(0, n), uneven: 0.1, repeat: repeat, pieces: pieces}}, frame
}

func analytics(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(20e6, 70e6)
	shapes := []shape{
		{threads: workers(0, n), uneven: 0.08, pieces: []piece{b.work(streaming, frame*d.in(0.2, 0.6))}},
		{threads: workers(0, n), uneven: 0.2, pieces: []piece{b.work(chasing, frame*d.in(0.1, 0.4))}},
		{threads: workers(0, n), uneven: 0.1, pieces: []piece{b.work(guessing, frame*d.in(0.05, 0.3))}},
		{threads: workers(0, 1), pieces: []piece{b.work(blended, frame*d.in(0.02, 0.12))}},
	}
	if d.chance(0.3) {
		read := b.command(256, 512, 1024)
		shapes = append([]shape{{threads: workers(0, min(n, 4)), repeat: 2, pieces: []piece{read}}}, shapes...)
	}
	return shapes, frame
}

func compile(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(25e6, 80e6)
	first := b.work(sprawling, frame*d.in(0.4, 0.6))
	b.p.forks = float64(d.whole(2, 3) * n)
	b.p.mixes[first.mix].faults = d.in(2e-6, 1.2e-5)
	pieces := []piece{first, b.work(blended, frame*d.in(0.15, 0.3)), b.work(chasing, frame*d.in(0.02, 0.12))}
	if d.chance(0.5) {
		pieces = append([]piece{b.command(16, 32, 64)}, pieces...)
	}
	shapes := []shape{{threads: workers(0, n), uneven: 0.35, pieces: pieces}}
	if d.chance(0.4) {
		shapes = append(shapes, shape{threads: workers(0, 1), pieces: []piece{b.work(chasing, frame*d.in(0.05, 0.3))}})
	}
	return shapes, frame
}

func encoder(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(10e6, 40e6)
	shapes := []shape{
		{threads: workers(0, 1), pieces: []piece{b.work(streaming, frame*d.in(0.02, 0.1))}},
		{threads: workers(0, n), uneven: 0.15, pieces: []piece{b.work(executing, frame*d.in(0.4, 0.7)),
			b.work(guessing, frame*d.in(0.1, 0.3))}},
	}
	if d.chance(0.5) { // rows of blocks, each begun when the one above is far enough
		shapes = append(shapes, shape{threads: workers(0, min(n, 4)), turn: true,
			pieces: []piece{b.work(blended, frame*d.in(0.05, 0.3)/4)}})
	}
	return append(shapes, shape{threads: workers(0, 1), pieces: []piece{b.work(guessing, frame*d.in(0.03, 0.2))}}), frame
}

func stencil(b *builder) ([]shape, float64) {
	d, n := b.d, b.most()
	frame := d.in(10e6, 50e6)
	return []shape{
		{threads: workers(0, n), uneven: 0.05, pieces: []piece{b.work(streaming, frame*d.in(0.5, 0.85))}},
		{threads: workers(0, n), uneven: 0.05, pieces: []piece{b.work(executing, frame*d.in(0.1, 0.4))}},
		{threads: workers(0, 1), pieces: []piece{b.work(plain, frame*d.in(0.01, 0.05))}},
	}, frame
}

func graph(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(15e6, 60e6)
	return []shape{
		{threads: workers(0, n), uneven: 0.25, pieces: []piece{b.work(chasing, frame*d.in(0.5, 0.8)),
			b.work(guessing, frame*d.in(0.05, 0.2))}},
		{threads: workers(0, 1), pieces: []piece{b.work(blended, frame*d.in(0.02, 0.2))}},
	}, frame
}

func compressor(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	if d.chance(0.4) {
		n = 1
	}
	frame := d.in(12e6, 40e6)
	pieces := []piece{b.work(guessing, frame*d.in(0.5, 0.8)), b.work(chasing, frame*d.in(0.05, 0.25)),
		b.work(executing, frame*d.in(0.05, 0.2))}
	if d.chance(0.4) {
		pieces = append(pieces, b.command(128, 256, 1024))
	}
	return []shape{{threads: workers(0, n), uneven: 0.1, pieces: pieces}}, frame
}

func hashing(b *builder) ([]shape, float64) {
	d, n := b.d, b.d.whole(1, b.most())
	frame := d.in(8e6, 30e6)
	pieces := []piece{b.work(executing, frame*d.in(0.7, 0.95)), b.work(streaming, frame*d.in(0.02, 0.2))}
	if d.chance(0.3) {
		pieces = append(pieces, b.command(512, 1024))
	}
	return []shape{{threads: workers(0, n), uneven: 0.04, pieces: pieces}}, frame
}

func interpreter(b *builder) ([]shape, float64) {
	d := b.d
	frame := d.in(8e6, 30e6)
	n := d.whole(1, 4)
	loop := shape{threads: workers(0, n), uneven: 0.2, pieces: []piece{b.work(sprawling, frame*d.in(0.25, 0.55)),
		b.work(guessing, frame*d.in(0.15, 0.4)), b.work(chasing, frame*d.in(0.03, 0.25))}}
	if n > 1 && d.chance(0.6) { // one lock for all of the interpreter
		loop.turn = true
		for i := range loop.pieces {
			loop.pieces[i].ns /= float64(n)
		}
	}
	return []shape{loop}, frame
}

func simulation(b *builder) ([]shape, float64) {
	d, n := b.d, b.d.whole(2, b.most())
	frame := d.in(6e6, 20e6)
	shapes := []shape{
		{threads: workers(0, 1), pieces: []piece{b.work(sprawling, frame*d.in(0.1, 0.4))}},
		{threads: workers(0, n), uneven: 0.2, pieces: []piece{b.work(executing, frame*d.in(0.1, 0.4))}},
		{threads: workers(0, n), uneven: 0.2, pieces: []piece{b.work(chasing, frame*d.in(0.1, 0.35))}},
		{threads: workers(0, 1), pieces: []piece{b.work(blended, frame*d.in(0.05, 0.3))}},
	}
	if d.chance(0.3) {
		shapes = append(shapes, shape{threads: workers(1, 1), pieces: []piece{b.work(sprawling, frame*d.in(0.2, 0.6))}})
		b.p.between = true
	}
	return shapes, frame
}

func language(b *builder) ([]shape, float64) {
	d, n := b.d, b.most()
	if d.chance(0.5) {
		n = b.physical()
	}
	frame := d.in(30e6, 90e6)
	return []shape{
		{threads: workers(0, n), uneven: 0.03, pieces: []piece{b.work(streaming, frame*d.in(0.55, 0.9))}},
		{threads: workers(0, n), uneven: 0.05, pieces: []piece{b.work(executing, frame*d.in(0.05, 0.3))}},
		{threads: workers(0, 1), pieces: []piece{b.work(sprawling, frame*d.in(0.02, 0.08))}},
	}, frame
}

func network(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(15e6, 50e6)
	return []shape{
		{threads: workers(0, 1), pieces: []piece{b.work(guessing, frame*d.in(0.03, 0.15))}},
		{threads: workers(0, n), uneven: 0.04, pieces: []piece{b.work(executing, frame*d.in(0.4, 0.75))}},
		{threads: workers(0, n), uneven: 0.04, pieces: []piece{b.work(streaming, frame*d.in(0.1, 0.3))}},
	}, frame
}

func backup(b *builder) ([]shape, float64) {
	d, n := b.d, b.d.whole(1, 4)
	read := b.command(64, 128, 256)
	repeat := d.whole(2, 5)
	wait := b.storage(read.bytes, n)
	for float64(repeat)*wait < 4e6 {
		repeat *= 2
	}
	frame := float64(repeat) * wait * d.in(1.2, 2.5)
	part := frame / float64(repeat)
	return []shape{{threads: workers(0, n), uneven: 0.1, repeat: repeat, pieces: []piece{read,
		b.work(blended, part*d.in(0.1, 0.5)), b.work(streaming, part*d.in(0.02, 0.15))}}}, frame
}

func logSearch(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(10e6, 40e6)
	pieces := []piece{b.work(guessing, frame*d.in(0.3, 0.6)), b.work(streaming, frame*d.in(0.2, 0.5))}
	if d.chance(0.5) {
		pieces = append([]piece{b.command(256, 512)}, pieces...)
	}
	return []shape{{threads: workers(0, n), uneven: 0.1, pieces: pieces}}, frame
}

func collected(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(20e6, 60e6)
	return []shape{
		{threads: workers(0, n), uneven: 0.2, pieces: []piece{b.work(sprawling, frame*d.in(0.3, 0.55)),
			b.work(blended, frame*d.in(0.1, 0.3))}},
		{threads: workers(0, max(1, n/2)), uneven: 0.1, pieces: []piece{b.work(chasing, frame*d.in(0.1, 0.4))}},
		{threads: workers(0, 1), pieces: []piece{b.work(plain, frame*d.in(0.01, 0.06))}},
	}, frame
}

func sorting(b *builder) ([]shape, float64) {
	d, n := b.d, b.d.whole(1, b.most())
	frame := d.in(10e6, 40e6)
	return []shape{
		{threads: workers(0, n), uneven: 0.05, pieces: []piece{b.work(guessing, frame*d.in(0.5, 0.8))}},
		{threads: workers(0, max(1, n/2)), pieces: []piece{b.work(guessing, frame*d.in(0.05, 0.2)),
			b.work(streaming, frame*d.in(0.05, 0.3))}},
	}, frame
}

func loading(b *builder) ([]shape, float64) {
	d := b.d
	read := b.command(16, 64, 128)
	repeat := d.whole(2, 4)
	wait := b.storage(read.bytes, 1)
	for float64(repeat)*wait < 2e6 {
		repeat *= 2
	}
	frame := float64(repeat) * wait * d.in(1.3, 4)
	part := frame / float64(repeat)
	return []shape{
		{threads: workers(0, 1), repeat: repeat, pieces: []piece{read, b.work(sprawling, part*d.in(0.1, 0.6))}},
		{threads: workers(0, d.whole(1, 3)), pieces: []piece{b.work(blended, frame*d.in(0.05, 0.3))}},
	}, frame
}

func keyValue(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(8e6, 20e6)
	repeat := d.whole(5, 12)
	part := frame / float64(repeat)
	table := b.work(chasing, part*d.in(0.3, 0.9))
	// Some have one lock for the whole table.
	if d.chance(0.6) {
		table = b.work(shared, part*d.in(0.3, 1.8)/float64(n))
		table.locked = true
	}
	return []shape{{threads: workers(0, n), uneven: 0.1, repeat: repeat, pieces: []piece{
		b.work(sprawling, part*d.in(0.3, 0.8)), table}}}, frame
}

func photo(b *builder) ([]shape, float64) {
	d, n := b.d, b.some()
	frame := d.in(20e6, 70e6)
	var shapes []shape
	for range d.whole(2, 4) {
		kind := pick(d, streaming, executing, executing, blended)
		shapes = append(shapes, shape{threads: workers(0, n), uneven: 0.06, pieces: []piece{
			b.work(kind, frame*d.in(0.1, 0.4))}})
	}
	return append(shapes, shape{threads: workers(0, 1), pieces: []piece{b.work(blended, frame*d.in(0.02, 0.15))}}), frame
}

// warmth lets the clock of some computers be held down.
func (b *builder) warmth() string {
	if b.m.virtual || !b.d.chance(0.3) {
		return ""
	}
	thermal := b.d.chance(0.5)
	b.clock = b.d.in(0.5, 0.85)
	b.hold(thermal, b.physical(), b.clock)
	if thermal && b.d.chance(0.4) {
		b.m.fresh = b.d.in(1, 8)
		return ", becoming hot"
	}
	if thermal {
		return ", hot"
	}
	return ", on a power limit"
}

// archetype is a program as there are.
func (b *builder) archetype() string {
	warm := b.warmth()
	c := pick(b.d, contents...)
	b.p.ahead = c.ahead
	shapes, frame := c.shape(b)
	if b.p.between {
		b.p.ahead = 0
	}
	b.m.start = float64(len(shapes[0].threads))
	b.repeat(shapes, frame, b.d.in(1.5e9, 4e9), b.d.in(0.02, 0.3))
	if b.p.ahead == 0 && b.d.chance(0.1) {
		b.overload()
		warm += ", too late for its dates"
	}
	return c.text + warm
}

// overload gives a program dates that it cannot keep.
func (b *builder) overload() {
	out := run(b.m, &b.p, noRelief(), nil)
	n := len(out.ends)
	b.p.period = out.ends[n-1] / float64(n) * b.d.in(0.6, 0.95)
	for f := range n {
		b.p.dates = append(b.p.dates, float64(f)*b.p.period)
	}
}
