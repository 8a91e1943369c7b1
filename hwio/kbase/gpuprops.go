package kbase

import (
	"encoding/binary"
	"fmt"

	"astrolabe/hwio/internal/mali"
)

// maxProps bounds the list of properties, which takes about 700 bytes today.
const maxProps = 1 << 16

// Numbers of properties.
const (
	propProductID    = 1
	propMaxKHz       = 6
	propL2Slices     = 15
	propShaders      = 25
	propL2Present    = 27
	propL2Features   = 29
	propGPUID        = 55
	propGroups       = 61
	propCoreGroups   = 62
	propGroupMask    = 64
	propGroupMaskEnd = 79
)

// decodeProps reads the packed list of properties: a key of 32 bits, whose low two bits say how wide the value after it
// is. Properties of unknown numbers are passed over.
func decodeProps(buf []byte) (mali.GPU, error) {
	var g mali.GPU
	var masks [propGroupMaskEnd - propGroupMask + 1]uint64
	var have [128]bool
	var rawID, product, shaders, l2Features, groups, coreGroups uint64
	for at := 0; at < len(buf); {
		if len(buf)-at < 4 {
			return g, fmt.Errorf("offset %d: %d bytes are left for a key of 4", at, len(buf)-at)
		}
		key := binary.LittleEndian.Uint32(buf[at:])
		width := 1 << (key & 3)
		at += 4
		if len(buf)-at < width {
			return g, fmt.Errorf("offset %d: %d bytes are left for a value of %d (property %d)", at, len(buf)-at,
				width, key>>2)
		}
		var v uint64
		for i := range width {
			v |= uint64(buf[at+i]) << (8 * i)
		}
		at += width
		id := key >> 2
		if id < uint32(len(have)) {
			have[id] = true
		}
		switch id {
		case propProductID:
			product = v
		case propMaxKHz:
			g.MaxHz = v * 1000
		case propL2Slices:
			g.L2Slices = int(min(v, 64))
		case propShaders:
			shaders = v
		case propL2Present:
			g.L2Mask = v
		case propL2Features:
			l2Features = v
		case propGPUID:
			rawID = v
		case propGroups:
			groups = v
		case propCoreGroups:
			coreGroups = v
		default:
			if id >= propGroupMask && id <= propGroupMaskEnd {
				masks[id-propGroupMask] = v
			}
		}
	}
	if rawID == 0 {
		rawID = product << 16
	}
	if rawID == 0 {
		return g, fmt.Errorf("a list of %d bytes without the GPU's id", len(buf))
	}
	g.ID = mali.ParseID(rawID)
	if !have[propCoreGroups] {
		coreGroups = groups
	}
	g.CoreMask = coreMask(masks[:], max(groups, coreGroups), shaders)
	g.BusWidth = busWidth(l2Features)
	return g, nil
}

// coreMask joins the masks of the coherency groups that there are; a driver that tells none tells the register.
func coreMask(masks []uint64, groups, register uint64) uint64 {
	var out uint64
	for i := range min(groups, uint64(len(masks))) {
		out |= masks[i]
	}
	if out == 0 {
		return register
	}
	return out
}

// busWidth is the width of one slice's bus in bits, from the register L2_FEATURES; 0 where that says nothing.
func busWidth(l2Features uint64) int {
	if log := l2Features >> 24 & 0xff; log > 0 && log < 20 {
		return 1 << log
	}
	return 0
}

// Offsets in the structure that drivers before r21 fill, its header of 8 bytes included.
const (
	oldPropsSize      = 536
	oldMaxKHz         = 8 + 16
	oldL2Slices       = 8 + 50
	oldShaders        = 8 + 96
	oldL2Present      = 8 + 112
	oldL2Features     = 8 + 128
	oldGPUID          = 8 + 232
	oldGroups         = 8 + 256
	oldCoreGroups     = 8 + 260
	oldGroupMask      = 8 + 272
	oldGroupMaskWidth = 16
)

// decodeOldProps reads the structure of drivers before r21, which has oldPropsSize bytes.
func decodeOldProps(b []byte) mali.GPU {
	u32 := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(b[at:])) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	var masks [16]uint64
	for i := range masks {
		masks[i] = u64(oldGroupMask + i*oldGroupMaskWidth)
	}
	return mali.GPU{
		ID: mali.ParseID(u32(oldGPUID)), CoreMask: coreMask(masks[:], max(u32(oldGroups), u32(oldCoreGroups)),
			u64(oldShaders)), L2Mask: u64(oldL2Present),
		L2Slices: int(min(b[oldL2Slices], 64)), BusWidth: busWidth(u32(oldL2Features)), MaxHz: u32(oldMaxKHz) * 1000,
	}
}
