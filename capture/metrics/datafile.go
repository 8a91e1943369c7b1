package metrics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// A catalogue file is lines of "key text". Lines that are empty or begin with # mean nothing. Before the first entry
// stand
//
//	catalogue ID        title TEXT        dialect streamline|rocm|gpa|intel
//	vendor TEXT         architecture TEXT (within an architecture counters mean much the same)
//	match name|pci PATTERN                (how devices with exactly these counters are called; see families.csv)
//	before WORD                           (that other programs write before the names of counters)
//	stated TEXT                           (that they begin with where they say whose counters these are)
//	generations WORDS                     (that formulas with variants depend on)
//	asics GENERATION PATTERNS             (how GPUs of that generation are called, such as gfx110*)
//	triage SCRIPT                         (the script of scripts/triage that judges it, if that is not named by the id)
//	zero always|vendor                    (a division by zero gives 0: always, or for captures opened with zero="vendor")
//	borrow CATALOGUE NAME                 (an entry of another catalogue that this one's guide shows too)
//	order refs                            (metrics stand as their sections do in the guide, counters as in their blocks)
//	sets FILE           setsource TEXT    (the metric sets, see sets.go, and where they come from: %s stands for a set's name)
//	like ID             without NAME      (it has all entries of another catalogue, but for those named and those that follow here)
//
// Then each line "metric NAME" or "counter NAME" begins an entry, and the indented lines below it are its fields:
// title, unit, group, doc, high, low, expr, source, block, index, scaler, kind, ref, alias, role, better, reference,
// peak, peakexpr, run (whose values of the counters the formula reads), shows (columns of the vendor's table, see
// cells.go), assumed (the value of a constant where a capture does not say). "ref", "alias", "written", "role", "shows"
// and "reference" may stand several times; "written NAME UNIT MOST" is what other programs call it, see written.go; "role KIND NAME" is what the metric is of, whatever it is called, see role.go;
// "reference NUMBER UNIT | TEXT" is a published number, "reference TEXT" a published rule without one; "variant
// GENERATIONS APIS FORMULA" is the formula for some hardware, see variant.go; "public FORMULA" makes it of counters that
// the vendor's tool writes as well, see public.go; "usage" and "type" are the vendor's. A
// line "default FIELD TEXT" holds for the entries after it that do not have the field; an empty text ends it.
//
// A file of a family has "family ID" and a line "product ID WORDS" for each of its products instead of the line
// catalogue. Words are separated by commas and stand for the product, as its id does; products that have something in
// common share a word. The field "only WORDS" says which products have an entry, and any line that begins with such
// words, "g715,g720 ref 3.1.4", holds for these products alone: a field of one value replaces what all have, one that
// may stand several times is added to it. A product with generations has the variants for these, and no entry whose
// variants are all for others. "default only WORDS" holds like the field.

// fileParser reads the catalogue of one product.
type fileParser struct {
	c        *Catalogue
	defaults map[string]string

	entry     *Entry
	set       map[string]bool // the fields that it has
	inherited bool            // from the catalogue that this one is like, and not yet replaced
	skip      bool            // other products have it
	elsewhere bool            // it has variants for generations of other products
	line      int
	roleLines map[*Entry]int // where an entry has its roles
}

// parse reads a catalogue file. The error carries the line.
func (c *Catalogue) parse(text string) error {
	p := &fileParser{c: c, defaults: map[string]string{}, roleLines: map[*Entry]int{}}
	c.words = productWords{}
	entryLine := 0
	at := func(line int, err error) error {
		return fmt.Errorf("catalogue %s, %s line %d: %w", c.product.id, c.product.file, line, err)
	}
	for rest := text; rest != ""; {
		var raw string
		raw, rest, _ = strings.Cut(rest, "\n")
		p.line++
		if trimmed := strings.TrimSpace(raw); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		only, key, value := c.words.cut(raw)
		field := raw[0] == ' ' || raw[0] == '\t'
		if !field {
			if err := p.finish(); err != nil {
				return at(entryLine, err)
			}
			entryLine = p.line
		}
		err := c.words.known(only)
		switch {
		case err != nil:
		case only != nil && !c.product.among(only):
		case field:
			err = p.field(key, value)
		default:
			err = p.head(key, value)
		}
		if err != nil {
			return at(p.line, err)
		}
	}
	if err := p.finish(); err != nil {
		return at(entryLine, err)
	}
	if line, err := c.checkRoles(p.roleLines); err != nil {
		return at(line, err)
	}
	if c.byRefs {
		c.sortByRefs()
	}
	return nil
}

