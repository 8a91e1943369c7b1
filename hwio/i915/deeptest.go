package i915

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"
	"time"

	"astrolabe/capture/decode/oa"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
)

// testSet is Intel's metric set for testing: it feeds the counters from the clock itself.
const testSet = "TestOa"

// testRates are what the counters of that set count per clock of the GPU.
var testRates = []struct {
	counter string
	rate    float64
	text    string
}{
	{"B0", 0, "0"}, {"B1", 1, "1"}, {"B2", 1, "1"}, {"B3", 1.0 / 2, "1/2"}, {"B4", 1.0 / 3, "1/3"},
	{"B5", 1.0 / 3, "1/3"},
	{"B6", 1.0 / 6, "1/6"}, {"B7", 2.0 / 3, "2/3"}, {"C7", 1, "1"},
}

const (
	testPeriod = 2 * time.Millisecond
	// testReports is how many reports a test waits for, and testWait how long.
	testReports = 40
	testWait    = 2 * time.Second
	// testTolerance is the share of the clocks by which a counter may be off: a report is not written within one clock.
	testTolerance = 0.005
	// testClocks is the least number of clocks that a test can be judged by.
	testClocks = 10_000
)

// DeepTest measures Intel's test set and compares its counters with what they must be; then it changes the open stream
// to the default set and looks whether that counts. The GPU may be idle: an open stream keeps its clock running.
func (s *Source) DeepTest(ctx context.Context) []hwio.Finding {
	finding := func(what string, err error) hwio.Finding {
		f := hwio.Finding{Source: sourceName, What: what, Usable: err == nil}
		if err != nil {
			p := hwio.ProblemOf(err)
			f.Reason, f.Fix = p.Reason, p.Fix
		}
		return f
	}
	const opening = "the OA unit's test set " + testSet
	c, err := find(s.root, "")
	if err != nil {
		return []hwio.Finding{finding(opening, err)}
	}
	set, err := readSettings(c.part, map[string]string{"set": testSet})
	if err != nil {
		return []hwio.Finding{finding(opening, err)}
	}
	p, err := s.open(c, set, testPeriod)
	if err != nil {
		return []hwio.Finding{finding(opening, err)}
	}
	var out []hwio.Finding
	sum, err := s.count(ctx, p)
	if err != nil {
		out = append(out, finding(opening, err))
	} else {
		out = append(out, sum.judgeRates()...)
		out = append(out, sum.judgeClock())
	}
	if err == nil && p.hw.perfRev >= revConfig {
		const what = "changing the metric set of an open stream"
		switch err := s.change(ctx, p); {
		case err != nil:
			out = append(out, finding(what, err))
		default:
			out = append(out, finding(what, nil))
		}
	}
	if err := p.close(); err != nil {
		out = append(out, finding("leaving nothing behind", err))
	}
	return out
}

// totals are what the reports of a test counted.
type totals struct {
	format  *oa.Format
	reports int
	lost    int
	ticks   uint64 // of the timestamp
	clocks  uint64
	values  map[string]uint64
	hw      *hardware
	wall    time.Duration
}

// count runs the stream until there are enough reports.
func (s *Source) count(ctx context.Context, p *plan) (*totals, error) {
	// Reports may be of all the time from here on: this program may not run for a while once they are written.
	from := s.k.now()
	if err := p.stream.enable(); err != nil {
		return nil, fmt.Errorf("start the GPU's counters: %w", err)
	}
	sum := &totals{format: p.format, values: map[string]uint64{}, hw: p.hw}
	names := p.format.Counters()
	var dec oa.Decoder
	var last oa.Report
	var before, now []uint64
	buf := make([]byte, readBuffer)
	began := s.k.now()
	for sum.reports < testReports {
		seen, waited := sum.reports, time.Duration(s.k.now()-began)
		n, err := p.stream.read(buf)
		// Reports are of the time until the read, also where this program did not run for a while before it.
		sum.wall = time.Duration(s.k.now() - from)
		// The driver is late only where a read that began after the wait found nothing.
		late := &hwio.Problem{
			Reason: fmt.Sprintf("the driver delivered %d reports in %v, %d were due", sum.reports,
				sum.wall.Round(time.Millisecond), testReports),
			Fix: "look for i915 in the kernel's log (sudo dmesg)",
		}
		if errors.Is(err, syscall.EAGAIN) {
			if waited > testWait {
				return nil, late
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(testPeriod):
			}
			continue
		}
		if err != nil {
			return nil, explainRead(err)
		}
		for dec.Feed(buf[:n]); ; {
			rec, ok, err := dec.Next()
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			if rec.Type == oa.RecordReportLost || rec.Type == oa.RecordBufferLost {
				sum.lost++
				last = nil
			}
			if rec.Type != oa.RecordSample || len(rec.Data) < p.format.Size {
				continue
			}
			r := oa.Report(rec.Data[:p.format.Size])
			f := p.format
			if f.ID(r) == 0 && f.Timestamp(r) == 0 {
				continue // it has not landed
			}
			now = f.Values(now[:0], r)
			if last != nil {
				sum.reports++
				sum.ticks += f.Since(f.Timestamp(r), f.Timestamp(last))
				sum.clocks += f.Since(f.Ticks(r), f.Ticks(last))
				for i, name := range names {
					sum.values[name] += (now[i] - before[i]) & (1<<f.Width(name) - 1)
				}
			}
			last = append(last[:0], r...)
			before = append(before[:0], now...)
		}
		if sum.reports == seen && waited > testWait {
			return nil, late
		}
	}
	return sum, nil
}

