package lake

import (
	"context"
	"errors"
	"path/filepath"
)

// Stage is a lake inside of another, which no engine reads, for captures that the other is to have together or not at
// all: several processes may add to it, until Merge moves what is there.
type Stage struct {
	lake *Lake
	temp *temp
}

// Stage makes a stage. It goes when it is closed; one that is left by a program that was killed goes with a compaction.
func (l *Lake) Stage() (*Stage, error) {
	t, err := l.temp()
	if err != nil {
		return nil, err
	}
	if _, err := Create(t.dir); err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return &Stage{l, t}, nil
}

// Dir is the folder of the stage, which Open opens.
func (s *Stage) Dir() string { return s.temp.dir }

// Close removes the stage.
func (s *Stage) Close() error { return s.temp.remove() }

// Merge moves the captures of the stage into the lake, each whole, and tells what became of each by its name. What
// another writer has added meanwhile counts as there already.
func (s *Stage) Merge(ctx context.Context, replace bool, each func(name string, out Outcome, err error)) error {
	from, err := Open(s.temp.dir)
	if err != nil {
		return err
	}
	files, _, err := from.scan(tableCaptures)
	if err != nil {
		return err
	}
	return s.lake.hold(ctx, func() error {
		for _, f := range files {
			var rows []Capture
			err := read(ctx, f.path, func(more []Capture) error {
				rows = append(rows, more...)
				return nil
			})
			if err != nil {
				return err
			}
			for i := range rows {
				out, err := s.move(ctx, &Entry{Capture: rows[i], Replace: replace}, f.partition)
				var other *DifferentError
				if err != nil && !errors.As(err, &other) {
					return err
				}
				each(rows[i].Name, out, err)
			}
		}
		return nil
	})
}

// move gives the files of one capture their places in the lake. The caller holds the lock.
func (s *Stage) move(ctx context.Context, e *Entry, part partition) (out Outcome, err error) {
	hash := e.Capture.Capture
	at, old, err := s.lake.find(ctx, hash)
	if err != nil {
		return out, err
	}
	out, done, err := e.known(old)
	if done {
		return out, err
	}
	if old != nil {
		out.Replaced, out.Old = true, *old
		t, err := s.lake.temp()
		if err != nil {
			return out, err
		}
		if err := errors.Join(s.lake.takeOut(ctx, t, at, hash), t.remove()); err != nil {
			return out, err
		}
	}
	return out, s.lake.publish(func(table string) string {
		return filepath.Join(s.temp.dir, table, part.path(), hash+ending)
	}, part, hash)
}
