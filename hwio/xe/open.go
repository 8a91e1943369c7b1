package xe

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
)

// plan is an open, still stopped stream with everything that belongs to it.
type plan struct {
	hw       *hardware
	sel      *intel.Selection
	format   *oa.Format
	unit     *oaUnit
	engine   int          // of the unit's
	clock    intel.Engine // whose clock is compared with the CPU's
	shift    int          // a tick of that is 2^shift of the unit's
	exponent int
	keep     bool
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
	set, err := readSettings(s.root, r.Options)
	if err != nil {
		return nil, err
	}
	if err := set.sel.Check(r.Counters); err != nil {
		return nil, err
	}
	p, err := s.open(set, r.Period)
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
	if _, err := find(s.root, r.Options["card"]); err != nil {
		return nil // Open says what is in the way
	}
	set, err := readSettings(s.root, r.Options)
	if err != nil {
		return err
	}
	return set.sel.Check(r.Counters)
}

// open opens the GPU, has the driver count the set, and opens a stream. What it did until an error it takes back.
func (s *Source) open(set *settings, period time.Duration) (_ *plan, err error) {
	p := &plan{sel: set.sel, format: set.format, keep: set.keep}
	lists, err := oaregisters.Of(set.card.part.platform(), set.sel.Set.Name, nil)
	if err != nil {
		return nil, err
	}
	if p.dev, p.node, err = s.openNode(set.card); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			// Of two errors the one that led here comes first.
			err = errors.Join(err, p.close())
		}
	}()
	if p.hw, err = readHardware(s.root, set.card, p.dev); err != nil {
		return nil, err
	}
	if p.unit, err = set.chooseUnit(p.hw, lists); err != nil {
		return nil, err
	}
	if p.engine, err = intel.ChooseEngine(set.engine, p.unit.title(), p.unit.engines); err != nil {
		return nil, err
	}
	if err = p.chooseClock(); err != nil {
		return nil, err
	}
	var warning string
	if p.exponent, warning = set.choose(period, p.unit.frequency); warning != "" {
		p.warnings = append(p.warnings, warning)
	}
	sec, guid := readSecurity(s.root), set.sel.Set.GUID
	load := func() (intel.Config, error) {
		return intel.LoadConfig(s.root, set.card.card.Sysfs, guid, func() (uint64, error) {
			return p.dev.addConfig(guid, lists.All())
		})
	}
	if p.config, err = load(); err != nil {
		return nil, explainConfig(err, sec, set.sel.Set.Name)
	}
	for try := 1; ; try++ {
		if p.stream, err = p.dev.openStream(p.request()); err == nil {
			return p, nil
		}
		if errors.Is(err, syscall.EINVAL) && !p.config.Added && try < intel.ConfigTries {
			// The set was another program's, which may have removed it since.
			was := p.config.ID
			fresh, lerr := load()
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

// maxShift bounds how much faster an OA unit's timestamps may run than those of the engines. Some GPUs shift the latter
// by up to 3 bits.
const maxShift = 3

// chooseClock finds an engine whose clock is the unit's, but for a shift.
func (p *plan) chooseClock() error {
	switch {
	case p.engine < len(p.unit.engines):
		p.clock = p.unit.engines[p.engine]
	case len(p.hw.engines) > 0:
		p.clock = p.hw.engines[0]
	default:
		return errors.New("the driver tells of no engine, whose clock would place reports in time")
	}
	for _, g := range p.hw.gts {
		for shift := 0; g.id == p.clock.GT && shift <= maxShift; shift++ {
			if g.clock<<shift == p.unit.frequency {
				p.shift = shift
				return nil
			}
		}
	}
	return fmt.Errorf("the timestamps of %s have %d Hz, and the driver tells of no engine with such a clock: its reports cannot be placed in time",
		p.unit.title(), p.unit.frequency)
}

// request is what the stream is opened with.
func (p *plan) request() []property {
	return []property{{propUnit, uint64(p.unit.id)}, {propSample, 1}, {propSet, p.config.ID},
		{propFormat, uint64(p.format.Word)}, {propExponent, uint64(p.exponent)}, {propDisabled, 1},
		{propEngine, uint64(p.engine)}}
}

// info is what a recording says about the GPU.
func (p *plan) info() oa.Info {
	return oa.Info{
		TimestampFrequency: p.unit.frequency, DeviceID: uint32(p.hw.deviceID), Revision: uint32(p.hw.revision),
		MinFrequency: uint32(p.hw.minClock), MaxFrequency: uint32(p.hw.maxClock), Format: p.format.Xe, Xe: true,
		EngineClass: uint32(p.clock.Class), EngineInstance: uint32(p.clock.Instance),
		Set: p.sel.Set.Name, GUID: p.sel.Set.GUID, Topology: p.hw.blob(), Shift: p.shift,
	}
}

// properties are what a recording says beside that: how it was sampled, and the equations' variables.
func (p *plan) properties() []capture.Property {
	return append([]capture.Property{
		{Name: "oa_exponent", Number: float64(p.exponent)},
		{Name: "oa_period_ns", Number: intel.PeriodOf(p.exponent, p.unit.frequency)},
		{Name: "oa_unit", Number: float64(p.unit.id)},
	}, p.hw.variables()...)
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
