package mali

// BlockType is a kind of counter block, numbered as by the driver.
type BlockType uint8

const (
	FrontEnd BlockType = iota // job manager, or front-end of command streams
	Tiler
	Memory // L2 slice; the MMU's counters are in slice 0 only
	Core   // shader core
	Firmware
	CSG // command stream group
	Neural
	blockTypes // number of known types
)

var blockNames = [blockTypes]string{"fe", "tiler", "memory", "core", "firmware", "csg", "neural"}

var blockTitles = [blockTypes]string{"front-end", "tiler", "L2 slice", "shader core", "firmware",
	"command stream group", "neural engine"}

// Known reports whether the type is one of those above.
func (t BlockType) Known() bool { return t < blockTypes }

// String is the block's name in counters and catalogues, such as "core".
func (t BlockType) String() string {
	if !t.Known() {
		return "unknown"
	}
	return blockNames[t]
}

// HeaderValues is the number of words before the first counter of a block: a timestamp of two words, the mask of groups
// that counted, and one reserved.
const HeaderValues = 4

// GroupValues is how many values the hardware enables together.
const GroupValues = 4

// Mask selects values of a block: bit i of the 128 is value i.
type Mask [2]uint64

// addGroup adds the whole group of value i.
func (m *Mask) addGroup(i int) {
	first := i &^ (GroupValues - 1)
	m[first>>6] |= (1<<GroupValues - 1) << (first & 63)
}

// Groups is the mask in the form of the old interface: one bit per group.
func (m *Mask) Groups() uint32 {
	var out uint32
	for i := 0; i < 128; i += GroupValues {
		if m[i>>6]>>(i&63)&(1<<GroupValues-1) != 0 {
			out |= 1 << (i / GroupValues)
		}
	}
	return out
}

// Block is a kind of block of one GPU.
type Block struct {
	Type      BlockType
	Set       uint8 // of counters: 0 is the primary one
	Instances []int // their physical numbers; the i-th block of a sample is Instances[i]
	Values    int   // with the header
}
