package perfetto

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/steps"
	"astrolabe/capture/memory"
)

// mostGrowth bounds the compressed packets of a trace altogether: they compress to a tenth or so.
const mostGrowth = 200

// decoder takes a trace in.
type decoder struct {
	ctx           context.Context
	size          int64
	unpacked      int64
	inside        bool // a compressed packet
	clocks        clocks
	sequences     map[uint64]*sequenceState
	tracks        map[uint64]*track
	series        map[seriesKey]*series
	order         []*series
	gpus          map[int32]bool      // that have counters
	specs         map[specKey]*spec   // of inline descriptors
	anySpecs      map[uint64]*spec    // the same of any sequence, for values that come on another one
	seriesSpecs   map[seriesKey]*spec // of the values that are there
	processes     map[uint64]string   // names, by process
	rails         map[railKey]string  // names of power rails
	devices       []capture.Device    // what the trace says of its GPUs
	stageNames    stageNames
	stages        []stage
	ftraceOffset  int64 // of the clock of the kernel's events from the trace's time
	ftraceRelated bool
	unread        map[string]int // counters that are not read, by what they are
	slices        sliceReader
	noClock       int
	dropped       int
	untimed       int // packets with values and without a time
	lostEvents    int // places where the kernel lost trace events
	oddPeriods    int // of work that end before they begin
	warnings      []string
	tally         memory.Tally // of values
}

// sequenceState is what the packets of one sequence share.
type sequenceState struct {
	track     uint64 // default track of events
	ints      []uint64
	doubles   []uint64
	clock     uint64
	running   map[uint64]int64 // of incremental counters, by track
	interned  map[uint64]*descriptor
	names     map[internedName]string
	clockSeen bool
}

// internedName is a name that a sequence gives by a number, of one of its kinds.
type internedName struct {
	kind protowire.Number
	iid  uint64
}

func newSequence() *sequenceState {
	return &sequenceState{running: map[uint64]int64{}, interned: map[uint64]*descriptor{},
		names: map[internedName]string{}}
}

// packet is a TracePacket taken apart. Its slices refer to the bytes that were read.
type packet struct {
	stamp                         uint64
	stamped                       bool
	sequence, flags               uint64
	clock                         uint64
	clocked                       bool
	snapshot, event, interned     []byte
	defaults, track, gpu, deflate []byte
	zstd                          []byte
	ftrace, stats, battery, rails []byte
	stage, gpuMem, remote, tree   []byte
	info, gpuFreq, cpuFreq        []byte
	machine                       uint64
	dropped                       bool
}

func decode(ctx context.Context, r io.Reader, size int64) (*capture.Config, error) {
	d := &decoder{ctx: ctx, size: size, clocks: newClocks(),
		sequences: map[uint64]*sequenceState{}, tracks: map[uint64]*track{}, series: map[seriesKey]*series{},
		gpus: map[int32]bool{}, specs: map[specKey]*spec{}, anySpecs: map[uint64]*spec{},
		seriesSpecs: map[seriesKey]*spec{}, processes: map[uint64]string{}, rails: map[railKey]string{},
		unread: map[string]int{}}
	d.slices.open = map[uint64][]slice{}
	cut, err := stream(ctx, r, size, d.packet)
	if err != nil {
		return nil, err
	}
	if cut != "" {
		d.warn("truncated: %s: what came before it was kept", cut)
	}
	if d.noClock > 0 {
		d.warn("%d packets are left out: %v", d.noClock, errNoClock)
	}
	if d.untimed > 0 {
		d.warn("%d packets are left out: they have values and no time", d.untimed)
	}
	if d.dropped > 0 {
		d.warn("lost: the tracing service dropped packets at %d places", d.dropped)
	}
	if d.lostEvents > 0 {
		d.warn("lost: the kernel lost trace events at %d places", d.lostEvents)
	}
	if d.oddPeriods > 0 {
		d.warn("damaged: %d periods of work of a GPU do not end behind their beginning and are left out", d.oddPeriods)
	}
	if len(d.unread) > 0 {
		d.warn("not read: the system's statistics of %s", strings.Join(slices.Sorted(maps.Keys(d.unread)), ", "))
	}
	if len(d.order) == 0 {
		if cut != "" {
			return nil, fmt.Errorf("truncated: %s, and there is no counter before it", cut)
		}
		if len(d.warnings) > 0 {
			return nil, fmt.Errorf("the trace holds no counters that can be read: %s", strings.Join(d.warnings, "; "))
		}
		return nil, errors.New("the trace holds no counters: record it with the data source gpu.counters, " +
			"or with the kernel's events power/gpu_frequency and gpu_mem/gpu_mem_total")
	}
	return d.build()
}

