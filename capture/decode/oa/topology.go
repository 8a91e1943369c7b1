package oa

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"astrolabe/capture"
)

// Topology is what the kernel's topology query says about the EUs that are present.
type Topology struct {
	Slices, Subslices, EUs int    // how many are present, over all
	SliceMask              uint64 // bit s: slice s
	SubsliceMask           uint64 // bit s*3+ss on Gen9, see Variables
	MaxSlices, MaxSubslices,
	MaxEUs int // per slice and subslice: what the layout has room for
}

// topologyHeader is its size in bytes: eight 16-bit numbers.
const topologyHeader = 16

// subslicesPerSlice is how many bits the metric sets' equations give each slice of a Gen9 GPU in $SubsliceMask.
const subslicesPerSlice = 3

// ParseTopology reads the blob of DRM_I915_QUERY_TOPOLOGY_INFO, which xe-perf-recorder makes too. Bytes after it, such
// as padding, are ignored.
func ParseTopology(blob []byte) (Topology, error) { return parseTopology(blob, func(int, int) {}) }

// parseTopology calls present for every subslice that is there.
func parseTopology(blob []byte, present func(slice, subslice int)) (Topology, error) {
	var t Topology
	if len(blob) < topologyHeader {
		return t, fmt.Errorf("topology of %d bytes: its header alone has %d", len(blob), topologyHeader)
	}
	u16 := func(i int) int { return int(binary.LittleEndian.Uint16(blob[2*i:])) }
	t.MaxSlices, t.MaxSubslices, t.MaxEUs = u16(1), u16(2), u16(3)
	ssOffset, ssStride, euOffset, euStride := u16(4), u16(5), u16(6), u16(7)
	// The bound that matters is that of the masks below, which shift by these numbers; it also keeps the loops
	// short on damaged files.
	if t.MaxSlices > 64/subslicesPerSlice || t.MaxSubslices > 64 || t.MaxEUs > 64 {
		return t, fmt.Errorf("topology with room for %d slices, %d subslices and %d EUs is not one of these GPUs",
			t.MaxSlices, t.MaxSubslices, t.MaxEUs)
	}
	data := blob[topologyHeader:]
	get := func(at, bit int) (bool, error) {
		i := at + bit/8
		if i >= len(data) {
			return false, fmt.Errorf("topology of %d bytes ends before its byte %d", len(blob), topologyHeader+i)
		}
		return data[i]>>(bit%8)&1 != 0, nil
	}
	for s := range t.MaxSlices {
		on, err := get(0, s)
		if err != nil {
			return t, err
		}
		// What the blob says of subslices and EUs of a slice that is fused off is what the chip was designed with,
		// and counts for nothing.
		if !on {
			continue
		}
		t.SliceMask |= 1 << s
		for ss := range t.MaxSubslices {
			if on, err = get(ssOffset+s*ssStride, ss); err != nil {
				return t, err
			}
			if !on {
				continue
			}
			t.Subslices++
			present(s, ss)
			// The equations have three bits for each slice. A fourth subslice would be read as the first of the
			// next slice.
			if ss < subslicesPerSlice {
				t.SubsliceMask |= 1 << (s*subslicesPerSlice + ss)
			}
			for e := range t.MaxEUs {
				if on, err = get(euOffset+(s*t.MaxSubslices+ss)*euStride, e); err != nil {
					return t, err
				}
				if on {
					t.EUs++
				}
			}
		}
	}
	t.Slices = bits.OnesCount64(t.SliceMask)
	return t, nil
}

// unitProperties are the variables of the metric sets' equations from Gen11 on: numbers and masks of units, and of
// GPUs with Xe-cores whether each is present. A mask that a double would round is a text.
func unitProperties(t Topology, version int, blob []byte) []capture.Property {
	const bitsPerSlice, coresPerSlice, mostXeCores = 8, 4, 32 // the sets of Xe2 ask for 28
	var props []capture.Property
	number := func(name string, v int) {
		props = append(props, capture.Property{Name: name, Number: float64(v)})
	}
	var mask, slices uint64
	flat := map[int]bool{}
	cores := map[[2]int]bool{}
	// Drivers describe the Xe-cores of DG2 and Meteor Lake as those of one slice; its sets number them by fours.
	regroup := (version == 1255 || version == 1270) && t.MaxSlices == 1
	_, _ = parseTopology(blob, func(s, ss int) { // it was read before
		flat[s*t.MaxSubslices+ss] = true
		if regroup {
			s, ss = ss/coresPerSlice, ss%coresPerSlice
		}
		if s < bitsPerSlice && ss < bitsPerSlice {
			mask |= 1 << (s*bitsPerSlice + ss)
		}
		slices |= 1 << s
		cores[[2]int{s, ss}] = true
	})
	masked := func(name string, v uint64) {
		p := capture.Property{Name: name, Number: float64(v)}
		if v >= 1<<53 {
			p = capture.Property{Name: name, Text: fmt.Sprintf("%#x", v), IsText: true}
		}
		props = append(props, p)
	}
	number(propEUs, t.EUs)
	number(propSubslices, t.Subslices)
	number(propSlices, bits.OnesCount64(slices))
	masked(propSliceMask, slices)
	masked(propSSMask, mask)
	if version < 1200 {
		return props
	}
	masked("DualSubsliceMask", mask)
	if version < 1255 {
		return props
	}
	number("VectorEngineTotalCount", t.EUs)
	number("XeCoreTotalCount", t.Subslices)
	number("SliceTotalCount", bits.OnesCount64(slices))
	masked("XeCoreMask", mask)
	there := func(on bool) int {
		if on {
			return 1
		}
		return 0
	}
	if version >= 2000 {
		// Fixed numbers of pipes in each slice, as Intel's library metrics-discovery has them.
		slices := bits.OnesCount64(slices)
		number("GeometryPipeTotalCount", slices)
		number("DepthPipeTotalCount", 2*slices)
		number("ColorPipeTotalCount", 2*slices)
		for n := range mostXeCores {
			number(fmt.Sprintf("GtXeCore%d", n), there(flat[n]))
		}
		return props
	}
	for s := range bitsPerSlice {
		number(fmt.Sprintf("GtSlice%d", s), there(slices>>s&1 != 0))
		for c := range coresPerSlice {
			number(fmt.Sprintf("GtSlice%dXeCore%d", s, c), there(cores[[2]int{s, c}]))
		}
	}
	return props
}
