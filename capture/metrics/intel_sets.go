package metrics

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// The catalogues of Intel GPUs are made of two files. intel-kbl.metrics is an ordinary catalogue file of the raw counters, the
// variables of equations and the registers. intel-kbl.sets has the metrics: a counter may stand in many metric sets, so first
// come blocks "counter SYMBOL" with the fields that it has everywhere, those of a catalogue file and
//
//	semantic WORD     the vendor's semantic type: event, duration, throughput, ratio
//	scope WORD        what it is counted for, where that is not the whole GPU: slice, subslice
//	available EXPR    the condition on the GPU's topology under which it exists
//
// and then blocks "set SYMBOL" with the set's title, its "guid GPU TEXT" and its counters, one per line, indented once. A
// counter that only one GPU has is followed by that GPU. Lines indented twice below it replace a field in this set:
// "expr TEXT", "peak TEXT", or "gt3 expr TEXT" for one GPU.

// intelGPUs are the catalogues with the word that stands for them in intel-kbl.sets.
var intelGPUs = []struct{ id, word, title, file string }{
	{"intel-kbl-gt2", "gt2", "Intel Kaby Lake GT2 (HD Graphics 620 and its like)", "oa-kblgt2.xml"},
	{"intel-kbl-gt3", "gt3", "Intel Kaby Lake GT3 (Iris Plus Graphics 640 and its like)", "oa-kblgt3.xml"},
}

// MetricSet is a set of counters that Intel's OA unit can measure together.
type MetricSet struct {
	Name  string // its symbol, such as "RenderBasic"
	Title string
	GUID  string // names it to the kernel

	bySymbol map[string]*Entry
}

// loadIntel reads the catalogue of one Intel GPU.
func loadIntel(id string) (*Catalogue, error) {
	raw, err := files.ReadFile("data/intel-kbl.metrics")
	if err != nil {
		return nil, err
	}
	sets, err := files.ReadFile("data/intel-kbl.sets")
	if err != nil {
		return nil, err
	}
	for _, g := range intelGPUs {
		if g.id != id {
			continue
		}
		base, err := parseFile(string(raw))
		if err != nil {
			return nil, err
		}
		p := &setParser{word: g.word, file: g.file, c: &Catalogue{id: id, title: g.title, zeroRule: zeroVendor},
			symbols: map[string]*Entry{}, exprs: map[string]parsedExpr{}}
		if err := p.parse(string(sets)); err != nil {
			return nil, err
		}
		for _, e := range base.entries {
			e.GPU = id
		}
		p.c.entries = append(p.c.entries, base.entries...)
		sum := sha256.Sum256(append(raw, sets...))
		p.c.version = hex.EncodeToString(sum[:6])
		return p.c, nil
	}
	return nil, fmt.Errorf("%s is no Intel GPU", id)
}

// parsedExpr is an equation, read once however many sets have it.
type parsedExpr struct {
	x     *formula.Expr
	names []string
}

type setParser struct {
	word, file string
	c          *Catalogue
	symbols    map[string]*Entry // templates
	exprs      map[string]parsedExpr

	template *Entry     // the counter block being read
	set      *MetricSet // the set being read
	entry    *Entry     // its counter being read; nil where this GPU does not have it
	skip     bool       // within a counter that this GPU does not have
}

func (p *setParser) parse(text string) error {
	line := 0
	for rest := text; rest != ""; {
		var raw string
		raw, rest, _ = strings.Cut(rest, "\n")
		line++
		trimmed := strings.TrimSpace(raw)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		indent := len(raw) - len(strings.TrimLeft(raw, "\t"))
		if err := p.line(indent, trimmed); err != nil {
			return fmt.Errorf("metric sets line %d: %w", line, err)
		}
	}
	if err := p.finish(); err != nil {
		return fmt.Errorf("metric sets line %d: %w", line, err)
	}
	return nil
}

