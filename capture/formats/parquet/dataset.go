package parquet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/table"
)

// mostFiles bounds a data set.
const mostFiles = 20_000

// sniffFolder recognises a folder of Parquet files, or of folders KEY=VALUE with such in them.
func sniffFolder(in *formats.Input) int {
	if whyNoSet(in) != nil {
		return 0
	}
	return 70
}

// lookedAt is how many files of a folder are tried: where none of them can be read the folder is no data set of
// captures, and where one can the reader says what is wrong with the others.
const lookedAt = 8

var errNoFile = errors.New("no .parquet file in it, or in folders KEY=VALUE in it")

// whyNoSet says why a folder is no data set. Folders KEY=VALUE hold all sorts of files, and Parquet holds all sorts of
// tables, so one is looked at.
func whyNoSet(in *formats.Input) error {
	likely := slices.ContainsFunc(in.Files, func(name string) bool {
		key, value, ok := strings.Cut(strings.TrimSuffix(name, "/"), "=")
		return isParquet(name) || strings.HasSuffix(name, "/") && ok && key != "" && value != ""
	})
	if !likely {
		return errNoFile
	}
	var first error
	tried, visited := 0, 0
	err := walkSet(in.Path, func(path string, e fs.DirEntry) error {
		if visited++; visited > mostFiles {
			return fs.SkipAll
		}
		if e.IsDir() || !isParquet(e.Name()) {
			return nil
		}
		err := tryFile(path)
		if tried++; err == nil {
			first = nil
			return fs.SkipAll
		}
		if first == nil {
			first = fmt.Errorf("%s: %w", path, err)
		}
		if tried == lookedAt {
			return fs.SkipAll
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case tried == 0:
		return errNoFile
	}
	return first
}

// tryFile says why a file is none of counters. Of one that an option could make readable it says nothing.
func tryFile(path string) error {
	src, err := newSource(path)
	if err == nil {
		_, err = openFile(src)
	}
	if err != nil {
		return err
	}
	if _, _, err := decode(context.Background(), src, path, &table.Options{}); errors.Is(err, table.ErrNoCounter) {
		return err
	}
	return nil
}

// walkSet calls f for the files and folders of a data set. Names that begin with a point or an underscore are of none.
func walkSet(dir string, f func(path string, e fs.DirEntry) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := e.Name(); path != dir && e.IsDir() && (strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		return f(path, e)
	})
}

func isParquet(name string) bool {
	return slices.Contains(Format{}.Extensions(), strings.ToLower(filepath.Ext(name))) &&
		!strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// setFile is a file of a data set and the values of its folders.
type setFile struct {
	path string
	keys []Partition
}

// filesOf lists the files of a data set in the order of their names.
func filesOf(dir string) (out []setFile, err error) {
	err = walkSet(dir, func(path string, e fs.DirEntry) error {
		if e.IsDir() || !isParquet(e.Name()) {
			return nil
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		if len(out) == mostFiles {
			return fmt.Errorf("%s holds more than %d Parquet files: open a part of it", dir, mostFiles)
		}
		out = append(out, setFile{path, keysOf(rel)})
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: no .parquet file is in this folder or below it", dir)
	}
	return out, err
}

// keysOf reads the values of folders such as device=card0/build=12.
func keysOf(rel string) (out []Partition) {
	for _, part := range strings.Split(filepath.ToSlash(rel), "/") {
		key, value, ok := ParseFolder(part)
		if !ok {
			continue
		}
		out = append(out, Partition{Key: key, Value: value, Fixed: true})
	}
	return out
}

// openSet opens the files of a folder, as --partition, Spark, DuckDB and the like write them, as one capture. The parts
// of a capture that --partition took apart come together again. Files of other programs are parts of one table. The
// values of folders KEY=VALUE become labels, or properties where all have one value. Several captures follow each
// other, with a label that tells them apart.
func openSet(ctx context.Context, dir string, o *table.Options) (*capture.Capture, error) {
	files, err := filesOf(dir)
	if err != nil {
		return nil, err
	}
	var order []string
	var points, ends bool
	parts := map[string][]*capture.Capture{}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		own := *o // each file has its own columns
		cfg, part, err := openOne(ctx, f.path, &own)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		points, ends = points || part.points, ends || part.ends
		of := part.whole
		if of == "" && part.ours {
			of = f.path
		}
		if cfg.Name == "" {
			cfg.Name = nameOf(dir)
		}
		cfg.Path = f.path
		if part.whole == "" { // else the file itself holds what its folders say
			addKeys(cfg, f.keys, files)
		}
		c, err := capture.New(*cfg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		if parts[of] == nil {
			order = append(order, of)
		}
		parts[of] = append(parts[of], c)
	}
	var whole []*capture.Capture
	for _, of := range order {
		c, err := capture.Interleave(parts[of])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		times := c.Axis.Start
		if ends {
			times = c.Axis.End
		}
		if of == "" && points && slices.IsSorted(times) {
			// What lasts until the next sample lasts until that of the whole table, not of one file.
			axis, _ := table.Intervals(times, ends, o.Period)
			axis.Clock = c.Axis.Clock
			if c, err = c.OnAxis(axis); err != nil {
				return nil, err
			}
		}
		whole = append(whole, c)
	}
	if len(whole) == 1 {
		return whole[0], nil
	}
	slices.SortStableFunc(whole, func(a, b *capture.Capture) int { return a.StartTime.Compare(b.StartTime) })
	c, err := capture.Concat(whole)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s holds %d captures that do not make one: open a folder or file of it",
			dir, len(whole)), err)
	}
	return c, nil
}

// addKeys gives a part the values of its folders: a label where they differ between files, else a property.
func addKeys(cfg *capture.Config, keys []Partition, files []setFile) {
	for _, k := range keys {
		if slices.ContainsFunc(cfg.Labels, func(l *capture.Label) bool { return l.Name == k.Key }) ||
			slices.ContainsFunc(cfg.Properties, func(p capture.Property) bool { return p.Name == k.Key }) {
			continue
		}
		if !slices.ContainsFunc(files, func(f setFile) bool { return !slices.Contains(f.keys, k) }) {
			cfg.Properties = append(cfg.Properties, capture.Property{Name: k.Key, Text: k.Value, IsText: true})
			continue
		}
		values := make([]string, cfg.Axis.Len())
		for i := range values {
			values[i] = k.Value
		}
		cfg.Labels = append(cfg.Labels, capture.NewLabel(k.Key, values, nil))
	}
}
