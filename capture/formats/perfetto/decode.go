package perfetto

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture"
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
	gpus          map[int32]bool   // that have counters
	specs         map[uint64]*spec // of inline descriptors, by counter
	internedSpecs map[seriesKey]*spec
	slices        sliceReader
	noClock       int
	dropped       int
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
	clockSeen bool
}

func newSequence() *sequenceState {
	return &sequenceState{running: map[uint64]int64{}, interned: map[uint64]*descriptor{}}
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
	dropped                       bool
}

func decode(ctx context.Context, r io.Reader, size int64) (*capture.Config, error) {
	d := &decoder{ctx: ctx, size: size, clocks: clocks{state: map[clockKey]*clockState{}, used: map[uint64]bool{}},
		sequences: map[uint64]*sequenceState{}, tracks: map[uint64]*track{}, series: map[seriesKey]*series{},
		gpus: map[int32]bool{}, specs: map[uint64]*spec{}}
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
	if d.dropped > 0 {
		d.warn("lost: the tracing service dropped packets at %d places", d.dropped)
	}
	if len(d.order) == 0 {
		if cut != "" {
			return nil, fmt.Errorf("truncated: %s, and there is no counter before it", cut)
		}
		return nil, errors.New(
			"the trace holds no GPU counters and no counter tracks: record it with the data source gpu.counters")
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
			p.flags = val
		case packetClockID:
			p.clock, p.clocked = val, true
		case packetPreviousDropped:
			p.dropped = val != 0
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
		if err := d.clocks.snapshot(p.sequence, p.snapshot); err != nil {
			return fmt.Errorf("clock snapshot: %w", err)
		}
	}
	if p.defaults != nil {
		if err := s.defaults(p.defaults); err != nil {
			return fmt.Errorf("defaults: %w", err)
		}
	}
	if p.interned != nil {
		if err := s.intern(p.interned); err != nil {
			return fmt.Errorf("interned data: %w", err)
		}
	}
	if p.track != nil {
		if err := d.trackDescriptor(p.track); err != nil {
			return fmt.Errorf("track descriptor: %w", err)
		}
	}
	if p.event == nil && p.gpu == nil {
		return d.tick(p, s)
	}
	if p.gpu != nil && !p.stamped {
		return d.gpuEvent(p, s, 0, false)
	}
	at, err := d.time(p, s)
	if errors.Is(err, errNoClock) {
		d.noClock++
		return nil
	}
	if err != nil {
		return err
	}
	if p.gpu != nil {
		return d.gpuEvent(p, s, at, true)
	}
	return d.trackEvent(p.event, p.sequence, s, at)
}

// tick keeps an incremental clock going over packets of no interest.
func (d *decoder) tick(p *packet, s *sequenceState) error {
	if p.stamped && p.snapshot == nil {
		if _, err := d.time(p, s); err != nil && !errors.Is(err, errNoClock) {
			return err
		}
	}
	return nil
}

func (d *decoder) time(p *packet, s *sequenceState) (int64, error) {
	clock := uint64(clockBoottime)
	switch {
	case p.clocked:
		clock = p.clock
	case s.clockSeen:
		clock = s.clock
	}
	return d.clocks.time(p.sequence, clock, p.stamp)
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
	key    seriesKey
	times  []int64
	bits   []uint64 // int64, or the bits of doubles once there is one
	double bool
}

// seriesKey names a counter: by its track, or by GPU and number, in the scope of an interned descriptor if it has one.
type seriesKey struct {
	track    uint64
	gpu      bool
	sequence uint64
	iid      uint64
	gpuID    int32
	counter  uint64
}

func (d *decoder) add(key seriesKey, at int64, bits uint64, double bool) {
	s := d.series[key]
	if s == nil {
		s = &series{key: key}
		d.series[key] = s
		if key.gpu {
			d.gpus[key.gpuID] = true
		}
		d.order = append(d.order, s)
	}
	switch {
	case double && !s.double:
		s.double = true
		for i, b := range s.bits {
			s.bits[i] = math.Float64bits(float64(signed(b)))
		}
	case !double && s.double:
		bits = math.Float64bits(float64(signed(bits)))
	}
	s.times = memory.Append(&d.tally, s.times, at)
	s.bits = memory.Append(&d.tally, s.bits, bits)
}
