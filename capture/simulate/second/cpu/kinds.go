package cpu

import (
	"math"

	"astrolabe/capture/simulate"
)

// serial is a program whose threads work in turn although they need not.
func (b *builder) serial() string {
	d := b.d
	frame, length := d.in(6e6, 40e6), d.in(1.5e9, 4e9)
	kind := func() func(dice, *model) mix {
		return pick(d, plain, executing, guessing, sprawling, chasing, blended)
	}
	switch d.IntN(4) {
	case 0: // one thread produces, the other consumes, with a single buffer between
		b.p.between = true
		share := d.in(0.3, 0.7)
		b.repeat([]shape{
			{threads: workers(0, 1), pieces: []piece{b.work(kind(), frame*share)}},
			{threads: workers(1, 1), pieces: []piece{b.work(kind(), frame*(1-share))}},
		}, frame, length, 0.15)
		return "a thread that produces waits for the one that consumes"
	case 1: // an interpreter's lock, handed on after each slice
		n := d.whole(2, min(8, b.most()))
		k := d.whole(1, 6)
		var shapes []shape
		slice := frame / float64(n*k)
		pieces := []piece{b.work(kind(), slice*0.7), b.work(kind(), slice*0.3)}
		for range k {
			shapes = append(shapes, shape{threads: workers(0, n), turn: true, uneven: 0.3, pieces: pieces})
		}
		b.repeat(shapes, frame, length, 0.1)
		return "threads hand on the right to run"
	case 2: // a file is read whole, then worked on, then written
		read := b.command(256, 512, 1024)
		wait := b.storage(read.bytes, 1)
		repeat := max(1, int(4e6/wait))
		frame = float64(repeat) * wait * d.in(1.7, 2.6)
		b.p.between = true
		b.repeat([]shape{
			{threads: workers(0, 1), repeat: repeat, pieces: []piece{read}},
			{threads: workers(1, 1), pieces: []piece{b.work(kind(), frame-float64(repeat)*wait)}},
		}, frame, length, 0.15)
		return "reading and computing in turn"
	}
	// Stages of a pipeline that a coordinator starts one after the other.
	n := d.whole(2, min(5, b.most()))
	b.p.between = true
	var shapes []shape
	for i := range n {
		shapes = append(shapes, shape{threads: workers(i, 1), pieces: []piece{b.work(kind(),
			frame/float64(n)*d.in(0.6, 1.4))}})
	}
	b.repeat(shapes, frame, length, 0.1)
	return "stages of a pipeline one after the other"
}

// rates are those at which programs have dates, in Hz.
var rates = []float64{10, 20, 24, 25, 30, 30, 48, 50, 60, 60, 64, 72, 90, 100, 120, 128, 144}

// healthy is a program that keeps its dates.
func (b *builder) healthy() string {
	d := b.d
	b.m.governor = d.chance(0.6)
	period := 1e9 / pick(d, rates...)
	if b.m.latency > period/40 { // who has dates does not wait for a disk that turns
		b.m.slots, b.m.latency, b.m.transfers = 32, d.in(60e3, 120e3), d.in(1.5, 6)
	}
	c := pick(d, contents...)
	shapes, frame := c.shape(b)
	b.p.between = false
	b.p.period = period
	n := max(24, int(d.in(1.5e9, 3.5e9)/period))
	burst := d.chance(0.3)
	fit := d.in(0.2, 0.75) * period / frame
	for i := range shapes {
		for k := range shapes[i].pieces {
			shapes[i].pieces[k].ns *= fit
			shapes[i].pieces[k].bytes *= min(1, fit)
		}
		if b.stores(shapes[i]) { // fewer commands in place of shorter ones
			shapes[i].repeat = max(1, int(float64(shapes[i].repeat)*fit))
		}
	}
	at, irregular := 0.0, d.chance(0.3)
	for f := 0; f < n && (f < 24 || b.steps < mostSteps); f++ {
		factor := d.in(0.85, 1.15)
		if burst && d.chance(0.1) {
			factor *= 1.25
		}
		b.frame(shapes, factor)
		b.p.dates = append(b.p.dates, at)
		at += period
		if irregular { // requests come when they come, and are to be answered in a period
			at += period * d.in(0, 1.5)
		}
	}
	b.keep()
	return "a " + c.text + " that keeps its dates"
}

