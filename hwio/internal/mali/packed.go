package mali

import "math/bits"

// PackedValues is the number of values of a block in the 32-bit dumps.
const PackedValues = 64

const packedBlock = PackedValues * 4

// Packed is the arrangement of blocks in a 32-bit dump, as the older interface of Arm's driver and panfrost give it.
// Cores that are absent leave holes, except beyond the last one.
type Packed struct {
	Size   int // bytes that hold all blocks
	Room   int // bytes that a dump may have: the kernel of an old GPU may write places that belong to no core
	Blocks []Block
	parts  []Values // without data
	at     []int
}

// NewPacked arranges the blocks of a GPU.
func NewPacked(g *GPU) *Packed {
	p := &Packed{}
	cores := Block{Type: Core, Instances: g.CoreNumbers(), Values: PackedValues}
	fe := Block{Type: FrontEnd, Instances: []int{0}, Values: PackedValues}
	tiler := Block{Type: Tiler, Instances: []int{0}, Values: PackedValues}
	memory := Block{Type: Memory, Values: PackedValues}
	if g.Product.OldBlocks {
		// Per core group: four cores, tiler, memory system, an unused block, front-end. Only the first group has a
		// front-end and a tiler.
		groups := max(1, (bits.Len64(g.CoreMask)+3)/4)
		p.Size = groups * 8 * packedBlock
		p.Room = max(p.Size, bits.OnesCount64(g.L2Mask)*8*packedBlock)
		for rank, n := range cores.Instances {
			p.add(Core, rank, n/4*8+n%4)
		}
		p.add(Tiler, 0, 4)
		for i := range groups {
			memory.Instances = append(memory.Instances, i)
			p.add(Memory, i, i*8+5)
		}
		p.add(FrontEnd, 0, 7)
	} else {
		slices := max(1, g.L2Slices)
		p.Size = (2 + slices + bits.Len64(g.CoreMask)) * packedBlock
		// A kernel that knows another product under this id may mean the older arrangement: nothing that it writes may
		// land beside the buffer.
		p.Room = max(p.Size, bits.OnesCount64(g.L2Mask)*8*packedBlock)
		p.add(FrontEnd, 0, 0)
		p.add(Tiler, 0, 1)
		for i := range slices {
			memory.Instances = append(memory.Instances, i)
			p.add(Memory, i, 2+i)
		}
		for rank, n := range cores.Instances {
			p.add(Core, rank, 2+slices+n)
		}
	}
	p.Blocks = []Block{fe, tiler, memory, cores}
	return p
}

func (p *Packed) add(t BlockType, rank, slot int) {
	p.parts = append(p.parts, Values{Type: t, Rank: rank, Width: 4})
	p.at = append(p.at, slot*packedBlock)
}

// Values cuts a dump into blocks. It returns false where the dump is shorter than the arrangement. The result is valid
// until the next call.
func (p *Packed) Values(dump []byte) ([]Values, bool) {
	if len(dump) < p.Size {
		return nil, false
	}
	for i := range p.parts {
		p.parts[i].Data = dump[p.at[i] : p.at[i]+packedBlock]
	}
	return p.parts, true
}
