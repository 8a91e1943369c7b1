package amdgpu

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"astrolabe/hwio/hwtest/clients"
)

// bits are the blocks that radeontop names, with their bits in GRBM_STATUS.
var bits = map[string]uint{"gpu": 31, "ta": 14, "sx": 20, "spi": 22, "sc": 24, "pa": 25, "db": 26, "cb": 30}

var shown = regexp.MustCompile(`(\w+) ([0-9.]+)%(?: ([0-9.]+)(mb|ghz))?`)

// radeontop reads by libdrm_amdgpu, which takes over a device only when it has the card's links, GB_ADDR_CONFIG and the sizes of its memories.
func TestForeignRadeontopShowsWhatItWasTold(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	radeontop := clients.Path(t, "radeontop", "radeontop")
	const reads = 50 // a second
	for _, c := range []struct {
		name string
		part *part
		bits []string
	}{{"gfx9", vega20, []string{"gpu", "ta", "sx", "spi", "sc", "pa", "db", "cb"}}, {"gfx1151", strixHalo, []string{"gpu", "sx", "spi", "sc", "pa", "db", "cb"}}} {
		t.Run(c.name, func(t *testing.T) {
			r, out := clients.Run(t, clients.Options{Device: newDevice(c.part), Seed: 1, Scenarios: []string{steppedScenario}},
				radeontop, "-d", "-", "-l", "2", "-t", fmt.Sprint(reads), "-i", "1")
			truth := r.Truth.(*Truth).GPUs[0]
			values := shown.FindAllStringSubmatch(out, -1)
			percent, amount := map[string][]string{}, map[string][]string{}
			for _, v := range values {
				percent[v[1]], amount[v[1]] = append(percent[v[1]], v[2]), append(amount[v[1]], v[3])
			}
			if len(percent["gpu"]) != 2 {
				t.Fatalf("it prints:\n%s", out)
			}
			same := clients.Compare(t, "radeontop", c.name)
			var told []uint32
			for _, a := range truth.Answers {
				if a.Register == grbmStatus {
					told = append(told, a.Value)
				}
			}
			// The first read is a trial. A line shows the second that was finished last, which two lines may share.
			for line := range 2 {
				best := -1
				for from := 1; from+reads <= len(told); from += reads {
					fits := true
					for _, name := range c.bits {
						fits = fits && percent[name][line] == fmt.Sprintf("%.2f", share(told[from:from+reads], bits[name]))
					}
					if fits {
						best = from
					}
				}
				for _, name := range c.bits {
					want := "of a second that it read"
					if best >= 0 {
						want = fmt.Sprintf("%.2f", share(told[best:best+reads], bits[name]))
					}
					same.Equal(name, percent[name][line], want)
				}
				l := c.part.heavy
				same.Equal("vram", amount["vram"][line], fmt.Sprintf("%.2f", float64(l.VRAM)/(1<<20)))
				same.Equal("gtt", amount["gtt"][line], fmt.Sprintf("%.2f", float64(l.GTT)/(1<<20)))
				same.Equal("share of vram", percent["vram"][line], fmt.Sprintf("%.2f", 100*float64(l.VRAM)/float64(c.part.vram-reserved)))
				same.Equal("share of gtt", percent["gtt"][line], fmt.Sprintf("%.2f", 100*float64(l.GTT)/float64(c.part.gtt)))
				for name, mhz := range map[string]uint64{"sclk": l.SclkMHz, "mclk": l.MclkMHz} {
					ghz, err := strconv.ParseFloat(amount[name][line], 64)
					if err != nil {
						t.Fatal(err)
					}
					same.Within(name, ghz, float64(mhz)/1000, 0.00051)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}

// share is the percentage of answers that have a bit.
func share(answers []uint32, bit uint) float64 {
	n := 0
	for _, a := range answers {
		n += int(a >> bit & 1)
	}
	return 100 * float64(n) / float64(len(answers))
}
