package intel

import (
	"strings"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/content"
)

// pipes counts what the pipes of units from Gen8 on do, other than Kaby Lake's: until Gen11 two that are nearly alike;
// then one for floats, and one that is narrower, of extended math (Xe-LP to Xe-LPG) or of integers and extended math
// (Xe2); and a matrix engine where there is one. How often two work in the same clock is invented.
func (t *terms) pipes(stage int, sh *content.Shader, threads float64) {
	d := t.d
	union := t.cycles(content.Arithmetic, d.eus)
	sends := t.access(sh)
	if t.p.Press[content.Texture] > 0 {
		sends += t.sample(sh)
	}
	draw := func(shift uint) float64 { return float64(t.p.Seed>>shift%97) / 97 }
	// The matrix engine leaves the clocks in which nothing works beside it to itself.
	matrix, beside := 0.0, 0.0
	if d.matrix && stage >= compute && t.tensors {
		matrix = union * (0.3 + 0.6*draw(5))
		beside = matrix * (0.1 + 0.4*draw(9))
	}
	rest := union - matrix + beside
	second, both := 0.0, 0.0
	switch {
	case d.plat.version < 1200:
		rate := 1 + 0.7*draw(8)
		both = rest * (rate - 1)
		second = rest * (0.45*rate + 0.05)
		if rate < 1.12 {
			second = rest * (rate - 0.96)
		}
		second = min(rest, max(second, both))
	case d.plat.version < 2000:
		// Extended math is narrow: a quarter of the lanes, so that it takes four times as long.
		second = rest * min(0.6, 0.03+0.9*sh.Special)
		both = second * (0.2 + 0.7*draw(8))
	default:
		second = rest * min(0.75, 0.1+0.8*sh.Special+0.4*sh.Convert)
		both = second * (0.2 + 0.6*draw(8))
	}
	first := rest - second + both
	t.add(perThreads+stage, t.tally(simulate.TallyIssued), threads)
	t.add(perUnion+stage, unitEU, union)
	t.add(perFirst+stage, unitEU, first)
	t.add(perBoth+stage, unitEU, both)
	t.add(perMatrix+stage, unitEU, matrix)
	t.add(perBeside+stage, unitEU, beside)
	t.add(perSend+stage, unitEU, min(sends, 0.5*union+0.1*sends))
	t.add(narrow, unitEU, first*sh.Narrow)
	weight := 1.0
	if t.p.Wide {
		weight = 2
	}
	t.add(perLoaded+stage, t.tally(simulate.TallySlots), 1/weight)
	t.add(instructions, unitEU, union/400)
	t.add(cacheWork, unitCache, t.cycles(content.Cache, 1))
}

// tensors reports whether a pass is one whose programs use matrix engines where there are some.
func tensors(p *content.Pass) bool {
	for _, word := range []string{"convolution", "matrix", "attention", "projection"} {
		if strings.Contains(p.Name, word) {
			return true
		}
	}
	return false
}

// missesBehind counts what a first level of cache before L3 asks of it, and L3 of memory.
func (t *terms) missesBehind(read, write float64) {
	texture, buffers := t.cycles(content.Texture, t.d.subs)*t.d.blocks, t.cycles(content.LoadStore, t.d.subs)
	room := 0.95 * t.cycles(content.Cache, t.d.subs)
	most := [2]float64{0.6 * texture, buffers}
	if t.p.Press[content.Texture] == 0 {
		most[0] = 0
	}
	// Writes go through the first level (Battlemage's published counts: as many writes of L3 as of shaders).
	want := [2]float64{min(most[0], max(0.1*texture, 0.6*read)), buffers * (t.writes + (1-t.writes)*(1-0.9*t.hit))}
	sum := want[0] + want[1]
	// What L3 is busy with is what it is asked for: programs that lean on it miss the first level more often.
	if limit := most[0] + most[1]; sum > 0 && limit > 0 {
		goal := min(room, limit)
		for i := range want {
			if sum > goal {
				want[i] *= goal / sum
			} else if limit > sum {
				want[i] += (goal - sum) * (most[i] - want[i]) / (limit - sum)
			}
		}
	}
	t.add(samplerMisses, unitSampler, want[0])
	t.add(nearMisses, unitDataPort, want[1])
	m := min(read, 0.97*(want[0]+want[1]))
	t.add(cacheMisses, simulate.UnitBandwidth, m)
	t.add(readCache, simulate.UnitBandwidth, m)
	t.add(writeCache, simulate.UnitBandwidth, write)
	t.add(readCommand, simulate.UnitBandwidth, read-m)
}
