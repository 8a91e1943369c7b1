package i915

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// register is one register write, as struct drm_i915_perf_oa_config wants it: two 32-bit numbers.
type register struct{ address, value uint32 }

// registers make the OA unit count a metric set. The order within a list is the order of writing: the network of
// signals is programmed through one address.
type registers struct {
	mux, boolean, flex []register
}

// setKey names a metric set of a GPU.
type setKey struct{ gpu, name string }

// setData is what the table has about a set.
type setData struct {
	guid string
	registers
}

// The table has blocks that begin with "set GPU NAME GUID". Below follow lines "mux", "boolean" and "flex" with the
// writes of that list in hexadecimal, ADDRESS:VALUE, or VALUE alone for the address of the write before in the same
// line or, without one, in the line before. A list may go over several lines.
//
//go:embed data/kbl.registers
var registerTable string

var loadRegisters = sync.OnceValues(func() (map[setKey]*setData, error) { return parseRegisters(registerTable) })

// registersOf returns the registers of a metric set of a part.
func registersOf(p part, name string) (*setData, error) {
	all, err := loadRegisters()
	if err != nil {
		return nil, err
	}
	d := all[setKey{p.word(), name}]
	if d == nil {
		return nil, fmt.Errorf("there are no registers for metric set %s of %s", name, p.title())
	}
	return d, nil
}

func parseRegisters(text string) (map[setKey]*setData, error) {
	all := map[setKey]*setData{}
	var set *setData
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0][0] == '#':
			continue
		case f[0] == "set":
			if len(f) != 4 || len(f[3]) != len(perfConfig{}.uuid) {
				return nil, fmt.Errorf("registers line %d: want set GPU NAME GUID", n)
			}
			key := setKey{f[1], f[2]}
			if all[key] != nil {
				return nil, fmt.Errorf("registers line %d: set %s of %s stands twice", n, key.name, key.gpu)
			}
			set = &setData{guid: f[3]}
			all[key] = set
			continue
		case set == nil:
			return nil, fmt.Errorf("registers line %d: %q before the first set", n, f[0])
		}
		list := map[string]*[]register{"mux": &set.mux, "boolean": &set.boolean, "flex": &set.flex}[f[0]]
		if list == nil {
			return nil, fmt.Errorf("registers line %d: unknown list %q", n, f[0])
		}
		if err := appendWrites(list, f[1:]); err != nil {
			return nil, fmt.Errorf("registers line %d: %w", n, err)
		}
	}
	return all, nil
}

func appendWrites(list *[]register, words []string) error {
	for _, w := range words {
		var r register
		address, value, has := strings.Cut(w, ":")
		switch {
		case has:
			a, err := strconv.ParseUint(address, 16, 32)
			if err != nil {
				return fmt.Errorf("%q is no address", address)
			}
			r.address = uint32(a)
		case len(*list) == 0:
			return fmt.Errorf("%q has no address", w)
		default:
			value, r.address = w, (*list)[len(*list)-1].address
		}
		v, err := strconv.ParseUint(value, 16, 32)
		if err != nil {
			return fmt.Errorf("%q is no value", value)
		}
		r.value = uint32(v)
		*list = append(*list, r)
	}
	return nil
}
