package mali

import (
	_ "embed"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
)

//go:embed counters_g78.csv
var countersG78 string

//go:embed counters_g725.csv
var countersG725 string

// counter is a raw counter of the hardware.
type counter struct {
	block, index, hardware, machine, name, unit, title string
	scale                                              uint64 // what the hardware's number is multiplied by
}

// layout is a generation of GPUs: what it counts, and how wide it is.
type layout struct {
	family, gpu, name, architecture string
	device                          capture.Device
	fifth                           bool // the 5th generation: command streams, three queues, ray tracing
	counters                        []counter
	place                           map[string]int // of counters, by their machine names without Mali
	queueNames                      []simulate.Candidate
	chips                           []chip
	smaller                         int // cores below which there are two slices of L2
	dramNs                          [2]float64
	taskPixels, tilePixels          float64
	varyingSlots                    float64 // in a cycle
	vertices                        float64 // of a request for shading
	blendWarps                      float64 // by which Arm's formula multiplies calls of blend shaders
}

var layouts = []*layout{
	{family: "mali-g78-tenth", gpu: "mali-g78", name: "Mali-G78", architecture: "9.2",
		device: capture.Device{Name: "Mali-G78", Vendor: "Arm", Driver: "kbase 11.38", ID: "0x92020010"},
		queueNames: []simulate.Candidate{{Level: simulate.LevelQueue, Name: "fragment"},
			{Level: simulate.LevelQueue, Name: "non_fragment"}},
		chips:   []chip{{14, 854, 33}, {20, 848, 31}, {24, 759, 34}, {10, 760, 24}, {7, 840, 19}},
		smaller: 12, dramNs: [2]float64{190, 290}, taskPixels: 1024, tilePixels: 256, varyingSlots: 1, vertices: 4, blendWarps: 2},
	{family: "immortalis-g925-tenth", gpu: "mali-g725", name: "Mali-G725", architecture: "13.0", fifth: true,
		device: capture.Device{Name: "Immortalis-G925", Vendor: "Arm", Driver: "kbase 1.30", ID: "0xd0000010"},
		queueNames: []simulate.Candidate{{Level: simulate.LevelQueue, Name: "main"},
			{Level: simulate.LevelQueue, Name: "binning"}, {Level: simulate.LevelQueue, Name: "compute"}},
		chips:   []chip{{12, 1612, 54}, {10, 1400, 45}, {14, 1300, 50}},
		smaller: 1, dramNs: [2]float64{145, 215}, taskPixels: 4096, tilePixels: 1024, varyingSlots: 4, vertices: 16, blendWarps: 4},
}

func init() {
	for i, file := range []string{countersG78, countersG725} {
		layouts[i].read(file)
	}
}

func (l *layout) read(file string) {
	l.place = map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(file), "\n") {
		if i == 0 {
			continue
		}
		f := strings.Split(line, ",")
		c := counter{f[0], f[1], f[2], f[3], f[4], f[5], f[6], 1}
		if l.fifth {
			switch c.machine {
			case "MaliTilerPosCacheHit", "MaliTilerVarCacheHit":
				c.scale = 16
			case "MaliFragThread":
				c.scale = 4
			}
		}
		l.place[strings.TrimPrefix(c.machine, "Mali")] = len(l.counters)
		l.counters = append(l.counters, c)
	}
}

// find is the place of a counter, by its machine name without Mali. It panics where no GPU has it.
func (l *layout) find(name string) (at int, ok bool) {
	if at, ok = l.place[name]; ok {
		return at, true
	}
	for _, other := range layouts {
		if _, ok := other.place[name]; ok {
			return 0, false
		}
	}
	panic("mali: no counter " + name)
}

// pipes are the issues of the FMA, CVT and SFU pipes, and of the second slot, by the cycles in which the busiest is busy.
// A G78 issues one of each pipe in a cycle, and a G925 in two slots; the SFU pipe takes four cycles.
func (l *layout) pipes(t *traits) [4]float64 {
	if !l.fifth {
		switch t.top {
		case 1:
			return [4]float64{t.cvt, 1, t.sfu / 4, 0}
		case 2:
			return [4]float64{t.cvt, t.cvt * 0.7, 0.25, 0}
		}
		return [4]float64{1, t.cvt, t.sfu / 4, 0}
	}
	first, sfu := 1.0, t.sfu/4
	if t.top == 2 {
		first, sfu = 0.75, 0.25
	}
	second := first * t.slot
	rest := first + second - sfu
	fma := rest / (1 + t.cvt)
	if t.top == 1 {
		fma = rest - fma
	}
	return [4]float64{fma, rest - fma, sfu, second}
}

// layoutOf is that of a family, nil if there is none.
func layoutOf(family string) *layout {
	for _, l := range layouts {
		if l.family == family {
			return l
		}
	}
	return nil
}