func (b *builder) stores(sh shape) bool {
	for _, pc := range sh.pieces {
		if pc.bytes > 0 {
			return true
		}
	}
	return false
}

// keep makes the work smaller until every date is kept, without a governor if need be.
func (b *builder) keep() {
	for try := range 12 {
		out := run(b.m, &b.p, noRelief(), nil)
		busy := 0.0
		for f := range out.ends {
			busy += out.ends[f] - b.p.dates[f]
		}
		if out.missed == 0 && busy < 0.78*b.p.period*float64(len(out.ends)) {
			return
		}
		if try == 6 {
			b.m.governor = false
		}
		for i := range b.p.threads {
			for k := range b.p.threads[i] {
				steps := b.p.threads[i][k].steps
				for s := range steps {
					if steps[s].what == fetch {
						steps[s].spread = math.Max(0.3, steps[s].spread*0.8)
					}
					steps[s].amount *= 0.8
				}
			}
		}
	}
}

// twoPhase is a program with one content, then another.
func (b *builder) twoPhase() string {
	d := b.d
	text, warm := "", b.warmth()
	for k := range 2 {
		c := pick(d, contents...)
		between := b.p.between
		shapes, frame := c.shape(b)
		b.p.between = between && k == 1
		if k == 1 {
			text += ", then "
			b.p.second = len(b.p.frames)
		}
		text += c.text
		b.repeat(shapes, frame, d.in(1e9, 2.5e9), d.in(0.02, 0.2))
	}
	b.p.between = false
	return text + warm
}

// random is stages of any kind in any mixture.
func (b *builder) random() string {
	d := b.d
	warm := b.warmth()
	frame := d.in(6e6, 60e6)
	n := d.whole(1, 5)
	var shapes []shape
	for range n {
		threads := b.some()
		if d.chance(0.3) {
			threads = 1
		}
		sh := shape{threads: workers(0, threads), uneven: d.in(0, 0.4), repeat: d.whole(1, 4)}
		part := frame / float64(n*sh.repeat)
		for range d.whole(1, 2) {
			kind := pick(d, plain, executing, guessing, sprawling, chasing, streaming, blended)
			if len(b.p.mixes) > mostMixes-4 {
				break
			}
			pc := b.work(kind, part*d.in(0.3, 1))
			if d.chance(0.15) {
				pc = b.work(pick(d, shared, kind), part*d.in(0.2, 1.8)/float64(threads))
				pc.locked = true
			}
			sh.pieces = append(sh.pieces, pc)
		}
		if d.chance(0.2) {
			sh.pieces = append(sh.pieces, b.command(4, 16, 64, 256))
		}
		if threads > 1 && d.chance(0.15) {
			sh.turn = true
			for k := range sh.pieces {
				sh.pieces[k].ns /= float64(threads)
			}
		}
		shapes = append(shapes, sh)
	}
	b.p.ahead = d.IntN(2)
	b.repeat(shapes, frame, d.in(1.5e9, 4e9), d.in(0, 0.3))
	return "stages of any kind" + warm
}

// make makes the program of a kind.
func (b *builder) make(kind string, seed uint64) (text, plant string, ok bool) {
	switch kind {
	case simulate.KindSingle:
		text, plant = b.single(int(seed % uint64(causeTimer)))
	case simulate.KindArchetype:
		text = b.archetype()
	case simulate.KindSerial:
		text = b.serial()
	case simulate.KindHealthy:
		text = b.healthy()
	case simulate.KindTwoPhase:
		text = b.twoPhase()
	case simulate.KindRandom:
		text = b.random()
	default:
		return "", "", false
	}
	return text, plant, true
}
