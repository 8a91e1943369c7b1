package lake

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/parquet"
)

// The tables, and what else is in a lake's folder. What begins with an underscore no engine reads.
const (
	tableCaptures = "captures"
	tableMetrics  = "metrics"
	tableFindings = "findings"

	markName = "_astrolabe_lake.json"
	lockName = "_lock"
	tempName = "_tmp"
)

var tables = []string{tableMetrics, tableFindings, tableCaptures} // captures last: it decides

// Lake is a folder with the tables.
type Lake struct {
	dir    string
	unions map[string]map[string]bool // the captures of files that hold several
}

// mark is the content of the file that says that a folder is a lake.
type mark struct {
	Lake string `json:"lake"`
}

// inBucket refuses what is no folder of this machine: without locks and renaming two writers could add a capture twice,
// and a folder called s3: is not what was meant.
func inBucket(dir string) error {
	if scheme, _, ok := strings.Cut(dir, "://"); ok && !strings.ContainsAny(scheme, "/\\") {
		return fmt.Errorf(
			"%s: a lake is a folder of a file system with locks, and a bucket is none: make it in a folder and copy it there while nobody adds to it",
			dir)
	}
	return nil
}

// Open opens a lake.
func Open(dir string) (*Lake, error) {
	if err := inBucket(dir); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, markName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("%s: there is no such folder: astrolabe lake add makes a lake", dir)
		}
		return nil, fmt.Errorf("%s: no lake: it has no %s, which astrolabe lake add writes", dir, markName)
	case err != nil:
		return nil, err
	}
	var m mark
	if err := json.Unmarshal(data, &m); err != nil || m.Lake == "" {
		return nil, fmt.Errorf("%s: not what astrolabe lake add writes: the version of the lake is missing",
			filepath.Join(dir, markName))
	}
	if m.Lake != version {
		return nil, fmt.Errorf("%s: %w", dir, newer(m.Lake))
	}
	return &Lake{dir, map[string]map[string]bool{}}, nil
}

// Create opens a lake, or makes one of a folder that is empty or absent.
func Create(dir string) (*Lake, error) {
	if dir == "" {
		return nil, errors.New("the path of the lake is empty")
	}
	if err := inBucket(dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, markName)); err == nil {
		return Open(dir)
	}
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, formats.WriteError(dir, err)
	}
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), ".") {
			if _, err := os.Stat(filepath.Join(dir, markName)); err == nil {
				return Open(dir) // another writer was faster
			}
			return nil, fmt.Errorf("%s holds %s and is no lake: name a folder that is empty or does not exist", dir,
				e.Name())
		}
	}
	text, err := json.Marshal(mark{version})
	if err != nil {
		return nil, err
	}
	err = formats.WriteFile(filepath.Join(dir, markName), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return nil, err
	}
	return Open(dir)
}

// hold runs f while no other writer reads and changes what the lake holds.
func (l *Lake) hold(ctx context.Context, f func() error) error {
	file, err := os.OpenFile(filepath.Join(l.dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return formats.WriteError(filepath.Join(l.dir, lockName), err)
	}
	got := make(chan error, 1)
	go func() {
		_, err := lockFile(file, true)
		got <- err
	}()
	select {
	case <-ctx.Done():
		go func() { <-got; file.Close() }()
		return ctx.Err()
	case err := <-got:
		defer file.Close()
		if err != nil {
			return fmt.Errorf("%s: the lock of the lake: %w: put it on a file system that has locks, such as a local disk",
				file.Name(), err)
		}
	}
	return f()
}

// temp is a folder of one writer, which nobody reads. The file of its owner stands beside it from before it is made
// until after it is removed, and is locked while the writer lives.
type temp struct {
	dir   string
	owner *os.File
}

const ownerEnding = ".owner"

func (l *Lake) temp() (*temp, error) {
	root := filepath.Join(l.dir, tempName)
	if err := os.MkdirAll(root, 0o777); err != nil {
		return nil, formats.WriteError(root, err)
	}
	for {
		dir := filepath.Join(root, rand.Text())
		f, err := os.OpenFile(dir+ownerEnding, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, formats.WriteError(dir, err)
		}
		if _, err := lockFile(f, true); err != nil {
			f.Close()
			return nil, fmt.Errorf("%s: %w: put the lake on a file system that has locks, such as a local disk", f.Name(),
				err)
		}
		if _, err := os.Lstat(f.Name()); err != nil { // a compaction took it for abandoned before it was locked
			f.Close()
			continue
		}
		if err := os.Mkdir(dir, 0o777); err != nil {
			f.Close()
			return nil, formats.WriteError(dir, err)
		}
		return &temp{dir, f}, nil
	}
}

func (t *temp) remove() error {
	err := errors.Join(os.RemoveAll(t.dir), t.owner.Close()) // Windows removes no file that is open
	if gone := os.Remove(t.owner.Name()); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// abandoned goes through the folders of writers that ended before they were done, and removes them if it is told to.
func (l *Lake) abandoned(remove bool) (n int, err error) {
	list, err := os.ReadDir(filepath.Join(l.dir, tempName))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ownerEnding) {
			continue
		}
		path := filepath.Join(l.dir, tempName, e.Name())
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it just ended
		}
		if err != nil {
			return n, err
		}
		free, err := lockFile(f, false)
		if free {
			if _, gone := os.Lstat(path); gone == nil {
				n++
				if remove {
					err = errors.Join(os.RemoveAll(strings.TrimSuffix(path, ownerEnding)), os.Remove(path))
				}
			}
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return n, err
		}
	}
	return n, nil
}

