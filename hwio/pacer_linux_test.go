//go:build linux

package hwio

import (
	"testing"
	"time"
)

func realPacer(t *testing.T) pacer {
	t.Helper()
	p, err := newPacer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		p.Wake() // must do nothing any more
	})
	return p
}

func TestTimerCountsTheTicksThatNobodyRead(t *testing.T) {
	p := realPacer(t)
	const period = int64(5 * time.Millisecond)
	first := p.Now() + period
	if err := p.Arm(first, period); err != nil {
		t.Fatal(err)
	}
	time.Sleep(42 * time.Millisecond)
	var seen uint64
	for range 5 {
		before := (p.Now()-first)/period + 1
		n, err := p.Wait(0)
		if err != nil || n == 0 {
			t.Fatalf("%d ticks, %v", n, err)
		}
		if seen += n; seen == n && n < 7 {
			t.Errorf("after 42 ms the first wait saw %d ticks of 5 ms", n)
		}
		// Ticks stand on the grid that began at first, however late they are read: no more than are due now, no fewer than were due
		// before the wait.
		if due := (p.Now()-first)/period + 1; int64(seen) > due || int64(seen) < before {
			t.Errorf("%d ticks were seen, %d to %d were due", seen, before, due)
		}
	}
}

func TestDeadlineAndWakeEndTheWait(t *testing.T) {
	p := realPacer(t)
	hour := int64(time.Hour)
	if err := p.Arm(p.Now()+hour, hour); err != nil {
		t.Fatal(err)
	}
	start := p.Now()
	if n, err := p.Wait(start + int64(20*time.Millisecond)); n != 0 || err != nil {
		t.Errorf("%d ticks, %v", n, err)
	}
	if took := p.Now() - start; took < int64(20*time.Millisecond) {
		t.Errorf("the deadline came after %d ns", took)
	}
	time.AfterFunc(10*time.Millisecond, p.Wake)
	if n, err := p.Wait(0); n != 0 || err != nil {
		t.Errorf("%d ticks, %v", n, err)
	}
	p.Wake()
	p.Wake()
	if n, err := p.Wait(0); n != 0 || err != nil {
		t.Errorf("%d ticks, %v", n, err)
	}
}
