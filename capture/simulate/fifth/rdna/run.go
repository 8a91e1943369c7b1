package rdna

import "astrolabe/capture/simulate"

// tally is what a dispatch left behind, in cycles of its clock.
type tally struct {
	cycles   float64 // from its start to its end
	busy     float64 // with waves
	launched float64 // in which the launchers set the pace
	resident float64 // waves times cycles
	stay     [stations]float64
	waited   [queues]float64
	barrier  float64
	used     [queues]float64 // servers' cycles, of one
	turns    float64
	levels   []level
	start    float64
	finish   float64
}

// level is a stretch with one number of waves.
type level struct {
	cycles float64
	f      *flow
	n      float64
	waits  bool // for the launchers
}

// group is some workgroups that were launched at once.
type group struct {
	ends float64 // progress at which they end
	n    int
}

// run lets a kernel run: groups of waves are launched as long as there is room, all waves in the GPU make the same
// progress, and each group ends after its turns.
func (w *network) run(m *machine, seed uint64) *tally {
	k := w.k
	room := k.resident(m)
	size := max(k.perGroup, (room/20+k.perGroup-1)/k.perGroup*k.perGroup)
	size = max(size, (k.waves/300+k.perGroup-1)/k.perGroup*k.perGroup)
	size = max(k.perGroup, min(size, room/2/k.perGroup*k.perGroup))
	flows := make([]*flow, room/size+3)
	at := func(n int) *flow {
		i := (n + size - 1) / size
		if flows[i] == nil {
			f := w.flow(float64(n))
			flows[i] = &f
		}
		return flows[i]
	}
	r := simulate.NewRandom(seed, "turns")
	t := &tally{start: w.start, finish: w.finish}
	var in []group
	left, n, progress, free := k.waves, 0, 0.0, 0.0
	now := 0.0
	cost := func(waves int) float64 {
		return float64(waves)*w.launch + float64(waves)/float64(k.perGroup)*w.group
	}
	if left > 0 {
		free = cost(min(size, left))
	}
	for left > 0 || n > 0 {
		next, ended := 1e18, -1
		var f *flow
		each := 0.0
		if n > 0 {
			f = at(n)
			each = f.rate / float64(n)
			for i := range in {
				if d := (in[i].ends - progress) / each; d < next-now {
					next, ended = now+max(0, d), i
				}
			}
		}
		fits := left > 0 && n+min(size, left) <= room
		if fits && max(free, now) <= next {
			next, ended = max(free, now), -1
		}
		dt := next - now
		if dt > 0 {
			t.levels = append(t.levels, level{dt, f, float64(n), fits})
			progress += dt * each
		}
		now = next
		if ended >= 0 {
			n -= in[ended].n
			in[ended] = in[len(in)-1]
			in = in[:len(in)-1]
			continue
		}
		waves := min(size, left)
		left -= waves
		n += waves
		turns := k.turns * r.Spread(k.uneven)
		in = append(in, group{progress + turns, waves})
		t.turns += turns * float64(waves)
		free = now + cost(min(size, max(left, 1)))
	}
	t.cycles = w.start + now + w.finish
	for _, l := range t.levels {
		if l.waits {
			t.launched += l.cycles
		}
		if l.f == nil {
			continue
		}
		t.busy += l.cycles
		all := l.n * l.cycles
		t.resident += all
		t.barrier += all * w.barrier / (1 + w.barrier)
		for i, x := range l.f.stay {
			t.stay[i] += all * x / l.f.turn / (1 + w.barrier)
		}
		for i, x := range l.f.waited {
			t.waited[i] += all * x / l.f.turn / (1 + w.barrier)
			t.used[i] += l.cycles * l.f.used[i]
		}
	}
	return t
}

// shares are the ns that each candidate set the pace, walking back from the end: after the end of the last wave and
// before the first there is overhead; while there was room for waves their launch was waited for; and otherwise the last
// wave, or the one whose room it took, was where waves are.
func (t *tally) shares(ns int64) map[simulate.Candidate]int64 {
	out := map[simulate.Candidate]int64{}
	sum, given := 0.0, int64(0)
	by := float64(ns) / t.cycles
	give := func(c simulate.Candidate, cycles float64) {
		sum += cycles
		until := min(ns, int64(sum*by+0.5))
		out[c] += until - given
		given = until
	}
	give(simulate.LaunchOverhead, t.finish)
	for i := len(t.levels) - 1; i >= 0; i-- {
		l := &t.levels[i]
		if l.waits || l.f == nil {
			give(WaveLaunch, l.cycles)
			continue
		}
		for k, x := range l.f.stay {
			if x > 0 {
				give(candidateOf[k], l.cycles*x/l.f.turn)
			}
		}
	}
	give(simulate.LaunchOverhead, t.start)
	out[simulate.LaunchOverhead] += ns - given
	return out
}
