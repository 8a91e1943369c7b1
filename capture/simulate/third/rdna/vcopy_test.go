package rdna

import "testing"

func TestCopyTakesAsLongAsItDid(t *testing.T) {
	for _, c := range []struct {
		m         machine
		low, high float64
	}{{newMachine(maxClock, 1, 0), 16, 19}, {newMachine(0.65, 1, 0), 55, 75}, {newMachine(maxClock, 0.5, 3000), 28, 42}} {
		r := run(vcopy(), &c.m, 1)
		us := r.total / c.m.clock / 1000
		t.Logf("%.1f us, busy %.0f, waves %.0f, lifetime %.0f cnt %.2f inst %.3f latency %.0f vmem %.0f gl2 %.0f q %.0f %.0f use %.2f shares %.0f", us, r.busy,
			r.waveCycles/r.busy, r.waveCycles/32768, r.waitCnt/r.waveCycles, r.waitInst/r.waveCycles, r.latency, r.vmem, r.gl2, r.gl2Queue, r.memQueue, r.use, r.shares)
		if us < c.low || us > c.high {
			t.Errorf("%.1f us", us)
		}
	}
}
