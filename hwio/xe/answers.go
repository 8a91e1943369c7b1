package xe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"astrolabe/hwio/intel"
)

// What the driver answers is read field by field: lengths are its own, and a newer driver may tell more.

// oaUnit is an OA unit of the GPU.
type oaUnit struct {
	id, kind     uint32
	capabilities uint64
	frequency    uint64 // of its timestamps, Hz
	engines      []intel.Engine
}

// title names the unit for people.
func (u *oaUnit) title() string {
	switch u.kind {
	case unitOAG:
		return fmt.Sprintf("OA unit %d (render and compute)", u.id)
	case unitOAM, unitSAG:
		return fmt.Sprintf("OA unit %d (media)", u.id)
	}
	return fmt.Sprintf("OA unit %d (kind %d)", u.id, u.kind)
}

var le = binary.LittleEndian

// Sizes of the fixed parts of answers.
const (
	unitsHead, unitHead  = 16, 72
	engineSize           = 8
	gtsHead, gtSize      = 8, 96
	configHead           = 8
	maskHead             = 8
	enginesHead          = 8
	engineEntry          = 32
	maxUnits, maxEngines = 64, 256
)

func parseEngine(b []byte) intel.Engine {
	return intel.Engine{Class: le.Uint16(b), Instance: le.Uint16(b[2:]), GT: le.Uint16(b[4:])}
}

// parseUnits reads the list of OA units. Each is followed by its engines.
func parseUnits(b []byte) ([]oaUnit, error) {
	if len(b) < unitsHead {
		return nil, fmt.Errorf("list of OA units of %d bytes: its head alone has %d", len(b), unitsHead)
	}
	n := le.Uint32(b[8:])
	if n > maxUnits {
		return nil, fmt.Errorf("list of OA units: %d of them", n)
	}
	var out []oaUnit
	rest := b[unitsHead:]
	for range n {
		if len(rest) < unitHead {
			return nil, fmt.Errorf("list of OA units of %d bytes ends in unit %d of %d", len(b), len(out), n)
		}
		u := oaUnit{id: le.Uint32(rest[8:]), kind: le.Uint32(rest[12:]), capabilities: le.Uint64(rest[16:]),
			frequency: le.Uint64(rest[24:])}
		engines := le.Uint64(rest[64:])
		rest = rest[unitHead:]
		if engines > maxEngines || len(rest) < int(engines)*engineSize {
			return nil, fmt.Errorf("list of OA units of %d bytes: unit %d states %d engines", len(b), u.id, engines)
		}
		for range engines {
			u.engines = append(u.engines, parseEngine(rest))
			rest = rest[engineSize:]
		}
		out = append(out, u)
	}
	return out, nil
}

// graphicsTechnology is a GT: a part of the GPU with clocks of its own.
type graphicsTechnology struct {
	id, kind     uint16
	clock        uint64 // of its engines' timestamps, Hz
	major, minor uint16 // of its hardware's version; 0 where the driver does not tell
}

func parseGTs(b []byte) ([]graphicsTechnology, error) {
	if len(b) < gtsHead {
		return nil, fmt.Errorf("list of GTs of %d bytes: its head alone has %d", len(b), gtsHead)
	}
	n := int(le.Uint32(b))
	if n > maxUnits || len(b) < gtsHead+n*gtSize {
		return nil, fmt.Errorf("list of GTs of %d bytes states %d", len(b), n)
	}
	var out []graphicsTechnology
	for i := range n {
		g := b[gtsHead+i*gtSize:]
		out = append(out, graphicsTechnology{kind: le.Uint16(g), id: le.Uint16(g[4:]), clock: uint64(le.Uint32(g[12:])),
			major: le.Uint16(g[32:]), minor: le.Uint16(g[34:])})
	}
	return out, nil
}

// parseConfig reads the device id and revision.
func parseConfig(b []byte) (device, revision uint64, err error) {
	if len(b) < configHead+8 || le.Uint32(b) == 0 {
		return 0, 0, fmt.Errorf("configuration of the device of %d bytes has no device id", len(b))
	}
	v := le.Uint64(b[configHead:])
	return v & 0xffff, v >> 16 & 0xffff, nil
}

// parseEngines reads the list of all engines.
func parseEngines(b []byte) ([]intel.Engine, error) {
	if len(b) < enginesHead {
		return nil, fmt.Errorf("list of engines of %d bytes: its head alone has %d", len(b), enginesHead)
	}
	n := int(le.Uint32(b))
	if n > maxEngines || len(b) < enginesHead+n*engineEntry {
		return nil, fmt.Errorf("list of engines of %d bytes states %d", len(b), n)
	}
	var out []intel.Engine
	for i := range n {
		out = append(out, parseEngine(b[enginesHead+i*engineEntry:]))
	}
	return out, nil
}

// mask is a set of parts of the GPU that are present, by their number.
type mask []byte

func (m mask) has(i int) bool { return i/8 < len(m) && m[i/8]>>(i%8)&1 != 0 }

func (m mask) count() int {
	n := 0
	for _, b := range m {
		n += bits.OnesCount8(b)
	}
	return n
}

// groups is how many of the groups of n parts, one after the other, have one that is there.
func (m mask) groups(n int) int {
	out := 0
	for first := 0; first < 8*len(m); first += n {
		for i := range n {
			if m.has(first + i) {
				out++
				break
			}
		}
	}
	return out
}

// topology is which parts of the main GT are there: fused-off ones are not.
type topology struct {
	cores mask // Xe-cores, which earlier GPUs called dual subslices
	eus   int  // in each of them
	l3    mask // banks; empty where the driver does not tell
}

// parseTopology reads the masks of the main GT. A Xe-core is there where it serves draws or computing.
func parseTopology(b []byte) (*topology, error) {
	t := &topology{}
	for rest := b; len(rest) > 0; {
		if len(rest) < maskHead {
			return nil, fmt.Errorf("topology of %d bytes ends within the head of a mask", len(b))
		}
		gt, kind, n := le.Uint16(rest), le.Uint16(rest[2:]), le.Uint32(rest[4:])
		rest = rest[maskHead:]
		if uint64(n) > uint64(len(rest)) {
			return nil, fmt.Errorf("topology of %d bytes ends within a mask of %d", len(b), n)
		}
		m := mask(rest[:n])
		rest = rest[n:]
		if gt != gtMain {
			continue
		}
		switch kind {
		case topoGeometry, topoCompute:
			// The two may have different lengths.
			t.cores = slices.Grow(t.cores, len(m))
			for len(t.cores) < len(m) {
				t.cores = append(t.cores, 0)
			}
			for i, x := range m {
				t.cores[i] |= x
			}
		case topoL3:
			t.l3 = m
		case topoEU, topoEU16:
			t.eus = max(t.eus, m.count())
		}
	}
	if t.cores.count() == 0 || t.eus == 0 {
		return nil, errors.New("the driver's topology of the GPU has no Xe-core or no vector engine")
	}
	return t, nil
}
