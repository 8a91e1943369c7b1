package kbase

import (
	"encoding/binary"
	"fmt"
	"slices"

	"astrolabe/hwio/internal/mali"
)

// Bounds of what a driver may say about itself. Today's say 32 bytes and about a dozen items.
const (
	maxItemSize  = 4096
	maxItemCount = 1024
	maxInstances = 64
)

// capabilities is what a driver's kinstr offers.
type capabilities struct {
	blocks  []block
	clocks  int      // number of clock domains
	kinds   []uint16 // of requests that this version's form is understood for
	items   int      // number of items, terminator included
	unknown []string // what was passed over
}

// block is a type of counter block as the driver lists it.
type block struct {
	typ       mali.BlockType
	set       uint8
	instances int
	values    int
}

// enumerate asks the driver for its list.
func enumerate(dev mali.Device) (*capabilities, error) {
	arg := make([]byte, 16)
	if _, err := dev.Request(reqEnumInfo, arg); err != nil {
		return nil, err
	}
	size, count := binary.LittleEndian.Uint32(arg), binary.LittleEndian.Uint32(arg[4:])
	if size < enumItemSize || size > maxItemSize || count == 0 || count > maxItemCount {
		return nil, fmt.Errorf("the driver's list of counters has %d items of %d bytes", count, size)
	}
	buf := make([]byte, int(size)*int(count))
	if _, err := dev.RequestWith(reqEnumInfo, arg, 8, buf); err != nil {
		return nil, err
	}
	return decodeEnum(buf, int(size))
}

// decodeEnum reads the list, whose items are stride bytes apart.
func decodeEnum(buf []byte, stride int) (*capabilities, error) {
	c := &capabilities{}
	if stride < enumItemSize {
		return nil, fmt.Errorf("items of %d bytes are too short", stride)
	}
	seen := map[mali.BlockType]bool{}
	infos := 0
	for at := 0; at+stride <= len(buf); at += stride {
		item := buf[at : at+stride]
		typ, version := binary.LittleEndian.Uint16(item), binary.LittleEndian.Uint16(item[2:])
		c.items++
		switch typ {
		case enumBlock:
			b := block{
				typ: mali.BlockType(item[8]), set: item[9], instances: int(binary.LittleEndian.Uint16(item[12:])),
				values: int(binary.LittleEndian.Uint16(item[14:])),
			}
			switch {
			case b.instances == 0 && b.values == 0:
				// The terminator looks like an empty block. An empty block before it has nothing to count either.
			case !b.typ.Known():
				c.unknown = append(c.unknown, fmt.Sprintf("blocks of the unknown type %d", item[8]))
			case b.values%mali.GroupValues != 0 || b.values <= mali.HeaderValues || b.values > 128:
				return nil, fmt.Errorf("item %d at byte %d: %s blocks of %d values", c.items-1, at, b.typ, b.values)
			case b.instances > maxInstances:
				return nil, fmt.Errorf("item %d at byte %d: %d %s blocks", c.items-1, at, b.instances, b.typ)
			case seen[b.typ] || b.instances == 0:
			default:
				seen[b.typ] = true
				c.blocks = append(c.blocks, b)
			}
		case enumRequest:
			if binary.LittleEndian.Uint32(item[12:])&1 != 0 {
				c.kinds = append(c.kinds, binary.LittleEndian.Uint16(item[8:]))
			}
		case enumSampleInfo:
			c.clocks = int(min(binary.LittleEndian.Uint32(item[8:]), 4))
			infos++
		default:
			c.unknown = append(c.unknown, fmt.Sprintf("items of the unknown type %#x (version %d)", typ, version))
		}
	}
	switch {
	case !slices.Contains(c.kinds, kindMode):
		return nil, fmt.Errorf("the driver's list has no request of kind mode in version 0")
	case !slices.Contains(c.kinds, kindEnable):
		return nil, fmt.Errorf("the driver's list has no request of kind enable in version 0")
	case infos == 0:
		return nil, fmt.Errorf("the driver's list has no description of samples")
	case len(c.blocks) == 0:
		return nil, fmt.Errorf("the driver's list has no block of counters")
	}
	slices.SortFunc(c.blocks, func(a, b block) int { return int(a.typ) - int(b.typ) })
	return c, nil
}

// layout gives the blocks their physical numbers: shader cores those of the mask, others count from 0.
func (c *capabilities) layout(g *mali.GPU) []mali.Block {
	var out []mali.Block
	for _, b := range c.blocks {
		m := mali.Block{Type: b.typ, Set: b.set, Values: b.values}
		if b.typ == mali.Core {
			m.Instances = g.CoreNumbers()
			if len(m.Instances) != b.instances {
				m.Instances = nil // the driver counts other cores than its properties tell: they get the numbers of samples
			}
		}
		for i := len(m.Instances); i < b.instances; i++ {
			m.Instances = append(m.Instances, i)
		}
		out = append(out, m)
	}
	return out
}
