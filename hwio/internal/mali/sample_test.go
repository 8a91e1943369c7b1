package mali

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

func everything(*capture.Meta) bool { return true }

// wide writes a block of 64-bit values.
func wide(values []uint64) []byte {
	out := make([]byte, 8*len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint64(out[8*i:], v)
	}
	return out
}

// recording makes a capture of the columns of one batch.
func recording(t *testing.T, cfg capture.Config, specs []capture.ColumnSpec, b *capture.Batch) *capture.Capture {
	t.Helper()
	cfg.Axis = capture.NewUniformAxis(b.Cols[0].Len(), 1e6)
	whole := map[string]*capture.Counter{}
	for i, s := range specs {
		c := &capture.Counter{Meta: s.Meta, Axis: cfg.Axis, Col: capture.NewColumn(b.Cols[i])}
		for _, r := range b.Reasons {
			if r.Col == i {
				c.Reasons = append(c.Reasons, capture.ReasonRun{From: r.From, To: r.To, Reason: r.Reason})
			}
		}
		if s.Meta.Instance == "" {
			cfg.Counters = append(cfg.Counters, c)
			continue
		}
		w := whole[s.Meta.Name]
		if w == nil {
			w = &capture.Counter{Meta: s.Meta, Axis: cfg.Axis}
			w.Meta.Instance = ""
			whole[s.Meta.Name] = w
			cfg.Counters = append(cfg.Counters, w)
		}
		w.Instances = append(w.Instances, c)
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBlocksGiveTheValuesOfArmsLibrary(t *testing.T) {
	var doc struct {
		Cases []struct {
			GPU          string
			ShaderCores  int    `json:"shader_cores"`
			CoreMask     uint64 `json:"core_mask"`
			L2Slices     int    `json:"l2_slices"`
			BusWidthBits int    `json:"bus_width_bits"`
			Blocks       []struct {
				Type   string
				Index  int
				Values []uint64
			}
			Expected map[string]float64
		}
		Names map[string]map[string]struct{ Variables, Sections []string }
	}
	testfiles.JSON(t, &doc, "vectors", "mali_blocks_sample.json")
	ids := map[string]uint64{"Mali-G615": 0xb8a30010, "Mali-G720": 0xc8700000}
	types := map[string]BlockType{"fe": FrontEnd, "tiler": Tiler, "memory": Memory, "core": Core}
	for _, c := range doc.Cases {
		g := GPU{ID: ParseID(ids[c.GPU]), CoreMask: c.CoreMask, L2Slices: c.L2Slices, BusWidth: c.BusWidthBits}
		g.Identify()
		byType := map[BlockType]*Block{}
		var blocks []Block
		var sample []Values
		for _, b := range c.Blocks {
			typ := types[b.Type]
			if byType[typ] == nil {
				byType[typ] = &Block{Type: typ, Values: len(b.Values)}
			}
			byType[typ].Instances = append(byType[typ].Instances, b.Index)
			sample = append(sample, Values{Type: typ, Rank: b.Index, Data: wide(b.Values), Width: 8})
		}
		for _, typ := range []BlockType{FrontEnd, Tiler, Memory, Core} {
			blocks = append(blocks, *byType[typ])
		}
		tab := NewTable(blocks, g.Product.Layout, g.Product.Catalogue(), "test", everything)
		b := capture.NewBatch(&capture.Schema{Columns: tab.Columns}, 1)
		slices.Reverse(sample) // no order is relied on
		tab.Append(b, sample, nil)
		cap := recording(t, g.Config("test", ""), tab.Columns, b)

		checked := 0
		for title, names := range doc.Names[c.GPU] {
			want, ok := c.Expected[title]
			if !ok {
				continue
			}
			for _, name := range append(slices.Clone(names.Sections), names.Variables...) {
				if name == "" || strings.HasPrefix(name, "$MaliConstants") {
					continue // a value without a variable, or one of the configuration
				}
				ctr, err := metrics.Resolve(cap, name)
				if err != nil {
					t.Fatal(err)
				}
				checked++
				// That library does not clamp percentages.
				clamped := want
				if strings.HasPrefix(ctr.Expr, "max(min(") {
					clamped = min(max(want, 0), 100)
				}
				if got := ctr.Total().Float(); math.Abs(got-clamped) > 1e-9*math.Abs(clamped) {
					t.Errorf("%s %s (%s): %v, Arm's library says %v", c.GPU, name, title, got, want)
				}
			}
		}
		if checked < 180 {
			t.Errorf("%s: %d values were compared", c.GPU, checked)
		}
	}
}

func TestInstancesHaveThePhysicalNumbersOfASparseMask(t *testing.T) {
	g := GPU{CoreMask: 0b101011}
	blocks := []Block{{Type: FrontEnd, Instances: []int{0}, Values: 64}, {Type: Core, Instances: g.CoreNumbers(), Values: 64}}
	tab := NewTable(blocks, "", "", "test", func(m *capture.Meta) bool { return m.Name == "core_17" || m.Name == "fe_4" })
	var got []string
	for _, c := range tab.Columns {
		got = append(got, c.Meta.Name+"["+c.Meta.Instance+"]")
	}
	if want := []string{"fe_4[]", "core_17[0]", "core_17[1]", "core_17[3]", "core_17[5]"}; !slices.Equal(got, want) {
		t.Fatalf("columns %q, want %q", got, want)
	}
	if m := tab.Enable[Core]; m != (Mask{0xf << 16}) || m.Groups() != 1<<4 {
		t.Errorf("the mask of the cores is %x", m)
	}
	if m := tab.Enable[FrontEnd]; m != (Mask{0xf0}) {
		t.Errorf("the mask of the front-end is %x", m)
	}
	b := capture.NewBatch(&capture.Schema{Columns: tab.Columns}, 1)
	var sample []Values
	for rank := range 4 {
		v := make([]uint64, 64)
		v[17] = uint64(100 + rank)
		sample = append(sample, Values{Type: Core, Rank: rank, Data: wide(v), Width: 8})
	}
	sample = append(sample, Values{Type: 42, Data: wide(make([]uint64, 64)), Width: 8}) // a type that nobody knows
	tab.Append(b, sample, nil)
	for i, want := range []uint64{100, 101, 102, 103} {
		if got := b.Cols[1+i].U[0]; got != want {
			t.Errorf("column %d holds %d, want %d", 1+i, got, want)
		}
	}
	if !b.Cols[0].Missing(0) || len(b.Reasons) != 1 || b.Reasons[0].Reason.Code != capture.LostReports {
		t.Errorf("the front-end, of which the sample has nothing, is %v because %v", b.Cols[0], b.Reasons)
	}
}

func TestStatesDecideWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		state   State
		missing bool
		note    string
	}{
		{0, false, ""},
		{StateOn | StateAvailable | StateNormal, false, ""},
		{StateOff | StateAvailable | StateNormal, false, "powered off"},
		{StateOn | StateProtected, true, "protected"},
		{StateOn | StateProtected | StateNormal, false, "a part"},
		{StateUnavailable | StateOff, true, "not available"},
		{StateUnavailable | StateAvailable, false, "a part"},
	} {
		tab := NewTable([]Block{{Type: Core, Instances: []int{0, 1}, Values: 64}}, "", "", "test", everything)
		b := capture.NewBatch(&capture.Schema{Columns: tab.Columns}, 1)
		for range 3 {
			tab.Append(b, []Values{
				{Type: Core, Rank: 0, Data: wide(make([]uint64, 64)), Width: 8, State: c.state},
				{Type: Core, Rank: 1, Data: wide(make([]uint64, 64)), Width: 8, State: StateOn | StateNormal},
			}, nil)
		}
		if got := b.Cols[0].Missing(2); got != c.missing || b.Cols[1].Missing(2) {
			t.Errorf("state %b: missing %v, want %v", c.state, got, c.missing)
		}
		if c.missing && (len(b.Reasons) != 60 || b.Reasons[0].To != 3) {
			t.Errorf("state %b: %d reasons, first %+v", c.state, len(b.Reasons), b.Reasons[0])
		}
		notes := strings.Join(tab.Notes("test"), "\n")
		if (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("state %b: notes %q, want %q", c.state, notes, c.note)
		}
	}
}

