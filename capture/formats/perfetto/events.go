package perfetto

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture"
	"astrolabe/capture/memory"
)

// track is a TrackDescriptor.
type track struct {
	uuid, parent uint64
	name, doc    string
	counter      bool
	ours         bool
	kind         string // of ours
	unit         string
	multiplier   int64
	incremental  bool
	share        string
}

func (d *decoder) trackDescriptor(b []byte) error {
	t := &track{multiplier: 1}
	err := each(b, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch num {
		case trackUUID:
			t.uuid = val
		case trackParent:
			t.parent = val
		case trackName, trackStaticName, trackAtraceName:
			t.name = validText(string(data))
		case trackDescription:
			t.doc = validText(string(data))
		case trackCounter:
			if typ == protowire.BytesType {
				t.counter = true
				return t.counterDescriptor(data)
			}
		}
		return nil
	})
	if old := d.tracks[t.uuid]; old != nil && old.counter && !t.counter {
		return err // a descriptor that was sent again without its details
	}
	d.tracks[t.uuid] = t
	return err
}

func (t *track) counterDescriptor(b []byte) error {
	name, unit := "", uint64(0)
	err := each(b, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch num {
		case counterCategories:
			switch text := string(data); {
			case text == categoryOurs:
				t.ours = true
			default:
				t.kind = text
			}
		case counterUnit:
			unit = val
		case counterUnitName:
			name = validText(string(data))
		case counterMultiplier:
			t.multiplier = signed(val)
		case counterIncremental:
			t.incremental = val != 0
		case counterShareKey:
			t.share = validText(string(data))
		}
		return nil
	})
	switch {
	case name != "":
		t.unit = name
	case unit == unitTimeNS:
		t.unit = "ns"
	case unit == unitBytes:
		t.unit = "bytes"
	}
	return err
}

// trackEvent takes counter values and this package's own slices of a TrackEvent.
func (d *decoder) trackEvent(b []byte, sequence uint64, s *sequenceState, at int64) error {
	e := event{track: s.track, ints: s.ints, doubles: s.doubles}
	if err := e.parse(b); err != nil {
		return err
	}
	if e.kind == typeCounter && e.valued {
		d.value(s, e.track, at, e.value, e.double)
	}
	for i, v := range e.extra {
		if i < len(e.ints) {
			d.value(s, e.ints[i], at, v, false)
		}
	}
	for i, v := range e.extraDouble {
		if i < len(e.doubles) {
			d.value(s, e.doubles[i], at, v, true)
		}
	}
	d.slices.take(&e, at, &d.tally)
	return nil
}

// event is a TrackEvent.
type event struct {
	kind, track        uint64
	category, name     string
	value              uint64
	valued, double     bool
	ints, doubles      []uint64
	ownInts, ownDouble bool
	extra, extraDouble []uint64
	annotations        [][]byte
}

func (e *event) parse(b []byte) error {
	return each(b, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch num {
		case eventType:
			e.kind = val
		case eventTrack:
			e.track = val
		case eventCategories:
			e.category = string(data)
		case eventName:
			e.name = validText(string(data))
		case eventAnnotations:
			e.annotations = append(e.annotations, data)
		case eventCounter:
			e.value, e.valued, e.double = val, true, false
		case eventDouble:
			e.value, e.valued, e.double = val, true, true
		case eventExtraTracks:
			if !e.ownInts {
				e.ints, e.ownInts = nil, true
			}
			e.ints = numbers(e.ints, typ, val, data, false)
		case eventExtraDTrack:
			if !e.ownDouble {
				e.doubles, e.ownDouble = nil, true
			}
			e.doubles = numbers(e.doubles, typ, val, data, false)
		case eventExtraValues:
			e.extra = numbers(e.extra, typ, val, data, false)
		case eventExtraDouble:
			e.extraDouble = numbers(e.extraDouble, typ, val, data, true)
		}
		return nil
	})
}

// value adds a value of a counter track: incremental ones are summed up, and multipliers applied.
func (d *decoder) value(s *sequenceState, uuid uint64, at int64, bits uint64, double bool) {
	t := d.tracks[uuid]
	if t != nil && !double && (t.incremental || t.multiplier != 1) {
		v := signed(bits)
		if t.incremental {
			v += s.running[uuid]
			s.running[uuid] = v
		}
		bits = uint64(v * t.multiplier)
	} else if t != nil && double && t.multiplier != 1 {
		bits = math.Float64bits(floatOf(bits) * float64(t.multiplier))
	}
	d.add(seriesKey{track: uuid}, at, bits, double)
}

// slice is a slice or mark of this package's own.
type slice struct {
	category, name string
	track          uint64
	start, end     int64
	ints           map[string]uint64
	texts          map[string]string
}

// sliceReader pairs the ends of slices with their beginnings.
type sliceReader struct {
	open map[uint64][]slice
	done []slice
}

func (r *sliceReader) take(e *event, at int64, tally *memory.Tally) {
	switch {
	case e.kind == typeSliceBegin || e.kind == typeInstant:
		s := slice{category: e.category, name: e.name, track: e.track, start: at, end: at}
		switch e.category {
		case categoryRegion, categoryGap, categoryLate, categoryLabel, categoryStart, categoryEnd,
			categoryZero, categoryAbout:
		default:
			if e.kind == typeSliceBegin && len(r.open[e.track]) > 0 {
				r.open[e.track] = append(r.open[e.track], slice{}) // so that its end is not taken for that of ours
			}
			return
		}
		s.annotate(e.annotations)
		if e.kind == typeInstant {
			r.done = memory.Append(tally, r.done, s)
			return
		}
		r.open[e.track] = append(r.open[e.track], s)
	case e.kind == typeSliceEnd:
		stack := r.open[e.track]
		if len(stack) == 0 {
			return
		}
		s := stack[len(stack)-1]
		r.open[e.track] = stack[:len(stack)-1]
		if s.category != "" {
			s.end = at
			r.done = memory.Append(tally, r.done, s)
		}
	}
}

func (s *slice) annotate(all [][]byte) {
	for _, a := range all {
		name, text, n, isText, isInt := "", "", uint64(0), false, false
		// What cannot be read of an annotation leaves it empty.
		_ = each(a, func(num protowire.Number, _ protowire.Type, val uint64, data []byte) error {
			switch num {
			case annotationName:
				name = string(data)
			case annotationUint:
				n, isInt = val, true
			case annotationString:
				text, isText = validText(string(data)), true
			}
			return nil
		})
		switch {
		case isText:
			if s.texts == nil {
				s.texts = map[string]string{}
			}
			s.texts[name] = text
		case isInt:
			if s.ints == nil {
				s.ints = map[string]uint64{}
			}
			s.ints[name] = n
		}
	}
}

func (s *slice) region(zero int64) capture.Region {
	return capture.Region{Name: s.name, Start: s.start - zero, End: s.end - zero,
		Depth: int(min(s.ints["depth"], math.MaxInt32)), Track: s.texts["track"]}
}

func (s *slice) gap(zero int64) capture.Gap {
	return capture.Gap{Start: s.start - zero, End: s.end - zero, Lost: s.ints["lost"],
		Reason: capture.Reason{Code: capture.ParseReasonCode(s.texts["code"]), Text: s.texts["text"]}}
}