func (p *setParser) line(indent int, text string) error {
	key, value, _ := strings.Cut(text, " ")
	value = strings.TrimSpace(value)
	switch {
	case indent == 0 && key == "counter":
		if p.symbols[value] != nil {
			return fmt.Errorf("counter %s stands twice", value)
		}
		p.template = &Entry{GPU: p.c.id, Kind: capture.Derived, Dialect: formula.Intel}
		p.symbols[value] = p.template
		return nil
	case indent == 0 && key == "set":
		err := p.finish()
		p.template, p.set = nil, &MetricSet{Name: value, bySymbol: map[string]*Entry{}}
		p.c.sets = append(p.c.sets, p.set)
		return err
	case indent == 0:
		return fmt.Errorf("unknown key %q", key)
	case p.template != nil:
		return setIntelField(p.template, key, value)
	case p.set == nil:
		return fmt.Errorf("%q before the first block", text)
	case indent == 1 && key == "title":
		p.set.Title = value
		return nil
	case indent == 1 && key == "guid":
		if gpu, guid, _ := strings.Cut(value, " "); gpu == p.word {
			p.set.GUID = guid
		}
		return nil
	case indent == 1:
		if err := p.finish(); err != nil {
			return err
		}
		return p.begin(key, value)
	case p.skip:
		return nil
	case p.entry == nil:
		return fmt.Errorf("%q before the first counter", text)
	}
	for _, g := range intelGPUs {
		if key == g.word {
			if g.word != p.word {
				return nil
			}
			key, value, _ = strings.Cut(value, " ")
			break
		}
	}
	return setIntelField(p.entry, key, value)
}

// setIntelField sets a field of a counter.
func setIntelField(e *Entry, key, value string) error {
	switch key {
	case "semantic":
		e.Semantic = value
	case "scope":
		e.Scope = value
	case "available":
		e.Available = value
	default:
		return setField(e, key, value)
	}
	return nil
}

// begin starts a counter of a set.
func (p *setParser) begin(symbol, only string) error {
	template := p.symbols[symbol]
	switch {
	case template == nil:
		return fmt.Errorf("set %s has the counter %s, which has no block", p.set.Name, symbol)
	case p.set.bySymbol[symbol] != nil:
		return fmt.Errorf("set %s has the counter %s twice", p.set.Name, symbol)
	}
	if p.skip = only != "" && only != p.word; p.skip {
		return nil
	}
	e := *template
	e.Group, e.Symbol, e.Set = p.set.Name, symbol, p.set
	e.Name = snake(p.set.Name) + "_" + snake(symbol)
	e.Aliases = []string{symbol, p.set.Name + "/" + symbol}
	e.Source = "Intel's metric set " + p.set.Name + " (Mesa, " + p.file + ")"
	p.entry = &e
	p.set.bySymbol[symbol] = p.entry
	p.c.entries = append(p.c.entries, p.entry)
	return nil
}

// finish completes the counter being read.
func (p *setParser) finish() error {
	e := p.entry
	if p.entry = nil; e == nil {
		return nil
	}
	if e.Expr == "" {
		return fmt.Errorf("counter %s has no equation", e.Name)
	}
	have, ok := p.exprs[e.Expr]
	if !ok {
		x, err := formula.Parse(formula.Intel, e.Expr)
		if err != nil {
			return fmt.Errorf("counter %s: %w", e.Name, err)
		}
		have = parsedExpr{x, x.Names()}
		p.exprs[e.Expr] = have
	}
	e.expr, e.Inputs = have.x, have.names
	if len(e.References) > 0 {
		e.References = append([]Reference(nil), e.References...)
		for i := range e.References {
			e.References[i].Source = e.Source
		}
	}
	return nil
}

// snake turns RenderBasic into render_basic and GTIReads into gti_reads.
func snake(s string) string {
	upper := func(i int) bool { return i < len(s) && 'A' <= s[i] && s[i] <= 'Z' }
	lower := func(i int) bool { return i < len(s) && 'a' <= s[i] && s[i] <= 'z' }
	b := make([]byte, 0, len(s)+8)
	for i := range len(s) {
		c := s[i]
		if upper(i) {
			if i > 0 && s[i-1] != '_' && (!upper(i-1) || lower(i+1)) {
				b = append(b, '_')
			}
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}
