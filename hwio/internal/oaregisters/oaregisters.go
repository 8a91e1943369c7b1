// Package oaregisters has the register writes that make the OA units of Intel's GPUs count their published metric sets,
// for the readers of the drivers. A set is known by the GPU's platform, as "lnl" or "kblgt2", and its name.
package oaregisters

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// Register is one register write, as the drivers' interfaces want it: two 32-bit numbers.
type Register struct{ Address, Value uint32 }

// Lists are the writes of a set. The order within a list is the order of writing: the network of signals is programmed
// through one address.
type Lists struct {
	Mux, Boolean, Flex []Register
}

// All are the writes as one list, in the order in which they are to be made.
func (l *Lists) All() []Register {
	var out []Register
	for _, list := range [][]Register{l.Mux, l.Boolean, l.Flex} {
		out = append(out, list...)
	}
	return out
}

// Variables are what says which of a set's lists a GPU takes, by name without the sign: SliceMask, SubsliceMask and
// SkuRevisionId.
type Variables map[string]uint64

// ErrPart is the error of a set that no list of fits the GPU, as parts of it are fused off.
var ErrPart = errors.New("the metric set has no registers for this part")

// table is the list of all sets, compressed: a row for every block of writes, with the platforms that have it, the set,
// the block's list and the condition that it is for.
//
//go:embed registers.csv.gz
var table []byte

// block is a row of the table.
type block struct {
	list      string // NOA, OA or FLEX
	condition string // in reverse Polish notation; "" holds always
	writes    []Register
}

// key names a metric set of a platform.
type key struct{ platform, set string }

var load = sync.OnceValues(func() (map[key][]*block, error) {
	z, err := gzip.NewReader(bytes.NewReader(table))
	if err != nil {
		return nil, err
	}
	return parse(z)
})

// Of returns the writes of a platform's metric set on a GPU with these variables.
func Of(platform, set string, v Variables) (*Lists, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	blocks := all[key{platform, set}]
	if len(blocks) == 0 {
		return nil, fmt.Errorf("there are no registers for metric set %s of %s", set, platform)
	}
	return choose(blocks, v)
}

// choose takes of the blocks of each list the last whose condition holds: their priority rises.
func choose(blocks []*block, v Variables) (*Lists, error) {
	out := &Lists{}
	lists := map[string]*[]Register{"NOA": &out.Mux, "OA": &out.Boolean, "FLEX": &out.Flex}
	chosen := map[string]bool{}
	for _, b := range blocks {
		holds, err := b.holds(v)
		if err != nil {
			return nil, err
		}
		chosen[b.list] = chosen[b.list] || holds
		if holds {
			*lists[b.list] = b.writes
		}
	}
	for _, fits := range chosen {
		if !fits {
			return nil, ErrPart
		}
	}
	return out, nil
}

// holds evaluates the condition.
func (b *block) holds(v Variables) (bool, error) {
	if b.condition == "" {
		return true, nil
	}
	var stack []uint64
	for _, w := range strings.Fields(b.condition) {
		if name, ok := strings.CutPrefix(w, "$"); ok {
			x, known := v[name]
			if !known {
				return false, fmt.Errorf("the registers of this GPU depend on its %s, which the driver did not tell", name)
			}
			stack = append(stack, x)
			continue
		}
		if n, err := strconv.ParseUint(w, 0, 64); err == nil {
			stack = append(stack, n)
			continue
		}
		op := operators[w]
		if op == nil || len(stack) < 2 {
			return false, fmt.Errorf("condition %q: %q", b.condition, w)
		}
		n := len(stack)
		stack = append(stack[:n-2], op(stack[n-2], stack[n-1]))
	}
	if len(stack) != 1 {
		return false, fmt.Errorf("condition %q leaves %d values", b.condition, len(stack))
	}
	return stack[0] != 0, nil
}

var operators = map[string]func(a, b uint64) uint64{
	"AND":  func(a, b uint64) uint64 { return a & b },
	"&&":   func(a, b uint64) uint64 { return number(a != 0 && b != 0) },
	"ULT":  func(a, b uint64) uint64 { return number(a < b) },
	"UGTE": func(a, b uint64) uint64 { return number(a >= b) },
}

func number(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// columns is the table's head.
const columns = "platforms,metric_set,order,reg_type,availability,priority,writes,address_value_hex"

// parse reads the table. Blocks of a set stand in the order in which they are to be taken.
func parse(r io.Reader) (map[key][]*block, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = strings.Count(columns, ",") + 1
	head, err := in.Read()
	if err != nil || strings.Join(head, ",") != columns {
		return nil, fmt.Errorf("registers: the table begins with %q: %v", head, err)
	}
	out := map[key][]*block{}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("registers: %w", err)
		}
		line, _ := in.FieldPos(0)
		b := &block{list: row[3], condition: row[4]}
		if b.writes, err = parseWrites(row[7]); err != nil {
			return nil, fmt.Errorf("registers line %d: %w", line, err)
		}
		if n, err := strconv.Atoi(row[6]); err != nil || n != len(b.writes) {
			return nil, fmt.Errorf("registers line %d: %d writes, and %q are stated", line, len(b.writes), row[6])
		}
		if b.list != "NOA" && b.list != "OA" && b.list != "FLEX" {
			return nil, fmt.Errorf("registers line %d: unknown list %q", line, b.list)
		}
		for _, p := range strings.Fields(row[0]) {
			k := key{p, row[1]}
			out[k] = append(out[k], b)
		}
	}
}

func parseWrites(text string) ([]Register, error) {
	words := strings.Fields(text)
	out := make([]Register, len(words))
	for i, w := range words {
		address, value, _ := strings.Cut(w, ":")
		a, err1 := strconv.ParseUint(address, 16, 32)
		v, err2 := strconv.ParseUint(value, 16, 32)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%q is no address and value in hexadecimal", w)
		}
		out[i] = Register{uint32(a), uint32(v)}
	}
	return out, nil
}
