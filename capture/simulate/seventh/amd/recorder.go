package amd

import "sort"

// stretch is a time in which nothing changed.
type stretch struct {
	span
	chance chances
}

// firmwareLook is what the firmware knows after a tick.
type firmwareLook struct {
	f, busy, memory, media, watts, hot, joules float64
	cause                                      int
}

// recorder keeps what happens in one simulation.
type recorder struct {
	stretches []stretch
	looks     []firmwareLook
	app       [2][]span // of the application's thread, and of the one that records commands
	driver    []span
	spins     []span
	mediaNs   int64
}

func (r *recorder) add(e *engine, to int64) {
	if e.queue[video].on {
		r.mediaNs += to - e.now
	}
	r.stretches = append(r.stretches, stretch{span{e.now, to}, e.status()})
}

// host notes what the application did for a frame: it waited from one time to the next, worked until end, and its
// driver from start until done.
func (r *recorder) host(e *engine, waited, begin, end, start, done int64) {
	r.app[0] = append(r.app[0], span{begin, end})
	r.app[min(1, e.l.threads-1)] = append(r.app[min(1, e.l.threads-1)], span{start, done})
	r.driver = append(r.driver, span{start, done})
	if e.l.host.spins {
		r.spins = append(r.spins, span{waited, begin})
	}
}

// look keeps what the firmware knows now. It averages shares: over some 100 ms, and before it had its own table of
// metrics over so few that what it said jumped.
func (r *recorder) look(e *engine, busy, memory float64) {
	n := firmwareLook{}
	if len(r.looks) > 0 {
		n = r.looks[len(r.looks)-1]
	}
	a := 0.01
	if e.l.card.gen == gfx8 {
		a = 0.15
	}
	n.busy += (busy - n.busy) * a
	n.memory += (memory - n.memory) * a
	n.media += (float64(r.mediaNs)/tick - n.media) * a
	c := &e.clock
	n.f, n.watts, n.hot, n.joules, n.cause, r.mediaNs = c.f, c.power, c.hot, c.joules, c.cause, 0
	r.looks = append(r.looks, n)
}

// within is how many ns of a time spans cover. They are in order and do not overlap.
func within(list []span, from, to int64) (sum int64) {
	i := sort.Search(len(list), func(i int) bool { return list[i].to > from })
	for ; i < len(list) && list[i].from < to; i++ {
		sum += max(0, min(to, list[i].to)-max(from, list[i].from))
	}
	return sum
}

// Kinds of engines that the driver counts the time of.
var engineNames = [...]string{"gfx", "compute", "dma", "dec", "enc"}

// engineSpans are the times from when the scheduler hands a frame's work to a ring to its end, by kind of engine: what
// the driver counts of a client. Two frames' work can be with a ring at once, and both count. The compute driver counts
// nothing, what the driver does itself is nobody's, and with newer video engines all is encoding.
func (e *engine) engineSpans() (out [len(engineNames)][]span) {
	for i := range e.frames {
		var seen [len(engineNames)]bool
		for k := range e.l.contents[e.l.frames[i].content].jobs {
			j, s := e.of(i, k)
			ring := j.queue
			if j.queue == video && (j.name == "encode" || e.l.card.gen >= gfx11) {
				ring = 4
			}
			if ring == compute && e.l.kfd || j.name == moving {
				continue
			}
			if n := len(out[ring]); !seen[ring] {
				from := s.submit.at
				if n >= 2 {
					from = max(from, out[ring][n-2].to)
				}
				for _, d := range j.after { // what other rings do is waited for before
					if i >= d.back {
						if other, t := e.of(i-d.back, min(d.job, len(e.l.contents[e.l.frames[i-d.back].content].jobs)-1)); other.queue != j.queue {
							from = max(from, t.end.at)
						}
					}
				}
				out[ring], seen[ring] = append(out[ring], span{min(from, s.began), s.end.at}), true
			}
			last := &out[ring][len(out[ring])-1]
			last.to = max(last.to, s.end.at)
		}
	}
	return out
}

// until is what spans add up to before a time.
func until(list []span, t int64) (sum int64) {
	for _, s := range list {
		sum += max(0, min(t, s.to)-s.from)
	}
	return sum
}
