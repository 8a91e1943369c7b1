package metrics

import (
	"fmt"
	"strings"
	"unicode"

	"astrolabe/capture"
	"astrolabe/capture/metrics/formula"
)

// NewDefinition makes a metric of a user's formula. The caller holds it and passes it to ResolveWith and its like; no
// catalogue changes. gpu is the catalogue that it belongs to, "" for any capture. The formula may be in any dialect, as
// for Eval.
func NewDefinition(gpu, name, expr, title, unit, doc string) (*Entry, error) {
	dialect := formula.Streamline
	if gpu != "" {
		c, err := Get(gpu)
		if err != nil {
			return nil, err
		}
		dialect = c.dialect
	}
	if err := checkName(name); err != nil {
		return nil, err
	}
	d, text := formula.GuessDialect(expr, dialect)
	e := &Entry{
		Name: name, Title: title, Unit: unit, Doc: doc, Expr: strings.TrimSpace(text), Source: "defined in a script",
		GPU: gpu, Group: "Defined", Kind: capture.Derived, Dialect: d, defined: true,
	}
	if title == "" {
		e.Title = name
	}
	if err := e.parse(); err != nil {
		return nil, err
	}
	return e, nil
}

func checkName(name string) error {
	if name == "" {
		return fmt.Errorf("a metric needs a name")
	}
	for i, r := range name {
		if !(r == '_' || unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || r == '.')) {
			return fmt.Errorf("metric name %q: use letters, digits and _, beginning with a letter", name)
		}
	}
	return nil
}
