package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// cell is a counter in a metric set of a platform.
type cell struct{ platform, set, symbol string }

// fields of a counter, in the order in which they are written. What stands in parentheses comes from no column.
var fields = []struct{ name, column string }{
	{"title", "name"}, {"unit", "units"}, {"block", "group"}, {"type", "data_type"}, {"semantic", "semantic"}, {"scope", "hw_unit"},
	{"usage", "usage_flags"}, {"expr", "equation"}, {"peak", "max_equation"}, {"available", "availability"},
	{"role", ""}, {"better", ""}, {"reference", ""}, {"doc", ""}, {"high", ""}, {"low", ""},
}

// repeated fields may stand several times: a line adds one.
var repeated = map[string]bool{"role": true, "reference": true}

// table is everything that is written.
type table struct {
	platforms []string
	sets      []string            // in an order that agrees with that of every platform, as far as they agree
	of        map[string][]string // platforms of a set
	symbols   []string
	in        map[string][]string                     // symbols of a set, in order
	value     map[cell]map[string]string              // by field
	facts     map[string]map[string]map[string]string // of a set, by platform: title, guid, format, unit of the OA
}

//go:embed words.txt
var wordsText string

// generate makes the text of a file of metric sets.
//
// In a table of shared rows the order within a set is that of the first platform that has a row. The table order, where
// every platform has rows of its own, goes before it.
func generate(sets, counters, order []map[string]string) ([]byte, error) {
	t := &table{of: map[string][]string{}, in: map[string][]string{}, value: map[cell]map[string]string{},
		facts: map[string]map[string]map[string]string{}}
	orders := map[string][]string{}
	for _, row := range sets {
		p, set := row["platform"], row["metric_set"]
		if !slices.Contains(t.platforms, p) {
			t.platforms = append(t.platforms, p)
		}
		orders[p] = append(orders[p], set)
		if t.facts[set] == nil {
			t.facts[set] = map[string]map[string]string{}
		}
		t.of[set] = append(t.of[set], p)
		t.facts[set][p] = map[string]string{"title": row["name"], "guid": row["guid"], "format": row["report_format"]}
	}
	first := slices.Clone(t.platforms)
	slices.SortStableFunc(first, func(a, b string) int {
		return cmp.Compare(slices.Index(ordered, b), slices.Index(ordered, a))
	})
	for _, p := range first {
		t.sets = merge(t.sets, orders[p])
	}
	within := map[[2]string][]string{} // of platform and set
	for i, row := range counters {
		for _, p := range strings.Fields(row["platforms"]) {
			c := cell{p, row["metric_set"], row["counter_symbol"]}
			if t.facts[c.set][p] == nil {
				return nil, fmt.Errorf("row %d: %s has no metric set %s", i+2, p, c.set)
			}
			if t.value[c] != nil {
				return nil, fmt.Errorf("row %d: %s has %s twice in its set %s", i+2, p, c.symbol, c.set)
			}
			v := map[string]string{}
			for _, f := range fields {
				v[f.name] = row[f.column]
			}
			if v["scope"] == "gpu" {
				v["scope"] = ""
			}
			for _, mark := range [][2]string{{"low", "worth a look from here"}, {"high", "a problem from here"}} {
				if at := row[mark[0]+"_watermark"]; at != "" {
					v["reference"] += fmt.Sprintf("%s percent | %s (%s watermark of the metric data)\n", at, mark[1], mark[0])
				}
			}
			t.value[c] = v
			within[[2]string{p, c.set}] = append(within[[2]string{p, c.set}], c.symbol)
			if !slices.Contains(t.symbols, c.symbol) {
				t.symbols = append(t.symbols, c.symbol)
			}
		}
	}
	for _, row := range order {
		if set := row["metric_set"]; !slices.Contains(t.in[set], row["counter_symbol"]) {
			t.in[set] = append(t.in[set], row["counter_symbol"])
		}
	}
	for _, p := range first {
		for _, set := range orders[p] {
			t.in[set] = merge(t.in[set], within[[2]string{p, set}])
		}
	}
	if err := t.describe(); err != nil {
		return nil, err
	}
	if err := t.cast(rolesText); err != nil {
		return nil, err
	}
	return t.write(), nil
}

