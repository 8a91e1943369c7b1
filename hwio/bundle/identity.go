package bundle

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed identities.csv
var identityFile string

// identity is a row of the table of what holds on every machine, which the head of the file describes.
type identity struct {
	catalogues  []string // globs
	name        string
	text        string
	left, right string
	equal       bool
	gauges      string // the unit, of a row about gauges
	from, to    float64
	units       []string // of a row about all counts in one of them; right bounds them
	blocks      []string // where these count, if not anywhere
	parts       string   // the block or the counter, of a row about instances
	shares      bool
	wraps       []int  // widths in bits, of the row about wraps
	over        string // "sample", "total", "span" or "updates"
	all         bool   // of all instances together
	each        bool   // of instances alone
	relative    float64
	absolute    float64
	late        bool // in ns, and a program may have been held up between the clock and the count
}

// identities are the rows of the table.
var identities = sync.OnceValues(func() ([]identity, error) { return parseIdentities(identityFile) })

func parseIdentities(text string) ([]identity, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment, r.FieldsPerRecord = '#', 6
	records, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	var out []identity
	for i, f := range records {
		row, err := parseIdentity(f)
		if err != nil {
			return nil, fmt.Errorf("row %d, %q: %w", i+1, f[1], err)
		}
		out = append(out, row)
	}
	return out, nil
}

func parseIdentity(f []string) (identity, error) {
	row := identity{catalogues: strings.Fields(f[0]), name: f[1], text: f[2]}
	row.over, row.all = strings.CutSuffix(f[3], " of all")
	row.over, row.each = strings.CutSuffix(row.over, " of each")
	if !slices.Contains([]string{"sample", "total", "span", "updates"}, row.over) {
		return row, fmt.Errorf("%q is no place where something holds", f[3])
	}
	for part := range strings.SplitSeq(f[4], "+") {
		if strings.TrimSpace(part) == "late" {
			row.late = true
			continue
		}
		number, relative := strings.CutSuffix(strings.TrimSpace(part), "%")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return row, err
		}
		if relative {
			row.relative = x / 100
		} else {
			row.absolute = x
		}
	}
	if rest, ok := strings.CutPrefix(row.text, "gauges in "); ok {
		_, err := fmt.Sscanf(rest, "%s from %g to %g", &row.gauges, &row.from, &row.to)
		return row, err
	}
	if row.text == "shares <= 100" {
		row.shares = true
		return row, nil
	}
	if rest, ok := strings.CutPrefix(row.text, "counts without wraps of "); ok {
		for _, word := range strings.Fields(strings.TrimSuffix(rest, " bits")) {
			bits, err := strconv.Atoi(word)
			if err != nil {
				return row, err
			}
			row.wraps = append(row.wraps, bits)
		}
		if row.wraps == nil {
			return row, errors.New("no width is given")
		}
		return row, nil
	}
	var ok bool
	if row.left, row.right, ok = strings.Cut(row.text, " <= "); !ok {
		row.left, row.right, row.equal = strings.Cut(row.text, " == ")
		if !row.equal {
			return row, fmt.Errorf("%q compares nothing", row.text)
		}
	}
	if row.left == "" || row.right == "" {
		return row, fmt.Errorf("%q lacks a side", row.text)
	}
	if rest, ok := strings.CutPrefix(row.left, "counts in "); ok {
		units, blocks, _ := strings.Cut(rest, " of ")
		row.units, row.blocks = strings.Fields(units), strings.Fields(blocks)
	}
	row.parts, _ = strings.CutPrefix(row.left, "parts of ")
	if row.parts == row.left {
		row.parts = ""
	}
	return row, nil
}

// of reports whether the row is about counters of one of these catalogues.
func (r *identity) of(ids []string) bool {
	return slices.ContainsFunc(r.catalogues, func(glob string) bool {
		return glob == "*" || slices.ContainsFunc(ids, func(id string) bool { ok, _ := path.Match(glob, id); return ok })
	})
}
