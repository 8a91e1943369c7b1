package i915

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
)

// plan is an open, still stopped stream with everything that belongs to it.
type plan struct {
	hw       *hardware
	sel      *intel.Selection
	data     *setData
	format   *oa.Format
	exponent int
	keep     bool
	powered  *sseu // what the driver is told to power; nil: as contexts ask for
	unit     *oaUnit
	engine   intel.Engine
	poll     time.Duration // between two looks of the driver for new reports
	node     string
	warnings []string

	dev    device
	config intel.Config
	stream reportStream
}

// Open opens a stream of reports, stopped: the first Read starts it.
func (s *Source) Open(_ context.Context, r hwio.Request) (hwio.Stream, error) {
	if runtime.GOOS != "linux" && s.root.Here() {
		return nil, hwio.ErrNeedsLinux
	}
	c, err := find(s.root, r.Options["card"])
	if err != nil {
		return nil, err
	}
	set, err := readSettings(c.part, r.Options)
	if err != nil {
		return nil, err
	}
	if err := set.sel.Check(r.Counters); err != nil {
		return nil, err
	}
	p, err := s.open(c, set, r.Period)
	if err != nil {
		return nil, err
	}
	st, err := newStream(s.k, p)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return st, nil
}

// Check refuses options and counters that Open would refuse.
func (s *Source) Check(r hwio.Request) error {
	c, err := find(s.root, r.Options["card"])
	if err != nil {
		return nil // Open says what is in the way
	}
	set, err := readSettings(c.part, r.Options)
	if err != nil {
		return err
	}
	return set.sel.Check(r.Counters)
}

// open opens the GPU, has the driver count the set, and opens a stream. What it did until an error it takes back.
func (s *Source) open(c candidate, set *settings, period time.Duration) (_ *plan, err error) {
	p := &plan{sel: set.sel, format: set.format, keep: set.keep, powered: set.powered, poll: maxPoll}
	for _, counter := range set.sel.Flex {
		for _, w := range counter.Warnings {
			p.warnings = append(p.warnings, fmt.Sprintf("i915: %s: %s", counter.Spelling(), w))
		}
	}
	if p.dev, p.node, err = s.openNode(c); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			// Of two errors the one that led here comes first.
			err = errors.Join(err, p.close())
		}
	}()
	if p.hw, err = readHardware(s.root, c, p.dev); err != nil {
		return nil, err
	}
	if p.data, err = registersOf(p.hw, set.sel.Set.Name); err != nil {
		return nil, err
	}
	p.data = p.data.withFlex(set.sel.Flex)
	if err = p.powered.fits(p.hw); err != nil {
		return nil, err
	}
	if p.unit, p.engine, err = p.hw.chooseEngine(set); err != nil {
		return nil, err
	}
	switch {
	case p.hw.perfRev >= revPollPeriod && set.poll > 0:
		p.poll = set.poll
	case p.hw.perfRev >= revPollPeriod:
		p.poll = pollPeriod(period)
	case set.poll > 0:
		return nil, fmt.Errorf("poll: the driver's performance interface is of revision %d, and choosing how often it looks came with %d (Linux 5.8)",
			p.hw.perfRev, revPollPeriod)
	}
	sec := readSecurity(s.root)
	var warning string
	if p.exponent, warning = set.choose(period, p.hw.frequency, sec); warning != "" {
		p.warnings = append(p.warnings, warning)
	}
	if p.config, err = loadConfig(s.root, c.card, p.dev, p.data); err != nil {
		return nil, explainConfig(err, sec, set.sel.Set.Name)
	}
	for try := 1; ; try++ {
		if p.stream, err = p.dev.openStream(openCloexec|openNonblock|openDisabled, p.request(), p.powered); err == nil {
			return p, nil
		}
		if errors.Is(err, syscall.EINVAL) && !p.config.Added && try < intel.ConfigTries {
			// The set was another program's, which may have removed it since.
			was := p.config.ID
			fresh, lerr := loadConfig(s.root, c.card, p.dev, p.data)
			if lerr == nil {
				p.config = fresh
			}
			if lerr == nil && (fresh.Added || fresh.ID != was) {
				continue
			}
		}
		return nil, s.explainOpen(err, sec, p)
	}
}

