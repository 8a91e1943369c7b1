package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/store"

	"astrolabe/internal/cli"
	"astrolabe/internal/fleet"
)

// accuracy is how far a quantile may be from a value that was there, as a part of it.
const accuracy = 0.01

// summary is what is known of the numbers of a column in a group. Merging summaries gives the same in any order: counts,
// an exact sum, and a sketch whose buckets are never put together.
type summary struct {
	Count    int64 // of finite numbers
	Missing  int64 // of rows of the group without one
	Odd      int64 // of infinite ones, which are in nothing else
	Min, Max float64
	sum      big.Int // of units of 2^-sumScale
	sketch   *ddsketch.DDSketch
}

// sumScale makes an integer of the least float64: all numbers are multiples of it, and so are sums.
const sumScale = 1074

func newSummary() *summary {
	m, err := mapping.NewLogarithmicMapping(accuracy)
	if err != nil {
		panic(err) // a constant
	}
	return &summary{Min: math.Inf(1), Max: math.Inf(-1),
		sketch: ddsketch.NewDDSketch(m, store.NewDenseStore(), store.NewDenseStore())}
}

// add takes a number.
func (s *summary) add(v float64) error {
	if math.IsInf(v, 0) {
		s.Odd++
		return nil
	}
	if err := s.sketch.Add(v); err != nil {
		return fmt.Errorf("%v: %w", v, err)
	}
	s.Count++
	s.Min, s.Max = min(s.Min, v), max(s.Max, v)
	bits := math.Float64bits(v)
	exponent, mantissa := int(bits>>52&0x7ff), new(big.Int).SetUint64(bits&(1<<52-1))
	if exponent > 0 {
		mantissa.SetBit(mantissa, 52, 1)
		mantissa.Lsh(mantissa, uint(exponent-1))
	}
	if v < 0 {
		mantissa.Neg(mantissa)
	}
	s.sum.Add(&s.sum, mantissa)
	return nil
}

// total is the sum, rounded once.
func (s *summary) total() float64 {
	f := new(big.Float).SetPrec(0).SetInt(&s.sum)
	v, _ := f.SetMantExp(f, -sumScale).Float64()
	return v
}

// packed is a summary on its way.
type packed struct {
	Count, Missing, Odd int64
	Min, Max            uint64 // as bits: JSON has no infinity
	Sum                 *big.Int
	Sketch              []byte
}

func (s *summary) pack() ([]byte, error) {
	p := packed{Count: s.Count, Missing: s.Missing, Odd: s.Odd, Min: math.Float64bits(s.Min), Max: math.Float64bits(s.Max),
		Sum: &s.sum}
	s.sketch.Encode(&p.Sketch, false)
	return json.Marshal(p)
}

func unpack(data []byte) (*summary, error) {
	var p packed
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	sketch, err := ddsketch.DecodeDDSketch(p.Sketch, store.DenseStoreConstructor, nil)
	if err != nil {
		return nil, err
	}
	if p.Sum == nil {
		return nil, errors.New("a summary without a sum")
	}
	s := &summary{Count: p.Count, Missing: p.Missing, Odd: p.Odd, Min: math.Float64frombits(p.Min),
		Max: math.Float64frombits(p.Max), sketch: sketch}
	s.sum.Set(p.Sum)
	return s, nil
}

func (s *summary) merge(o *summary) error {
	s.Count, s.Missing, s.Odd = s.Count+o.Count, s.Missing+o.Missing, s.Odd+o.Odd
	s.Min, s.Max = min(s.Min, o.Min), max(s.Max, o.Max)
	s.sum.Add(&s.sum, &o.sum)
	return s.sketch.MergeWith(o.sketch)
}

// mergeSummaries puts two summaries together.
func mergeSummaries(a, b []byte) ([]byte, error) {
	x, err := unpack(a)
	if err != nil {
		return nil, err
	}
	y, err := unpack(b)
	if err == nil {
		err = x.merge(y)
	}
	if err != nil {
		return nil, err
	}
	return x.pack()
}

// summaryLine is a line of the result.
func summaryLine(key string, data []byte) (string, error) {
	line, err := json.Marshal([2]string{key, string(data)})
	return string(line), err
}

// grouping puts rows together.
type grouping struct {
	groups cli.Groups
	sums   map[string]*summary
}

// groupKey is a group and a column of it, as text.
type groupKey struct {
	By     []*string `json:"by"` // nil where a row does not have it
	Column string    `json:"column"`
}