// partition is where the rows of a build and a device are, "" being none.
type partition struct{ build, device string }

func (p partition) path() string {
	return filepath.Join(parquet.Folder("build", p.build), parquet.Folder("device", p.device))
}

func (p partition) compare(o partition) int {
	if c := strings.Compare(p.build, o.build); c != 0 {
		return c
	}
	return strings.Compare(p.device, o.device)
}

// noValue is what Hive calls the folder of rows without a value.
const noValue = "__HIVE_DEFAULT_PARTITION__"

// longestName is how long the names of files may be on most systems.
const longestName = 255

func (p partition) check() error {
	for _, kv := range [][2]string{{"build", p.build}, {"device", p.device}} {
		if kv[1] == noValue {
			return fmt.Errorf("the label %s is %s, which pandas and polars read as no value: choose another", kv[0],
				noValue)
		}
		if n := len(parquet.Folder(kv[0], kv[1])); n > longestName {
			return fmt.Errorf("the label %s has %d characters as the name of a folder, which takes %d at most: shorten it",
				kv[0], n, longestName)
		}
	}
	return nil
}

// file is one of a table.
type file struct {
	table string
	partition
	path string
}

// name is the file's without its folder and ending.
func (f *file) name() string { return strings.TrimSuffix(filepath.Base(f.path), ending) }

// of is the capture that the file holds alone, "" where it holds several.
func (f *file) of() string {
	if name := f.name(); !strings.HasPrefix(name, unionPrefix) {
		return name
	}
	return ""
}

const (
	ending      = ".parquet"
	unionPrefix = "all-" // of files that hold several captures
)

// partitions lists those that a table has folders of.
func (l *Lake) partitions(table string) (out []partition, err error) {
	root := filepath.Join(l.dir, table)
	builds, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, b := range builds {
		if !b.IsDir() || !inPlace([]string{b.Name()}, true) {
			continue
		}
		_, build, _ := parquet.ParseFolder(b.Name())
		devices, err := os.ReadDir(filepath.Join(root, b.Name()))
		if err != nil {
			return nil, err
		}
		for _, d := range devices {
			if d.IsDir() && inPlace([]string{b.Name(), d.Name()}, true) {
				_, device, _ := parquet.ParseFolder(d.Name())
				out = append(out, partition{build, device})
			}
		}
	}
	return out, err
}

// scan lists the files of a table, by partition and name, and what does not belong there.
func (l *Lake) scan(table string) (files []file, foreign []string, err error) {
	root := filepath.Join(l.dir, table)
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == root {
			return fs.SkipAll // nothing was added yet
		}
		if err != nil || path == root {
			return err
		}
		if name := e.Name(); strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil // readers leave these out, too
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		parts := strings.Split(rel, string(filepath.Separator))
		if !inPlace(parts, e.IsDir()) {
			foreign = append(foreign, path)
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !e.IsDir() {
			_, build, _ := parquet.ParseFolder(parts[0])
			_, device, _ := parquet.ParseFolder(parts[1])
			files = append(files, file{table, partition{build, device}, path})
		}
		return nil
	})
	slices.SortFunc(files, func(a, b file) int {
		if c := a.partition.compare(b.partition); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	return files, foreign, err
}

// inPlace reports whether a path below a table may be there: build=VALUE/device=VALUE/NAME.parquet.
func inPlace(parts []string, dir bool) bool {
	for i, key := range []string{"build", "device"} {
		if i == len(parts) {
			return dir
		}
		if got, _, ok := parquet.ParseFolder(parts[i]); !ok || got != key {
			return false
		}
	}
	switch len(parts) {
	case 2:
		return dir
	case 3:
		return !dir && strings.HasSuffix(parts[2], ending)
	}
	return false
}

// syncDir has the names in a folder on the disk.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}
