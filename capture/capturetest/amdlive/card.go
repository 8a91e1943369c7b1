package amdlive

import (
	"time"

	"astrolabe/capture/capturetest"
)

// shortest is the shortest sample: one that holds enough reads of the status registers, and new values of the sensors.
const shortest = 20 * time.Millisecond

// Status bits below the graphics pipe, by the register that has them, with the share of the pipe's time in which their
// blocks work.
var (
	bits1  = []string{"spi", "ta", "sc", "db", "cb", "pa", "ge"}
	bits2  = []string{"tc", "ea"}
	shares = map[string]float64{"cp": 1, "spi": 0.66, "ta": 0.5, "sc": 0.55, "db": 0.4, "cb": 0.35, "pa": 0.25,
		"ge": 0.3, "tc": 0.6, "ea": 0.45}
)

// card is the state that goes from sample to sample.
type card struct {
	t *capturetest.Table
	w *capturetest.Work
	r *capturetest.Random
	d demand

	waiting     float64 // work that is left over, in samples
	clock       float64 // share of the highest
	power       float64
	temperature float64
	throttled   bool
}

// settle lets clock, power and heat follow the work of sample i: the firmware lowers the clock until power, current and
// heat are within limits. It returns the share of the time in which the pipe worked.
func (c *card) settle(i int) float64 {
	todo := c.waiting + c.d.busy*c.w.Amount[i]*c.w.Active[i]
	busy := min(todo, c.w.Active[i])
	c.waiting = min(5, todo-busy)
	clock := c.d.forced * c.w.Hz[i] / maxSclk
	c.throttled = false
	limit := func(most float64) {
		if clock > most {
			clock, c.throttled = most, true
		}
	}
	limit(powerCap * 0.985 / (c.d.watts * max(busy, 0.05)))
	limit(1 / c.d.current)
	// 0.25 °C per watt above what is around; throttling begins at 104 °C.
	limit((104 - c.d.ambient) / 0.25 / (c.d.watts * max(busy, 0.05)))
	c.clock = clock
	power := 12 + c.d.watts*busy*clock
	c.power += 0.2 * (power - c.power)
	c.temperature += 0.1 * (c.d.ambient + 0.25*c.power - c.temperature)
	return busy
}

func (c *card) sample(i int) {
	busy := c.settle(i)
	seconds := c.w.Seconds(i)
	reads := float64(int(seconds / perRead))
	c.t.Count("grbm_samples", i, reads)
	c.t.Count("grbm2_samples", i, reads)
	gfx := c.found(busy, reads)
	c.t.Count("busy_gfx_ones", i, gfx)
	for _, bit := range append(append([]string{"cp"}, bits1...), bits2...) {
		share, ok := c.d.blocks[bit]
		if !ok {
			share = shares[bit]
		}
		c.t.Count("busy_"+bit+"_ones", i, c.found(share, gfx))
	}
	c.t.Level("gpu_busy_percent", "percent", i, 100*busy)
	c.t.Level("sensor_sclk", "Hz", i, maxSclk*c.clock)
	c.t.Level("sensor_mclk", "Hz", i, maxMclk)
	c.t.Level("power", "watts", i, c.power)
	c.t.Level("power_cap", "watts", i, powerCap)
	c.t.Level("temperature", "celsius", i, c.temperature)
	throttled := 0.0
	if c.throttled {
		throttled = 100
	}
	c.t.Level("throttled", "percent", i, throttled)

	// What does not fit into video memory lies in main memory, and some of it is swapped for what is needed now: in
	// buffers of 1 MB.
	over := max(0, c.d.used-vram*0.98)
	evicted := over / 1e6 * 0.2 * seconds * c.r.Small()
	c.t.Level("vram_used", "bytes", i, min(c.d.used, vram*0.98))
	c.t.Level("gtt_used", "bytes", i, min(gtt, 5e8+over))
	c.t.Count("evictions", i, evicted)
	c.t.Count("bytes_moved", i, c.d.moved*seconds*c.r.Small()+2e6*evicted)
	c.t.Count("vram_lost", i, 0)
	c.t.Count("engine_gfx", i, busy*seconds*1e9)
	for _, e := range []struct {
		name  string
		share float64
	}{{"dec", c.d.decode}, {"enc", c.d.encode}, {"dma", c.d.copies}} {
		c.t.Count("engine_"+e.name, i, min(1, e.share)*c.w.Active[i]*seconds*1e9)
	}
}

// found is how many of n reads find a bit set that is set for a share of the time.
func (c *card) found(share, n float64) float64 {
	k := 0.0
	for range int(n) {
		if c.r.Float64() < share {
			k++
		}
	}
	return k
}
