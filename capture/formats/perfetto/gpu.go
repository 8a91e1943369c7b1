package perfetto

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// spec is a GpuCounterSpec, with the groups that its descriptor puts it in.
type spec struct {
	id          uint64
	name, doc   string
	unit        string
	level       bool
	groups      []uint64
	block       string
	forwards    bool
	numerator   []uint64
	denominator []uint64
}

// descriptor is a GpuCounterDescriptor.
type descriptor struct {
	specs map[uint64]*spec
	gpuID int32
}

func parseDescriptor(b []byte) (*descriptor, error) {
	d := &descriptor{specs: map[uint64]*spec{}}
	type members struct {
		name     string
		counters []uint64
	}
	var blocks, groups []members
	member := func(data []byte, name, counters protowire.Number) (m members, err error) {
		err = each(data, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
			switch num {
			case name:
				m.name = validText(string(data))
			case counters:
				m.counters = numbers(m.counters, typ, val, data, false)
			}
			return nil
		})
		return m, err
	}
	err := each(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		if typ != protowire.BytesType {
			return nil
		}
		switch num {
		case descriptorSpecs:
			s, err := parseSpec(data)
			if err != nil {
				return fmt.Errorf("counter spec: %w", err)
			}
			if d.specs[s.id] == nil {
				d.specs[s.id] = s
			}
		case descriptorBlocks:
			m, err := member(data, blockName, blockCounters)
			blocks = append(blocks, m)
			return err
		case descriptorGroups:
			m, err := member(data, groupName, groupCounters)
			groups = append(groups, m)
			return err
		}
		return nil
	})
	// A producer's own groups and blocks say more than the schema's few groups.
	for _, list := range [][]members{groups, blocks} {
		for _, m := range list {
			for _, id := range m.counters {
				if s := d.specs[id]; s != nil && s.block == "" {
					s.block = m.name
				}
			}
		}
	}
	for _, s := range d.specs {
		for _, g := range s.groups {
			if s.block == "" {
				s.block = groupNames[g]
			}
		}
	}
	return d, err
}

func parseSpec(b []byte) (*spec, error) {
	s := &spec{}
	err := each(b, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch num {
		case specID:
			s.id = val
		case specName:
			s.name = validText(string(data))
		case specDescription:
			s.doc = validText(string(data))
		case specNumerator:
			s.numerator = numbers(s.numerator, typ, val, data, false)
		case specDenominator:
			s.denominator = numbers(s.denominator, typ, val, data, false)
		case specGroups:
			s.groups = numbers(s.groups, typ, val, data, false)
		case specDirection:
			s.forwards = val == forwardsLooking
		}
		return nil
	})
	s.unit, s.level = unitOf(s.numerator, s.denominator)
	return s, err
}

// intern takes in the GPU counter descriptors of a sequence.
func (s *sequenceState) intern(b []byte) error {
	return each(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		if num != internedGPU || typ != protowire.BytesType {
			return nil
		}
		iid, gpu := uint64(0), int32(0)
		var d *descriptor
		err := each(data, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) (err error) {
			switch num {
			case internedIID:
				iid = val
			case internedGPUID:
				gpu = int32(val)
			case internedDescriptor:
				d, err = parseDescriptor(data)
			}
			return err
		})
		if d != nil {
			d.gpuID = gpu
			s.interned[iid] = d
		}
		return err
	})
}

// gpuEvent takes in a GpuCounterEvent; without a time stamp only its descriptor counts.
func (d *decoder) gpuEvent(p *packet, s *sequenceState, at int64, timed bool) error {
	var gpu int32
	var iid uint64
	var values [][]byte
	err := each(p.gpu, func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error {
		switch num {
		case gpuDescriptor:
			desc, err := parseDescriptor(data)
			if err != nil {
				return err
			}
			for id, s := range desc.specs {
				if d.specs[id] == nil {
					d.specs[id] = s
				}
			}
		case gpuDescriptorIID:
			iid = val
		case gpuID:
			gpu = int32(val)
		case gpuCounters:
			if typ == protowire.BytesType {
				values = append(values, data)
			}
		}
		return nil
	})
	if err != nil || !timed {
		return err
	}
	desc := s.interned[iid]
	for _, v := range values {
		if err := d.gpuValue(p, desc, iid, gpu, at, v); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) gpuValue(p *packet, desc *descriptor, iid uint64, gpu int32, at int64, b []byte) error {
	var id, value uint64
	named, valued, double := false, false, false
	err := each(b, func(num protowire.Number, _ protowire.Type, val uint64, _ []byte) error {
		switch num {
		case gpuCounterID:
			id, named = val, true
		case gpuCounterInt:
			value, valued, double = val, true, false
		case gpuCounterDouble:
			value, valued, double = val, true, true
		}
		return nil
	})
	if err != nil || !named || !valued {
		return err
	}
	key := seriesKey{gpu: true, gpuID: gpu, counter: id}
	if desc != nil {
		key.gpuID, key.sequence, key.iid = desc.gpuID, p.sequence, iid
		d.keep(key, desc.specs[id])
	}
	d.add(key, at, value, double)
	return nil
}

// keep remembers the spec of an interned counter, since its sequence may forget it.
func (d *decoder) keep(key seriesKey, s *spec) {
	if d.internedSpecs == nil {
		d.internedSpecs = map[seriesKey]*spec{}
	}
	if s != nil && d.internedSpecs[key] == nil {
		d.internedSpecs[key] = s
	}
}