func TestASampleInErrorIsMissingAndScalersDoNotGoRound(t *testing.T) {
	tab := NewTable([]Block{one(Core)}, "Mali-G720", "mali-g720", "test", func(m *capture.Meta) bool { return m.Name == "MaliShaderThreadsFragmentThreads" })
	b := capture.NewBatch(&capture.Schema{Columns: tab.Columns}, 1)
	v := make([]uint64, 128)
	for _, n := range []uint64{7, math.MaxUint64 / 2} {
		v[69] = n
		tab.Append(b, []Values{{Type: Core, Data: wide(v), Width: 8}}, nil)
	}
	why := capture.Reason{Code: capture.Damaged, Text: "x"}
	tab.Append(b, []Values{{Type: Core, Data: wide(v), Width: 8}}, &why)
	tab.Append(b, []Values{{Type: Core, Data: wide(v)[:1000], Width: 8}}, nil)
	if got := b.Cols[0].U; got[0] != 28 || got[1] != math.MaxUint64 || !b.Cols[0].Missing(2) || !b.Cols[0].Missing(3) {
		t.Errorf("got %v, %v", got, b.Reasons)
	}
}

// dump32 makes a 32-bit dump in which value i of slot s is 1000 s + i.
func dump32(slots int) []byte {
	out := make([]byte, slots*packedBlock)
	for s := range slots {
		for i := range PackedValues {
			binary.LittleEndian.PutUint32(out[s*packedBlock+4*i:], uint32(1000*s+i))
		}
	}
	return out
}

