package formats

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
)

// HeadSize is how much of a file Input.Head holds, in bytes.
const HeadSize = 64 << 10

// Input is a file or folder that a Format is asked about.
type Input struct {
	Path  string
	IsDir bool
	Size  int64    // of a file, in bytes
	Head  []byte   // the first HeadSize bytes of a file
	Files []string // names of a folder's entries, sorted; a folder's name ends in a slash
}

// Inspect looks at path. The errors name the path and what is wrong with it.
func Inspect(path string) (*Input, error) {
	if path == "" {
		return nil, errors.New("no path given: name a capture file or folder")
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	in := &Input{Path: path, IsDir: st.IsDir(), Size: st.Size()}
	switch {
	case in.IsDir:
		return in, in.list()
	case !st.Mode().IsRegular():
		return nil, regular(path, st)
	case in.Size == 0:
		return nil, fmt.Errorf("%s: %w (0 bytes): the program that wrote it stopped before its first data", path,
			ErrEmpty)
	}
	f, err := OpenRegular(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	defer f.Close()
	in.Head = make([]byte, min(in.Size, HeadSize))
	n, err := io.ReadFull(f, in.Head)
	in.Head = in.Head[:n]
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, pathError(path, err)
	}
	return in, nil
}

func (in *Input) list() error {
	entries, err := os.ReadDir(in.Path)
	if err != nil {
		return pathError(in.Path, err)
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		in.Files = append(in.Files, name)
	}
	sort.Strings(in.Files)
	return nil
}

// Has reports whether the folder holds a file (or, with a final slash, a folder) of that name.
func (in *Input) Has(name string) bool {
	i := sort.SearchStrings(in.Files, name)
	return i < len(in.Files) && in.Files[i] == name
}

// File is the path of the named file in the folder.
func (in *Input) File(name string) string { return filepath.Join(in.Path, name) }

// Open opens the input itself, which must be a file.
func (in *Input) Open() (*os.File, error) {
	f, err := OpenRegular(in.Path)
	if err != nil {
		return nil, pathError(in.Path, err)
	}
	return f, nil
}

// OpenFile opens the named file of the folder.
func (in *Input) OpenFile(name string) (*os.File, error) {
	path := in.File(name)
	f, err := OpenRegular(path)
	if err != nil {
		return nil, pathError(path, err)
	}
	return f, nil
}

// pathProblem is an error of the system in words of ours, which do not say it twice.
type pathProblem struct {
	text string
	err  error
}

func (e *pathProblem) Error() string { return e.text }
func (e *pathProblem) Unwrap() error { return e.err }

// pathError says what is wrong with path in a sentence that a user can act on.
func pathError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text := path + ": no such file or folder"
		if near := nearestFile(path); near != "" {
			text += " (did you mean " + near + "?)"
		}
		return &pathProblem{text, fs.ErrNotExist}
	case errors.Is(err, fs.ErrPermission):
		return &pathProblem{path + ": unreadable, this user lacks permission", fs.ErrPermission}
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
