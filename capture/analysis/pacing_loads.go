package analysis

import (
	"math"
	"slices"
)

// A device that works nearly all the time shows no rhythm, but its queues do: each works once in every frame. Where no frames
// are marked these tell of a display's dates as marks do. Frames that wait for the device come as often as a display
// shows them by chance only, and are not as long as each other.

const (
	loadsMost     = 4.  // seconds that are looked at: clocks of displays and of samples drift. Ours
	loadsPeriods  = 24  // frames in them at least, as of marks
	loadsNear     = 0.1 // of the distance between two lines that so long a series can tell apart: where the peak lies at most, or refreshExact
	loadsBeyond   = 0.5 // and so far beyond that the series is compared with
	loadsOvertone = 4   // multiples of the rate that are counted
)

// onDatesByLoads is the rate at which the loads of queues repeat, if it is exactly that of a usual display or a part of it,
// in Hz; else 0.
func (in *PaceInput) onDatesByLoads() (hertz float64) {
	n := min(len(in.Begins), len(in.Ends))
	if n < cadenceLeast {
		return 0
	}
	middle := func(i int) float64 {
		return (float64(in.Begins[i]-in.Begins[0]) + float64(in.Ends[i]-in.Begins[0])) / 2e9
	}
	// The middle: programs load at the start of a capture and close at its end.
	lo, hi := max(0, (n-cadenceMost)/2), min(n, (n+cadenceMost)/2)
	for hi-lo > cadenceLeast && middle(hi-1)-middle(lo) > loadsMost {
		lo, hi = lo+1, hi-1
	}
	times := make([]float64, hi-lo)
	for i := range times {
		times[i] = middle(lo + i)
	}
	length := times[len(times)-1] - times[0]
	if !(length > 0) {
		return 0
	}
	most := 0.0
	for _, load := range in.Loads {
		if len(load) < hi {
			continue
		}
		about, power := aboutMean(load[lo:hi])
		if !(power > 0) {
			continue
		}
		for _, rate := range refreshes {
			for k := 1; k <= refreshesMost; k++ {
				hz := rate / float64(k)
				if hz < cadenceSlowest || hz*length < loadsPeriods {
					continue
				}
				if s := strengthNear(times, about, power, hz, length); s >= datesKept && s > most {
					most, hertz = s, hz
				}
			}
		}
	}
	return hertz
}

// strengthNear is the share of the power at a rate and its multiples, less what noise would have there, if no rate beside it has
// more; else 0.
func strengthNear(times, v []float64, power, hz, length float64) float64 {
	near := max(loadsNear/length, refreshExact*hz)
	best, at := lineAt(times, v, hz)/power, 0.0
	if best < 1/float64(4*loadsOvertone) { // its multiples are no larger
		return 0
	}
	steps := int(math.Ceil((near + loadsBeyond/length) / (loadsNear / length)))
	for k := -steps; k <= steps; k++ {
		off := float64(k) * loadsNear / length
		if p := lineAt(times, v, hz+off) / power; p > best {
			best, at = p, off
		}
	}
	if math.Abs(at) > near*(1+1e-9) {
		return 0
	}
	noise := 4 / float64(len(v))
	sum := best - noise
	for h := 2; h <= loadsOvertone; h++ {
		sum += lineAt(times, v, float64(h)*(hz+at))/power - noise
	}
	return sum
}

// lineAt is the power of a series at a rate: half of its sum of squares where it is a wave of that rate, as is what aboutMean calls power.
func lineAt(times, v []float64, hz float64) float64 {
	re, im := 0.0, 0.0
	for i, x := range v {
		s, c := math.Sincos(2 * math.Pi * hz * times[i])
		re, im = re+x*c, im+x*s
	}
	return (re*re + im*im) / float64(len(v))
}

// aboutMean is a series less its mean, 0 where it has no value, and half of its sum of squares: 0 where it does not vary.
func aboutMean(v []float64) (out []float64, power float64) {
	mean := meanLoad(v)
	out = slices.Clone(v)
	for i, x := range out {
		out[i] = x - mean
		if d := out[i]; d-d != 0 { // also of an infinity
			out[i] = 0
		}
		power += out[i] * out[i] / 2
	}
	if !(power > 1e-9*float64(len(v))) || math.IsInf(power, 0) {
		return out, 0
	}
	return out, power
}