// add takes the rows of a capture.
func (g *grouping) add(o *fleet.Outcome) error {
	if o.Status != fleet.OK {
		return nil
	}
	labels := map[string]string{}
	for _, l := range fleet.Labels(o.Capture) {
		if !l.None {
			labels[l.Key] = l.Value
		}
	}
	for _, row := range o.Rows {
		key := groupKey{By: make([]*string, len(g.groups.By))}
		for i, by := range g.groups.By {
			if v, ok := labels[by]; ok {
				key.By[i] = &v
			}
			for _, c := range row {
				if c.Key == by && c.Kind != fleet.Null {
					key.By[i] = &c.Text
				}
			}
		}
		if err := g.row(row, key); err != nil {
			return fmt.Errorf("%s: %w", o.Capture, err)
		}
	}
	return nil
}

// row takes the numbers of a row. A column that is asked for and absent is missing.
func (g *grouping) row(row fleet.Row, key groupKey) error {
	numbers := map[string]fleet.Cell{}
	for _, c := range row {
		if c.Number() && !slices.Contains(g.groups.By, c.Key) {
			numbers[c.Key] = c
		}
	}
	names := g.groups.Of
	if len(names) == 0 {
		for name := range numbers {
			names = append(names, name)
		}
	}
	for _, name := range names {
		key.Column = name
		text, err := json.Marshal(key)
		if err != nil {
			return err
		}
		s := g.sums[string(text)]
		if s == nil {
			s = newSummary()
			g.sums[string(text)] = s
		}
		c, ok := numbers[name]
		if !ok || c.Text == "" {
			s.Missing++
			continue
		}
		v, err := strconv.ParseFloat(c.Text, 64)
		if err != nil && !math.IsInf(v, 0) {
			return err
		}
		if err := s.add(v); err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
	}
	return nil
}

// result reads what has become of the groups, in the order of their keys.
func (j *job) result(ctx context.Context, g *cli.Groups) ([]fleet.Row, error) {
	there, err := j.Exists(ctx, resultKey)
	if err != nil || !there { // no capture has given a row
		return nil, err
	}
	r, err := j.NewReader(ctx, resultKey, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	type group struct {
		key groupKey
		row fleet.Row
	}
	var groups []group
	for dec := json.NewDecoder(bufio.NewReader(r)); ; {
		var line [2]string
		if err := dec.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s of the job: %w", resultKey, err)
		}
		var key groupKey
		if err := json.Unmarshal([]byte(line[0]), &key); err != nil {
			return nil, fmt.Errorf("%s of the job: %w", resultKey, err)
		}
		s, err := unpack([]byte(line[1]))
		if err != nil {
			return nil, fmt.Errorf("%s of the job: %w", resultKey, err)
		}
		row, err := s.row(key, g)
		if err != nil {
			return nil, err
		}
		groups = append(groups, group{key, row})
	}
	slices.SortFunc(groups, func(a, b group) int {
		for i := range a.key.By {
			if c := compareText(a.key.By[i], b.key.By[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.key.Column, b.key.Column)
	})
	rows := make([]fleet.Row, len(groups))
	for i, g := range groups {
		rows[i] = g.row
	}
	return rows, nil
}

// compareText orders texts; what is not there comes first.
func compareText(a, b *string) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// row is a group and column as people see it.
func (s *summary) row(key groupKey, g *cli.Groups) (fleet.Row, error) {
	var row fleet.Row
	for i, by := range g.By {
		cell := fleet.Cell{Key: by, Kind: fleet.Null}
		if v := key.By[i]; v != nil {
			cell = fleet.Cell{Key: by, Kind: fleet.Text, Text: *v}
		}
		row = append(row, cell)
	}
	whole := func(name string, n int64) {
		row = append(row, fleet.Cell{Key: name, Kind: fleet.Int, Text: strconv.FormatInt(n, 10)})
	}
	number := func(name string, v float64) {
		if s.Count == 0 {
			v = math.NaN()
		}
		row = append(row, fleet.FloatCell(name, v))
	}
	row = append(row, fleet.Cell{Key: "column", Kind: fleet.Text, Text: key.Column})
	whole("count", s.Count)
	whole("missing", s.Missing)
	whole("infinite", s.Odd)
	number("sum", s.total())
	number("mean", s.total()/float64(s.Count))
	number("min", s.Min)
	number("max", s.Max)
	for _, q := range g.Quantiles {
		v := math.NaN()
		if s.Count > 0 {
			var err error
			if v, err = s.sketch.GetValueAtQuantile(q); err != nil {
				return nil, err
			}
			v = min(max(v, s.Min), s.Max)
		}
		number("q"+strconv.FormatFloat(q, 'g', -1, 64), v)
	}
	return row, nil
}
