package amd

import "sort"

// moment is a stretch of time in which nothing changed.
type moment struct {
	from, to int64
	chance   chances
}

// firmwareLook is what the firmware knows after a tick.
type firmwareLook struct {
	f, busy, memory, mean, watts, power, hot, joules, media float64
	cause                                                   int
}

// recorder keeps what happens in one simulation.
type recorder struct {
	moments []moment
	looks   []firmwareLook
	app     [2][]span // of the application's thread, and the one that records commands
	kernel  []span    // driver's work
	spins   []span
	busy    float64 // firmware's averages
	memory  float64
	media   float64
	mediaNs int64
}

func (r *recorder) add(e *engine, to int64, _ *vector, _ bool) {
	if e.queue[video].on {
		r.mediaNs += to - e.now
	}
	r.moments = append(r.moments, moment{e.now, to, e.status()})
}

func (r *recorder) thread(i int, from, to int64) {
	if to > from {
		r.app[i] = append(r.app[i], span{from, to})
	}
}

func (r *recorder) driver(from, to int64) { r.kernel = append(r.kernel, span{from, to}) }

func (r *recorder) spin(from, to int64) {
	if to > from {
		r.spins = append(r.spins, span{from, to})
	}
}

// firmwareAverage is the ns over which the firmware averages its shares. Assumed.
const firmwareAverage = 100e6

func (r *recorder) look(c *control, busy, memory float64) {
	const a = tick / firmwareAverage
	r.busy += (busy - r.busy) * a
	r.memory += (memory - r.memory) * a
	r.media += (float64(r.mediaNs)/tick - r.media) * a
	r.mediaNs = 0
	r.looks = append(r.looks, firmwareLook{f: c.f, busy: r.busy, memory: r.memory, mean: busy, power: c.power, hot: c.hot,
		joules: c.joules, media: r.media, cause: c.cause})
}

// at is what the firmware knew at a time.
func (r *recorder) at(t int64) *firmwareLook {
	i := max(0, min(len(r.looks)-1, int(t/tick)-1))
	return &r.looks[i]
}

// within is how many ns of a time spans cover. They are in order and do not overlap.
func within(list []span, from, to int64) (sum int64) {
	i := sort.Search(len(list), func(i int) bool { return list[i].to > from })
	for ; i < len(list) && list[i].from < to; i++ {
		sum += min(to, list[i].to) - max(from, list[i].from)
	}
	return sum
}

// engineSpans are the times from when the scheduler hands a submission to a ring to its end, by kind of engine: what the
// driver counts as an engine's time of a client. Two submissions of a ring can be under way, and both count.
func (e *engine) engineSpans() (out [5][]span) {
	const (
		gfx, comp, dma, dec, enc = 0, 1, 2, 3, 4
	)
	var ends [5][]int64
	for i := range e.frames {
		jobs := e.l.contents[e.l.frames[i].content].jobs
		var open [5]*span
		for k := range jobs {
			j, s := &jobs[k], &e.jobs[e.first[i]+k]
			ring := j.queue
			if j.name == "encode" {
				ring = enc
			}
			crosses := j.own
			earliest := s.submit
			for _, d := range j.after {
				if i-d.back < 0 || jobs[d.job].queue == j.queue {
					continue
				}
				if d.back == 0 || e.l.frames[i-d.back].content == e.l.frames[i].content {
					crosses = true
					earliest = max(earliest, e.jobs[e.first[i-d.back]+d.job].at)
				}
			}
			if open[ring] == nil || crosses {
				if n := len(ends[ring]); n >= 2 {
					earliest = max(earliest, ends[ring][n-2])
				}
				out[ring] = append(out[ring], span{min(earliest, s.began), s.at})
				ends[ring] = append(ends[ring], s.at)
				open[ring] = &out[ring][len(out[ring])-1]
			}
			open[ring].to = s.at
			ends[ring][len(ends[ring])-1] = s.at
		}
	}
	return out
}

// engineTime is what spans add up to until a time.
func engineTime(list []span, t int64) (sum int64) {
	for _, s := range list {
		if s.from >= t {
			continue
		}
		sum += min(t, s.to) - s.from
	}
	return sum
}