// ordered are platforms whose orders hold where others differ, the last of them before all.
var ordered = []string{"ptl", "bmg", "lnl", "mtlgt3", "tglgt2", "kblgt3", "kblgt2"}

// merge adds the names of a list that have none yet behind those that stand before them in it.
func merge(have, list []string) []string {
	at := 0
	for _, name := range list {
		if i := slices.Index(have, name); i >= 0 {
			at = i + 1
			continue
		}
		have = slices.Insert(have, at, name)
		at++
	}
	return have
}

// describe says of every counter what it means.
func (t *table) describe() error {
	written, err := parseWords(wordsText)
	if err != nil {
		return err
	}
	known := map[string]bool{} // equations that the words were written for, by symbol
	for c, v := range t.value {
		if strings.HasPrefix(c.platform, "kbl") {
			known[c.symbol+" "+v["expr"]] = true
		}
	}
	for c, v := range t.value {
		own, ok := written[c.symbol]
		if ok && (known[c.symbol+" "+v["expr"]] || !numbers.MatchString(own["doc"]+own["high"]+own["low"])) {
			own = maps.Clone(own)
			own["reference"] += v["reference"]
		} else {
			better := own["better"]
			own = describe(v)
			own["better"], own["reference"] = better, v["reference"]
		}
		maps.Copy(v, own)
	}
	for symbol := range written {
		if !slices.Contains(t.symbols, symbol) {
			return fmt.Errorf("words.txt describes %s, which no platform has", symbol)
		}
	}
	return nil
}

func parseWords(text string) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	var now map[string]string
	n := 0
	for line := range strings.Lines(text) {
		n++
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case key == "" || key[0] == '#':
		case key == "counter":
			now = map[string]string{}
			out[value] = now
		case now == nil:
			return nil, fmt.Errorf("words.txt line %d: %q before the first counter", n, key)
		case repeated[key]:
			now[key] += value + "\n"
		default:
			now[key] = value
		}
	}
	return out, nil
}

const header = `# Generated by internal/intelgen; do not edit. Metric sets of Intel's GPUs from Broadwell to Panther Lake: each counter symbol
# once, with what most sets have, then the sets with what differs in them. Equations, units, watermarks and names are
# those of igt-gpu-tools, lib/i915/perf-configs and lib/xe/oa-configs (MIT, Intel Corporation); meanings are in our own
# words. The format is described in ../setfile.go.
`

func (t *table) write() []byte {
	var b bytes.Buffer
	b.WriteString(header)
	usual := map[string]map[string]map[string]string{} // value of a field of a symbol on a platform, in most of its sets
	cells := map[string][]cell{}
	for c := range t.value {
		cells[c.symbol] = append(cells[c.symbol], c)
	}
	for _, symbol := range t.symbols {
		usual[symbol] = t.counter(&b, symbol, cells[symbol])
	}
	for _, set := range t.sets {
		t.set(&b, set, usual)
	}
	return b.Bytes()
}

// counter writes the block of a symbol.
func (t *table) counter(b *bytes.Buffer, symbol string, cells []cell) map[string]map[string]string {
	slices.SortFunc(cells, func(a, b cell) int {
		return cmp.Or(slices.Index(t.platforms, a.platform)-slices.Index(t.platforms, b.platform), slices.Index(t.sets, a.set)-
			slices.Index(t.sets, b.set))
	})
	var have []string
	for _, c := range cells {
		if !slices.Contains(have, c.platform) {
			have = append(have, c.platform)
		}
	}
	fmt.Fprintf(b, "\n%scounter %s\n", t.words(have, t.platforms), symbol)
	usual := map[string]map[string]string{}
	for _, f := range fields {
		by := map[string]string{}
		all := map[string][]string{}
		for _, c := range cells {
			all[c.platform] = append(all[c.platform], t.value[c][f.name])
		}
		var most []string
		for _, p := range have {
			by[p] = mode(all[p])
			most = append(most, by[p])
		}
		usual[f.name] = by
		t.field(b, "\t", f.name, mode(most), by, have)
	}
	return usual
}

