package xe

import "testing"

func TestLossesAreWhereATimersReportIsMissing(t *testing.T) {
	type at struct {
		stamp uint32
		timer bool
		lost  bool
	}
	const p = 2 << 13
	for what, c := range map[string]struct {
		status uint64
		rows   []at
	}{
		"nothing is told":                  {0, []at{{p, true, false}, {4 * p, true, false}}},
		"one is missing":                   {statusLost, []at{{p, true, false}, {2 * p, true, false}, {4 * p, true, true}, {5 * p, true, false}}},
		"another report shows it":          {statusLost, []at{{p, true, false}, {2*p + p/2, false, true}, {3 * p, true, false}}},
		"it shows behind a context switch": {statusOverflow, []at{{p, true, false}, {p + p/2, false, false}, {3*p + p/3, false, true}, {4 * p, true, false}}},
		"a timer is some ticks late":       {statusLost, []at{{p, true, false}, {2*p + 40, true, false}, {3*p + 20, true, false}}},
		"two losses":                       {statusLost, []at{{p, true, false}, {3 * p, true, true}, {4 * p, true, false}, {8 * p, true, true}}},
		"the timestamp wraps":              {statusLost, []at{{1<<32 - p, true, false}, {0, true, false}, {2 * p, true, true}}},
		"counters overflow":                {statusCounter, []at{{p, true, false}, {3 * p, true, false}}},
	} {
		l := newLosses(13)
		l.told(c.status)
		for i, r := range c.rows {
			if got := l.before(r.stamp, r.timer); got != r.lost {
				t.Errorf("%s: report %d: missing before it: %v", what, i, got)
			}
		}
	}
}

func TestALossThatDoesNotShowIsCounted(t *testing.T) {
	l := newLosses(13)
	l.told(statusLost)
	for range patience + 2 {
		l.drained()
	}
	if l.unfound != 1 || l.reports != 1 {
		t.Errorf("%+v", l)
	}
	l.before(1<<14, true)
	l.told(statusOverflow)
	if !l.before(3<<14, true) {
		t.Fatal("not seen")
	}
	for range patience + 2 {
		l.drained()
	}
	if l.unfound != 1 || l.buffers != 1 {
		t.Errorf("%+v", l)
	}
	if l := newLosses(31); l.before(5, true) || l.before(1<<31, true) {
		t.Error("a period that cannot be told shows a loss")
	}
}
