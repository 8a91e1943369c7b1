package rocprofcompute

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats/internal/delimited"
)

// readWide reads one row for each dispatch and one column for each counter.
func (w *workload) readWide(ctx context.Context) error {
	s := w.sheet
	w.findDispatches(s)
	if len(w.dispatches) != s.t.Rows {
		return w.dispatchTwice(s)
	}
	times, err := w.wideTimes(ctx)
	if err != nil {
		return err
	}
	for d := range w.dispatches {
		if dur := times.duration(d); dur >= 0 {
			w.dispatches[d].durations = []int64{dur}
		}
	}
	base := strings.TrimSuffix(filepath.Base(w.main), filepath.Ext(w.main))
	numbered := slices.ContainsFunc(s.f.Header, func(name string) bool { _, n := cutSuffixNumber(name); return n > 0 })
	part := 0
	var p *pass // nil until the first counter of the part
	for i, name := range s.f.Header {
		if b, n := cutSuffixNumber(name); b != name && n != part {
			part, p = n, nil
		}
		if !s.isCounter(i) {
			continue
		}
		if p == nil {
			p = &pass{id: base, start: times.start, end: times.end}
			if numbered {
				p.id = fmt.Sprintf("%s#%d", base, part)
			}
			w.passes = append(w.passes, p)
		}
		if name == colAccum {
			name = base + "_ACCUM"
		}
		w.wideColumn(name, &s.t.Cols[i], p, func(d int) int { return d })
	}
	w.mainPass = times
	return nil
}

// dispatchTwice names a dispatch that has two rows.
func (w *workload) dispatchTwice(s *sheet) error {
	first := map[string]int{}
	for row := range s.t.Rows {
		k := ""
		for _, name := range keyColumns {
			k += s.text(name, row) + "\x00"
		}
		if was, ok := first[k]; ok {
			return &delimited.Error{File: s.f.Name, Line: s.t.Line(row), Msg: fmt.Sprintf("dispatch %s stands here and in line %d", s.text(colDispatch, row), s.t.Line(was))}
		}
		first[k] = row
	}
	return nil
}

// wideColumn makes a series of a column; rowOf is the row of each dispatch, -1 where it has none.
func (w *workload) wideColumn(name string, c *delimited.Column, p *pass, rowOf func(d int) int) {
	se := w.newSeries(name, c.Num.U != nil)
	why := c.MissingText()
	for d := range w.dispatches {
		if row := rowOf(d); row >= 0 {
			se.set(d, c.Num, row, p, why)
		}
	}
}

