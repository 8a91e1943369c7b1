package mali

import (
	"encoding/binary"
	"fmt"
	"math"

	"astrolabe/capture"
)

// State is what a block did during a sample: several bits where it changed, 0 where the driver does not say.
type State uint32

const (
	StateOn          State = 1 << 0
	StateOff         State = 1 << 1
	StateAvailable   State = 1 << 2
	StateUnavailable State = 1 << 3
	StateNormal      State = 1 << 4
	StateProtected   State = 1 << 5
)

// Values is one block of a sample.
type Values struct {
	Type  BlockType
	Rank  int // among the blocks of its type, see Block.Instances
	State State
	Data  []byte // Block.Values numbers of Width bytes
	Width int    // 4 or 8
}

// Append adds one row to the table's columns of b, the first of which is column 0. blocks are those of one sample in
// any order; blocks of types without columns are passed over. invalid, if not nil, says why no value of the sample may
// be used.
func (t *Table) Append(b *capture.Batch, blocks []Values, invalid *capture.Reason) {
	for i := range t.place {
		t.place[i] = -1
	}
	for i := range blocks {
		v := &blocks[i]
		if !v.Type.Known() || t.base[v.Type] < 0 {
			continue
		}
		if at := t.base[v.Type] + v.Rank; v.Rank >= 0 && at < len(t.slots) && t.slots[at].block.Type == v.Type {
			t.place[at] = i
		}
	}
	for i := range t.slots {
		s := &t.slots[i]
		if len(s.cells) == 0 {
			continue
		}
		if invalid != nil {
			t.missing(b, s, *invalid)
			continue
		}
		if t.place[i] < 0 || len(blocks[t.place[i]].Data) < s.block.Values*blocks[t.place[i]].Width {
			t.missing(b, s, s.absent)
			continue
		}
		v := &blocks[t.place[i]]
		switch {
		case v.State&(StateUnavailable|StateAvailable) == StateUnavailable:
			t.missing(b, s, s.gone)
			s.unseen++
			continue
		case v.State&(StateProtected|StateNormal) == StateProtected:
			t.missing(b, s, s.hidden)
			s.unseen++
			continue
		case v.State&(StateProtected|StateUnavailable) != 0:
			s.part++
		}
		if v.State&StateOff != 0 {
			s.off++
		}
		if v.Width == 8 {
			appendWide(b, s.cells, v.Data)
		} else {
			appendNarrow(b, s.cells, v.Data)
		}
	}
}

func appendWide(b *capture.Batch, cells []cell, data []byte) {
	for _, c := range cells {
		n := binary.LittleEndian.Uint64(data[c.index*8:])
		if c.scale > 1 {
			n = times(n, c.scale)
		}
		b.AppendInt(c.col, n)
	}
}

func appendNarrow(b *capture.Batch, cells []cell, data []byte) {
	for _, c := range cells {
		b.AppendInt(c.col, uint64(binary.LittleEndian.Uint32(data[c.index*4:]))*c.scale)
	}
}

// times multiplies without going round.
func times(n, by uint64) uint64 {
	if n > math.MaxUint64/by {
		return math.MaxUint64
	}
	return n * by
}

// missing appends a missing value to every column of a block. It keeps where the reasons of each column stand, because
// a search through those of a thousand columns would take longer than a sample.
func (t *Table) missing(b *capture.Batch, s *slot, why capture.Reason) {
	if t.reasons == nil {
		t.reasons = make([]int, len(t.Columns))
	}
	for _, c := range s.cells {
		row := b.Cols[c.col].Len()
		b.AppendMissing(c.col)
		if k := t.reasons[c.col]; k < len(b.Reasons) && b.Reasons[k].Col == c.col && b.Reasons[k].To == row &&
			b.Reasons[k].Reason == why {
			b.Reasons[k].To++
			continue
		}
		t.reasons[c.col] = len(b.Reasons)
		b.Reasons = append(b.Reasons, capture.ColumnReason{Col: c.col, From: row, To: row + 1, Reason: why})
	}
}

// Zero reports whether every value of the table's columns in a sample is 0.
func (t *Table) Zero(blocks []Values) bool {
	for i := range blocks {
		v := &blocks[i]
		if !v.Type.Known() || t.base[v.Type] < 0 {
			continue
		}
		for at := HeaderValues * v.Width; at < len(v.Data); at++ {
			if v.Data[at] != 0 {
				return false
			}
		}
	}
	return true
}

// Notes says what the blocks' states did to the values of the whole recording.
func (t *Table) Notes(reader string) []string {
	var off, unseen, part uint64
	for i := range t.slots {
		s := &t.slots[i]
		off, unseen, part = max(off, s.off), max(unseen, s.unseen), max(part, s.part)
	}
	var out []string
	say := func(n uint64, format string) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%s: "+format, reader, n))
		}
	}
	say(off, "some block was powered off during up to %d samples: zeros there are true counts")
	say(unseen, "some block was in protected mode or not available during up to %d samples: its values are missing there")
	say(part, "some block was in protected mode or not available during a part of up to %d samples: its values there cover the rest of the time only")
	return out
}