// field writes what a field is usually, and for the platforms where it is something else.
func (t *table) field(b *bytes.Buffer, indent, name, usually string, by map[string]string, have []string) {
	if repeated[name] && slices.ContainsFunc(have, func(p string) bool { return by[p] != usually }) {
		usually = "" // a line of a platform would add to it
	}
	line := func(words, value string) {
		if !repeated[name] {
			fmt.Fprintf(b, "%s\n", strings.TrimRight(indent+words+name+" "+value, " "))
			return
		}
		for one := range strings.Lines(value) {
			fmt.Fprintf(b, "%s%s%s %s", indent, words, name, one)
		}
	}
	if usually != "" {
		line("", usually)
	}
	for _, p := range have {
		value := by[p]
		if value == usually {
			continue
		}
		var same []string
		for _, q := range have {
			if by[q] == value {
				same = append(same, q)
			}
		}
		if same[0] == p {
			line(strings.Join(same, ",")+" ", value)
		}
	}
}

func (t *table) set(b *bytes.Buffer, set string, usual map[string]map[string]map[string]string) {
	have := t.of[set]
	fmt.Fprintf(b, "\n%sset %s\n", t.words(have, t.platforms), set)
	for _, name := range []string{"title", "guid", "format"} {
		by, all := map[string]string{}, []string{}
		for _, p := range have {
			by[p] = t.facts[set][p][name]
			all = append(all, by[p])
		}
		t.field(b, "\t", name, mode(all), by, have)
	}
	for _, symbol := range t.in[set] {
		var own []string
		for _, p := range have {
			if t.value[cell{p, set, symbol}] != nil {
				own = append(own, p)
			}
		}
		fmt.Fprintf(b, "\t%s\n", strings.TrimSpace(symbol+" "+t.words(own, have)))
		for _, f := range fields {
			differ := map[string]string{}
			var where []string
			for _, p := range own {
				if v := t.value[cell{p, set, symbol}][f.name]; v != usual[symbol][f.name][p] {
					differ[p], where = v, append(where, p)
				}
			}
			if len(where) == 0 {
				continue
			}
			if repeated[f.name] {
				panic(fmt.Sprintf("%s of %s differs between sets, and lines of sets add to it", f.name, symbol))
			}
			usually := ""
			if len(where) == len(own) {
				var all []string
				for _, p := range where {
					all = append(all, differ[p])
				}
				usually = mode(all)
			}
			t.differences(b, f.name, usually, differ, where)
		}
	}
}

// differences is field where platforms that are not among have keep what they had, and an empty text is a value.
func (t *table) differences(b *bytes.Buffer, name, usually string, by map[string]string, have []string) {
	written := map[string]bool{}
	if usually != "" {
		fmt.Fprintf(b, "\t\t%s %s\n", name, usually)
		written[usually] = true
	}
	for _, p := range have {
		if written[by[p]] {
			continue
		}
		written[by[p]] = true
		var same []string
		for _, q := range have {
			if by[q] == by[p] {
				same = append(same, q)
			}
		}
		fmt.Fprintf(b, "%s\n", strings.TrimRight("\t\t"+strings.Join(same, ",")+" "+name+" "+by[p], " "))
	}
}

// words are those of some platforms among all, with a space behind; none where it is all of them.
func (t *table) words(some, all []string) string {
	if len(some) == len(all) {
		return ""
	}
	return strings.Join(some, ",") + " "
}

// mode is the most frequent text, the first among equals.
func mode(texts []string) string {
	n := map[string]int{}
	for _, s := range texts {
		n[s]++
	}
	best := ""
	for _, s := range texts {
		if n[s] > n[best] {
			best = s
		}
	}
	return best
}
