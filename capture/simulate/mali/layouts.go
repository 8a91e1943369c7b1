package mali

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// layoutsCSV holds the raw counters that the model knows, by layout: where they stand in a block, and what they are
// called. A layout has more; what cannot be known here, such as misses of caches inside the tiler, is absent from
// captures.
//
//go:embed layouts.csv
var layoutsCSV string

// counter is one raw counter of a layout.
type counter struct {
	block    string
	index    int
	scale    uint64 // what the hardware's number is multiplied by
	machine  string // the name that is the same in all layouts, by which the model works
	hardware string
	name     string // the one that Streamline gives
	unit     string
}

// blocks are in the order in which the driver's reader lays out columns.
var blocks = []string{"fe", "tiler", "memory", "core"}

// layouts are the counters by layout, in the reader's order.
var layouts = sync.OnceValue(func() map[string][]*counter {
	out := map[string][]*counter{}
	for _, block := range blocks {
		for i, line := range strings.Split(strings.TrimSpace(layoutsCSV), "\n") {
			f := strings.Split(line, ",")
			if i == 0 || f[1] != block {
				continue
			}
			index, err := strconv.Atoi(f[2])
			scale, err2 := strconv.ParseUint(f[3], 10, 64)
			if len(f) != 8 || err != nil || err2 != nil {
				panic(fmt.Sprintf("layouts.csv line %d: %q", i+1, line)) // it is part of the program
			}
			out[f[0]] = append(out[f[0]], &counter{block, index, scale, f[4], f[5], f[6], f[7]})
		}
	}
	return out
})

// aliases are the other names under which the reader gives a counter.
func (c *counter) aliases() []string {
	return []string{c.hardware, c.machine, fmt.Sprintf("%s_%d", c.block, c.index)}
}