// head reads a line that belongs to no entry, or begins one.
func (p *fileParser) head(key, value string) error {
	c := p.c
	switch key {
	case "catalogue", "family", "like", "triage", "vendor", "architecture", "match", "before", "stated", "generations",
		"asics": // see readHead
	case "product":
		id, list, _ := strings.Cut(value, " ")
		c.words.add(id, list)
	case "title":
		c.title = value
	case "dialect":
		d, ok := formula.ParseDialect(value)
		if !ok {
			return fmt.Errorf("unknown dialect %q", value)
		}
		c.dialect = d
	case "zero":
		rule, ok := map[string]zeroRule{"always": zeroAlways, "vendor": zeroVendor}[value]
		if !ok {
			return fmt.Errorf("rule for zero divisors is %q, want always or vendor", value)
		}
		c.zeroRule = rule
	case "borrow":
		from, name, ok := strings.Cut(value, " ")
		if !ok {
			return fmt.Errorf("borrow %q, want a catalogue and a name", value)
		}
		c.borrowed = append(c.borrowed, borrowed{from, strings.TrimSpace(name)})
	case "order":
		if c.byRefs = value == "refs"; !c.byRefs {
			return fmt.Errorf("order is %q, want refs", value)
		}
	case "sets":
		c.setsFile = value
	case "setsource":
		c.setSource = value
	case "without":
		i := c.at(value)
		if i < 0 {
			return fmt.Errorf("it has no %s to be without", value)
		}
		c.entries = slices.Delete(c.entries, i, i+1)
	case "default":
		field, text, _ := strings.Cut(value, " ")
		if text = strings.TrimSpace(text); text == "" {
			delete(p.defaults, field)
			break
		}
		if field == "only" {
			if err := c.words.known(strings.Split(text, ",")); err != nil {
				return err
			}
		}
		p.defaults[field] = text
	case "metric", "counter":
		if value == "" {
			return fmt.Errorf("%s without a name", key)
		}
		p.begin(value, key == "metric")
	default:
		return fmt.Errorf("unknown key %q", key)
	}
	return nil
}

// begin begins an entry, or goes on with an inherited one.
func (p *fileParser) begin(name string, metric bool) {
	p.set, p.skip, p.elsewhere = map[string]bool{}, false, false
	if i := p.c.at(name); i >= 0 && p.c.product.like != "" {
		p.entry, p.inherited = p.c.entries[i], true
		return
	}
	p.entry, p.inherited = &Entry{Name: name, GPU: p.c.product.id, Kind: capture.Delta, Dialect: p.c.dialect}, false
	if metric {
		p.entry.Kind = capture.Derived
	}
	p.c.entries = append(p.c.entries, p.entry)
	if only, ok := p.defaults["only"]; ok {
		p.skip = !p.c.product.among(strings.Split(only, ","))
	}
}

func (p *fileParser) field(key, value string) error {
	e := p.entry
	switch {
	case e == nil:
		return fmt.Errorf("field %q before the first entry", key)
	case key == "only":
		words := strings.Split(value, ",")
		p.skip = !p.c.product.among(words)
		return p.c.words.known(words)
	}
	if p.inherited && !p.set[key] {
		switch key { // what may stand several times replaces what was inherited
		case "ref":
			e.Refs = nil
		case "alias":
			e.Aliases = nil
		case "role":
			e.Roles = nil
		case "reference":
			e.References = nil
		case "variant":
			e.Variants = nil
		case "public":
			e.Public = nil
		case "shows":
			e.columns = nil
		case "written":
			e.written, e.writings = nil, nil
		case "bits":
			e.bits = nil
		}
	}
	p.set[key] = true
	if key == "role" {
		p.roleLines[e] = p.line
	}
	if key == "variant" {
		return p.variant(value)
	}
	return setField(e, key, value)
}