// judgeRates compares the test counters with what they must be.
func (t *totals) judgeRates() []hwio.Finding {
	what := fmt.Sprintf("the OA unit counts: %s, %d reports, %d clocks", testSet, t.reports, t.clocks)
	if t.clocks < testClocks {
		return []hwio.Finding{{Source: sourceName, What: what,
			Reason: "the GPU's clock hardly ran: there is nothing to judge by",
			Fix:    "run the test while something is drawn"}}
	}
	var wrong []string
	for _, r := range testRates {
		if r.counter == "C7" && !t.hw.part.kabyLake() {
			continue // what is public of later GPUs tells of B only
		}
		if got := float64(t.values[r.counter]) / float64(t.clocks); math.Abs(got-r.rate) > testTolerance {
			wrong = append(wrong, fmt.Sprintf("%s counted %.4g per clock instead of %s", r.counter, got, r.text))
		}
	}
	f := hwio.Finding{Source: sourceName, What: what, Usable: len(wrong) == 0}
	if f.Usable {
		f.Reason = "per clock B0 = 0, B1 = B2 = 1, B3 = 1/2, B4 = B5 = 1/3, B6 = 1/6, B7 = 2/3, as they must"
	} else {
		f.Reason = strings.Join(wrong, "; ")
		f.Fix = "do not trust B and C counters of this machine; another program or a newer kernel may have changed the signals"
	}
	return []hwio.Finding{f}
}

// judgeClock compares the reports' own time with the CPU's and the core clock with its limits.
func (t *totals) judgeClock() hwio.Finding {
	f := hwio.Finding{Source: sourceName, What: "the GPU's timestamps and clock", Usable: true}
	span := float64(t.ticks) / float64(t.hw.frequency)
	mhz := float64(t.clocks) / span / 1e6
	f.Reason = fmt.Sprintf("%d reports over %.4g ms, core clock %.4g MHz, %d losses", t.reports, span*1e3, mhz, t.lost)
	switch limit := float64(t.hw.maxClock)/1e6 + 50.0/3; {
	case span > t.wall.Seconds()+2*testPeriod.Seconds():
		f.Usable = false
		f.Reason += fmt.Sprintf(": more time than the %.4g ms that passed: the frequency of the timestamps is not %d Hz", t.wall.Seconds()*1e3, t.hw.frequency)
	case t.hw.maxClock > 0 && mhz > limit:
		f.Usable = false
		f.Reason += fmt.Sprintf(": more than the %d MHz that sysfs gives as the highest", t.hw.maxClock/1e6)
	}
	return f
}

// change has the open stream count the default set, and looks at what must hold in it.
func (s *Source) change(ctx context.Context, p *plan) error {
	data, err := registersOf(p.hw, defaultSet)
	if err != nil {
		return err
	}
	other, err := loadConfig(s.root, p.hw.card, p.dev, data)
	if err != nil {
		return explainConfig(err, readSecurity(s.root), defaultSet)
	}
	old, err := p.stream.config(other.ID)
	switch {
	case err != nil:
		err = fmt.Errorf("the driver refuses metric set %s for the open stream: %w", defaultSet, intel.Cause(err))
	case old != p.config.ID:
		err = fmt.Errorf("the driver says that the stream counted set %d, and it was opened with %d", old, p.config.ID)
	}
	var sum *totals
	if err == nil {
		// What was counted before the change is not read: measuring begins anew.
		if err = p.stream.disable(); err == nil {
			sum, err = s.count(ctx, p)
		}
	}
	if sum != nil && sum.values["A0"] > sum.clocks+sum.clocks/100 {
		err = fmt.Errorf("the GPU was busy for %d of %d clocks", sum.values["A0"], sum.clocks)
	}
	// The set in use can be removed from the list of the driver's sets: the stream keeps its own hold of it.
	return errors.Join(err, other.Unload(p.dev.removeConfig))
}
