package arrow

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"astrolabe/capture/memory"
)

// axis finds the columns of the time axis and fills in cfg.Axis. It returns the other columns; ours is false where
// there is no axis of layout 1, so that this is a table of another program.
func (d *decoded) axis() (rest []*column, ours bool, err error) {
	roles := map[string]*column{}
	for i := range d.cols {
		col := &d.cols[i]
		role, _ := col.field.Metadata.GetValue(keyRole)
		switch role {
		case roleStart, roleEnd, roleCovered:
			if col.field.Type.ID() == arrow.INT64 {
				roles[role] = col
				continue
			}
		case roleCount:
			if col.field.Type.ID() == arrow.FLOAT64 {
				roles[role] = col
				continue
			}
		}
		rest = append(rest, col)
	}
	if roles[roleStart] == nil || roles[roleEnd] == nil {
		return nil, false, nil
	}
	n := d.rows()
	a := d.cfg.Axis
	for _, col := range roles {
		if b := col.validity(0, n); b.Bits != nil {
			return nil, true, fmt.Errorf("damaged: column %q has missing values", col.field.Name)
		}
	}
	if a.Start, a.End = inRow(roles[roleStart], roles[roleEnd]); a.Start == nil {
		a.Start, a.End = whole[int64](roles[roleStart], 0, n), whole[int64](roles[roleEnd], 0, n)
	}
	if col := roles[roleCovered]; col != nil {
		a.Covered = whole[int64](col, 0, n)
	}
	if col := roles[roleCount]; col != nil {
		a.Count = whole[float64](col, 0, n)
	}
	return rest, true, d.checkAxis(roles[roleStart].field.Name)
}

// checkAxis makes sure that no sample starts before the one before it.
func (d *decoded) checkAxis(name string) error {
	start := d.cfg.Axis.Start
	for i := 1; i < len(start); i++ {
		if start[i] < start[i-1] {
			return fmt.Errorf("time column %q goes back in row %d: %d after %d: sort the rows by time", name, i,
				start[i], start[i-1])
		}
	}
	return nil
}

// inRow gives the starts and ends of samples that follow one another without a gap, as those of a recording mostly do,
// and lie in several batches: both in the same memory, an end being the next start. It is nil of others.
func inRow(start, end *column) (starts, ends []int64) {
	n := start.rows()
	if n == 0 || len(start.first) < 3 {
		return nil, nil
	}
	var tally memory.Tally
	tally.Must(8 * uint64(n+1))
	all := make([]int64, n+1)
	inRow := true
	start.pieces(0, n, func(ch chunk, a, b, at int) { copy(all[at:], values[int64](ch, a, b)) })
	end.pieces(n-1, n, func(ch chunk, a, b, _ int) { all[n] = values[int64](ch, a, b)[0] })
	end.pieces(0, n, func(ch chunk, a, b, at int) {
		inRow = inRow && slices.Equal(all[at+1:at+1+b-a], values[int64](ch, a, b))
	})
	if !inRow {
		return nil, nil
	}
	return all[:n:n], all[1:]
}
