package lake

import (
	"context"
	"os"
)

// Part is what a lake holds of one build and device.
type Part struct {
	Build    string `json:"build"` // "" where none was given
	Device   string `json:"device"`
	Captures int64  `json:"captures"`
	Metrics  int64  `json:"metrics"`  // rows
	Findings int64  `json:"findings"` // rows
	Files    int    `json:"files"`
	Bytes    int64  `json:"bytes"`
}

// List says what the lake holds, by build and device.
func (l *Lake) List(ctx context.Context) ([]Part, error) {
	var out []Part
	at := map[partition]int{}
	err := l.Captures(ctx, func(c *Capture) bool {
		p := partitionOf(c)
		i, ok := at[p]
		if !ok {
			i = len(out)
			at[p] = i
			out = append(out, Part{Build: p.build, Device: p.device})
		}
		out[i].Captures++
		out[i].Metrics += c.Metrics
		out[i].Findings += c.Findings
		return true
	})
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		files, _, err := l.scan(table)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			i, ok := at[f.partition]
			st, err := os.Stat(f.path)
			if !ok || err != nil {
				continue // what a writer left behind, or what is replaced just now
			}
			out[i].Files++
			out[i].Bytes += st.Size()
		}
	}
	return out, nil
}

// Captures hands on the rows of the table captures by build and device, until it is told to stop.
func (l *Lake) Captures(ctx context.Context, each func(*Capture) bool) error {
	files, _, err := l.scan(tableCaptures)
	if err != nil {
		return err
	}
	more := true
	for _, f := range files {
		err := read(ctx, f.path, func(rows []Capture) error {
			for i := range rows {
				if more = more && each(&rows[i]); !more {
					break
				}
			}
			return nil
		})
		if err != nil || !more {
			return err
		}
	}
	return nil
}