// variant adds the formula of a generation of the product's, and leaves out those of other products.
func (p *fileParser) variant(value string) error {
	all := p.c.product.generations
	foreign := func(generation string) bool { return len(all) > 0 && !slices.Contains(all, generation) }
	if list, _, _ := strings.Cut(value, " "); list != "" {
		p.elsewhere = true
		for g := range strings.SplitSeq(list, ",") {
			p.elsewhere = p.elsewhere && foreign(g)
		}
		if p.elsewhere {
			return nil
		}
	}
	v, err := parseVariant(value)
	if err != nil {
		return err
	}
	v.Generations = slices.DeleteFunc(v.Generations, foreign)
	p.entry.Variants = append(p.entry.Variants, v)
	return nil
}

// finish completes the entry being read.
func (p *fileParser) finish() error {
	e := p.entry
	if p.entry = nil; e == nil {
		return nil
	}
	if p.skip || p.elsewhere && len(e.Variants) == 0 {
		p.c.entries = p.c.entries[:len(p.c.entries)-1]
		return nil
	}
	for field, value := range p.defaults {
		if field != "only" && !p.set[field] && !p.inherited {
			if err := setField(e, field, value); err != nil {
				return err
			}
		}
	}
	return e.finish()
}

// at is the place of the entry of that name, -1 if there is none.
func (c *Catalogue) at(name string) int {
	return slices.IndexFunc(c.entries, func(e *Entry) bool { return e.Name == name })
}

// inherit takes over everything of the catalogue that c is like. Formulas with variants keep what they derive by entry,
// so that they are not shared.
func (c *Catalogue) inherit(base *Catalogue) {
	c.title, c.dialect, c.zeroRule, c.byRefs = base.title, base.dialect, base.zeroRule, base.byRefs
	c.borrowed = slices.Clone(base.borrowed)
	for _, e := range base.entries {
		one := *e
		one.GPU = c.product.id
		for i, v := range one.Variants {
			if i == 0 {
				one.Variants = nil
			}
			one.Variants = append(one.Variants, &Variant{Generations: v.Generations, APIs: v.APIs, Expr: v.Expr})
		}
		one.Public = nil
		for _, p := range e.Public {
			one.Public = append(one.Public, &Public{Expr: p.Expr})
		}
		one.Refs, one.Aliases, one.References = slices.Clone(e.Refs), slices.Clone(e.Aliases),
			slices.Clone(e.References)
		one.Roles = slices.Clone(e.Roles)
		c.entries = append(c.entries, &one)
	}
}

// sortByRefs puts metrics in the order of their sections in the product's own guide, then those that it does not have,
// and behind them the counters in the order of their places in their blocks: sections of one family have different
// numbers in each guide.
func (c *Catalogue) sortByRefs() {
	blocks := map[string]int{}
	for _, e := range c.entries {
		if _, ok := blocks[e.Block]; !ok && !e.IsMetric() {
			blocks[e.Block] = len(blocks)
		}
	}
	place := func(e *Entry) []int {
		if !e.IsMetric() {
			return []int{math.MaxInt, blocks[e.Block], e.Index}
		}
		if len(e.Refs) == 0 {
			return []int{math.MaxInt - 1} // the guide does not have it
		}
		var out []int
		for part := range strings.SplitSeq(e.Refs[0], ".") {
			n, _ := strconv.Atoi(part)
			out = append(out, n)
		}
		return out
	}
	slices.SortStableFunc(c.entries, func(a, b *Entry) int { return slices.Compare(place(a), place(b)) })
}

