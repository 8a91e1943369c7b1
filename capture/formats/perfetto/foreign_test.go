package perfetto

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/big"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

// foreignTrace is a trace of Perfetto's own tests, with its counters' values as Perfetto's schema decodes them.
type foreignTrace struct {
	Test   string
	Trace  []byte
	Values map[string][][3]json.Number // by counter: start, end, and the value that holds or was counted there
	Stages int
}

func foreignTraces(t testing.TB) (all []foreignTrace) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(testfiles.Read(t, "vectors", "perfetto_traces.jsonl")))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one foreignTrace
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// The traces of Perfetto's own tests that hold counters have the values that Perfetto's schema says.
func TestForeignTracesHaveTheirValues(t *testing.T) {
	values, stages := 0, 0
	for _, one := range foreignTraces(t) {
		c, err := decodeBytes(one.Trace)
		if err != nil {
			t.Errorf("%s: %v", one.Test, err)
			continue
		}
		c, _ = metrics.Describe(c) // as opening does, which converts units
		for name, list := range one.Values {
			ctr := c.Counter(name)
			if ctr == nil {
				ctr = instance(c, name)
			}
			if ctr == nil {
				t.Errorf("%s has no counter %q", one.Test, name)
				continue
			}
			for _, v := range list {
				values++
				from, _ := v[0].Int64()
				to, _ := v[1].Int64()
				want, _, _ := big.ParseFloat(v[2].String(), 10, 200, big.ToNearestEven)
				got, exact := valueIn(ctr, from, to)
				if off := new(big.Float).Sub(got, want); !exact || off.Abs(off).Cmp(big.NewFloat(1e-6)) > 0 {
					t.Errorf("%s: %s from %d to %d is %v, want %v", one.Test, name, from, to, got, want)
				}
			}
		}
		stages += len(c.Regions)
		if len(c.Regions) != one.Stages {
			t.Errorf("%s: %d regions, want %d", one.Test, len(c.Regions), one.Stages)
		}
	}
	t.Logf("%d values, %d render stages", values, stages)
	if values < 300 || stages < 34 {
		t.Errorf("only %d values and %d render stages were compared", values, stages)
	}
}

func instance(c *capture.Capture, name string) *capture.Counter {
	for _, whole := range c.Counters {
		for _, in := range whole.Instances {
			if in.Name == name {
				return in
			}
		}
	}
	return nil
}

// valueIn is the level of the sample from one time to another, or what was counted in the samples there.
func valueIn(c *capture.Counter, from, to int64) (sum *big.Float, found bool) {
	sum = new(big.Float).SetPrec(200)
	for i := range c.Len() {
		v := c.Value(i)
		start, end := c.Axis.Start[i], c.Axis.End[i]
		if v.Missing() || start < from || end > to {
			continue
		}
		found = true
		switch {
		case v.IsInt():
			sum.Add(sum, new(big.Float).SetInt(v.Big()))
		default:
			sum.Add(sum, big.NewFloat(v.Float()))
		}
		if c.Kind == capture.Gauge {
			return sum, start == from && end == to
		}
	}
	return sum, found
}
