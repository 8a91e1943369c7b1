package mali

import (
	"encoding/binary"
	"math/bits"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// property is a record of GET_GPUPROPS. width is 0 for one byte, 1 for two, 2 for four, 3 for eight.
type property struct {
	id    int64
	width uint32
	value uint64
}

// properties are the GPU's, in the order of their numbers.
func (b *board) properties() []property {
	s := &b.spec
	prop := func(name string) int64 { return uapi.Const("KBASE_GPUPROP_" + name) }
	list := []property{
		{prop("PRODUCT_ID"), 2, s.productID()},
		{prop("MINOR_REVISION"), 1, 1},
		{prop("MAJOR_REVISION"), 1, 0},
		{prop("GPU_FREQ_KHZ_MAX"), 2, uint64(s.mhz[0] * 1000)},
		{prop("L2_LOG2_LINE_SIZE"), 0, 6},
		{prop("L2_LOG2_CACHE_SIZE"), 0, 19},
		{prop("L2_NUM_L2_SLICES"), 0, uint64(s.slices)},
		{prop("MAX_THREADS"), 2, 2048},
		{prop("RAW_SHADER_PRESENT"), 3, s.cores},
		{prop("RAW_TILER_PRESENT"), 3, 1},
		{prop("RAW_L2_PRESENT"), 3, 1<<s.slices - 1},
		{prop("RAW_L2_FEATURES"), 2, uint64(s.busBits)<<24 | 19<<16 | 4<<8 | 6},
		{prop("RAW_CORE_FEATURES"), 2, s.engines},
	}
	if s.id>>32 != 0 {
		list = append(list, property{prop("RAW_GPU_ID"), 3, s.id})
	} else {
		list = append(list, property{prop("RAW_GPU_ID"), 2, s.id})
	}
	list = append(list,
		property{prop("RAW_THREAD_FEATURES"), 2, 0x10000},
		property{prop("COHERENCY_NUM_GROUPS"), 2, 1},
		property{prop("COHERENCY_NUM_CORE_GROUPS"), 2, 1})
	for i := range int64(16) {
		mask := uint64(0)
		if i == 0 {
			mask = s.cores
		}
		list = append(list, property{prop("COHERENCY_GROUP_0") + i, 3, mask})
	}
	list = append(list, property{prop("NUM_EXEC_ENGINES"), 0, s.engines & 15})
	if s.kind == driverCSF {
		list = append(list, property{prop("RAW_GPU_FEATURES"), 3, 1})
	}
	if b.set.Has("unknown-blocks") {
		list = append(list, property{500, 3, 0x0123456789abcdef}, property{501, 0, 7}, property{502, 1, 0x1234})
	}
	return list
}

// gpuProps answers GET_GPUPROPS: the bytes needed where the size is 0, else the records.
func (f *kbaseFile) gpuProps(c *hwtest.Call, arg uint64) (int64, error) {
	if err := f.needContext(); err != nil {
		return 0, err
	}
	l := uapi.Struct("kbase_ioctl_get_gpuprops")
	b, err := fetchStruct(c, arg, l)
	if err != nil {
		return 0, err
	}
	if l.Get(b, "flags") != 0 {
		return 0, syscall.EINVAL
	}
	var out []byte
	for _, p := range f.board.properties() {
		out = le.AppendUint32(out, uint32(p.id)<<2|p.width)
		var v [8]byte
		binary.LittleEndian.PutUint64(v[:], p.value)
		out = append(out, v[:1<<p.width]...)
	}
	size := int(l.Get(b, "size"))
	note(c, "size %d of %d", size, len(out))
	switch {
	case size == 0:
		return int64(len(out)), nil
	case size < len(out):
		return 0, syscall.EINVAL
	}
	if err := c.Write(l.Get(b, "buffer"), out); err != nil {
		return 0, err
	}
	return int64(len(out)), nil
}

// oldProps is the structure of properties before r21: an 8-byte header, then the parts named beside the offsets.
func (b *board) oldProps() []byte {
	s := &b.spec
	out := make([]byte, oldPropsSize)
	put := func(off, size int, v uint64) {
		var w [8]byte
		le.PutUint64(w[:], v)
		copy(out[off:off+size], w[:])
	}
	const core, l2, thread, raw, coherency = 8, 56, 80, 104, 264
	put(core, 4, s.productID())
	put(core+6, 2, 1)
	put(core+8, 2, 0)
	put(core+12, 4, uint64(s.mhz[0]))
	put(core+16, 4, uint64(s.mhz[0]*1000))
	put(core+20, 4, uint64(s.mhz[len(s.mhz)-1]*1000))
	put(l2, 1, 6)
	put(l2+1, 1, 19)
	put(l2+2, 1, uint64(s.slices))
	put(thread, 4, 1024)
	put(raw, 8, s.cores)
	put(raw+8, 8, 1)
	put(raw+16, 8, 1<<s.slices-1)
	put(raw+32, 4, uint64(s.busBits)<<24|19<<16|4<<8|6)
	put(raw+40, 4, uint64(s.slices-1)<<8|1)
	put(raw+136, 4, s.id)
	put(coherency, 4, 1)
	put(coherency+4, 4, 1)
	put(coherency+16, 8, s.cores)
	put(coherency+24, 2, uint64(bits.OnesCount64(s.cores)))
	return out
}

// oldPropsSize is the size of that structure.
const oldPropsSize = 536
