package oa

import (
	"math"
	"math/bits"
)

// clock maps the GPU's time to the CPU's. GPU times are ticks of the register, carried on past 36 bits, so that they
// never wrap; between two correlation points the map is a straight line, before the first and after the last it runs at
// the nominal frequency. Of a live stream the line of the last two points goes on: with the nominal frequency time
// would jump at every new point by what the two clocks have drifted apart since.
type clock struct {
	frequency uint64
	register  int // bits of the timestamp register, in ticks of reports
	live      bool
	shift     int64 // added to the CPU's times since another recording has begun
	points    []point
	at        int // of the point that the last question needed: questions come in order
	rejected  int // points whose times ran backwards
}

type point struct {
	Correlation
	measured Correlation // as it was told
	full     int64       // GPU time, congruent to Correlation.GPU modulo 2^32
	fresh    bool        // the GPU's clock was set anew before it: there is no line from the point before
}

// registerBits is the width of the timestamp register.
const registerBits = 36

// Tolerances of a correlation point against the nominal frequency: beyond them the GPU's clock has been set anew.
const (
	clockDrift = 0.01
	clockSlack = 1e6 // ticks
)

// What is believed of a correlation point: 146 years after start-up, and a register of 36 bits with room to spare.
const (
	maxCPU = 1 << 62
	maxGPU = 1 << 48
)

// add takes over a correlation point, later than those before; it reports whether the point can be used. anew says that
// it belongs to another recording, whose times follow those of the one before.
func (c *clock) add(p Correlation, anew bool) bool {
	next := point{Correlation: p, measured: p}
	if p.CPU < 0 || p.CPU > maxCPU || p.GPU > maxGPU {
		c.rejected++
		return false
	}
	n := len(c.points)
	if n == 0 {
		next.full = int64(p.GPU)
		c.points = append(c.points, next)
		return true
	}
	last := c.points[n-1]
	if anew && p.CPU+c.shift <= last.CPU {
		c.shift = last.CPU + 1 - p.CPU
	}
	next.CPU += c.shift
	if next.CPU <= last.CPU {
		if p != last.measured {
			c.rejected++
		}
		return false
	}
	expected := float64(next.CPU-last.CPU) * float64(c.frequency) / 1e9
	moved := int64(p.GPU - last.GPU)
	if wraps := math.Round((expected - float64(moved)) / float64(uint64(1)<<c.register)); wraps > 0 && wraps < 1<<24 {
		moved += int64(wraps) << c.register
	}
	next.full = last.full + moved
	if off := math.Abs(float64(moved) - expected); anew || moved <= 0 || off > clockDrift*expected+clockSlack {
		// Where time goes on is only known from the CPU; full stays congruent to the register.
		next.fresh = true
		k := math.Ceil((expected - float64(int32(moved))) / (1 << 32))
		next.full = last.full + int64(int32(moved)) + int64(max(k, 1))<<32
	}
	c.points = append(c.points, next)
	return true
}

// anchor is the GPU time of a report's timestamp by a correlation point near it.
func (p *point) anchor(timestamp uint32) int64 {
	return p.full + int64(int32(timestamp-uint32(p.full)))
}

// near returns the last point at or before a GPU time, or the first there is; nil without any.
func (c *clock) near(full int64) *point {
	if len(c.points) == 0 {
		return nil
	}
	for c.at > 0 && c.points[c.at].full > full {
		c.at--
	}
	for c.at+1 < len(c.points) && c.points[c.at+1].full <= full {
		c.at++
	}
	return &c.points[c.at]
}

// forget drops points that lie before the one that the last question needed, keeping some: what a live stream has
// passed.
func (c *clock) forget() {
	const keep = 64
	if drop := c.at - 1; drop >= keep {
		c.points = append(c.points[:0], c.points[drop:]...)
		c.at -= drop
	}
}

// ns is the CPU's time at a GPU time; without any point it is the GPU's own time.
func (c *clock) ns(full int64) int64 {
	p := c.near(full)
	if p == nil {
		return after(0, scale(full, 1e9, c.frequency))
	}
	if full > p.full && c.at+1 < len(c.points) {
		q := &c.points[c.at+1]
		switch {
		case !q.fresh:
			return after(p.CPU, scale(full-p.full, uint64(q.CPU-p.CPU), uint64(q.full-p.full)))
		case q.full-full < full-p.full:
			p = q
		}
	} else if c.live && full > p.full && c.at > 0 && !p.fresh {
		last := &c.points[c.at-1]
		return after(p.CPU, scale(full-p.full, uint64(p.CPU-last.CPU), uint64(p.full-last.full)))
	}
	return after(p.CPU, scale(full-p.full, 1e9, c.frequency))
}

// after is a time some ns after another. Reports with timestamps of 64 bits can be of any time, and what is centuries
// away is damaged: it ends where differences of times still fit.
func after(t, ns int64) int64 {
	const most = 1 << 61
	fit := func(v int64) int64 { return min(max(v, -most), most) }
	return fit(fit(t) + fit(ns))
}

// scale is v*mul/div, rounded down towards zero, in 128 bits. What does not fit is the largest number that does.
func scale(v int64, mul, div uint64) int64 {
	abs := uint64(v)
	if v < 0 {
		abs = -abs
	}
	hi, lo := bits.Mul64(abs, mul)
	if div == 0 || hi >= div {
		hi, lo, div = 0, math.MaxInt64, 1
	}
	q, _ := bits.Div64(hi, lo, div)
	q = min(q, math.MaxInt64)
	if v < 0 {
		return -int64(q)
	}
	return int64(q)
}
