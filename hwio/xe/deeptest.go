package xe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
)

// testSet is Intel's metric set for testing: it feeds counters from the clock itself.
const testSet = "TestOa"

const (
	testPeriod = 2 * time.Millisecond
	testTime   = 200 * time.Millisecond
	// testReports is the least number of reports that a test can be judged by, and testClocks that of clocks.
	testReports = 20
	testClocks  = 10_000
	// testTolerance is the share of the clocks by which a counter may be off: a report is not written within one clock.
	testTolerance = 0.005
	testMemory    = 64 << 20
)

// testRate is what a counter of the test set counts per clock of the GPU.
type testRate struct {
	counter string
	rate    float64
}

// olderRates are those of GPUs whose reports have the counters B and C.
var olderRates = []testRate{{"B0", 0}, {"B1", 1}, {"B2", 1}, {"B3", 1. / 2}, {"B4", 1. / 3}, {"B5", 1. / 3},
	{"B6", 1. / 6}, {"B7", 2. / 3}}

// coreCounters count the clocks of one Xe-core each, where reports have 64 event counters.
var coreCounters = []string{"PEC3", "PEC4", "PEC5", "PEC6", "PEC21", "PEC22", "PEC23", "PEC24"}

// ratesOf are the rates of a GPU's test set. Only those of the first eight Xe-cores are counted one by one.
func ratesOf(format string, t *topology) []testRate {
	if format != "PEC64u64" {
		return olderRates
	}
	out := []testRate{{"PEC2", float64(t.cores.count())}}
	for i, name := range coreCounters {
		out = append(out, testRate{name, float64(present(t.cores.has(i)))})
	}
	return out
}

// DeepTest measures Intel's test set and compares its counters with what they must be; then it changes the set of an
// open stream. The GPU may be idle: an open stream keeps its clock running.
func (s *Source) DeepTest(ctx context.Context) []hwio.Finding {
	finding := func(what string, err error) hwio.Finding {
		f := hwio.Finding{Source: sourceName, What: what, Usable: err == nil}
		if err != nil {
			p := hwio.ProblemOf(err)
			f.Reason, f.Fix = p.Reason, p.Fix
		}
		return f
	}
	c, rates, err := s.recordTest(ctx)
	if err != nil {
		return []hwio.Finding{finding("the OA unit's test set "+testSet, err)}
	}
	out := []hwio.Finding{judgeRates(c, rates)}
	if out[0].Usable {
		out = append(out, judgeClock(c))
		out = append(out, finding("changing the metric set of an open stream", s.change()))
	}
	return out
}

// recordTest records the test set for a moment.
func (s *Source) recordTest(ctx context.Context) (*capture.Capture, []testRate, error) {
	options := map[string]string{"set": testSet}
	set, err := readSettings(s.root, options)
	if err != nil {
		return nil, nil, err
	}
	d, _, err := s.openNode(set.card)
	if err != nil {
		return nil, nil, err
	}
	h, err := readHardware(s.root, set.card, d)
	if err := errors.Join(err, d.close()); err != nil {
		return nil, nil, err
	}
	var mem *hwio.Memory
	if _, err := hwio.Record(ctx, hwio.Options{Sources: []hwio.Source{s}, Period: testPeriod, Duration: testTime,
		SourceOptions: options, Create: func(schema *capture.Schema) (hwio.Sink, error) {
			mem = hwio.NewMemory(schema, testMemory)
			return mem, nil
		}}); err != nil {
		return nil, nil, err
	}
	c, err := mem.Capture()
	return c, ratesOf(set.format.Name, h.topology), err
}

