package replay

import (
	"encoding/binary"
	"fmt"
	"slices"

	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/tape"
)

// perfOpen is the name of the system call on a tape.
const perfOpen = "perf_event_open"

// perfScript is what a tape says of perf events: for each ring its records in order, for each group its readings.
type perfScript struct {
	answers map[string]int // to questions about events that sample
	groups  map[int]*perfGroup
	rings   map[int][]perfRecord // by the device that their mapping made
	tick    int64                // resolution of CLOCK_MONOTONIC_COARSE, 0 where nobody asked

	counted    map[string]counted // by countedKey
	countsFrom int64              // the first time at which all of these are known
}

// perfGroup is an event that leads others, or none.
type perfGroup struct {
	id     uint64
	cpu    uint32
	ring   int           // device of the ring of its CPU, 0 of none
	before []*tape.Event // readings before that was mapped, or all where none is
	begin  *tape.Event   // the first behind that
	final  *tape.Event   // that for the end

	members int
	points  []perfPoint
	pending []byte // a reading between the samples whose time is not known yet
}

// perfPoint is a time, and what a read of the group told then.
type perfPoint struct {
	time int64
	data []byte
}

func (p perfPoint) enabled() uint64 { return binary.NativeEndian.Uint64(p.data[readEnabled:]) }

// last is the last point, nil where there is none.
func (g *perfGroup) last() *perfPoint {
	if n := len(g.points); n > 0 {
		return &g.points[n-1]
	}
	return nil
}

// follow appends a point. Its time is as long behind the one before as the group was enabled longer, or where that is not
// known a time of the clock. It is false where nothing is later than what is known.
func (g *perfGroup) follow(data []byte, now int64) (at int64, ok bool) {
	p := perfPoint{now, data}
	if last := g.last(); last != nil {
		if since := p.enabled() - last.enabled(); since > 0 {
			p.time = last.time + int64(since)
		}
		if p.time <= last.time {
			return 0, false
		}
	}
	g.points = append(g.points, p)
	return p.time, true
}

// perfRecord is a record of a ring.
type perfRecord struct {
	due   int64 // CLOCK_MONOTONIC of the tape
	stamp int   // where in data its time stands, 0 nowhere
	group *perfGroup
	data  []byte
}

// Words of a sample, behind its header: the id of the clock that sampled, process and thread, the time, what a read of
// the group tells.
const (
	sampleID   = 8
	sampleTime = 24
	sampleRead = 32

	readEnabled = 8 // of what a read tells
)

// moved is the record with its time moved.
func (x *perfRecord) moved(by int64) []byte {
	b := slices.Clone(x.data)
	if x.stamp > 0 {
		binary.NativeEndian.PutUint64(b[x.stamp:], uint64(x.due+by))
	}
	return b
}

// counts are what a read told when a sample was made.
func (x *perfRecord) counts() []byte { return x.data[min(sampleRead, len(x.data)):] }

// newPerfScript is nil where a tape has no events.
func newPerfScript(began int64, events []tape.Event) *perfScript {
	s := &perfScript{counted: map[string]counted{}, answers: map[string]int{}, groups: map[int]*perfGroup{}, rings: map[int][]perfRecord{}}
	byID, onCPU := map[uint64]*perfGroup{}, map[uint32]int{}
	var asked *tape.Event
	finished, any := false, false
	for i := range events {
		e := &events[i]
		was := asked
		asked = nil
		switch {
		case e.Kind == tape.Phase:
			finished = e.Path == tape.PhaseFinish
		case e.Kind == tape.Request && e.Code == perfOpen && len(e.BufIn) == 8:
			any = true
			asked = e
			if e.Errno == 0 && len(e.In) >= sampleRead && binary.LittleEndian.Uint64(e.In[16:]) != 0 {
				s.answers[fmt.Sprintf("%d %x %x", e.Device, []byte(e.In), []byte(e.BufIn))]++
			}
		case e.Kind == tape.Request && e.Path == "CLOCK_MONOTONIC_COARSE":
			s.tick = e.Value
		case e.Kind == tape.Map && e.Errno == 0:
			asked = e
		case e.Kind == tape.Open && was != nil && was.Kind == tape.Map:
			if g := s.groups[e.Device]; g != nil {
				onCPU[g.cpu] = e.New
				s.rings[e.New] = nil
			}
		case e.Kind == tape.Open && was != nil && was.Errno == 0:
			// Members are read with their leader, and clocks among them sample it.
			g := s.groups[e.Device]
			if e.Device == 0 || g == nil {
				g = &perfGroup{cpu: binary.LittleEndian.Uint32(was.BufIn[4:])}
			}
			s.groups[e.New] = g
			if len(was.In) >= sampleRead && binary.LittleEndian.Uint64(was.In[16:]) == 0 {
				s.counted[countedKey(was.In, g.cpu)] = counted{g, g.members}
			}
			g.members++
		case e.Kind == tape.Request && e.Code == "PERF_EVENT_IOC_ID" && len(e.Out) == 8:
			if g := s.groups[e.Device]; g != nil {
				id := binary.LittleEndian.Uint64(e.Out)
				if byID[id] = g; g.id == 0 {
					g.id = id
				}
			}
		case e.Kind == tape.Read && s.isRing(e.Device):
			s.records(e, byID)
		case e.Kind == tape.Read && s.groups[e.Device] != nil:
			s.groups[e.Device].reading(e, onCPU, finished)
		case e.Kind == tape.Clock && e.Code == "perfevent":
			s.settle(e.Value)
		}
	}
	if !any {
		return nil
	}
	ended := map[*perfGroup]bool{}
	for _, c := range s.counted {
		if !ended[c.group] {
			ended[c.group] = true
			c.group.ends()
		}
		if len(c.group.points) > 0 {
			s.countsFrom = max(s.countsFrom, c.group.points[0].time)
		}
	}
	return s
}