func (d *decoder) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// packet takes one TracePacket in.
func (d *decoder) packet(b []byte, at int64) error {
	p, err := parsePacket(b)
	if err != nil {
		return fmt.Errorf("damaged: packet at byte %d: %w", at, err)
	}
	if p.deflate != nil || p.zstd != nil {
		return d.compressed(p, at)
	}
	if err := d.take(p); errors.Is(err, memory.ErrLimit) {
		return err
	} else if err != nil {
		return fmt.Errorf("damaged: packet at byte %d: %w", at, err)
	}
	return nil
}

func (d *decoder) compressed(p *packet, at int64) error {
	if d.inside {
		return fmt.Errorf("damaged: the compressed packets at byte %d hold compressed ones", at)
	}
	d.inside = true
	defer func() { d.inside = false }()
	inner := func(b []byte, at int64) error {
		if d.unpacked += int64(len(b)); d.unpacked > mostGrowth*d.size+mostUnpacked {
			return fmt.Errorf("the compressed packets up to byte %d are more than %d times the size of the trace", at,
				mostGrowth)
		}
		return d.packet(b, at)
	}
	if p.zstd != nil {
		return unpack(d.ctx, p.zstd, true, at, inner)
	}
	return unpack(d.ctx, p.deflate, false, at, inner)
}

// field is where the content of a field of the packet goes, nil for one of no interest.
func (p *packet) field(num protowire.Number) *[]byte {
	switch num {
	case packetClockSnapshot:
		return &p.snapshot
	case packetTrackEvent:
		return &p.event
	case packetInternedData:
		return &p.interned
	case packetDefaults:
		return &p.defaults
	case packetTrackDescriptor:
		return &p.track
	case packetGPUCounterEvent:
		return &p.gpu
	case packetCompressed:
		return &p.deflate
	case packetZstd:
		return &p.zstd
	case packetFtrace:
		return &p.ftrace
	case packetSysStats:
		return &p.stats
	case packetBattery:
		return &p.battery
	case packetPowerRails:
		return &p.rails
	case packetRenderStage:
		return &p.stage
	case packetGPUMemTotal:
		return &p.gpuMem
	case packetRemoteClocks:
		return &p.remote
	case packetProcessTree:
		return &p.tree
	case packetGPUInfo:
		return &p.info
	case packetGPUFrequency:
		return &p.gpuFreq
	case packetCPUFrequency:
		return &p.cpuFreq
	}
	return nil
}

func parsePacket(b []byte) (*packet, error) {
	p := &packet{}
	err := each(b, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		if typ == protowire.BytesType {
			if dst := p.field(num); dst != nil {
				*dst = data
				if data == nil {
					*dst = []byte{}
				}
			}
			return nil
		}
		switch num {
		case packetTimestamp:
			p.stamp, p.stamped = val, true
		case packetSequenceID:
			p.sequence = val
		case packetSequenceFlags:
			p.flags |= val
		case packetClockID:
			p.clock, p.clocked = val, true
		case packetPreviousDropped:
			p.dropped = val != 0
		case packetStateCleared: // what traces had before flags
			if val != 0 {
				p.flags |= stateCleared
			}
		case packetMachine:
			p.machine = val
		}
		return nil
	})
	return p, err
}

func (d *decoder) take(p *packet) error {
	s := d.sequences[p.sequence]
	if s == nil || p.flags&stateCleared != 0 {
		known := s != nil
		s = newSequence()
		d.sequences[p.sequence] = s
		if p.dropped && known {
			d.dropped++
		}
	} else if p.dropped {
		d.dropped++
	}
	if p.snapshot != nil {
		if err := d.clocks.snapshot(p.machine, p.sequence, p.snapshot); err != nil {
			return fmt.Errorf("clock snapshot: %w", err)
		}
	}
	if p.remote != nil {
		if err := d.clocks.remoteSync(p.machine, p.remote); err != nil {
			return fmt.Errorf("clocks of another machine: %w", err)
		}
	}
	if p.defaults != nil {
		if err := s.defaults(p.defaults); err != nil {
			return fmt.Errorf("defaults: %w", err)
		}
	}
	if p.interned != nil {
		if err := s.intern(p.interned, &d.tally); err != nil {
			return fmt.Errorf("interned data: %w", err)
		}
	}
	if p.track != nil {
		if err := d.trackDescriptor(p.track); err != nil {
			return fmt.Errorf("track descriptor: %w", err)
		}
	}
	if p.tree != nil {
		if err := d.processTree(p.tree); err != nil {
			return fmt.Errorf("processes: %w", err)
		}
	}
	if p.info != nil {
		if err := d.gpuInfo(p.info); err != nil {
			return fmt.Errorf("GPUs: %w", err)
		}
	}
	if p.ftrace != nil {
		return d.ftrace(p)
	}
	if !p.holdsValues() {
		return d.tick(p, s)
	}
	at, timed := int64(0), p.stamped
	if timed {
		var err error
		if at, err = d.time(p, s); errors.Is(err, errNoClock) {
			d.noClock++
			return nil
		} else if err != nil {
			return err
		}
	}
	return d.valuesOf(p, s, at, timed)
}

