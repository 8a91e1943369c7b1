package arrow

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
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
	a.Start, a.End = whole[int64](roles[roleStart], 0, n), whole[int64](roles[roleEnd], 0, n)
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
