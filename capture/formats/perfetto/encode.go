package perfetto

import (
	"context"
	"fmt"
	"io"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/formats/internal/lanes"
	"astrolabe/capture/progress"
)

const sequence = 1

// encoder writes packets.
type encoder struct {
	w     io.Writer
	base  int64 // added to times so that none is negative
	err   error
	body  message
	event message
	buf   []byte
	first bool
}

// Encode writes c as a trace.
func (Format) Encode(ctx context.Context, w io.Writer, c *capture.Capture) error {
	e := &encoder{w: w, first: true}
	if lo := earliest(c); lo < 0 {
		if lo == math.MinInt64 {
			return fmt.Errorf("the capture has a time of %d ns, which a trace cannot hold", lo)
		}
		e.base = -lo
	}
	regions := lanes.Tracks(len(c.Regions), "regions", func(i int) string { return c.Regions[i].Track },
		func(i int) (start, end int64) { return c.Regions[i].Start, c.Regions[i].End })
	gaps := lanes.Spread(len(c.Gaps), func(i int) (start, end int64) { return c.Gaps[i].Start, c.Gaps[i].End })
	late := lanes.Spread(len(c.Late), func(i int) (start, end int64) { return c.Late[i].Start, c.Late[i].End })
	f := newForest(c, regions, len(gaps), len(late))
	e.clock(c)
	for i := range f.tracks {
		e.begin(0, false)
		e.body.message(packetTrackDescriptor, f.tracks[i].descriptor())
		e.end()
	}
	if err := e.about(c, f.root); err != nil {
		return err
	}
	if e.base != 0 {
		e.mark(f.gaps[0], 0, typeInstant, "time 0 of the capture", categoryZero, nil)
	}
	for k, lane := range regions {
		e.regions(f.regions[k], c.Regions, lane.Items)
	}
	for k, lane := range gaps {
		for _, i := range lane {
			e.gap(f.gaps[k], &c.Gaps[i], i, categoryGap)
		}
	}
	for k, lane := range late {
		for _, i := range lane {
			e.gap(f.late[k], &c.Late[i], i, categoryLate)
		}
	}
	for i, l := range c.Labels {
		e.label(f.labels[i], c.Axis, l)
	}
	if err := e.samples(ctx, c.Axis, f); err != nil {
		return err
	}
	return e.err
}

// about marks the track of the capture with what a trace has no place for. Some of it stands there for people, who see
// it beside the mark.
func (e *encoder) about(c *capture.Capture, root uint64) error {
	layout, document, counters, err := arrow.Describe(c)
	if err != nil {
		return err
	}
	e.mark(root, 0, typeInstant, "capture", categoryAbout, func(m *message) {
		for _, line := range [][2]string{{"gpu", c.GPU}, {"device", c.Device.Name}, {"driver", c.Device.Driver},
			{aboutLayout, layout}, {aboutCapture, document}, {aboutCounters, counters}} {
			if line[1] != "" {
				annotateText(m, line[0], line[1])
			}
		}
	})
	return nil
}

// Names of annotations that the reader takes back.
const (
	aboutLayout   = "astrolabe.layout"
	aboutCapture  = "astrolabe.capture"
	aboutCounters = "astrolabe.counters"
)

func earliest(c *capture.Capture) int64 {
	lo := int64(0)
	for _, s := range c.Axis.Start {
		lo = min(lo, s)
	}
	for _, r := range c.Regions {
		lo = min(lo, r.Start)
	}
	for _, list := range [][]capture.Gap{c.Gaps, c.Late} {
		for _, g := range list {
			lo = min(lo, g.Start)
		}
	}
	return lo
}

func (e *encoder) begin(at int64, timed bool) {
	e.body = e.body[:0]
	if timed {
		e.body.uint(packetTimestamp, uint64(at)+uint64(e.base))
	}
	e.body.uint(packetSequenceID, sequence)
	if e.first {
		e.body.uint(packetSequenceFlags, stateCleared)
		e.body.uint(packetFirst, 1)
		e.first = false
	}
}

func (e *encoder) end() {
	if e.err != nil {
		return
	}
	e.buf = protowire.AppendBytes(protowire.AppendTag(e.buf[:0], tracePacket, protowire.BytesType), e.body)
	_, e.err = e.w.Write(e.buf)
}

// clock ties the times of the trace, which count from the start of the capture, to the wall clock.
func (e *encoder) clock(c *capture.Capture) {
	if c.StartTime.IsZero() || c.StartTime.UnixNano() < 0 {
		return
	}
	clock := func(id, ns uint64) (m message) {
		m.uint(clockID, id)
		m.uint(clockTimestamp, ns)
		return m
	}
	var s message
	s.message(snapshotClocks, clock(clockBoottime, uint64(e.base)))
	s.message(snapshotClocks, clock(clockRealtime, uint64(c.StartTime.UnixNano())))
	s.uint(snapshotPrimary, clockBoottime)
	e.begin(0, true)
	e.body.message(packetClockSnapshot, s)
	e.end()
}

