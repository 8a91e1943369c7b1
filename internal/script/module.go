package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/capture/formats"
	"astrolabe/capture/memory"
	"astrolabe/capture/spelling"
)

// libraryPrefix begins the names of modules of the built-in library.
const libraryPrefix = "@astrolabe//"

// sourceSuffix ends the names of Starlark files.
const sourceSuffix = ".star"

// maxSource is the largest Starlark file in bytes.
const maxSource = 16 << 20

// module is one Starlark file of a run.
type module struct {
	key     string // the same for the same file
	name    string // shown in errors and tracebacks
	library bool   // of the built-in library
	base    string // folder that relative loads begin in: a real absolute path, or a slash path inside the library
	fence   string // real absolute folder that loads may not leave; "" is none
	text    []byte
	mark    bool // a byte order mark stood before the text, as some editors write it

	done    bool // the top level has run
	globals starlark.StringDict
	err     error
}

// isTestFile reports whether a file is one of tests, by its name.
func isTestFile(name string) bool { return strings.HasSuffix(name, testSuffix) }

// load is what a load statement of module from does.
func (r *Runner) load(ctx context.Context, from *module, name string) (starlark.StringDict, error) {
	m, err := r.resolve(from, name)
	if err != nil {
		return nil, err
	}
	return r.run(ctx, m)
}

// resolve finds the file that a load statement of module from names, and reads it.
func (r *Runner) resolve(from *module, name string) (*module, error) {
	if m := r.opt.Bundle.loaded(r, from, name); m != nil {
		return m, nil
	}
	switch {
	case name == "":
		return nil, errors.New("the name of the file is empty")
	case strings.HasPrefix(name, libraryPrefix):
		return r.libraryModule(name[len(libraryPrefix):])
	case strings.HasPrefix(name, "@"):
		return nil, fmt.Errorf("there is one library, %s; a file of the repository is loaded as //FOLDER/FILE.star",
			libraryPrefix)
	case strings.ContainsRune(name, '\\'):
		return nil, errors.New("a path is written with / on every system")
	case from.library && strings.HasPrefix(name, "//"):
		return r.libraryModule(name[2:])
	case strings.HasPrefix(name, "//"):
		root, ok := FindRepo(from.base)
		if !ok || !within(from.fence, realPath(root)) {
			return nil, fmt.Errorf(
				"%s is in no repository: put an empty astrolabe.toml into the folder that // stands for", from.name)
		}
		return r.diskModule(from, realPath(root), name[2:])
	case path.IsAbs(name) || filepath.IsAbs(name) || filepath.VolumeName(name) != "":
		return nil, errors.New(
			"an absolute path cannot be loaded: write it relative to the loading file, or as //FOLDER/FILE.star from the root of the repository")
	case from.library:
		return r.libraryModule(path.Join(from.base, name))
	}
	return r.diskModule(from, from.base, name)
}

// libraryModule reads a file of the built-in library.
func (r *Runner) libraryModule(name string) (*module, error) {
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s is outside the built-in library", name)
	}
	m := &module{key: libraryPrefix + name, name: libraryPrefix + name, library: true, base: path.Dir(name)}
	if old := r.modules[m.key]; old != nil {
		return old, nil
	}
	if r.opt.Library == nil {
		return nil, fmt.Errorf("%s: this program has no built-in library", m.name)
	}
	text, err := fs.ReadFile(r.opt.Library, name)
	if err != nil {
		entries, _ := fs.ReadDir(r.opt.Library, m.base)
		return nil, missing("the built-in library", m.name, path.Base(name), entries, err)
	}
	m.text = text
	return m, nil
}

// diskModule reads a file that is loaded relative to a folder.
func (r *Runner) diskModule(from *module, dir, name string) (*module, error) {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if !within(from.fence, file) {
		return nil, outside(from)
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, notThere(file, err)
	}
	if !within(from.fence, real) {
		return nil, fmt.Errorf("a symbolic link leads outside: %w", outside(from))
	}
	m := &module{key: real, name: displayName(file), base: filepath.Dir(real), fence: from.fence}
	if old := r.modules[m.key]; old != nil {
		return old, nil
	}
	text, err := readSource(from.fence, real)
	if err != nil {
		return nil, err
	}
	m.setText(text)
	return m, nil
}

// fileModule reads a script that the user named: it may be anywhere, what it loads may not.
func (r *Runner) fileModule(file string) (*module, error) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, notThere(file, err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, err
	}
	m := &module{key: real, name: filepath.ToSlash(filepath.Clean(file)), base: filepath.Dir(real)}
	if !r.opt.Typed {
		m.fence = realPath(Root(real))
	}
	if old := r.modules[m.key]; old != nil {
		return old, nil
	}
	text, err := readSource("", real)
	m.setText(text)
	return m, err
}

// byteOrderMark stands before texts that some editors of Windows write. It is no part of a script.
var byteOrderMark = []byte("\ufeff")

func (m *module) setText(text []byte) { m.text, m.mark = bytes.CutPrefix(text, byteOrderMark) }

// readSource reads a Starlark file through the fence, so that no link that appears meanwhile leads out of it.
func readSource(fence, file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a script", displayName(file))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", displayName(file), formats.ErrNotRegular)
	}
	var f *os.File
	if fence == "" {
		f, err = formats.OpenRegular(file)
	} else {
		f, err = openIn(fence, file)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSource {
		return nil, fmt.Errorf("%s is larger than %s, no script is", displayName(file), memory.Text(maxSource))
	}
	return text, nil
}

func outside(from *module) error {
	if _, ok := FindRepo(from.fence); ok {
		return fmt.Errorf("the file is outside the repository %s", from.fence)
	}
	return fmt.Errorf(
		"the file is outside %s: a script in no repository loads from its own folder and below; an empty astrolabe.toml in a folder above makes that one a repository",
		from.fence)
}

// notThere is the error of a file of the disk that err says cannot be read.
func notThere(file string, err error) error {
	entries, _ := os.ReadDir(filepath.Dir(file))
	if !errors.Is(err, fs.ErrNotExist) {
		return plain(displayName(file), err)
	}
	where := displayName(filepath.Dir(file))
	if where == "." {
		where = "this folder"
	}
	return missing(where, displayName(file), filepath.Base(file), entries, err)
}

// maxListed is how many scripts of a folder an error lists.
const maxListed = 5

// missing is the error of a file that cannot be read, with near names where it does not exist.
func missing(where, full, base string, entries []fs.DirEntry, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), sourceSuffix); ok {
			names = append(names, name)
		}
	}
	text := full + " does not exist"
	if near := spelling.Near(strings.TrimSuffix(base, sourceSuffix), names); len(near) > 0 {
		text += " (did you mean " + near[0] + sourceSuffix + "?)"
	} else if len(names) > 0 {
		text += ": " + where + " has " + strings.Join(names[:min(maxListed, len(names))], sourceSuffix+", ") +
			sourceSuffix
		if more := len(names) - maxListed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	return missingError(text)
}

// missingError is fs.ErrNotExist in words of ours.
type missingError string

func (e missingError) Error() string { return string(e) }
func (e missingError) Unwrap() error { return fs.ErrNotExist }
