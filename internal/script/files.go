package script

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"astrolabe/builtins"
	"astrolabe/capture/formats"
)

// Files is what a run may read and write under a Policy.
//
// Open and the making of folders go through os.Root, so that no symbolic link leads out of an allowed folder, not even one that
// is made meanwhile. Input and Output return paths, because readers map files and writers rename them into place: links are
// resolved first, and what is allowed is decided on the result. Between that and the use another process could put a link
// there. A script cannot, because nothing that it can call makes links; so only somebody who may write there anyway could.
type Files struct {
	policy  Policy
	folders []string // real paths that may be read with all below
	files   []string // real paths of single files that may be read

	mu      sync.Mutex
	written map[string]bool // real paths that the run wrote itself
}

var _ builtins.Files = (*Files)(nil)

// NewFiles checks that what the policy lets read exists.
func NewFiles(p Policy) (*Files, error) {
	f := &Files{policy: p, written: map[string]bool{}}
	if p.AnyRead {
		return f, nil
	}
	if p.Repo != "" {
		f.folders = append(f.folders, realPath(p.Repo))
	}
	for _, path := range p.Read {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			f.folders = append(f.folders, realPath(path))
		default:
			f.files = append(f.files, realPath(path))
		}
	}
	return f, nil
}

// Open opens a regular file for reading.
func (f *Files) Open(path string) (io.ReadCloser, error) {
	if f.policy.AnyRead {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		return notFolder(file, path)
	}
	real, root, err := f.readable(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(real); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path) // opening a pipe would wait for its other end
	}
	file, err := openIn(root, real)
	if err != nil {
		return nil, plain(path, err)
	}
	return notFolder(file, path)
}

func notFolder(file *os.File, path string) (io.ReadCloser, error) {
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder, not a file", path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// maxEntries is how many entries of a folder Input looks through for links that lead out.
const maxEntries = 100_000

// Input returns where to read a file or folder from. Of a folder, every symbolic link below it must stay inside what may be read,
// unless the folder itself was given by the user.
func (f *Files) Input(path string) (string, error) {
	if f.policy.AnyRead {
		return path, nil
	}
	real, _, err := f.readable(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", plain(path, err)
	}
	if info.IsDir() && !f.given(real) {
		if err := f.checkLinks(path, real); err != nil {
			return "", err
		}
	}
	return asWritten(path, real), nil
}

// given reports whether the user named this folder or file.
func (f *Files) given(real string) bool {
	for _, p := range f.policy.Read {
		if realPath(p) == real {
			return true
		}
	}
	return false
}

// checkLinks looks for symbolic links below a folder that lead to what may not be read.
func (f *Files) checkLinks(path, real string) error {
	n := 0
	return filepath.WalkDir(real, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return plain(path, err)
		}
		if n++; n > maxEntries {
			return fmt.Errorf("%s has over %d files: name the capture in it", path, maxEntries)
		}
		if d.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		if target := realPath(file); f.rootOf(target) == "" {
			return fmt.Errorf("%s: the symbolic link %s leads to %s, %s", path, displayName(file), target, f.allowed())
		}
		return nil
	})
}

// readable returns the real path of a file and the allowed folder above it.
func (f *Files) readable(path string) (real, root string, err error) {
	if path == "" {
		return "", "", errors.New("the path is empty")
	}
	if strings.ContainsRune(path, 0) {
		return "", "", fmt.Errorf("the path %q contains a zero byte", path)
	}
	real = realPath(path)
	if root = f.rootOf(real); root == "" {
		return "", "", fmt.Errorf("%s is %s", path, f.allowed())
	}
	return real, root, nil
}

