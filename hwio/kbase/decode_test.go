package kbase

import (
	"encoding/binary"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/mali"
)

var le = binary.LittleEndian

// prop is one record of the list of properties; width is 0 to 3.
func prop(id, width uint32, v uint64) []byte {
	out := le.AppendUint32(nil, id<<2|width)
	return append(out, le.AppendUint64(nil, v)[:1<<width]...)
}

func join(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestPropertiesAreDecodedAndUnknownOnesPassedOver(t *testing.T) {
	list := join(prop(55, 3, 0xc8700000), prop(999, 1, 7), prop(62, 0, 2), prop(61, 0, 1), prop(64, 3, 0b1011), prop(65, 3, 0b100000), prop(66, 3, 0xff00),
		prop(15, 0, 4), prop(29, 2, 8<<24|0x0706), prop(6, 2, 850000), prop(27, 3, 1))
	g, err := decodeProps(list)
	if err != nil {
		t.Fatal(err)
	}
	g.Identify()
	if g.CoreMask != 0b101011 || g.Cores() != 4 || g.L2Slices != 4 || g.BusWidth != 256 || g.MaxHz != 850e6 || g.Product.Name != "Mali-G620" {
		t.Errorf("%+v", g)
	}
	for _, cut := range []int{1, 4, len(list) - 1} {
		if _, err := decodeProps(list[:cut]); err == nil {
			t.Errorf("a list of %d bytes was taken", cut)
		}
	}
	if g, err := decodeProps(join(prop(1, 1, 0x9093), prop(25, 3, 0b1011))); err != nil || g.ID.Raw != 0x90930000 || g.CoreMask != 0b1011 {
		t.Errorf("a list with the product only: %+v, %v", g, err)
	}
}

func TestTheOldStructureOfPropertiesIsDecoded(t *testing.T) {
	b := make([]byte, oldPropsSize)
	le.PutUint32(b[8+16:], 600000)
	b[8+50] = 2
	le.PutUint64(b[8+96:], 0xff)
	le.PutUint64(b[8+112:], 0x11)
	le.PutUint32(b[8+128:], 7<<24)
	le.PutUint32(b[8+232:], 0x08600000)
	le.PutUint32(b[8+256:], 2)
	le.PutUint32(b[8+260:], 2)
	le.PutUint64(b[8+272:], 0x0f)
	le.PutUint64(b[8+288:], 0xb0)
	g := decodeOldProps(b)
	g.Identify()
	if g.CoreMask != 0xbf || g.L2Slices != 2 || g.BusWidth != 128 || g.MaxHz != 600e6 || g.Product.Name != "Mali-T860" || g.L2Mask != 0x11 {
		t.Errorf("%+v", g)
	}
}

// item writes an enumeration item of stride bytes.
func item(stride int, typ uint64, fields map[string]uint64, structure string) []byte {
	b := make([]byte, stride)
	uapi.Struct("prfcnt_item_header").Set(b, "item_type", typ)
	s := uapi.Struct(structure)
	for name, v := range fields {
		s.Set(b[8:], name, v)
	}
	return b
}

func blockItem(stride int, typ, set, n, values uint64) []byte {
	return item(stride, 0, map[string]uint64{"block_type": typ, "set": set, "num_instances": n, "num_values": values}, "prfcnt_enum_block_counter")
}

func requestItem(stride int, kind, versions uint64) []byte {
	return item(stride, 1, map[string]uint64{"request_item_type": kind, "versions_mask": versions}, "prfcnt_enum_request")
}

func infoItem(stride int, clocks uint64) []byte {
	return item(stride, 2, map[string]uint64{"num_clock_domains": clocks}, "prfcnt_enum_sample_info")
}

func TestTheListOfCountersIsReadByTypesAndTheKernelsStride(t *testing.T) {
	const wide = 48
	list := join(blockItem(wide, 3, 0, 3, 128), infoItem(wide, 2), item(wide, 77, nil, "prfcnt_enum_request"), requestItem(wide, 1, 1), blockItem(wide, 42, 0, 1, 128),
		requestItem(wide, 2, 1), blockItem(wide, 0, 0, 1, 128), requestItem(wide, 0, 3), blockItem(wide, 2, 0, 4, 128), blockItem(wide, 6, 0, 2, 128), blockItem(wide, 0, 0, 0, 0))
	c, err := decodeEnum(list, wide)
	if err != nil {
		t.Fatal(err)
	}
	if c.clocks != 2 || len(c.blocks) != 4 || len(c.unknown) != 2 {
		t.Errorf("%+v", c)
	}
	g := mali.GPU{CoreMask: 0b1011}
	blocks := c.layout(&g)
	if b := blocks[2]; b.Type != mali.Core || len(b.Instances) != 3 || b.Instances[2] != 3 || b.Values != 128 {
		t.Errorf("cores %+v", b)
	}
	// More cores than the mask has get the numbers of samples.
	g.CoreMask = 0b11
	if b := c.layout(&g)[2]; len(b.Instances) != 3 || b.Instances[2] != 2 {
		t.Errorf("cores %+v", b)
	}
}

func TestAListWithoutWhatIsNeededIsRefusedInWords(t *testing.T) {
	const n = enumItemSize
	mode, enable, info, fe := requestItem(n, 0, 1), requestItem(n, 1, 1), infoItem(n, 1), blockItem(n, 0, 0, 1, 64)
	for want, list := range map[string][]byte{
		"kind mode":            join(enable, info, fe),
		"kind enable":          join(mode, requestItem(n, 1, 2), info, fe),
		"description":          join(mode, enable, fe),
		"no block":             join(mode, enable, info, blockItem(n, 0, 0, 0, 0)),
		"fe blocks of 63":      join(mode, enable, info, blockItem(n, 0, 0, 1, 63)),
		"65 core blocks":       join(mode, enable, info, blockItem(n, 3, 0, 65, 64)),
		"tiler blocks of 4000": join(mode, enable, info, blockItem(n, 1, 0, 1, 4000)),
	} {
		if _, err := decodeEnum(list, n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if _, err := decodeEnum(join(mode, enable, info, fe), n-1); err == nil {
		t.Error("items that are too short were taken")
	}
}

// ring is a mapping with one sample whose blocks have 64 values; cores are the numbers of its core blocks.
func ring(stride int, cores ...uint64) []byte {
	meta := func(typ uint64, structure string, fields map[string]uint64) []byte {
		return item(stride, typ, fields, structure)
	}
	list := join(
		meta(metaSample, "prfcnt_sample_metadata", map[string]uint64{"timestamp_start": 100, "timestamp_end": 200, "seq": 5, "user_data": 9, "flags": 1}),
		meta(metaClock, "prfcnt_clock_metadata", map[string]uint64{"num_domains": 2}),
	)
	values := (len(cores) + 5) * stride
	for i, c := range cores {
		list = append(list, meta(metaBlock, "prfcnt_block_metadata", map[string]uint64{"block_type": 3, "block_idx": c, "block_state": 1, "values_offset": uint64(values + i*512)})...)
	}
	list = append(list, meta(metaBlock, "prfcnt_block_metadata", map[string]uint64{"block_type": 42, "values_offset": 1 << 30})...)
	list = append(list, meta(0x2fff, "prfcnt_block_metadata", nil)...)
	list = append(list, make([]byte, stride)...)
	list = append(list, make([]byte, values-len(list))...)
	for i := range cores {
		v := make([]byte, 512)
		le.PutUint64(v[8*10:], uint64(1000+i))
		list = append(list, v...)
	}
	return list
}

func TestASampleIsReadByTypesAndTheKernelsStride(t *testing.T) {
	w := walker{ring: ring(56, 0, 1, 2), stride: 56, cores: []int{0, 1, 3}}
	w.values[3] = 64
	var s sample
	if err := w.walk(0, &s); err != nil {
		t.Fatal(err)
	}
	w.renumber(&s)
	if s.start != 100 || s.end != 200 || s.seq != 5 || s.user != 9 || s.flags != flagStretched || s.domains != 2 || len(s.blocks) != 3 || !s.unknown {
		t.Errorf("%+v", s)
	}
	if b := s.blocks[2]; b.Rank != 2 || le.Uint64(b.Data[80:]) != 1002 {
		t.Errorf("block %d holds %d", b.Rank, le.Uint64(b.Data[80:]))
	}
}

func TestPhysicalCoreNumbersBecomeRanks(t *testing.T) {
	w := walker{ring: ring(48, 0, 1, 3), stride: 48, cores: []int{0, 1, 3}}
	w.values[3] = 64
	var s sample
	for range 2 {
		if err := w.walk(0, &s); err != nil {
			t.Fatal(err)
		}
		w.renumber(&s)
		if s.blocks[2].Rank != 2 {
			t.Errorf("core 3 has rank %d", s.blocks[2].Rank)
		}
	}
}

func TestASampleThatReachesBeyondTheMappingIsDamaged(t *testing.T) {
	good := ring(48, 0, 1)
	for name, c := range map[string]struct {
		ring   []byte
		offset uint64
	}{
		"offset":        {good, 1 << 40},
		"just the end":  {good, uint64(len(good))},
		"wraps":         {good, ^uint64(0) - 8},
		"values":        {good[:len(good)-1], 0},
		"no terminator": {good[:48*4], 0},
		"no sample":     {make([]byte, 96), 0},
	} {
		w := walker{ring: c.ring, stride: 48}
		w.values[3] = 64
		var s sample
		if err := w.walk(c.offset, &s); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestMergedPeriodsAreCountedByTheDriversOwnGrid(t *testing.T) {
	const period = 2e6
	for name, c := range map[string]struct {
		start, end     int64
		flags          uint32
		old, requested bool
		want           uint64
	}{
		"on time":                            {start: 10e6, end: 20e6, flags: flagStretched, want: 4},
		"the one before came late":           {start: 11.9e6, end: 20.1e6, flags: flagStretched, want: 4},
		"both late":                          {start: 11.5e6, end: 21.9e6, flags: flagStretched, want: 4},
		"flagged without a period":           {start: 10e6, end: 12e6, flags: flagStretched, want: 1},
		"not flagged":                        {start: 10e6, end: 20e6, want: 0},
		"the old interface flags nothing":    {start: 11.9e6, end: 20.1e6, old: true, want: 4},
		"an old sample that is late":         {start: 10e6, end: 12.9e6, old: true, want: 0},
		"the last sample has no own period":  {start: 10.1e6, end: 21e6, requested: true, want: 5},
		"one of the timer before the last":   {start: 10.1e6, end: 22.1e6, old: true, want: 5},
		"the last sample covers a part only": {start: 10.1e6, end: 11e6, requested: true, want: 0},
	} {
		st := stream{period: period, old: c.old}
		if got := st.mergedPeriods(&sample{start: c.start, end: c.end, flags: c.flags, requested: c.requested}); got != c.want {
			t.Errorf("%s: %d periods, want %d", name, got, c.want)
		}
	}
}

func FuzzProperties(f *testing.F) {
	f.Add(join(prop(55, 3, 0xc8700000), prop(62, 0, 1), prop(64, 3, 0b1011), prop(29, 2, 8<<24)))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, buf []byte) {
		g, err := decodeProps(buf)
		if err == nil && g.ID.Raw == 0 {
			t.Fatal("a GPU without id")
		}
		g.Identify()
		mali.NewPacked(&g)
		if len(buf) >= oldPropsSize {
			old := decodeOldProps(buf)
			old.Identify()
		}
	})
}

func FuzzEnumeration(f *testing.F) {
	f.Add(join(requestItem(32, 0, 1), requestItem(32, 1, 1), infoItem(32, 1), blockItem(32, 0, 0, 1, 128), blockItem(32, 3, 0, 10, 128), make([]byte, 32)), 32)
	f.Fuzz(func(t *testing.T, buf []byte, stride int) {
		c, err := decodeEnum(buf, stride)
		if err != nil {
			return
		}
		g := mali.GPU{CoreMask: 0b1011}
		for _, b := range c.layout(&g) {
			if !b.Type.Known() || len(b.Instances) == 0 || len(b.Instances) > maxInstances || b.Values > 128 {
				t.Fatalf("%+v", b)
			}
		}
	})
}

func FuzzSample(f *testing.F) {
	f.Add(ring(48, 0, 1, 3), uint64(0), 48)
	f.Add(ring(56, 0, 1, 2), uint64(0), 56)
	f.Fuzz(func(t *testing.T, mapping []byte, offset uint64, stride int) {
		w := walker{ring: mapping, stride: stride, cores: []int{0, 1, 3}}
		for i := range 7 {
			w.values[i] = 64
		}
		var s sample
		if w.walk(offset, &s) != nil {
			return
		}
		w.renumber(&s)
		for _, b := range s.blocks {
			if len(b.Data) != 512 {
				t.Fatalf("%+v", b)
			}
		}
	})
}

func FuzzReaderBuffer(f *testing.F) {
	f.Add(make([]byte, 32), make([]byte, 8*256), uint16(2048))
	f.Fuzz(func(t *testing.T, meta, buffers []byte, size uint16) {
		g := mali.GPU{ID: mali.ParseID(0x72120000), CoreMask: 0b1011, L2Slices: 1}
		g.Identify()
		v := vinstr{packed: mali.NewPacked(&g), buffers: buffers, size: int(size), meta: append(meta, make([]byte, 32)...)[:32], cycles: 2}
		var s sample
		if v.decode(&s) == nil && len(s.blocks) != 6 {
			t.Fatalf("%d blocks", len(s.blocks))
		}
	})
}
