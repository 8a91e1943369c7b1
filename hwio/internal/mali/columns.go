package mali

import (
	"fmt"
	"strconv"

	"astrolabe/capture"
)

// Table is the part of a recording that holds a GPU's counters: which columns there are, and where in the blocks their
// values stand.
type Table struct {
	Columns []capture.ColumnSpec
	// Enable selects the values to be counted, by block type. A type without columns is not in it.
	Enable map[BlockType]Mask

	blocks []Block
	slots  []slot
	base   [blockTypes]int // of a type: its first slot; -1 where it has none
	place  []int           // per slot: position of its block in the sample at hand, -1 if absent

	reasons []int // per column: index of its last entry in a batch's reasons, so that a missing row costs no search
}

// slot is one physical block with the columns that it fills.
type slot struct {
	block  *Block
	rank   int
	cells  []cell
	absent capture.Reason
	gone   capture.Reason // unavailable
	hidden capture.Reason // protected
	off    uint64         // samples in which it was off
	unseen uint64         // samples without values
	part   uint64         // samples that were partly hidden
}

// cell is a value of a block and its column.
type cell struct {
	index, col int
	scale      uint64
}

// NewTable lays out the columns of a GPU's blocks: those that want accepts, one per physical instance where a block has
// several. Layout names the counters; "" gives them names by block and index.
func NewTable(blocks []Block, layout, gpu, source string, want func(*capture.Meta) bool) *Table {
	t := &Table{Enable: map[BlockType]Mask{}, blocks: blocks}
	for i := range t.base {
		t.base[i] = -1
	}
	for i := range blocks {
		b := &blocks[i]
		if !b.Type.Known() || t.base[b.Type] >= 0 {
			continue
		}
		t.base[b.Type] = len(t.slots)
		named := layout
		if b.Set != 0 {
			named = "" // names are those of the primary set
		}
		first := len(t.slots)
		for rank := range b.Instances {
			t.slots = append(t.slots, newSlot(b, rank))
		}
		for index := HeaderValues; index < b.Values; index++ {
			meta, scale := describe(b.Type, index, named, gpu, source)
			if b.Set != 0 {
				// A place of another set is another counter.
				meta.Name = fmt.Sprintf("%s_set%d_%d", b.Type, b.Set, index)
			}
			if !want(&meta) {
				continue
			}
			mask := t.Enable[b.Type]
			mask.addGroup(index)
			t.Enable[b.Type] = mask
			for rank, id := range b.Instances {
				if len(b.Instances) > 1 {
					meta.Instance = strconv.Itoa(id)
				}
				s := &t.slots[first+rank]
				s.cells = append(s.cells, cell{index, len(t.Columns), scale})
				t.Columns = append(t.Columns, capture.ColumnSpec{Meta: meta, Integer: true})
			}
		}
	}
	t.place = make([]int, len(t.slots))
	return t
}

func newSlot(b *Block, rank int) slot {
	name := blockTitles[b.Type]
	if len(b.Instances) > 1 {
		name += " " + strconv.Itoa(b.Instances[rank])
	}
	return slot{
		block: b, rank: rank,
		absent: capture.Reason{Code: capture.LostReports, Text: "the driver's sample has no block of the " + name},
		gone: capture.Reason{Code: capture.NotCollected, Text: "the " +
			name + " was not available to this system: another virtual machine had it"},
		hidden: capture.Reason{Code: capture.NotCollected, Text: "the " +
			name + " ran in protected mode, in which nothing is counted"},
	}
}

// describe is the counter of a value.
func describe(t BlockType, index int, layout, gpu, source string) (capture.Meta, uint64) {
	raw := fmt.Sprintf("%s_%d", t, index)
	m := capture.Meta{Name: raw, Block: t.String(), Source: source, Kind: capture.Delta}
	c := counters()[place{layout, t, index}]
	if c == nil {
		m.Title = fmt.Sprintf("Value %d of the %s block", index, blockTitles[t])
		m.Doc = fmt.Sprintf("Value %d of the %s block, as the hardware counts it. What it means is not known to this version.", index, blockTitles[t])
		return m, 1
	}
	m.Name, m.Unit, m.GPU, m.Doc = c.name, c.unit, gpu, c.doc
	m.Aliases = append(append(m.Aliases, c.aliases...), raw)
	return m, max(c.scaler, 1)
}

// Counters lists the counters of the blocks, one per counter and not per instance.
func Counters(blocks []Block, layout, gpu, source string) []capture.Meta {
	var out []capture.Meta
	t := NewTable(blocks, layout, gpu, source, func(*capture.Meta) bool { return true })
	for _, c := range t.Columns {
		m := c.Meta
		m.Instance = ""
		if len(out) == 0 || out[len(out)-1].Name != m.Name {
			out = append(out, m)
		}
	}
	return out
}