// judgeRates compares the test counters with what they must be.
func judgeRates(c *capture.Capture, rates []testRate) hwio.Finding {
	clocks := c.Counter("GPU_TICKS").Sum().Float()
	f := hwio.Finding{Source: sourceName,
		What: fmt.Sprintf("the OA unit counts: %s, %d samples, %.0f clocks", testSet, c.Len(), clocks)}
	if c.Len() < testReports || !(clocks >= testClocks) {
		f.Reason = "the driver delivered hardly any reports, or the GPU's clock hardly ran: there is nothing to judge by"
		f.Fix = "run the test while something is drawn, and look for xe in the kernel's log (sudo dmesg)"
		return f
	}
	var wrong, right []string
	for _, r := range rates {
		got := c.Counter(r.counter).Sum().Float() / clocks
		if math.Abs(got-r.rate) > testTolerance*max(1, r.rate) {
			wrong = append(wrong, fmt.Sprintf("%s counted %.4g per clock instead of %.4g", r.counter, got, r.rate))
		}
		right = append(right, fmt.Sprintf("%s = %.4g", r.counter, r.rate))
	}
	if f.Usable = len(wrong) == 0; f.Usable {
		f.Reason = "per clock " + strings.Join(right, ", ") + ", as they must"
		return f
	}
	f.Reason = strings.Join(wrong, "; ")
	f.Fix = "do not trust the counters of this machine's metric sets; another program or a newer kernel may have changed the signals"
	return f
}

// judgeClock compares the reports' own time with the CPU's and the core clock with its limits.
func judgeClock(c *capture.Capture) hwio.Finding {
	number := func(name string) float64 {
		p, _ := c.Property(name)
		return p.Number
	}
	span := c.Counter("TIMESTAMP").Sum().Float() / number("GpuTimestampFrequency")
	wall := float64(c.Axis.End[c.Len()-1]-c.Axis.Start[0]) / 1e9
	mhz := c.Counter("GPU_TICKS").Sum().Float() / span / 1e6
	f := hwio.Finding{Source: sourceName, What: "the GPU's timestamps and clock", Usable: true,
		Reason: fmt.Sprintf("%d samples over %.4g ms, core clock %.4g MHz", c.Len(), span*1e3, mhz)}
	switch limit := number("GpuMaxFrequency")/1e6 + 50.0/3; {
	case math.Abs(span-wall) > wall/50:
		f.Usable = false
		f.Reason += fmt.Sprintf(": by the CPU's clock %.4g ms passed; the frequency of the timestamps is not %.0f Hz",
			wall*1e3, number("GpuTimestampFrequency"))
	case number("GpuMaxFrequency") > 0 && mhz > limit:
		f.Usable = false
		f.Reason += fmt.Sprintf(": more than the %.0f MHz that sysfs gives as the highest", number("GpuMaxFrequency")/1e6)
	}
	return f
}

// change has an open stream count another set.
func (s *Source) change() error {
	set, err := readSettings(s.root, map[string]string{"set": testSet})
	if err != nil {
		return err
	}
	p, err := s.open(set, testPeriod)
	if err != nil {
		return err
	}
	return errors.Join(s.changeOf(p), p.close())
}

func (s *Source) changeOf(p *plan) error {
	sets := p.sel.Cat.Sets()
	other := sets[slices.IndexFunc(sets, func(m *metrics.MetricSet) bool { return m.Name == defaultSet })]
	lists, err := oaregisters.Of(p.hw.part.platform(), other.Name, nil)
	if err != nil {
		return err
	}
	config, err := intel.LoadConfig(s.root, p.hw.card.Sysfs, other.GUID, func() (uint64, error) {
		return p.dev.addConfig(other.GUID, lists.All())
	})
	if err != nil {
		return explainConfig(err, readSecurity(s.root), other.Name)
	}
	if err = p.stream.enable(); err == nil {
		var old uint64
		switch old, err = p.stream.config(config.ID); {
		case err != nil:
			err = fmt.Errorf("the driver refuses metric set %s for the open stream: %w", other.Name, intel.Cause(err))
		case old != p.config.ID:
			err = fmt.Errorf("the driver says that the stream counted set %d, and it was opened with %d", old, p.config.ID)
		}
	}
	return errors.Join(err, config.Unload(p.dev.removeConfig))
}
