package simulate

import "fmt"

// Pacing is what decides when frames begin and when they are shown.
type Pacing struct {
	// Refresh is the ns between two refreshes of the display; 0 where pictures are shown, or thrown away, as soon as
	// they are ready.
	Refresh int64
	// Cadence is how many refreshes each frame stays, in turn: {1} is every refresh, {3, 2} is 24 frames per second
	// at 60 Hz.
	Cadence []int
	// Adaptive lets the display wait for the frame: Refresh is then its shortest interval.
	Adaptive bool
	// Buffers is the number of pictures: 2 is double buffering.
	Buffers int
	// Cap is the least ns between the starts of frames that the application keeps to; 0 for none.
	Cap int64
	// Align lets the application begin frames at refreshes only, as Android's choreographer does.
	Align bool
	// Ahead is how many frames may be in the making at once: the application waits for the GPU to end the one that
	// many before.
	Ahead int
	// Requests says that frames are made when something asks for them.
	Requests bool
}

// Name describes the pacing in a few words.
func (p *Pacing) Name() string {
	s := "uncapped"
	if p.Refresh > 0 {
		s = fmt.Sprintf("%.0f Hz", 1e9/float64(p.Refresh))
		if p.Adaptive {
			s = "up to " + s + " adaptive"
		}
		if len(p.Cadence) != 1 || p.Cadence[0] != 1 {
			s += fmt.Sprintf(" cadence %v", p.Cadence)
		}
		s += fmt.Sprintf(", %d buffers", p.Buffers)
		if p.Align {
			s += ", aligned"
		}
	}
	if p.Cap > 0 {
		s += fmt.Sprintf(", capped at %.4g frames/s", 1e9/float64(p.Cap))
	}
	if p.Requests {
		s += ", on request"
	}
	return s
}

// CadenceOf is the pattern in which a display with so many refreshes a second shows so many frames a second, as
// evenly as it can.
func CadenceOf(refresh, rate int) []int {
	g := gcd(refresh, rate)
	refresh, rate = refresh/g, rate/g
	out := make([]int, rate)
	before := 0
	for i := range out {
		until := (refresh*(i+1) + rate - 1) / rate
		out[i] = until - before
		before = until
	}
	return out
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// stay is how many refreshes frame i stays.
func (p *Pacing) stay(i int) int64 {
	if len(p.Cadence) == 0 {
		return 1
	}
	return int64(p.Cadence[i%len(p.Cadence)])
}

// Interval is the mean ns between frames that keep their dates, 0 where nothing paces them.
func (p *Pacing) Interval() int64 {
	iv := int64(0)
	if p.Refresh > 0 {
		sum := int64(0)
		for i := range max(1, len(p.Cadence)) {
			sum += p.stay(i)
		}
		iv = p.Refresh * sum / int64(max(1, len(p.Cadence)))
	}
	return max(iv, p.Cap)
}

// tick is the first refresh at or after t.
func (p *Pacing) tick(t int64) int64 { return (t + p.Refresh - 1) / p.Refresh * p.Refresh }
