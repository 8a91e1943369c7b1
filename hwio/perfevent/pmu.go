package perfevent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"astrolabe/hwio/internal/sysroot"
)

const pmuDir = "/sys/bus/event_source/devices/"

// pmu is a counter unit that the kernel lists in sysfs.
type pmu struct {
	name    string
	typ     uint32
	formats map[string]format
	events  []pmuEvent
	core    bool  // counts for the cores: it has a file cpus, or is called cpu
	cpus    []int // of its cpumask: it counts for all and is read on these; nil if it has none
}

// pmuEvent is an event that the kernel gives a name.
type pmuEvent struct {
	name  string
	terms string
	unit  string
	scale float64 // 0 if the kernel gives none
}

// kernelPMUs are the units whose events have names of their own in astrolabe, or no events that count.
var kernelPMUs = []string{"software", "tracepoint", "breakpoint", "kprobe", "uprobe"}

// readPMUs lists the counter units of the machine.
func readPMUs(root sysroot.Root) []pmu {
	var out []pmu
	for _, name := range root.List(pmuDir) {
		if slices.Contains(kernelPMUs, name) {
			continue
		}
		dir := pmuDir + name + "/"
		t, err := root.Uint(dir + "type")
		if err != nil || t > 1<<32-1 {
			continue
		}
		p := pmu{name: name, typ: uint32(t), formats: map[string]format{}, core: name == "cpu" ||
			root.Exists(dir+"cpus")}
		if mask, err := root.CPUs(dir + "cpumask"); err == nil && !p.core {
			p.cpus = mask
		}
		for _, f := range root.List(dir + "format") {
			text, err := root.String(dir + "format/" + f)
			if err != nil {
				continue
			}
			if fm, err := parseFormat(text); err == nil {
				p.formats[f] = fm
			}
		}
		for _, f := range root.List(dir + "events") {
			if strings.HasSuffix(f, ".unit") || strings.HasSuffix(f, ".scale") || strings.HasSuffix(f, ".snapshot") ||
				strings.HasSuffix(f, ".per-pkg") {
				continue
			}
			e := pmuEvent{name: f}
			if e.terms, err = root.String(dir + "events/" + f); err != nil {
				continue
			}
			e.unit, _ = root.String(dir + "events/" + f + ".unit")
			if s, err := root.String(dir + "events/" + f + ".scale"); err == nil {
				if v, err := strconv.ParseFloat(s, 64); err == nil && v > 0 {
					e.scale = v
				}
			}
			p.events = append(p.events, e)
		}
		out = append(out, p)
	}
	return out
}

// format says where in the configuration words the bits of a term go.
type format struct {
	word int // 0 to 2
	bits []bitRange
}

type bitRange struct{ lo, hi int }

// parseFormat reads a file of a unit's format folder, such as "config:0-7,32-35".
func parseFormat(text string) (format, error) {
	word, ranges, ok := strings.Cut(strings.TrimSpace(text), ":")
	if !ok {
		return format{}, fmt.Errorf("format %q has no colon", clip(text))
	}
	f := format{}
	switch word {
	case "config":
	case "config1":
		f.word = 1
	case "config2":
		f.word = 2
	default:
		return format{}, fmt.Errorf("format %q is of the unknown word %q", clip(text), clip(word))
	}
	for part := range strings.SplitSeq(ranges, ",") {
		lo, hi, ranged := strings.Cut(part, "-")
		a, err := strconv.Atoi(lo)
		b := a
		if err == nil && ranged {
			b, err = strconv.Atoi(hi)
		}
		if err != nil || a < 0 || b < a || b > 63 {
			return format{}, fmt.Errorf("format %q holds the bad bit range %q", clip(text), clip(part))
		}
		f.bits = append(f.bits, bitRange{a, b})
	}
	return f, nil
}

// width is the number of bits.
func (f format) width() int {
	n := 0
	for _, r := range f.bits {
		n += r.hi - r.lo + 1
	}
	return n
}

// put stores v in the word, lowest bits into the first range.
func (f format) put(word, v uint64) uint64 {
	for _, r := range f.bits {
		n := r.hi - r.lo + 1
		mask := ^uint64(0) >> (64 - n)
		word = word&^(mask<<r.lo) | (v&mask)<<r.lo
		if n == 64 {
			break
		}
		v >>= n
	}
	return word
}

// encode turns terms such as "event=0x3c,umask=0" into configuration words. Named events of the unit may be among the
// terms.
func (p *pmu) encode(terms string) (words [3]uint64, name string, err error) {
	return p.encodeTerms(terms, 0)
}

func (p *pmu) encodeTerms(terms string, depth int) (words [3]uint64, name string, err error) {
	for term := range strings.SplitSeq(terms, ",") {
		term = strings.TrimSpace(term)
		if term == "" {
			continue
		}
		key, text, hasValue := strings.Cut(term, "=")
		if key == "name" {
			name = text
			continue
		}
		if !hasValue && depth == 0 {
			if i := slices.IndexFunc(p.events, func(e pmuEvent) bool { return e.name == key }); i >= 0 {
				w, _, err := p.encodeTerms(p.events[i].terms, depth+1)
				if err != nil {
					return words, "", err
				}
				for k := range words {
					words[k] |= w[k]
				}
				continue
			}
		}
		v := uint64(1)
		if hasValue {
			if v, err = strconv.ParseUint(text, 0, 64); err != nil {
				if text == "?" {
					return words, "", fmt.Errorf("the term %s needs a value: give it as %s/%s=VALUE/", key, p.name, key)
				}
				return words, "", fmt.Errorf("the value %q of the term %s is no number", clip(text), clip(key))
			}
		}
		f, ok := p.formats[key]
		if !ok {
			switch key {
			case "config":
				f = format{bits: []bitRange{{0, 63}}}
			case "config1":
				f = format{word: 1, bits: []bitRange{{0, 63}}}
			case "config2":
				f = format{word: 2, bits: []bitRange{{0, 63}}}
			default:
				return words, "", p.unknownTerm(key)
			}
		}
		if w := f.width(); w < 64 && v>>w != 0 {
			return words, "", fmt.Errorf("the value %#x of the term %s does not fit in its %d bits", v, key, w)
		}
		words[f.word] = f.put(words[f.word], v)
	}
	return words, name, nil
}

func (p *pmu) unknownTerm(key string) error {
	var known []string
	for k := range p.formats {
		known = append(known, k)
	}
	slices.SortFunc(known, sysroot.Natural)
	for _, e := range p.events {
		known = append(known, e.name)
	}
	if len(known) > 20 {
		known = append(known[:20], "…")
	}
	return fmt.Errorf("the unit %s has no term or event %q; it has %s", p.name, clip(key), strings.Join(known, ", "))
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
