package perfetto

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture/memory"
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

// specKey names a spec of an inline descriptor: two producers may give their counters the same numbers.
type specKey struct{ machine, sequence, counter uint64 }

// intern takes in the names and the GPU counter descriptors of a sequence.
func (s *sequenceState) intern(b []byte, tally *memory.Tally) error {
	return each(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) error {
		switch {
		case typ != protowire.BytesType:
			return nil
		case num == internedEvent || num == internedSpec || num == internedKernel:
			n, text, err := fieldsOf(data)
			name := text[internedNameText]
			if num == internedKernel {
				name = orElse(text[internedPlain], name)
			}
			tally.Must(uint64(len(name)) + 64)
			s.names[internedName{num, n[internedIID]}] = name
			return err
		case num != internedGPU:
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
				key := specKey{p.machine, p.sequence, id}
				if d.specs[key] == nil {
					d.specs[key] = s
				}
				if d.anySpecs[id] == nil {
					d.anySpecs[id] = s
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
	key := seriesKey{gpu: true, gpuID: gpu, counter: id, machine: p.machine}
	spec := d.specs[specKey{p.machine, p.sequence, id}]
	if spec == nil {
		spec = d.anySpecs[id]
	}
	if desc != nil {
		key.gpuID, spec = desc.gpuID, desc.specs[id]
	} else if iid != 0 {
		spec = nil
	}
	if spec != nil {
		key.name = spec.name
	}
	if d.seriesSpecs[key] == nil && spec != nil {
		d.seriesSpecs[key] = spec // its sequence may forget it
	}
	d.add(key, at, value, double)
	return nil
}
