package lake

import (
	"context"
	"fmt"
)

// Verified is what a look at every row of a lake found.
type Verified struct {
	Captures  int64    `json:"captures"`
	Metrics   int64    `json:"metrics"`
	Findings  int64    `json:"findings"`
	Files     int      `json:"files"`
	Abandoned int      `json:"abandoned"` // folders of writers that ended before they were done
	Problems  []string `json:"problems"`
}

// owned is how many rows of a table a capture has in a partition.
type owned struct {
	partition
	capture string
}

// Verify reads every row of the lake and says what is not as Add wrote it: bytes that changed, rows that are missing or
// there twice, files that do not belong there. It must not run beside a writer, and waits for those that there are.
func (l *Lake) Verify(ctx context.Context) (out Verified, err error) {
	err = l.hold(ctx, func() error {
		var err error
		out, err = l.verify(ctx)
		return err
	})
	return out, err
}

func (l *Lake) verify(ctx context.Context) (out Verified, err error) {
	if out.Abandoned, err = l.abandoned(false); err != nil {
		return out, err
	}
	note := func(format string, args ...any) { out.Problems = append(out.Problems, fmt.Sprintf(format, args...)) }
	rows := map[string]map[owned]int64{}
	seen := map[string]Capture{}
	for _, table := range tables {
		files, foreign, err := l.scan(table)
		if err != nil {
			return out, err
		}
		for _, path := range foreign {
			note("%s: it does not belong to the lake, and engines may read it: move it away", path)
		}
		counts := map[owned]int64{}
		rows[table] = counts
		for _, f := range files {
			out.Files++
			whose := func(hash string) {
				counts[owned{f.partition, hash}]++
				if of := f.of(); of != "" && of != hash {
					note("%s: it holds rows of the capture %s", f.path, hash)
				}
			}
			var c contents
			switch table {
			case tableMetrics:
				c, err = count(ctx, f.path, func(m *Metric) { whose(m.Capture) })
				out.Metrics += c.rows
			case tableFindings:
				c, err = count(ctx, f.path, func(m *Finding) { whose(m.Capture) })
				out.Findings += c.rows
			default:
				c, err = count(ctx, f.path, func(c *Capture) {
					whose(c.Capture)
					if _, twice := seen[c.Capture]; twice {
						note("%s: the capture %s (%s) is there twice", f.path, c.Capture, c.Name)
					}
					if p := partitionOf(c); p != f.partition {
						note("%s: the capture %s (%s) belongs into the folder %s", f.path, c.Capture, c.Name, p.path())
					}
					seen[c.Capture] = *c
				})
				out.Captures += c.rows
			}
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			if err != nil {
				note("%v", err)
			}
		}
	}
	for hash, c := range seen {
		for table, want := range map[string]int64{tableMetrics: c.Metrics, tableFindings: c.Findings} {
			if got := rows[table][owned{partitionOf(&c), hash}]; got != want {
				note("the capture %s (%s) has %d rows in %s, and should have %d: add it again with --replace", hash,
					c.Name, got, table, want)
			}
		}
	}
	for _, table := range []string{tableMetrics, tableFindings} {
		for o, n := range rows[table] {
			if c, ok := seen[o.capture]; !ok || partitionOf(&c) != o.partition {
				note("%s/%s has %d rows of the capture %s, which captures does not have: a writer ended before it was "+
					"done; add the capture again", table, o.path(), n, o.capture)
			}
		}
	}
	return out, nil
}
