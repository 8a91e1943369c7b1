package mali

import (
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// Strides of the arrays that the driver fills. A newer driver's may be wider than the structures of today.
const (
	enumStride, wideEnumStride = 32, 48
	metaStride, wideMetaStride = 48, 64
)

// kinstr answers the two requests of the counter interface on the device node.
func (f *kbaseFile) kinstr(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	b := f.board
	if !b.spec.atLeast(10, 34) {
		return 0, syscall.ENOTTY
	}
	if err := f.needContext(); err != nil {
		return 0, err
	}
	if b.set.Has("denied-enum") {
		return 0, syscall.EACCES
	}
	if request == uapi.Ioctl("KBASE_IOCTL_KINSTR_PRFCNT_SETUP") {
		return f.setup(c, arg)
	}
	return 0, f.enumerate(c, arg)
}

// enumerate answers ENUM_INFO: sizes where no list is given, else the list.
func (f *kbaseFile) enumerate(c *hwtest.Call, arg uint64) error {
	l := uapi.Struct("kbase_ioctl_kinstr_prfcnt_enum_info")
	b, err := fetchStruct(c, arg, l)
	if err != nil {
		return err
	}
	items := f.board.enumItems()
	size, count, list := l.Get(b, "info_item_size"), l.Get(b, "info_item_count"), l.Get(b, "info_list_ptr")
	note(c, "item_size %d, item_count %d, list %v", size, count, list != 0)
	if list == 0 {
		f.board.enumCount = len(items)
		l.Set(b, "info_item_size", uint64(len(items[0])))
		l.Set(b, "info_item_count", uint64(len(items)))
		return c.Write(arg, b)
	}
	if size == 0 || count == 0 || int(count) != f.board.enumCount {
		return syscall.EINVAL
	}
	var out []byte
	for _, i := range items {
		out = append(out, i...)
	}
	if err := c.Write(list, out); err != nil {
		return err
	}
	return c.Write(arg, b)
}

// enumItems are what the driver says of itself, each item as wide as the stride.
func (b *board) enumItems() [][]byte {
	newer := b.set.Has("unknown-blocks")
	stride := enumStride
	if newer {
		stride = wideEnumStride
	}
	var items [][]byte
	hdr, union := uapi.Struct("prfcnt_item_header"), uapi.Struct("prfcnt_enum_item").Field("u").Offset
	add := func(typ int64, name string, fields map[string]uint64) {
		item := make([]byte, stride)
		hdr.Set(item, "item_type", uint64(typ))
		if name != "" {
			l := uapi.Struct(name)
			for k, v := range fields {
				l.Set(item[union:], k, v)
			}
		}
		items = append(items, item)
	}
	for _, kind := range []string{"PRFCNT_REQUEST_MODE", "PRFCNT_REQUEST_ENABLE", "PRFCNT_REQUEST_SCOPE"} {
		add(uapi.Const("PRFCNT_ENUM_TYPE_REQUEST"), "prfcnt_enum_request",
			map[string]uint64{"request_item_type": uint64(uapi.Const(kind)), "versions_mask": 1})
	}
	if newer {
		add(uapi.Const("PRFCNT_ENUM_TYPE_REQUEST"), "prfcnt_enum_request",
			map[string]uint64{"request_item_type": 9, "versions_mask": 1})
		add(77, "", nil)
	}
	add(uapi.Const("PRFCNT_ENUM_TYPE_SAMPLE_INFO"), "prfcnt_enum_sample_info",
		map[string]uint64{"num_clock_domains": uint64(b.spec.clocks)})
	for _, t := range b.gpu.types() {
		add(uapi.Const("PRFCNT_ENUM_TYPE_BLOCK"), "prfcnt_enum_block_counter", map[string]uint64{
			"block_type": uint64(t.typ), "set": uint64(b.counterSet()), "num_instances": uint64(t.count),
			"num_values": uint64(b.spec.values),
		})
		// The mask says nothing: all ones.
		mask := uapi.Struct("prfcnt_enum_block_counter").Field("counter_mask")
		last := items[len(items)-1][union+mask.Offset:]
		for i := range mask.Size {
			last[i] = 0xff
		}
	}
	add(0, "", nil) // the terminator
	return items
}

// counterSet is the one that the driver was built for.
func (b *board) counterSet() int64 {
	if b.set.Has("secondary-set") {
		return uapi.Const("PRFCNT_SET_SECONDARY")
	}
	return uapi.Const("PRFCNT_SET_PRIMARY")
}

// blockType is a type of block with the number of its instances.
type blockType struct {
	typ   uint8
	count int
}

// types are the types of blocks that the GPU has, in the order of its samples.
func (g *gpu) types() []blockType {
	var out []blockType
	for _, x := range g.instances {
		if n := len(out); n > 0 && out[n-1].typ == x.typ {
			out[n-1].count++
		} else {
			out = append(out, blockType{x.typ, 1})
		}
	}
	return out
}
