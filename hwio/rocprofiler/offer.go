package rocprofiler

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/vendorproc"
)

// combination is how a counter's value comes from the instances of a hardware counter.
type combination uint8

const (
	instances combination = iota // it is the hardware counter itself
	sumOf
	meanOf
	maxOf
)

// offer is a counter that can be recorded.
type offer struct {
	name string
	doc  string
	how  combination
	base *vendorproc.Counter
}

// reduction is the library's form of a counter that combines all instances of another.
var reduction = regexp.MustCompile(`^\s*reduce\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*$`)

// offersOf lists what can be recorded of an agent's counters: those of the hardware, and those that the library makes
// of the instances of one. The rest are metrics, which astrolabe computes itself.
func offersOf(a *vendorproc.Agent) []offer {
	byName := map[string]*vendorproc.Counter{}
	for i := range a.Counters {
		if c := &a.Counters[i]; c.Expression == "" {
			byName[c.Name] = c
		}
	}
	var out []offer
	for i := range a.Counters {
		c := &a.Counters[i]
		if c.Expression == "" {
			out = append(out, offer{name: c.Name, doc: c.Doc, base: c})
			continue
		}
		m := reduction.FindStringSubmatch(c.Expression)
		if m == nil || byName[m[1]] == nil {
			continue
		}
		o := offer{name: c.Name, doc: c.Doc, base: byName[m[1]]}
		switch strings.ToLower(m[2]) {
		case "sum":
			o.how = sumOf
		case "avr", "avg":
			o.how = meanOf
		case "max":
			o.how = maxOf
		default:
			continue
		}
		out = append(out, o)
	}
	return out
}

// meta describes the whole counter.
func (o *offer) meta(a *vendorproc.Agent) capture.Meta {
	m := capture.Meta{
		Name: o.name, Doc: o.doc, Kind: capture.Delta, GPU: catalogueOf(a),
		Block: cmp.Or(o.base.Block, blockOf(o.base.Name)), Source: sourceName,
		Integral: o.how != meanOf, Unit: unitOf(o.base.Name),
	}
	if o.how == maxOf {
		m.Combine = capture.CombineMax
	}
	if n := instancesOf(o.base); o.how == instances && n > 1 {
		m.Doc = strings.TrimSpace(fmt.Sprintf("%s (%d instances, recorded one by one; the value is their sum)", m.Doc, n))
	}
	return m
}

// blockOf takes the block from a counter's name, such as TCP_REQ.
func blockOf(name string) string {
	block, _, _ := strings.Cut(name, "_")
	return block
}

// unitOf knows counters of clock cycles by their names.
func unitOf(name string) string {
	for _, part := range []string{"CYCLES", "GUI_ACTIVE", "GRBM_COUNT", "_BUSY", "_STALL"} {
		if strings.Contains(name, part) {
			return "cycles"
		}
	}
	return ""
}

func instancesOf(c *vendorproc.Counter) uint64 {
	n := uint64(1)
	for _, d := range c.Dimensions {
		n *= max(1, d.Size)
	}
	return n
}

// defaults are the counters that are recorded where none is named, as far as the GPU has them and counts them at once:
// how busy the GPU is, its waves, and the caches before memory.
var defaults = []string{"GRBM_COUNT", "GRBM_GUI_ACTIVE", "SQ_WAVES", "SQ_BUSY_CYCLES", "SQ_INSTS_VALU", "GL2C_HIT",
	"GL2C_MISS", "TCC_HIT", "TCC_MISS"}

// choose picks the counters that the patterns name.
func choose(a *vendorproc.Agent, patterns []string) ([]offer, error) {
	all := offersOf(a)
	if len(all) == 0 {
		return nil, noCounters(a)
	}
	byDefault := len(patterns) == 0
	if byDefault {
		patterns = defaults
	}
	var out []offer
	for i := range all {
		m := capture.Meta{Name: all[i].name}
		if hwio.MatchAny(patterns, &m) {
			out = append(out, all[i])
		}
	}
	if byDefault && len(out) > 0 {
		return out, nil
	}
	for _, c := range a.Counters {
		m := capture.Meta{Name: c.Name}
		for _, p := range patterns {
			if hwio.IsGlob(p) || !hwio.Match(p, &m) {
				continue
			}
			if c.Expression != "" && !offered(all, c.Name) {
				return nil, &hwio.CounterError{Counter: c.Name, Problem: hwio.Problem{
					Reason: "it is a metric that the library computes: " + c.Expression,
					Fix:    "record the counters in it; astrolabe computes metrics from them",
				}}
			}
		}
	}
	if len(out) == 0 {
		return nil, hwio.ErrNoMatch
	}
	return out, nil
}

func offered(all []offer, name string) bool {
	for i := range all {
		if all[i].name == name {
			return true
		}
	}
	return false
}

// hardware lists the names of the hardware counters that the offers need.
func hardware(offers []offer) []string {
	var out []string
	seen := map[string]bool{}
	for i := range offers {
		if n := offers[i].base.Name; !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}