func (e *encoder) slice(track uint64, start, end int64, name, category string, annotate func(m *message)) {
	e.mark(track, start, typeSliceBegin, name, category, annotate)
	e.sliceEnd(track, end)
}

func (e *encoder) sliceEnd(track uint64, at int64) {
	e.begin(at, true)
	e.event = e.event[:0]
	e.event.uint(eventType, typeSliceEnd)
	e.event.uint(eventTrack, track)
	e.body.message(packetTrackEvent, e.event)
	e.end()
}

func (e *encoder) mark(track uint64, at int64, kind uint64, name, category string, annotate func(m *message)) {
	e.begin(at, true)
	e.event = e.event[:0]
	e.event.uint(eventType, kind)
	e.event.uint(eventTrack, track)
	e.event.text(eventCategories, category)
	e.event.text(eventName, validText(name))
	if annotate != nil {
		annotate(&e.event)
	}
	e.body.message(packetTrackEvent, e.event)
	e.end()
}

func annotateInt(m *message, name string, v uint64) {
	var a message
	a.text(annotationName, name)
	a.uint(annotationUint, v)
	m.message(eventAnnotations, a)
}

func annotateText(m *message, name, v string) {
	var a message
	a.text(annotationName, name)
	a.text(annotationString, validText(v))
	m.message(eventAnnotations, a)
}

// regions writes regions that nest, in the order of time, each with its place among all.
func (e *encoder) regions(track uint64, all []capture.Region, items []int) {
	var open []int64
	closeUpTo := func(at int64) {
		for n := len(open) - 1; n >= 0 && open[n] <= at; n-- {
			e.sliceEnd(track, open[n])
			open = open[:n]
		}
	}
	for _, i := range items {
		r := &all[i]
		closeUpTo(r.Start)
		e.mark(track, r.Start, typeSliceBegin, r.Name, categoryRegion, func(m *message) {
			annotateInt(m, "index", uint64(i))
			annotateInt(m, "depth", uint64(max(0, r.Depth)))
			if r.Track != "" {
				annotateText(m, "track", r.Track)
			}
		})
		open = append(open, max(r.Start, r.End))
	}
	closeUpTo(math.MaxInt64)
}

func (e *encoder) gap(track uint64, g *capture.Gap, index int, category string) {
	e.slice(track, g.Start, max(g.Start, g.End), g.Reason.String(), category, func(m *message) {
		annotateInt(m, "index", uint64(index))
		annotateText(m, "code", g.Reason.Code.String())
		annotateText(m, "text", g.Reason.Text)
		annotateInt(m, "lost", g.Lost)
	})
}

// label writes each run of samples with the same value as one slice.
func (e *encoder) label(track uint64, a *capture.Axis, l *capture.Label) {
	for i := 0; i < a.Len(); {
		j := i + 1
		for j < a.Len() && l.Codes[j] == l.Codes[i] && a.Start[j] == a.End[j-1] {
			j++
		}
		if v, ok := l.Value(i); ok {
			end := a.End[j-1]
			if j < a.Len() {
				end = min(end, a.Start[j])
			}
			e.slice(track, a.Start[i], max(a.Start[i], end), v, categoryLabel, nil)
		}
		i = j
	}
}

// samples writes the values, in the order of time.
func (e *encoder) samples(ctx context.Context, a *capture.Axis, f *forest) error {
	type series struct {
		track uint64
		data  capture.Data
	}
	var all []series
	for i := range f.tracks {
		t := &f.tracks[i]
		if t.counter == nil {
			continue
		}
		s := series{track: t.uuid}
		if t.counter.Col != nil {
			if err := t.counter.Col.Err(); err != nil {
				return fmt.Errorf("counter %s: %w", t.counter.Name, err)
			}
			s.data = t.counter.Col.Data()
		} else {
			s.data = capture.Data{F: t.counter.Floats()}
		}
		all = append(all, s)
	}
	meter := progress.From(ctx)
	meter.Begin(int64(a.Len()), progress.Samples)
	for i := range a.Len() {
		if i%1024 == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			meter.Set(int64(i))
		}
		some := false
		for _, s := range all {
			if s.data.Missing(i) {
				continue
			}
			some = true
			e.begin(a.Start[i], true)
			e.event = e.event[:0]
			e.event.uint(eventType, typeCounter)
			e.event.uint(eventTrack, s.track)
			if s.data.U != nil && s.data.U[i] <= math.MaxInt64 {
				e.event.uint(eventCounter, s.data.U[i])
			} else {
				e.event.double(eventDouble, math.Float64bits(s.data.Float(i)))
			}
			e.body.message(packetTrackEvent, e.event)
			e.end()
		}
		if !some {
			e.mark(f.gaps[0], a.Start[i], typeInstant, "sample without values", categoryStart, nil)
		}
		if i+1 == a.Len() || a.End[i] != a.Start[i+1] {
			e.mark(f.gaps[0], a.End[i], typeInstant, "end of sample", categoryEnd, nil)
		}
		if e.err != nil {
			return e.err
		}
	}
	return nil
}
