package lake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"astrolabe/capture/formats"
)

// Entry is a capture with all that is added of it. The column Capture of all rows is that of the capture, and its
// counts of rows are filled in.
type Entry struct {
	Capture Capture
	// Metrics hands on the rows of metrics in pieces.
	Metrics  func(more func([]Metric) error) error
	Findings []Finding
	// Replace puts the capture in place of what the lake knows of it.
	Replace bool
	// Turn is called when all rows are written and before they are put into the lake; its error leaves it at that. It
	// may wait for others. nil is not called.
	Turn func() error
}

// Outcome is what became of an entry.
type Outcome struct {
	Added    bool // else it was there already
	Replaced bool
	Old      Capture // what was there
}

// DifferentError is a capture that is in the lake by other labels.
type DifferentError struct {
	Old, New map[string]string
}

func (e *DifferentError) Error() string {
	return fmt.Sprintf("it is in the lake already with %s, and would be with %s: --replace takes the old one out",
		LabelsText(e.Old), LabelsText(e.New))
}

// LabelsText is labels as a command line gives them.
func LabelsText(labels map[string]string) string {
	text := ""
	for _, k := range sortedKeys(labels) {
		if text != "" {
			text += ","
		}
		text += k + "=" + labels[k]
	}
	if text == "" {
		return "no labels"
	}
	return text
}

// partitionOf is where the rows of a capture belong.
func partitionOf(c *Capture) partition { return partition{c.Labels["build"], DeviceOf(c)} }

// DeviceOf is the device that a capture is counted to: that of its label, else what it says it was measured on; ""
// where nothing is known.
func DeviceOf(c *Capture) string {
	if d, ok := c.Labels["device"]; ok {
		return d
	}
	for _, d := range []*string{c.DeviceName, c.DeviceID, c.GPU} {
		if d != nil {
			return *d
		}
	}
	return ""
}

// Has is what the lake knows of a capture by its hash, nil where it has none.
func (l *Lake) Has(ctx context.Context, hash string) (*Capture, error) {
	_, c, err := l.find(ctx, hash)
	return c, err
}

// find looks for a capture in the table of captures.
func (l *Lake) find(ctx context.Context, hash string) (at partition, found *Capture, err error) {
	parts, err := l.partitions(tableCaptures)
	if err != nil {
		return at, nil, err
	}
	for _, part := range parts {
		files, err := l.holding(ctx, tableCaptures, part, hash)
		if err != nil {
			return at, nil, err
		}
		for _, path := range files {
			err := read(ctx, path, func(rows []Capture) error {
				for i := range rows {
					if rows[i].Capture == hash {
						c := rows[i]
						at, found = part, &c
					}
				}
				return nil
			})
			if err != nil || found != nil {
				return at, found, err
			}
		}
	}
	return at, nil, nil
}

// holding lists the files of a partition that have rows of a capture. What stands in a file of several is read once:
// its name is that of its content.
func (l *Lake) holding(ctx context.Context, table string, part partition, hash string) (paths []string, err error) {
	dir := filepath.Join(l.dir, table, part.path())
	if path := filepath.Join(dir, hash+ending); isFile(path) {
		paths = append(paths, path)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(0)
	f.Close()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, unionPrefix) || !strings.HasSuffix(name, ending) {
			continue
		}
		path := filepath.Join(dir, name)
		if l.unions[path] == nil {
			known := map[string]bool{}
			err := read(ctx, path, func(rows []hashOnly) error {
				for _, r := range rows {
					known[r.Capture] = true
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			l.unions[path] = known
		}
		if l.unions[path][hash] {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

func isFile(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && st.Mode().IsRegular()
}

// Add adds a capture to the lake, or says that it is there.
func (l *Lake) Add(ctx context.Context, e *Entry) (out Outcome, err error) {
	row := &e.Capture
	part := partitionOf(row)
	if err := part.check(); err != nil {
		return out, err
	}
	old, err := l.Has(ctx, row.Capture) // before all is computed
	if err != nil {
		return out, err
	}
	if out, done, err := e.known(old); done {
		return out, err
	}
	t, err := l.temp()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, t.remove()) }()
	if err := e.write(t); err != nil {
		return out, err
	}
	if e.Turn != nil {
		if err := e.Turn(); err != nil {
			return out, err
		}
	}
	err = l.hold(ctx, func() error {
		at, old, err := l.find(ctx, row.Capture) // another writer may have added it meanwhile
		if err != nil {
			return err
		}
		var done bool
		if out, done, err = e.known(old); done {
			return err
		}
		if old != nil {
			out.Replaced, out.Old = true, *old
			if err := l.takeOut(ctx, t, at, row.Capture); err != nil {
				return err
			}
		}
		return l.publish(t.file, part, row.Capture)
	})
	return out, err
}

// known says what becomes of an entry whose capture the lake has; done is false where it is to be written.
func (e *Entry) known(old *Capture) (out Outcome, done bool, err error) {
	switch {
	case old == nil:
		return Outcome{Added: true}, false, nil
	case e.Replace:
		return Outcome{Added: true}, false, nil
	case !maps.Equal(old.Labels, e.Capture.Labels):
		return out, true, &DifferentError{Old: old.Labels, New: e.Capture.Labels}
	}
	return Outcome{Old: *old}, true, nil
}

// write fills the folder of the writer with a file for each table.
func (e *Entry) write(t *temp) error {
	metrics, err := create[Metric](t.file(tableMetrics))
	if err != nil {
		return err
	}
	defer metrics.abort()
	if err := e.Metrics(metrics.write); err != nil {
		return err
	}
	if err := metrics.close(); err != nil {
		return err
	}
	findings, err := create[Finding](t.file(tableFindings))
	if err != nil {
		return err
	}
	defer findings.abort()
	if err := errors.Join(findings.write(e.Findings), findings.close()); err != nil {
		return err
	}
	captures, err := create[Capture](t.file(tableCaptures))
	if err != nil {
		return err
	}
	defer captures.abort()
	e.Capture.Metrics, e.Capture.Findings = metrics.rows, findings.rows
	return errors.Join(captures.write([]Capture{e.Capture}), captures.close())
}

func (t *temp) file(table string) string { return filepath.Join(t.dir, table+ending) }

// publish gives the files of a writer their names, that of captures last. The caller holds the lock and knows that no
// other row is of the capture, but for those that a writer left that ended before it was done: they go.
func (l *Lake) publish(from func(table string) string, part partition, hash string) error {
	for _, table := range tables {
		others, err := l.partitions(table)
		if err != nil {
			return err
		}
		for _, p := range others {
			if path := filepath.Join(l.dir, table, p.path(), hash+ending); p != part && isFile(path) {
				if err := os.Remove(path); err != nil {
					return formats.WriteError(path, err)
				}
			}
		}
		dir := filepath.Join(l.dir, table, part.path())
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return formats.WriteError(dir, err)
		}
		path := filepath.Join(dir, hash+ending)
		if err := os.Rename(from(table), path); err != nil {
			return formats.WriteError(path, err)
		}
		for d := dir; d != filepath.Dir(l.dir); d = filepath.Dir(d) {
			if err := syncDir(d); err != nil && runtime.GOOS != "windows" { // which has no such thing
				return formats.WriteError(d, err)
			}
			if d == l.dir {
				break
			}
		}
	}
	return nil
}
