package metrics

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// EUProperty is the property of a capture whose flexible EU counters count what somebody chose for it: "A19=fpu0/ts
// A20=fpu1/ts". The counters that it does not name count what the metric set says.
const EUProperty = "eu_counters"

var (
	euStages = map[uint8]string{0: "Eu", 1: "Vs", 2: "Hs", 3: "Ds", 4: "Gs", 5: "Ps", 6: "Cs", 7: "Row0", 8: "Row1"}
	euPipes  = map[uint8]string{0: "Fpu0", 1: "Fpu1", 2: "Send", 3: "FpuBoth", 4: "", 5: "Stall", 8: "ThreadOccupancy"}
	euKinds  = map[uint8]string{1: "Hybrid", 2: "Ternary", 3: "Binary", 4: "Move"}
)

// euMetric is the symbol of a metric that counts an event. Where the published metric sets have one it is theirs; the
// others follow its pattern.
func euMetric(ev EUEvent, cf, ff EUFilter) string {
	stage, pipe := euStages[cf.Code], euPipes[ev.Code]
	active := "Active"
	if ev.Name == "stall" || ev.Name == "occupancy" {
		active = "" // they are no activity
	}
	switch {
	case euKinds[ff.Code] != "":
		return stage + euKinds[ff.Code] + pipe + "Instruction"
	case ff.Name == "send_start" && ev.Name == "active":
		return stage + "ActiveSendStart"
	case ff.Name == "send_start":
		return stage + strings.TrimSuffix(pipe, "Send") + "SendStart"
	case ff.Code != 0:
		return stage + pipe + active + "Of" + strings.ToUpper(ff.Name[:1]) + ff.Name[1:]
	case stage == "Eu" && strings.HasPrefix(pipe, "Fpu") && ev.Name != "fpu_both":
		return pipe + active
	}
	return stage + pipe + active
}

// euAll are all combinations of event and filters that the hardware supports, on the first counter.
var euAll = sync.OnceValue(func() []*EUCounter {
	var out []*EUCounter
	for _, ev := range euEvents {
		for _, cf := range euCoarse {
			for _, ff := range euFine {
				if ev.Allows(cf, ff) {
					out = append(out, newEUCounter(ev, cf, ff, 0))
				}
			}
		}
	}
	return out
})

// ParseEUCounter programs flexible EU counter index with what a text says: an event, EVENT/COARSE or EVENT/COARSE/FINE
// by the names of its filters, or a metric's symbol, such as "VsFpu0Active".
func ParseEUCounter(text string, index int) (*EUCounter, error) {
	words := strings.Split(text, "/")
	if len(words) > 3 {
		return nil, fmt.Errorf("%q is no event of flexible EU counters: want EVENT, EVENT/COARSE or EVENT/COARSE/FINE", text)
	}
	if len(words) > 1 {
		words = append(words, "")
		return NewEUCounter(words[0], words[1], words[2], index)
	}
	var known []string
	for _, c := range euAll() {
		if fold(c.Metric) == fold(text) || c.Spelling() == c.Event.Name && fold(c.Event.Name) == fold(text) {
			return NewEUCounter(c.Event.Name, c.Coarse.Name, c.Fine.Name, index)
		}
		known = append(known, c.Spelling(), c.Metric)
	}
	if near := nearest(text, known, 3); len(near) > 0 {
		return nil, fmt.Errorf("EUs count no event or metric %q; did you mean %s?", text, joinOr(near))
	}
	return nil, fmt.Errorf("EUs count no event or metric %q; metrics.eu_events() lists the events", text)
}

// ParseEUProgram reads the text of EUProperty.
func ParseEUProgram(text string) ([]*EUCounter, error) {
	var out []*EUCounter
	for _, word := range strings.Fields(text) {
		counter, event, ok := strings.Cut(word, "=")
		index := EUIndex(counter)
		if !ok || index < 0 {
			return nil, fmt.Errorf("%q programs no flexible EU counter: want A7=EVENT to A20=EVENT", word)
		}
		c, err := ParseEUCounter(event, index)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(o *EUCounter) bool { return o.Index == index }) {
			return nil, fmt.Errorf("%s is programmed twice", counter)
		}
		out = append(out, c)
	}
	return out, nil
}

// EUProgram is the inverse of ParseEUProgram.
func EUProgram(counters []*EUCounter) string {
	var words []string
	for _, c := range counters {
		words = append(words, c.Counter+"="+c.Spelling())
	}
	return strings.Join(words, " ")
}

// EUIndex is the index of the flexible EU counter that an aggregating counter, "A7" to "A20", holds; -1 for others.
func EUIndex(counter string) int {
	for i := range EUCounters {
		if strings.EqualFold(counter, fmt.Sprintf("A%d", 7+i)) {
			return i
		}
	}
	return -1
}
