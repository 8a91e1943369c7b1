package lake

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"astrolabe/capture/formats"
)

// Compacted is what Compact did.
type Compacted struct {
	Folders   int // that have one file now and had several
	Files     int // that these had
	Abandoned int // folders of writers that ended before they were done, which are gone now
}

// Compact makes one file of those of each folder. Where it stops, for whatever reason, each capture is still there
// once. One folder after the other changes, and others may write meanwhile.
func (l *Lake) Compact(ctx context.Context) (out Compacted, err error) {
	if out.Abandoned, err = l.abandoned(true); err != nil {
		return out, err
	}
	t, err := l.temp()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.remove()) }()
	for _, table := range tables {
		files, _, err := l.scan(table)
		if err != nil {
			return out, err
		}
		for len(files) > 0 {
			part := files[0].partition
			n := 1
			for n < len(files) && files[n].partition == part {
				n++
			}
			files = files[n:]
			if n == 1 {
				continue
			}
			err := l.hold(ctx, func() error {
				now, err := l.in(table, part)
				if err != nil {
					return err
				}
				if now, err = l.dropUnfinished(ctx, now); err != nil || len(now) < 2 {
					return err
				}
				out.Folders++
				out.Files += len(now)
				return l.rebuild(ctx, t, now, "")
			})
			if err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// in lists the files of a table that a partition has now. What else is in the folder is an error.
func (l *Lake) in(table string, part partition) ([]file, error) {
	dir := filepath.Join(l.dir, table, part.path())
	list, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var out []file
	for _, e := range list {
		f := file{table, part, filepath.Join(dir, e.Name())}
		if e.IsDir() || filepath.Ext(e.Name()) != ending || e.Name()[0] == '.' || e.Name()[0] == '_' {
			return nil, fmt.Errorf("%s: it does not belong to the lake: move it away first", f.path)
		}
		out = append(out, f)
	}
	return out, err
}

// dropUnfinished removes the files of captures that the table of captures does not have: their writer ended before it
// was done, or it would still hold the lock. Those of others remain.
func (l *Lake) dropUnfinished(ctx context.Context, files []file) ([]file, error) {
	if len(files) == 0 || files[0].table == tableCaptures {
		return files, nil
	}
	var out []file
	for _, f := range files {
		if of := f.of(); of != "" {
			holding, err := l.holding(ctx, tableCaptures, f.partition, of)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
			if len(holding) == 0 {
				if err := os.Remove(f.path); err != nil {
					return nil, formats.WriteError(f.path, err)
				}
				continue
			}
		}
		out = append(out, f)
	}
	return out, nil
}

// hashOnly is the column that names the capture, of any table.
type hashOnly struct {
	Capture string `parquet:"capture,dict"`
}

// rebuild makes one file of all of a folder, without the rows of one capture. The caller holds the lock.
func (l *Lake) rebuild(ctx context.Context, t *temp, files []file, without string) error {
	switch files[0].table {
	case tableMetrics:
		return rebuildTable[Metric](ctx, t, files, without)
	case tableFindings:
		return rebuildTable[Finding](ctx, t, files, without)
	}
	return rebuildTable[Capture](ctx, t, files, without)
}

func rebuildTable[T row](ctx context.Context, t *temp, files []file, without string) error {
	fresh := filepath.Join(t.dir, files[0].table+"-"+rand.Text())
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return formats.WriteError(fresh, err)
	}
	path := filepath.Join(fresh, "union"+ending)
	w, err := create[T](path)
	if err != nil {
		return err
	}
	defer w.abort()
	piece := make([]T, 0, readRows)
	for _, f := range files {
		var failed error
		_, err := count(ctx, f.path, func(r *T) {
			if failed != nil || ownerOf(r) == without {
				return
			}
			if piece = append(piece, *r); len(piece) == cap(piece) {
				failed = w.write(piece)
				piece = piece[:0]
			}
		})
		if err := errors.Join(err, failed); err != nil {
			return err
		}
	}
	if err := errors.Join(w.write(piece), w.close()); err != nil {
		return err
	}
	if again, err := count[T](ctx, path, nil); err != nil || again != w.contents {
		return errors.Join(err, fmt.Errorf("%s: what was written is not what was read: the lake stays as it was", path))
	}
	old := filepath.Dir(files[0].path)
	if w.rows == 0 && without != "" {
		return formats.WriteError(old, os.Rename(old, filepath.Join(fresh, "old")))
	}
	if err := os.Rename(path, filepath.Join(fresh, unionPrefix+w.sum.String()+ending)); err != nil {
		return formats.WriteError(path, err)
	}
	if err := syncDir(fresh); err != nil {
		return formats.WriteError(fresh, err)
	}
	if err := exchange(fresh, old); err != nil {
		return fmt.Errorf("%s: its files cannot be replaced in one step here (%w), so they stay as they are: "+
			"put the lake on a local disk of Linux or macOS to compact it", old, err)
	}
	if err := syncDir(filepath.Dir(old)); err != nil {
		return formats.WriteError(old, err)
	}
	return os.RemoveAll(fresh)
}

func ownerOf[T row](r *T) string {
	switch r := any(r).(type) {
	case *Metric:
		return r.Capture
	case *Finding:
		return r.Capture
	case *Capture:
		return r.Capture
	}
	return ""
}

// takeOut removes a capture from a partition, so that another row may take its place. The table of captures is first:
// what is not there is not in the lake. The caller holds the lock.
func (l *Lake) takeOut(ctx context.Context, t *temp, part partition, hash string) error {
	order := slices.Clone(tables)
	slices.Reverse(order)
	for _, table := range order {
		holding, err := l.holding(ctx, table, part, hash)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, path := range holding {
			f := file{table, part, path}
			if f.of() == hash {
				err = formats.WriteError(path, os.Remove(path))
			} else {
				var all []file
				if all, err = l.in(table, part); err == nil {
					err = l.rebuild(ctx, t, all, hash)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
