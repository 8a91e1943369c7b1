package metrics

import (
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// A file of metric sets, compressed with gzip, stands beside a catalogue file, which has the raw counters and the
// variables of equations. A metric may stand in many sets, so first come blocks "counter SYMBOL" with the fields that it has everywhere, those of
// a catalogue file and
//
//	semantic WORD     the vendor's semantic type: event, duration, throughput, ratio
//	scope WORD        what it is counted for, where that is not the whole GPU: slice, subslice
//	available EXPR    the condition on the GPU's topology under which it exists
//
// and then blocks "set SYMBOL" with the set's title, its guid, the format of the reports that hold it and its counters,
// one per line, indented once. A counter that only some products have is followed by their words. Lines indented twice
// below it replace a field in this set. Any line, the first of a block too, may begin with words of products, as in a
// catalogue file: "gt3 expr TEXT". A file is read for one product, and most of its lines are of others: they cost no
// more than a look at their words.

// MetricSet is a set of counters that can be measured together.
type MetricSet struct {
	Name   string // its symbol, such as "RenderBasic"
	Title  string
	GUID   string // names it to the kernel
	Format string // of the reports that hold it, such as "PEC64u64"

	bySymbol map[string]*Entry // and by role
}

// parsedExpr is an equation, read once however many sets have it.
type parsedExpr struct {
	x     *formula.Expr
	names []string
}

type setParser struct {
	c       *Catalogue
	symbols map[string]*Entry // templates
	exprs   map[string]parsedExpr

	template *Entry     // the counter block being read
	set      *MetricSet // the set being read
	entry    *Entry     // its counter being read; nil where this GPU does not have it
	skip     bool       // within a counter that this GPU does not have
	foreign  bool       // within a block that this GPU does not have

	lists map[string]bool // of words: whether one of them stands for the product
}

// parseSets reads a file of metric sets, for the products and in the dialect of the catalogue's own file, which names
// it.
func (c *Catalogue) parseSets(text string) error {
	p := &setParser{c: c, symbols: map[string]*Entry{}, exprs: map[string]parsedExpr{}, lists: map[string]bool{}}
	return p.parse(text)
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
	if err := p.c.castRoles(); err != nil {
		return fmt.Errorf("metric sets: %w", err)
	}
	return nil
}

func (p *setParser) line(indent int, text string) error {
	if indent > 0 && p.foreign {
		return nil
	}
	key, value, _ := strings.Cut(text, " ")
	own := true
	if word, _, _ := strings.Cut(key, ","); p.c.words[word] {
		var err error
		if own, err = p.own(key); err != nil {
			return err
		}
		key, value, _ = strings.Cut(value, " ")
	}
	if p.foreign = indent == 0 && !own; p.foreign {
		err := p.finish()
		p.template, p.set = nil, nil
		return err
	}
	switch {
	case !own:
		return nil
	case indent == 0 && key == "counter":
		if p.symbols[value] != nil {
			return fmt.Errorf("counter %s stands twice", value)
		}
		err := p.finish()
		p.template, p.set = &Entry{GPU: p.c.id, Kind: capture.Derived, Dialect: p.c.dialect}, nil
		p.symbols[value] = p.template
		return err
	case indent == 0 && key == "set":
		err := p.finish()
		p.template, p.set = nil, &MetricSet{Name: value, bySymbol: map[string]*Entry{}}
		p.c.sets = append(p.c.sets, p.set)
		return err
	case indent == 0:
		return fmt.Errorf("unknown key %q", key)
	case p.template != nil:
		return setFieldOfSet(p.template, key, value)
	case p.set == nil:
		return fmt.Errorf("%q before the first block", text)
	case indent == 1 && key == "title":
		p.set.Title = value
		return nil
	case indent == 1 && key == "guid":
		p.set.GUID = value
		return nil
	case indent == 1 && key == "format":
		p.set.Format = value
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
	return setFieldOfSet(p.entry, key, value)
}

// own reports whether one of the words stands for the product.
func (p *setParser) own(list string) (bool, error) {
	own, ok := p.lists[list]
	if !ok {
		words := strings.Split(list, ",")
		if err := p.c.words.known(words); err != nil {
			return false, err
		}
		own = p.c.among(words)
		p.lists[list] = own
	}
	return own, nil
}

// setFieldOfSet sets a field of a counter of metric sets.
func setFieldOfSet(e *Entry, key, value string) error {
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
	if only != "" {
		own, err := p.own(only)
		if err != nil {
			return err
		}
		if p.skip = !own; p.skip {
			return nil
		}
	}
	template := p.symbols[symbol]
	switch {
	case template == nil:
		return fmt.Errorf("set %s has the counter %s, which has no block", p.set.Name, symbol)
	case p.set.bySymbol[symbol] != nil:
		return fmt.Errorf("set %s has the counter %s twice", p.set.Name, symbol)
	}
	p.skip = false
	e := *template
	e.Group, e.Symbol, e.Set = p.set.Name, symbol, p.set
	e.Name = snake(p.set.Name) + "_" + snake(symbol)
	e.Aliases = []string{symbol, p.set.Name + "/" + symbol}
	e.Source = strings.ReplaceAll(p.c.setSource, "%s", p.set.Name)
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
		x, err := formula.Parse(p.c.dialect, e.Expr)
		if err != nil {
			return fmt.Errorf("counter %s: %w", e.Name, err)
		}
		have = parsedExpr{x, x.Names()}
		p.exprs[e.Expr] = have
	}
	e.expr, e.Inputs = have.x, have.names
	if e.DataType == "uint64" {
		e.expr = have.x.Truncated()
	}
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
