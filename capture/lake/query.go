package lake

import (
	"context"
	"slices"
)

// Rows hands on the rows of metrics of the captures that keep chooses, whose scope is among those given.
func (l *Lake) Rows(ctx context.Context, keep func(*Capture) bool, scopes []string,
	each func(*Capture, *Metric)) error {
	kept := map[partition]map[string]*Capture{}
	err := l.Captures(ctx, func(c *Capture) bool {
		if keep(c) {
			p := partitionOf(c)
			if kept[p] == nil {
				kept[p] = map[string]*Capture{}
			}
			one := *c
			kept[p][c.Capture] = &one
		}
		return true
	})
	if err != nil {
		return err
	}
	files, _, err := l.scan(tableMetrics)
	if err != nil {
		return err
	}
	for _, f := range files {
		captures := kept[f.partition]
		if of := f.of(); captures == nil || of != "" && captures[of] == nil {
			continue
		}
		err := read(ctx, f.path, func(rows []Metric) error {
			for i := range rows {
				if c := captures[rows[i].Capture]; c != nil && slices.Contains(scopes, rows[i].Scope) {
					each(c, &rows[i])
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