// ends puts the first and the last reading beside the samples. The first is as long before the first sample as the group
// was enabled shorter.
func (g *perfGroup) ends() {
	whole := func(e *tape.Event) bool { return e != nil && e.Errno == 0 && len(e.Data) >= readEnabled+8 }
	if len(g.points) == 0 {
		return
	}
	if first := g.points[0]; whole(g.begin) {
		p := perfPoint{data: g.begin.Data}
		if since := first.enabled() - p.enabled(); int64(since) > 0 {
			p.time = first.time - int64(since)
			g.points = append([]perfPoint{p}, g.points...)
		}
	}
	if whole(g.final) {
		g.follow(g.final.Data, g.last().time)
	}
}

func (s *perfScript) isRing(device int) bool {
	_, ok := s.rings[device]
	return ok
}

// reading notes a reading of the group.
func (g *perfGroup) reading(e *tape.Event, onCPU map[uint32]int, finished bool) {
	ring, mapped := onCPU[g.cpu]
	switch {
	case !mapped:
		g.before = append(g.before, e)
	case finished:
		g.final = e
	case g.begin == nil:
		g.begin, g.ring = e, ring
	case e.Errno == 0 && len(e.Data) > readEnabled+8:
		g.pending = e.Data
	}
}

// records takes the records of a ring apart.
func (s *perfScript) records(e *tape.Event, byID map[uint64]*perfGroup) {
	h := uapi.Struct("perf_event_header")
	for b := []byte(e.Data); len(b) >= h.Size; {
		kind, n := int64(h.Get(b, "type")), int(h.Get(b, "size"))
		if n < h.Size || n > len(b) {
			return
		}
		x := perfRecord{data: b[:n]}
		list := s.rings[e.Device]
		if len(list) > 0 {
			x.due = list[len(list)-1].due
		}
		word := func(at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }
		switch {
		case kind == uapi.Const("PERF_RECORD_SAMPLE") && n >= sampleRead+readEnabled+8:
			x.stamp, x.group, x.due = sampleTime, byID[word(sampleID)], int64(word(sampleTime))
			if g := x.group; g != nil && (g.last() == nil || g.last().time < x.due) {
				g.points = append(g.points, perfPoint{x.due, b[sampleRead:n]})
			}
		case (kind == uapi.Const("PERF_RECORD_THROTTLE") || kind == uapi.Const("PERF_RECORD_UNTHROTTLE")) && n >= h.Size+8:
			x.stamp, x.due = h.Size, int64(word(h.Size))
		}
		s.rings[e.Device] = append(list, x)
		b = b[n:]
	}
}

// settle makes samples of the readings since the clock was looked at last. Their times are those at which the reader takes
// them to be: as long behind the sample before as the group was enabled longer.
func (s *perfScript) settle(now int64) {
	for _, g := range s.groups {
		b := g.pending
		if g.pending = nil; b == nil {
			continue
		}
		at, ok := g.follow(b, now)
		if !ok {
			continue
		}
		const somebody = 1 | 1<<32
		h := uapi.Struct("perf_event_header")
		data := make([]byte, h.Size, sampleRead+len(b))
		h.Set(data, "type", uint64(uapi.Const("PERF_RECORD_SAMPLE")))
		h.Set(data, "size", uint64(sampleRead+len(b)))
		for _, w := range []uint64{g.id, somebody, uint64(at)} {
			data = binary.NativeEndian.AppendUint64(data, w)
		}
		s.rings[g.ring] = append(s.rings[g.ring], perfRecord{due: at, stamp: sampleTime, group: g, data: append(data, b...)})
	}
}
