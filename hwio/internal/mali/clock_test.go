package mali

import "testing"

func TestTimesOfTheRawClockKeepTheirOrder(t *testing.T) {
	now, offset := int64(1_000_000_000), int64(5_000)
	c := NewClock(func() (int64, int64, int64) { now += 500; return now, now - offset, now })
	s, e := c.Interval(2_000_000_000, 2_001_000_000)
	if s != 2_000_005_000 || e != 2_001_005_000 {
		t.Fatalf("%d to %d", s, e)
	}
	// The network's time made the clock run slower: the distance shrinks, and the next sample still begins where the last one ended.
	now, offset = 2_001_000_000, 4_000
	c.Measure()
	s2, e2 := c.Interval(2_001_000_000, 2_002_000_000)
	if s2 != e || e2 != 2_002_004_000 {
		t.Errorf("%d to %d after a sample that ended at %d", s2, e2, e)
	}
	// A sample after a hole has its own beginning, an empty one a length.
	if s, e := c.Interval(2_003_000_000, 2_003_000_000); s != 2_003_004_000 || e != s+1 {
		t.Errorf("%d to %d", s, e)
	}
	// Where the clock ran faster the distance grows, and leaves no hole between samples that adjoin.
	now, offset = 2_103_000_000, 9_000
	c.Measure()
	if s, e := c.Interval(2_003_000_000, 2_004_000_000); s != 2_003_004_001 || e != 2_004_009_000 {
		t.Errorf("%d to %d after a sample that ended at 2003004001", s, e)
	}
}

func TestTheDistanceOfTheClocksIsThatOfTheQuickestReading(t *testing.T) {
	readings := [][3]int64{{100, 5, 90_100}, {100_000, 60_000, 101_000}, {200_000, 0, 900_000}}
	c := NewClock(func() (int64, int64, int64) {
		r := readings[0]
		readings = readings[1:]
		return r[0], r[1], r[2]
	})
	if got := c.Convert(60_000); got != 100_500 {
		t.Errorf("60000 became %d", got)
	}
	if len(readings) != 1 {
		t.Errorf("%d readings are left, want 1", len(readings))
	}
}

func TestRealClocksAreClose(t *testing.T) {
	before, raw, after := ReadClocks()
	if before > after || raw == 0 {
		t.Errorf("read %d, %d, %d", before, raw, after)
	}
}