func setField(e *Entry, key, value string) error {
	switch key {
	case "title":
		e.Title = value
	case "unit":
		e.Unit = value
	case "group":
		e.Group = value
	case "doc":
		e.Doc = value
	case "high":
		e.High = value
	case "low":
		e.Low = value
	case "expr":
		e.Expr = value
	case "source":
		e.Source = value
	case "block":
		e.Block = value
	case "ref":
		e.Refs = append(e.Refs, value)
	case "alias":
		e.Aliases = append(e.Aliases, value)
	case "written":
		name, w, err := parseWriting(value)
		if err != nil {
			return err
		}
		if e.written == nil {
			e.written = map[string]writing{}
		}
		w.of = e
		e.written[name] = w
		e.writings = append(e.writings, name)
	case "bits":
		b, err := parseBits(value)
		if err != nil {
			return err
		}
		e.bits = append(e.bits, b)
	case "role":
		role, err := parseRole(value)
		if err != nil {
			return err
		}
		if slices.Contains(e.Roles, role) {
			return fmt.Errorf("role %s stands twice", role)
		}
		e.Roles = append(e.Roles, role)
	case "public":
		e.Public = append(e.Public, &Public{Expr: value})
	case "usage":
		e.Usage = value
	case "type":
		e.DataType = value
	case "index":
		n, err := strconv.Atoi(value)
		if err != nil || n <= 0 {
			return fmt.Errorf("index is %q, want a position in the block above 0", value)
		}
		e.Index = n
	case "scaler":
		n, err := strconv.ParseUint(value, 10, 32)
		if err != nil || n == 0 {
			return fmt.Errorf("scaler is %q, want a factor above 0", value)
		}
		e.Scaler = n
	case "reference":
		e.References = append(e.References, parseReference(value))
	case "assumed":
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("assumed is %q, want a number", value)
		}
		e.assumed = &x
	case "peak":
		e.Peak = value
	case "peakexpr":
		e.PeakExpr = value
	case "run":
		e.Run = value
	case "shows":
		columns, err := parseColumns(value)
		if err != nil {
			return err
		}
		e.columns = append(e.columns, columns...)
	case "better":
		switch value {
		case "more":
			e.MoreIsBetter = "yes"
		case "less":
			e.MoreIsBetter = "no"
		default:
			return fmt.Errorf("better is %q, want more or less", value)
		}
	case "kind":
		k, ok := capture.ParseKind(value)
		if !ok {
			return fmt.Errorf("unknown kind %q", value)
		}
		e.Kind = k
	default:
		return fmt.Errorf("unknown field %q", key)
	}
	return nil
}

// parseReference reads "NUMBER UNIT | TEXT" or "TEXT".
func parseReference(value string) Reference {
	head, text, ok := strings.Cut(value, "|")
	if ok {
		number, unit, _ := strings.Cut(strings.TrimSpace(head), " ")
		if x, err := strconv.ParseFloat(number, 64); err == nil {
			return Reference{Text: strings.TrimSpace(text), Value: x, Unit: strings.TrimSpace(unit)}
		}
	}
	return Reference{Text: value, Value: math.NaN()}
}

// finish completes an entry whose fields are all read.
func (e *Entry) finish() error {
	if e.Title == "" {
		e.Title = e.Name
	}
	for i := range e.References {
		e.References[i].Source = e.Source
	}
	metric := e.Kind == capture.Derived
	if len(e.Variants) > 0 {
		return e.finishVariants(metric)
	}
	if metric != (e.Expr != "") {
		return fmt.Errorf("%s %s: a metric has a formula and a counter has none", e.Kind, e.Name)
	}
	if !metric {
		return nil
	}
	return e.parse()
}

// parse reads the formula of a metric.
func (e *Entry) parse() error {
	x, err := formula.Parse(e.Dialect, e.Expr)
	if err != nil {
		return fmt.Errorf("metric %s: %w", e.Name, err)
	}
	e.expr = x
	e.Inputs = x.Names()
	for _, n := range e.Inputs {
		e.PerDenom = e.PerDenom || n == "denom"
	}
	return nil
}
