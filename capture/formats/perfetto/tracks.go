package perfetto

import (
	"fmt"
	"hash/fnv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/lanes"
)

// out is a track to be written.
type out struct {
	uuid    uint64
	parent  uint64
	name    string
	doc     string
	rank    int
	counter *capture.Counter // nil for one that only holds others
	share   string           // counters with this key share a scale
}

// forest lays out the tracks of a capture.
type forest struct {
	tracks  []out
	byPath  map[string]uint64
	used    map[uint64]bool
	ranks   map[uint64]int
	root    uint64
	regions []uint64 // one track per lane of regions
	labels  []uint64
	gaps    []uint64
	late    []uint64
}

func newForest(c *capture.Capture, regions []lanes.Lane, gapLanes, lateLanes int) *forest {
	f := &forest{byPath: map[string]uint64{}, used: map[uint64]bool{0: true}, ranks: map[uint64]int{}}
	root := f.add(out{name: "astrolabe " + orElse(c.Name, "capture"), doc: describe(c)}, "root")
	f.root = root
	for i, lane := range regions {
		f.regions = append(f.regions, f.add(out{parent: root, name: lane.Name}, fmt.Sprint("regions/", i)))
	}
	for _, l := range c.Labels {
		f.labels = append(f.labels, f.add(out{parent: root, name: l.Name}, "label/"+l.Name))
	}
	for i := range max(1, gapLanes) {
		f.gaps = append(f.gaps, f.add(out{parent: root, name: "gaps"}, fmt.Sprint("gaps/", i)))
	}
	for i := range lateLanes {
		f.late = append(f.late, f.add(out{parent: root, name: "late"}, fmt.Sprint("late/", i)))
	}
	for _, ctr := range c.Counters {
		if ctr.Col != nil || ctr.Der != nil {
			f.counter(root, ctr, ctr, "")
		}
		for _, in := range ctr.Instances {
			f.counter(root, ctr, in, ctr.Name)
		}
	}
	return f
}

// counter adds the track of a counter, or of an instance of whole.
func (f *forest) counter(root uint64, whole, c *capture.Counter, share string) {
	parent, path := root, ""
	for _, level := range []struct{ name, doc string }{{orElse(c.Device, whole.Device), groupDevice},
		{orElse(c.Block, whole.Block), groupBlock}} {
		if level.name == "" {
			continue
		}
		path += "/" + level.doc + " " + level.name
		parent = f.group(parent, path, level.name, level.doc)
	}
	name := c.Name
	if share != "" {
		place := strings.TrimSpace(orElse(orElse(c.Block, whole.Block), "instance") + " " + c.Meta.Instance)
		parent = f.group(parent, path+"/"+groupInstance+" "+place, place, groupInstance)
		if c.Meta.Instance != "" {
			name = whole.Name + "[" + c.Meta.Instance + "]"
		}
	}
	f.add(out{parent: parent, name: name, doc: orElse(c.Doc, c.Title), counter: c, share: share},
		path+"/counter "+c.Name+"\x00"+share)
}

// What a group of counters is, as its description says.
const (
	groupDevice = "device"
	groupBlock  = "hardware block"

	groupInstance = "one of several"
)

func (f *forest) group(parent uint64, path, name, doc string) uint64 {
	if id, ok := f.byPath[path]; ok {
		return id
	}
	id := f.add(out{parent: parent, name: name, doc: doc}, path)
	f.byPath[path] = id
	return id
}

// add gives a track an id that depends on its path only, so that equal captures give equal traces.
func (f *forest) add(t out, path string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(path))
	t.uuid = h.Sum64()
	for f.used[t.uuid] {
		t.uuid++
	}
	f.used[t.uuid] = true
	t.rank = f.ranks[t.parent]
	f.ranks[t.parent]++
	f.tracks = append(f.tracks, t)
	return t.uuid
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// describe says on what the capture was taken.
func describe(c *capture.Capture) string {
	var parts []string
	for _, s := range []string{c.GPU, c.Device.Name, c.Device.Vendor, c.Device.Driver, c.Device.ID} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// descriptor is the TrackDescriptor of a track.
func (t *out) descriptor() message {
	var m message
	m.uint(trackUUID, t.uuid)
	m.text(trackName, validText(t.name))
	if t.parent != 0 {
		m.uint(trackParent, t.parent)
	}
	if t.doc != "" {
		m.text(trackDescription, validText(t.doc))
	}
	m.uint(trackRank, uint64(t.rank))
	if t.counter == nil {
		m.uint(trackOrdering, orderExplicit)
		return m
	}
	var d message
	d.text(counterCategories, categoryOurs)
	d.text(counterCategories, kindOf(t.counter).String())
	switch unit := t.counter.Unit; unit {
	case "":
		d.uint(counterUnit, unitCount)
	case "bytes":
		d.uint(counterUnit, unitBytes)
	case "ns":
		d.uint(counterUnit, unitTimeNS)
	default:
		d.text(counterUnitName, validText(unit))
	}
	if t.share != "" {
		d.text(counterShareKey, validText(t.share))
	}
	m.message(trackCounter, d)
	return m
}

// kindOf is the kind of the values per sample: those of a formula are levels.
func kindOf(c *capture.Counter) capture.Kind {
	if c.Kind == capture.Derived {
		return capture.Gauge
	}
	return c.Kind
}

func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