// rootOf returns the folder through which a real path may be read, "" if it may not.
func (f *Files) rootOf(real string) string {
	for _, dir := range f.folders {
		if within(dir, real) {
			return dir
		}
	}
	for _, file := range f.files {
		if file == real {
			return filepath.Dir(file)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.written[real] {
		return filepath.Dir(real)
	}
	return ""
}

// allowed says what may be read, for the error of what may not.
func (f *Files) allowed() string {
	all := append(append([]string{}, f.folders...), f.files...)
	if len(all) == 0 {
		return "outside what this script may read, which is nothing; allow a folder with --allow-read=DIR"
	}
	return fmt.Sprintf("outside what this script may read (%s); allow more with --allow-read=DIR", strings.Join(all, ", "))
}

// wrote makes a file that the run wrote readable for it: it holds nothing that the run did not know.
func (f *Files) wrote(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written[realPath(path)] = true
}

// Output returns where to write a file, once a file can be made there. What writes it makes the folders above it. A contained run writes no
// hidden files: those configure programs, such as git.
func (f *Files) Output(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	if f.policy.OutFile != "" && (samePath(path, f.policy.OutFile) || furtherPage(path, f.policy.OutFile)) {
		return path, formats.CheckOutput(path)
	}
	if f.policy.AnyWrite {
		if f.policy.Out != "" && !filepath.IsAbs(path) {
			path = filepath.Join(f.policy.Out, path)
		}
		return path, formats.CheckOutput(path)
	}
	path, err := f.contained(path)
	if err != nil {
		return "", err
	}
	return path, formats.CheckOutput(path)
}

// furtherPage tells whether path is a file that belongs to the file that was asked for: the pages after the first of a report
// (out-2.png beside out.png), and the pictures of a Markdown text (out-fig1.png beside out.md).
func furtherPage(path, outFile string) bool {
	if !samePath(filepath.Dir(path), filepath.Dir(outFile)) {
		return false
	}
	ext := filepath.Ext(outFile)
	stem := strings.TrimSuffix(filepath.Base(outFile), ext) + "-"
	if strings.EqualFold(ext, ".md") {
		stem, ext = stem+"fig", ".png"
	}
	name := filepath.Base(path)
	number, begins := strings.CutPrefix(name, stem)
	number, ends := strings.CutSuffix(number, ext)
	if !begins || !ends || number == "" || number[0] == '0' {
		return false
	}
	_, err := strconv.ParseUint(number, 10, 32)
	return err == nil
}

// contained is Output inside the output folder.
func (f *Files) contained(path string) (string, error) {
	out, err := filepath.Abs(f.policy.Out)
	if err != nil {
		return "", err
	}
	target := filepath.Clean(path)
	if !filepath.IsAbs(target) {
		target = filepath.Join(out, target)
	}
	rel, err := filepath.Rel(out, target)
	if real := realPath(out); err != nil || !filepath.IsLocal(rel) {
		rel, err = filepath.Rel(real, target)
	}
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is outside the output folder %s; choose another one with --out=DIR", path, out)
	}
	if rel == "." {
		return "", fmt.Errorf("%s is the output folder itself, not a file", path)
	}
	if hidden(rel) {
		return "", fmt.Errorf("%s is hidden: a script writes no files whose name begins with a dot, because they configure programs", path)
	}
	if err := formats.CheckOutputFolder(out); err != nil {
		return "", err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(out)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return "", err
	}
	defer root.Close()
	dir := filepath.Join(real, filepath.Dir(rel))
	if dir != real {
		switch err := root.MkdirAll(filepath.Dir(rel), 0o777); {
		case errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("write %s: in this path a file stands where a folder should", path)
		case err != nil:
			return "", plain(path, err)
		}
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return "", plain(path, err)
		}
		if !within(real, dir) {
			return "", fmt.Errorf("%s is outside the output folder %s: a symbolic link leads to %s", path, out, dir)
		}
	}
	file := filepath.Join(dir, filepath.Base(rel))
	switch info, err := os.Lstat(file); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", plain(path, err)
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder, not a file", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a symbolic link or another special file: a script writes regular files only; remove it first", path)
	}
	return asWritten(target, file), nil
}

// asWritten shows a real path as the script wrote it, where no link makes the two differ, relative to the working directory
// where it is below it.
func asWritten(path, real string) string {
	if clean := filepath.Clean(path); !filepath.IsAbs(clean) && samePath(clean, real) {
		return clean
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, real); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return real
}

// plain is an error of the system that names the path as the script wrote it.
func plain(path string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}
