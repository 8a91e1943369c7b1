package analysis

import (
	"math"
	"testing"
)

func TestMemoryThatMayBeFullMayGainAThird(t *testing.T) {
	for _, c := range []struct{ level, most float64 }{{0.6, 1. / 3}, {0.4, 0.4 / 3}} {
		in := busyDevice(32)
		for i := range in.Length {
			in.Units[0].Level[i], in.Units[1].Level[i] = c.level, 0.9
		}
		in.Units[0].Name, in.Units[0].Kind, in.Units[0].Holds, in.Units[0].Stays = "memory", LimitMemory, true, 2./3
		a := accounted(t, in)
		p := a.part(LimitMemory, "memory")
		if got := p.High / float64(a.Base); math.Abs(got-c.most) > 0.01 {
			t.Errorf("memory that holds up %v of the time gains %v at most, want %v", c.level, got, c.most)
		}
		if got := p.Possible(a.Base) / float64(a.Base); got > 1./3+1e-9 {
			t.Errorf("half as fast again saves %v of the time", got)
		}
	}
}