func TestPackedDumpsHaveHolesForAbsentCores(t *testing.T) {
	for _, c := range []struct {
		name string
		gpu  GPU
		want map[string]int // slot of a block
		size int
	}{
		{"G52 with a hole", GPU{ID: ParseID(0x72120000), CoreMask: 0b1011, L2Slices: 2}, map[string]int{
			"fe 0": 0, "tiler 0": 1, "memory 0": 2, "memory 1": 3, "core 0": 4, "core 1": 5, "core 3": 7,
		}, 8},
		{"T760", GPU{ID: ParseID(0x07500000), CoreMask: 0b1101, L2Slices: 1, L2Mask: 3}, map[string]int{
			"core 0": 0, "core 2": 2, "core 3": 3, "tiler 0": 4, "memory 0": 5, "fe 0": 7,
		}, 8},
		{"T760 MP8", GPU{ID: ParseID(0x07500000), CoreMask: 0xff, L2Slices: 2, L2Mask: 0x11}, map[string]int{
			"core 0": 0, "core 3": 3, "core 4": 8, "core 7": 11, "tiler 0": 4, "memory 0": 5, "memory 1": 13, "fe 0": 7,
		}, 16},
	} {
		c.gpu.Identify()
		p := NewPacked(&c.gpu)
		if p.Size != c.size*packedBlock {
			t.Errorf("%s: a dump has %d bytes, want %d blocks", c.name, p.Size, c.size)
		}
		blocks, ok := p.Values(dump32(c.size))
		if !ok {
			t.Fatalf("%s: no blocks", c.name)
		}
		tab := NewTable(p.Blocks, "", "", "test", func(m *capture.Meta) bool { return strings.HasSuffix(m.Name, "_9") })
		b := capture.NewBatch(&capture.Schema{Columns: tab.Columns}, 1)
		tab.Append(b, blocks, nil)
		got := map[string]uint64{}
		for i, col := range tab.Columns {
			id := col.Meta.Instance
			if id == "" {
				id = "0"
			}
			got[col.Meta.Block+" "+id] = b.Cols[i].U[0]
		}
		for block, slot := range c.want {
			if got[block] != uint64(1000*slot+9) {
				t.Errorf("%s: %s holds %d, want slot %d", c.name, block, got[block], slot)
			}
		}
		if _, ok := p.Values(dump32(c.size)[:p.Size-1]); ok {
			t.Errorf("%s: a short dump was taken", c.name)
		}
	}
}

func FuzzPacked(f *testing.F) {
	f.Add(uint64(0x72120000), uint64(0b1011), uint8(2), uint64(1), dump32(3))
	f.Add(uint64(0x07500000), uint64(0xff), uint8(2), uint64(3), dump32(16))
	f.Fuzz(func(t *testing.T, id, mask uint64, l2 uint8, l2mask uint64, dump []byte) {
		g := GPU{ID: ParseID(id), CoreMask: mask, L2Slices: int(l2), L2Mask: l2mask}
		g.Identify()
		p := NewPacked(&g)
		blocks, ok := p.Values(dump)
		if ok != (len(dump) >= p.Size) {
			t.Fatalf("%d of %d bytes: %v", len(dump), p.Size, ok)
		}
		tab := NewTable(p.Blocks, g.Product.Layout, "", "test", everything)
		b := capture.NewBatch(&capture.Schema{Columns: tab.Columns}, 1)
		tab.Append(b, blocks, nil)
		for i := range b.Cols {
			if b.Cols[i].Len() != 1 || ok && b.Cols[i].Missing(0) {
				t.Fatalf("column %d has %d values", i, b.Cols[i].Len())
			}
		}
	})
}

// BenchmarkDecodeAndStore is the cost of one sample of all counters of a Mali-G720 with ten cores and four L2 slices, from blocks in memory
// to the columns of a batch. At 1 kHz, 50 µs are 5 % of a core.
func BenchmarkDecodeAndStore(b *testing.B) {
	g := GPU{ID: ParseID(0xc8700000), CoreMask: 0x3ff, L2Slices: 4}
	g.Identify()
	blocks := []Block{one(FrontEnd), one(Tiler), {Type: Memory, Instances: []int{0, 1, 2, 3}, Values: 128}, {Type: Core, Instances: g.CoreNumbers(), Values: 128}}
	tab := NewTable(blocks, g.Product.Layout, g.Product.Catalogue(), "test", everything)
	var sample []Values
	for _, bl := range blocks {
		for rank := range bl.Instances {
			v := make([]uint64, 128)
			for i := range v {
				v[i] = uint64(i * rank)
			}
			sample = append(sample, Values{Type: bl.Type, Rank: rank, Data: wide(v), Width: 8, State: StateOn | StateNormal})
		}
	}
	const rows = 200
	batch := capture.NewBatch(&capture.Schema{Columns: tab.Columns}, rows)
	b.ReportMetric(float64(len(tab.Columns)), "columns")
	b.ResetTimer()
	for i := range b.N {
		if i%rows == 0 {
			batch.Reset()
		}
		tab.Append(batch, sample, nil)
	}
}

func Example() {
	g := GPU{ID: ParseID(0xc8700000), CoreMask: 0b1101111}
	g.Identify()
	fmt.Println(g.Product.Name, g.Cores(), g.CoreNumbers(), g.Product.Catalogue())
	// Output: Mali-G720 6 [0 1 2 3 5 6] mali-g720
}
