package metrics

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// A catalogue file is lines of "key text". Lines that are empty or begin with # mean nothing. Before the first entry stand
//
//	catalogue ID        title TEXT        dialect streamline|rocm|gpa|intel
//	zero always|vendor                    (a division by zero gives 0: always, or for captures opened with zero="vendor")
//	borrow CATALOGUE NAME                 (an entry of another catalogue that this one's guide shows too)
//
// Then each line "metric NAME" or "counter NAME" begins an entry, and the indented lines below it are its fields: title, unit,
// group, doc, high, low, expr, source, block, index, scaler, kind, ref, alias, better, reference, peak, peakexpr, assumed (the value of a
// constant where a capture does not say). "ref",
// "alias" and "reference" may stand several times; "reference NUMBER UNIT | TEXT" is a published number, "reference TEXT" a
// published rule without one; "variant GENERATIONS APIS FORMULA" is the formula for some hardware, see variant.go; "usage" and
// "type" are the vendor's. A line "default FIELD TEXT" holds for the entries after it that do not have the field; an empty text
// ends it.

// parseFile reads a catalogue file. The error carries the line.
func parseFile(text string) (*Catalogue, error) {
	c := &Catalogue{}
	defaults := map[string]string{}
	dialect := formula.Streamline
	var e *Entry
	var set map[string]bool
	entryLine := 0
	finish := func() error {
		if e == nil {
			return nil
		}
		for field, value := range defaults {
			if !set[field] {
				if err := setField(e, field, value); err != nil {
					return err
				}
			}
		}
		return e.finish(dialect)
	}
	line := 0
	fail := func(at int, err error) error { return fmt.Errorf("catalogue %s line %d: %w", c.id, at, err) }
	for rest := text; rest != ""; {
		var raw string
		raw, rest, _ = strings.Cut(rest, "\n")
		line++
		trimmed := strings.TrimSpace(raw)
		if trimmed == "" || trimmed[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(trimmed, " ")
		value = strings.TrimSpace(value)
		if raw[0] == ' ' || raw[0] == '\t' {
			if e == nil {
				return nil, fail(line, fmt.Errorf("field %q before the first entry", key))
			}
			set[key] = true
			if err := setField(e, key, value); err != nil {
				return nil, fail(line, err)
			}
			continue
		}
		switch key {
		case "catalogue":
			c.id = value
		case "title":
			c.title = value
		case "dialect":
			d, ok := formula.ParseDialect(value)
			if !ok {
				return nil, fail(line, fmt.Errorf("unknown dialect %q", value))
			}
			dialect = d
		case "zero":
			switch value {
			case "always":
				c.zeroRule = zeroAlways
			case "vendor":
				c.zeroRule = zeroVendor
			default:
				return nil, fail(line, fmt.Errorf("rule for zero divisors is %q, want always or vendor", value))
			}
		case "borrow":
			from, name, ok := strings.Cut(value, " ")
			if !ok {
				return nil, fail(line, fmt.Errorf("borrow %q, want a catalogue and a name", value))
			}
			c.borrowed = append(c.borrowed, borrowed{from, strings.TrimSpace(name)})
		case "default":
			if err := finish(); err != nil {
				return nil, fail(entryLine, err)
			}
			e = nil
			field, text, _ := strings.Cut(value, " ")
			if text = strings.TrimSpace(text); text == "" {
				delete(defaults, field)
			} else {
				defaults[field] = text
			}
		case "metric", "counter":
			if err := finish(); err != nil {
				return nil, fail(entryLine, err)
			}
			if value == "" {
				return nil, fail(line, fmt.Errorf("%s without a name", key))
			}
			e = &Entry{Name: value, GPU: c.id, Kind: capture.Delta}
			if key == "metric" {
				e.Kind = capture.Derived
			}
			set = map[string]bool{}
			entryLine = line
			c.entries = append(c.entries, e)
		default:
			return nil, fail(line, fmt.Errorf("unknown key %q", key))
		}
	}
	if err := finish(); err != nil {
		return nil, fail(entryLine, err)
	}
	if c.id == "" {
		return nil, fmt.Errorf("catalogue file has no catalogue line")
	}
	return c, nil
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
	case "usage":
		e.Usage = value
	case "type":
		e.DataType = value
	case "variant":
		v, err := parseVariant(value)
		if err != nil {
			return err
		}
		e.Variants = append(e.Variants, v)
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
func (e *Entry) finish(d formula.Dialect) error {
	e.Dialect = d
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