// wideTimes takes the times from timestamps.csv, else from the main file.
func (w *workload) wideTimes(ctx context.Context) (*pass, error) {
	s := w.sheet
	own := newPass("", len(w.dispatches))
	starts, err := s.times(colStart)
	if err != nil {
		return nil, err
	}
	ends, err := s.times(colEnd)
	if err != nil {
		return nil, err
	}
	copy(own.start, starts)
	copy(own.end, ends)
	hasOwn := s.f.Index(colStart) >= 0 && s.f.Index(colEnd) >= 0
	stamps, err := w.readSheet(ctx, w.path(timestampsFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !hasOwn {
			return nil, fmt.Errorf("%w, unless %s is beside it", s.need(colStart, colEnd), timestampsFile)
		}
		return own, nil
	case err != nil && hasOwn:
		w.warn("%v: the times are those of %s", err, filepath.Base(w.main))
		return own, nil
	case err != nil:
		return nil, err
	}
	if err := stamps.need(colDispatch, colStart, colEnd); err != nil {
		return nil, err
	}
	better := newPass("", len(w.dispatches))
	if err := w.fillTimes(better, stamps); err != nil {
		return nil, err
	}
	if hasOwn && (!slices.Equal(own.start, better.start) || !slices.Equal(own.end, better.end)) {
		w.warn("%s and %s give different times: those of %s are used", filepath.Base(w.main), timestampsFile, timestampsFile)
	}
	for d := range better.start {
		if better.start[d] == noTime || better.end[d] == noTime {
			better.start[d], better.end[d] = own.start[d], own.end[d]
		}
	}
	return better, nil
}

// fillTimes sets the times of p from the rows of s, by dispatch.
func (w *workload) fillTimes(p *pass, s *sheet) error {
	starts, err := s.times(colStart)
	if err != nil {
		return err
	}
	ends, err := s.times(colEnd)
	if err != nil {
		return err
	}
	for d, row := range w.rowsOf(s) {
		if row >= 0 {
			p.start[d], p.end[d] = starts[row], ends[row]
		}
	}
	return nil
}

// rowsOf finds the row of each dispatch in another sheet, -1 where it has none: the one with the same number, GPU and kernel.
func (w *workload) rowsOf(s *sheet) []int {
	key := func(s *sheet, row int) string {
		return s.text(colDispatch, row) + "\x00" + s.text(colKernel, row) + "\x00" + s.text(colGPU, row)
	}
	index := make(map[string]int, s.t.Rows)
	for row := range s.t.Rows {
		index[key(s, row)] = row
	}
	out := make([]int, len(w.dispatches))
	for d := range out {
		row, ok := index[key(w.sheet, w.dispatches[d].row)]
		if !ok {
			row = -1
		}
		out[d] = row
	}
	return out
}

// levelFiles are the files of the passes that measured levels.
func levelFiles(files []string) []string {
	var out []string
	for _, name := range files {
		if strings.HasPrefix(name, "SQ_") && strings.HasSuffix(name, ".csv") {
			out = append(out, name)
		}
	}
	return out
}

// readLevels adds the passes in the SQ_*.csv files beside the main file.
func (w *workload) readLevels(ctx context.Context) error {
	paths, err := filepath.Glob(filepath.Join(globEscape(w.dir), "SQ_*.csv"))
	if err != nil {
		return fmt.Errorf("%s: %w", w.dir, err)
	}
	for _, path := range paths {
		if err := w.readLevel(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// globEscape makes a path match only itself.
func globEscape(dir string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(dir)
}

func (w *workload) readLevel(ctx context.Context, path string) error {
	s, err := w.readSheet(ctx, path)
	if errors.Is(err, delimited.ErrEmpty) {
		w.warn("%v: its counters are missing", err)
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.need(colDispatch, colKernel); err != nil {
		return err
	}
	w.warnings = append(w.warnings, s.warnings()...)
	base := strings.TrimSuffix(filepath.Base(path), ".csv")
	p := newPass(base, len(w.dispatches))
	if s.f.Index(colStart) >= 0 && s.f.Index(colEnd) >= 0 {
		if err := w.fillTimes(p, s); err != nil {
			return err
		}
	}
	rows := w.rowsOf(s)
	if !slices.ContainsFunc(rows, func(r int) bool { return r >= 0 }) && s.t.Rows > 0 {
		w.warn("%s: none of its dispatches is in %s: its counters are missing", path, filepath.Base(w.main))
	}
	var left []string
	for i, name := range s.f.Header {
		if !s.isCounter(i) {
			continue
		}
		if name == colAccum {
			name = base + "_ACCUM"
		}
		if w.byName[name] != nil {
			left = append(left, name)
			continue
		}
		w.wideColumn(name, &s.t.Cols[i], p, func(d int) int { return rows[d] })
	}
	if len(left) > 0 {
		w.warn("%s.csv measured %s again: the values of the other file are used", base, strings.Join(left, ", "))
	}
	w.passes = append(w.passes, p)
	return nil
}

// median of durations in ns, NaN where there are none.
func median(d []int64) float64 {
	if len(d) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(d))
	if n := len(s); n%2 == 0 {
		return (float64(s[n/2-1]) + float64(s[n/2])) / 2
	}
	return float64(s[len(s)/2])
}

// columnOf is a column of doubles, as exact integers where they are whole.
func columnOf(f []float64) *capture.Column {
	d, _ := delimited.Narrow(f)
	return capture.NewColumn(d)
}
