package screenshots

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"astrolabe/capture/spelling"
)

// IndexName is the file that says what the pictures of a folder are of, where there is one.
const IndexName = "index.csv"

// Folder is a folder of pictures.
type Folder struct {
	Path  string
	Shots []Shot   // in the order of their names, or of the index
	Notes []string // what of the folder was left out, and why
}

// Shot is a picture and what it is of. One of Time and Frame is set at least.
type Shot struct {
	File  string
	Time  *int64 // ns since the start of the capture
	Frame *int64 // the number of the frame
}

// Open lists the pictures of a folder. Where it has an index that decides what they are of, else their names do. No
// picture is opened yet.
func Open(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("pictures of frames: %w", err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("pictures of frames: %w", err)
	}
	f := &Folder{Path: dir}
	var files, others []string
	indexed := false
	for _, e := range entries {
		switch {
		case e.Name() == IndexName:
			indexed = true
		case e.IsDir() || strings.HasPrefix(e.Name(), "."):
		case isPicture(e.Name()):
			files = append(files, e.Name())
		default:
			others = append(others, e.Name())
		}
	}
	f.note(others, "not a picture (PNG, JPEG and BMP are read)", "not pictures (PNG, JPEG and BMP are read)")
	if indexed {
		if err := f.readIndex(root, files); err != nil {
			return nil, err
		}
		return f, nil
	}
	var unnamed []string
	for _, name := range files {
		shot, ok := named(name)
		if !ok {
			unnamed = append(unnamed, name)
			continue
		}
		f.Shots = append(f.Shots, shot)
	}
	f.note(unnamed, "named without a time such as 1.25s or one number of a frame; "+indexAdvice,
		"named without a time such as 1.25s or one number of a frame; "+indexAdvice)
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no picture: PNG, JPEG and BMP are read", dir)
	}
	return f, nil
}

// indexAdvice is what to do where names do not say enough.
const indexAdvice = "say what they are of in an " + IndexName + " with the columns file and frame, or file and time"

// isPicture goes by the end of a name. What the file really is shows when it is opened.
func isPicture(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".bmp":
		return true
	}
	return false
}

// named is the picture with that name, if its name says what it is of.
func named(name string) (Shot, bool) {
	s := Shot{File: name}
	var ok bool
	s.Time, s.Frame, ok = fromName(strings.TrimSuffix(name, path.Ext(name)))
	return s, ok
}

// mostNamed is how many files a note names; it counts the others.
const mostNamed = 4

// note says the same of some files, nothing where there are none.
func (f *Folder) note(names []string, one, several string) {
	if len(names) > 0 {
		f.Notes = append(f.Notes, noteOf(names, one, several))
	}
}

func noteOf(names []string, one, several string) string {
	if len(names) == 1 {
		return quoted(names) + ": " + one
	}
	return quoted(names) + ": " + several
}

// quoted lists names, the first of many.
func quoted(names []string) string {
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ") + more
}

// open opens a regular file of the folder: a pipe would wait for a writer for ever.
func open(root *os.Root, name string) (*os.File, int64, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &fs.PathError{Op: "open", Path: name, Err: errors.New("is no regular file")}
	}
	file, err := root.Open(name)
	return file, info.Size(), err
}

// nearest is a file whose name may have been meant, as a question.
func nearest(name string, files []string) string {
	if near := spelling.Nearest(name, files); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
