package emulated

import (
	"slices"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio/hwtest/intel"
)

// EqualsOA compares a recording of one stream of an OA unit with what the model produced: every counter's total, over
// all and by context.
func EqualsOA(t testing.TB, c *capture.Capture, streams []*intel.StreamTruth) {
	t.Helper()
	if len(streams) != 1 {
		t.Fatalf("%d streams", len(streams))
	}
	s := streams[0]
	if s.Delivered < 60 {
		t.Errorf("only %s", s)
	}
	rows := 0
	for _, b := range s.Bases {
		rows += b.Reports - 1
	}
	// A recorder that is kept from ending may add what it took since the last report: a row without counts.
	counts := c.Len()
	for counts > rows && !slices.ContainsFunc(c.Counters, func(x *capture.Counter) bool {
		_, counted := s.Totals[x.Name]
		return counted && !x.Value(counts-1).Missing()
	}) {
		counts--
	}
	if counts != rows || c.Len() > rows+1 {
		t.Errorf("%d rows, the delivered reports make %d: %s", c.Len(), rows, s)
	}
	context := c.Label("context")
	if context == nil {
		t.Fatal("no label context")
	}
	for name, want := range s.Totals {
		counter := c.Counter(name)
		if counter == nil {
			t.Errorf("no counter %s", name)
			continue
		}
		if got, _ := counter.Sum().Uint64(); got != want {
			t.Errorf("%s is %d in all, the model produced %d", name, got, want)
		}
		by := map[string]uint64{}
		for i := range c.Len() {
			if ctx, ok := context.Value(i); ok && ctx != "" {
				by[ctx] += uint64(counter.Value(i).Float())
			}
		}
		for ctx, m := range s.AsReported {
			if by[ctx] != m[name] {
				t.Errorf("%s of context %s is %d, the model produced %d", name, ctx, by[ctx], m[name])
			}
		}
	}
	InOrder(t, c)
}

// NothingLeft fails where a stream or a configuration outlived the program, or a configuration is not its set's.
func NothingLeft(t testing.TB, truth *intel.Truth) {
	t.Helper()
	if truth.Opened != truth.Closed || len(truth.ConfigsLeft) != 0 {
		t.Errorf("%d streams were opened and %d closed, configs left: %v", truth.Opened, truth.Closed, truth.ConfigsLeft)
	}
	for _, c := range truth.ConfigsAdded {
		if c.Registers != "published" {
			t.Errorf("config %+v does not have the registers of its set", c)
		}
	}
}