// The driver looks for new reports every 5 ms if it is not told otherwise. Each look is an interrupt of the CPU.
const (
	leastPoll = 100 * time.Microsecond // that the kernel grants
	minPoll   = time.Millisecond
	maxPoll   = 5 * time.Millisecond
)

// pollPeriod is how often the driver should look: as often as reports are read, within limits.
func pollPeriod(period time.Duration) time.Duration { return min(maxPoll, max(period, minPoll)) }

// request is what the stream is opened with: pairs of a property's number and its value.
func (p *plan) request() []uint64 {
	out := []uint64{propSampleOA, 1, propMetricsSet, p.config.ID, propFormat, uint64(p.format.Enum), propExponent,
		uint64(p.exponent)}
	if p.hw.perfRev >= revPollPeriod {
		out = append(out, propPollPeriod, uint64(p.poll))
	}
	if p.engine != (intel.Engine{}) { // what the driver takes without being told
		out = append(out, propEngineClass, uint64(p.engine.Class), propEngineInstance, uint64(p.engine.Instance))
	}
	return out
}

// info is what a recording says about the GPU.
func (p *plan) info() oa.Info {
	return oa.Info{
		TimestampFrequency: p.hw.frequency, DeviceID: uint32(p.hw.deviceID), Revision: uint32(p.hw.revision),
		MinFrequency: uint32(p.hw.minClock), MaxFrequency: uint32(p.hw.maxClock), Format: p.format.Enum,
		Set: p.sel.Set.Name, GUID: p.data.guid, Topology: p.hw.topology.blob, Shift: p.hw.shift,
		EngineClass: uint32(p.engine.Class), EngineInstance: uint32(p.engine.Instance),
	}
}

// properties are what a recording says beside that: how it was sampled. Where the driver's topology has no whole form
// the equations' variables stand alone.
func (p *plan) properties() []capture.Property {
	out := []capture.Property{
		{Name: "oa_exponent", Number: float64(p.exponent)},
		{Name: "oa_period_ns", Number: intel.PeriodOf(p.exponent, p.hw.frequency)},
		{Name: "perf_revision", Number: float64(p.hw.perfRev)},
	}
	if p.engine != (intel.Engine{}) {
		out = append(out, capture.Property{Name: "oa_engine", Text: p.engine.String(), IsText: true})
	}
	if p.powered != nil {
		out = append(out, capture.Property{Name: "sseu", Text: p.powered.String(), IsText: true})
	}
	if len(p.sel.Flex) > 0 {
		out = append(out, capture.Property{Name: metrics.EUProperty, Text: metrics.EUProgram(p.sel.Flex), IsText: true})
	}
	if t := p.hw.topology; t.blob == nil {
		out = append(out,
			capture.Property{Name: "EuCoresTotalCount", Number: float64(t.EUs)},
			capture.Property{Name: "EuSlicesTotalCount", Number: float64(t.Slices)},
			capture.Property{Name: "EuSubslicesTotalCount", Number: float64(t.Subslices)},
			capture.Property{Name: "SliceMask", Number: float64(t.SliceMask)},
			capture.Property{Name: "SubsliceMask", Number: float64(t.SubsliceMask)})
	}
	return out
}

// close releases what the plan holds, in the order in which it depends on one another. A second close does nothing.
func (p *plan) close() error {
	var errs []error
	if p.stream != nil {
		if err := p.stream.disable(); err != nil && !gone(err) {
			errs = append(errs, fmt.Errorf("stop the GPU's counters: %w", err))
		}
		if err := p.stream.close(); err != nil {
			errs = append(errs, fmt.Errorf("close the stream of reports: %w", err))
		}
		p.stream = nil
	}
	if p.dev != nil {
		if !p.keep {
			errs = append(errs, p.config.Unload(p.dev.removeConfig))
		}
		if err := p.dev.close(); err != nil {
			errs = append(errs, fmt.Errorf("close %s: %w", p.node, err))
		}
		p.dev = nil
	}
	return errors.Join(errs...)
}

// errStopped is a stream that the driver has stopped for good.
var errStopped = errors.New("the driver has stopped the stream of reports")

// gone says whether an error of the driver means that the GPU has been taken away.
func gone(err error) bool {
	return errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.ENXIO) || errors.Is(err, errStopped)
}