// holdsValues reports whether the packet may have values of counters, at its time.
func (p *packet) holdsValues() bool {
	return p.event != nil || p.gpu != nil || p.stats != nil || p.battery != nil || p.rails != nil || p.stage != nil ||
		p.gpuMem != nil || p.gpuFreq != nil || p.cpuFreq != nil
}

// valuesOf takes the values of a packet in. Without a time only descriptions count, and what has times of its own.
func (d *decoder) valuesOf(p *packet, s *sequenceState, at int64, timed bool) error {
	switch {
	case p.gpu != nil:
		return d.gpuEvent(p, s, at, timed)
	case p.stage != nil:
		if err := d.renderStage(p, s, at, timed); err != nil {
			return fmt.Errorf("render stage: %w", err)
		}
		return nil
	case p.rails != nil:
		if err := d.powerRails(p, at, timed); err != nil {
			return fmt.Errorf("power rails: %w", err)
		}
		return nil
	case !timed:
		d.untimed++
		return nil
	case p.event != nil:
		return d.trackEvent(p.event, p.sequence, s, at)
	case p.stats != nil:
		return d.sysStats(p, at)
	case p.battery != nil:
		if err := d.batteryCounters(p, at); err != nil {
			return fmt.Errorf("battery: %w", err)
		}
		return nil
	case p.gpuMem != nil:
		n, _, err := fieldsOf(p.gpuMem)
		if err == nil {
			d.gpuMemory(p, n, at)
		}
		return err
	case p.gpuFreq != nil:
		n, _, err := fieldsOf(p.gpuFreq)
		if err == nil {
			d.point(p, gpuFrequency, "", 0, int32(n[1]), at, n[2])
		}
		return err
	}
	n, _, err := fieldsOf(p.cpuFreq)
	if khz := n[2] / 1000; err == nil && 1000*khz == n[2] {
		d.point(p, cpuFrequency, "", n[1], 0, at, khz)
	} else if err == nil {
		d.add(seriesKey{probe: cpuFrequency, machine: p.machine, counter: n[1]}, at,
			math.Float64bits(float64(n[2])/1000), true)
	}
	return err
}

// tick keeps an incremental clock going over packets of no interest.
func (d *decoder) tick(p *packet, s *sequenceState) error {
	if p.stamped && p.snapshot == nil {
		if _, err := d.clocks.local(p.machine, p.sequence, p.clockOf(s), p.stamp); err != nil && !errors.Is(err, errNoClock) {
			return err
		}
	}
	return nil
}

func (d *decoder) time(p *packet, s *sequenceState) (int64, error) {
	return d.clocks.time(p.machine, p.sequence, p.clockOf(s), p.stamp)
}

// clockOf is the clock of the packet's time stamp.
func (p *packet) clockOf(s *sequenceState) uint64 {
	switch {
	case p.clocked:
		return p.clock
	case s.clockSeen:
		return s.clock
	}
	return clockBoottime
}

func (s *sequenceState) defaults(b []byte) error {
	return each(b, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch {
		case num == defaultsClockID:
			s.clock, s.clockSeen = val, true
		case num == defaultsTrackEvent && typ == protowire.BytesType:
			s.ints, s.doubles = nil, nil
			return each(data, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
				switch num {
				case eventTrack:
					s.track = val
				case eventExtraTracks:
					s.ints = numbers(s.ints, typ, val, data, false)
				case eventExtraDTrack:
					s.doubles = numbers(s.doubles, typ, val, data, false)
				}
				return nil
			})
		}
		return nil
	})
}

// series is the values of one counter in the order of the trace.
type series struct {
	key  seriesKey
	ours bool // this package wrote it
	steps.Line
}

// seriesKey names a counter: by its track, by GPU, number and name, or by what it is of.
type seriesKey struct {
	track   uint64
	gpu     bool
	probe   probe
	gpuID   int32
	counter uint64
	machine uint64
	name    string
}

func (d *decoder) add(key seriesKey, at int64, bits uint64, double bool) {
	s := d.series[key]
	if s == nil {
		s = &series{key: key}
		d.series[key] = s
		if key.gpu || key.probe >= gpuFrequency && key.probe <= gpuStages {
			d.gpus[key.gpuID] = true
		}
		d.tally.Must(uint64(len(key.name)) + 128)
		d.order = append(d.order, s)
	}
	s.Add(at, bits, double, &d.tally)
}
