package i915

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"astrolabe/capture/decode/oa"
)

const (
	paramSubsliceTotal = 33
	paramEUTotal       = 34
	paramSliceMask     = 46
	paramSubsliceMask  = 47

	topologyHeader = 16

	// What the driver reports for every Gen9 GPU with big cores, whatever was built into it.
	gen9Slices, gen9Subslices, gen9EUs = 3, 4, 8
)

// topology is which parts of the GPU are there: fused-off ones are not.
type topology struct {
	oa.Topology
	blob []byte // as struct drm_i915_query_topology_info; nil where the driver did not tell enough
}

func parseTopology(blob []byte) (*topology, error) {
	t, err := oa.ParseTopology(blob)
	if err != nil {
		return nil, err
	}
	if t.EUs == 0 {
		return nil, errors.New("the driver's topology of the GPU has no EU")
	}
	return &topology{t, blob}, nil
}

// readTopology asks the driver. Kernels before 4.17 cannot be asked and have only the masks and totals of parameters.
func readTopology(d device) (*topology, error) {
	blob, err := d.query(queryTopology)
	if err == nil {
		return parseTopology(blob)
	}
	var v [4]int32
	for i, id := range []int32{paramSliceMask, paramSubsliceMask, paramSubsliceTotal, paramEUTotal} {
		p, perr := d.param(id)
		if perr != nil || p <= 0 {
			return nil, fmt.Errorf("ask the driver for the GPU's topology: %w", err)
		}
		v[i] = p
	}
	return topologyOfTotals(uint64(v[0]), uint64(v[1]), int(v[2]), int(v[3]))
}

// topologyOfTotals makes the topology of what the old parameters tell: the same mask of subslices for every slice, and
// how many subslices and EUs there are together. Where EUs are fused off unevenly nobody can tell which, and the blob
// stays away.
func topologyOfTotals(sliceMask, subsliceMask uint64, subslices, eus int) (*topology, error) {
	if sliceMask >= 1<<gen9Slices || subsliceMask >= 1<<gen9Subslices ||
		bits.OnesCount64(sliceMask)*bits.OnesCount64(subsliceMask) != subslices {
		return nil, fmt.Errorf("topology with slices %#x, subslices %#x and %d subslices in all contradicts itself",
			sliceMask, subsliceMask, subslices)
	}
	t := &topology{Topology: oa.Topology{
		Slices: bits.OnesCount64(sliceMask), Subslices: subslices, EUs: eus, SliceMask: sliceMask,
		MaxSlices: gen9Slices, MaxSubslices: gen9Subslices, MaxEUs: gen9EUs,
	}}
	b := make([]byte, topologyHeader+1+gen9Slices+gen9Slices*gen9Subslices)
	for i, v := range []uint16{0, gen9Slices, gen9Subslices, gen9EUs, 1, 1, 1 + gen9Slices, 1} {
		binary.LittleEndian.PutUint16(b[2*i:], v)
	}
	data := b[topologyHeader:]
	data[0] = byte(sliceMask)
	for s := range gen9Slices {
		if sliceMask>>s&1 == 0 {
			continue
		}
		t.SubsliceMask |= (subsliceMask & 7) << (3 * s)
		data[1+s] = byte(subsliceMask)
		for ss := range gen9Subslices {
			if subsliceMask>>ss&1 != 0 {
				data[1+gen9Slices+s*gen9Subslices+ss] = byte(1<<(eus/subslices) - 1)
			}
		}
	}
	if eus%subslices == 0 && eus/subslices <= gen9EUs {
		t.blob = b
	}
	return t, nil
}
