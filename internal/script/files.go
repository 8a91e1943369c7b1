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

	"astrolabe/builtins/binding"
	"astrolabe/capture/formats"
)

// Files is what a run may read and write under a Policy.
//
// Open and the making of folders go through os.Root, so that no symbolic link leads out of an allowed folder, not even
// one that is made meanwhile. Input and Output return paths, because readers map files and writers rename them into
// place: links are resolved first, the last one too, and what is allowed is decided on the result. Between that and the
// use another process could put a link there. A script cannot, because nothing that it can call makes links; so only
// somebody who may write there anyway could.
type Files struct {
	policy  Policy
	folders []string // real paths that may be read with all below
	files   []string // real paths of single files that may be read

	mu      sync.Mutex
	written map[string]bool // real paths that the run wrote itself
}

var _ binding.Files = (*Files)(nil)

// newFiles checks that what the policy lets read exists.
func newFiles(p Policy) (*Files, error) {
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
		return formats.OpenRegular(path)
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

// Input returns where to read a file or folder from. Of a folder, every symbolic link below it must stay inside what
// may be read, unless the folder itself was given by the user.
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
		return f.checkLink(path, file, real)
	})
}

// checkLink checks that a link in a folder leads to what is in that folder or may be read anyway.
func (f *Files) checkLink(path, link, folder string) error {
	target := realPath(link)
	if within(folder, target) || f.rootOf(target) != "" {
		return nil
	}
	return fmt.Errorf("%s: the symbolic link %s leads to %s, %s", path, displayName(link), target, f.allowed())
}

// Beside checks what a format reads because a file beside it was opened, or that file's folder. What lies there may be
// read as the file may; a link must not lead out of there to what the run may not read.
func (f *Files) Beside(path string) error {
	if f.policy.AnyRead {
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return plain(path, err)
	}
	folder := realPath(path)
	if !info.IsDir() {
		if folder = realPath(filepath.Dir(path)); info.Mode()&fs.ModeSymlink == 0 {
			return nil
		}
		return f.checkLink(path, path, folder)
	}
	return f.checkLinks(path, folder)
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
	if f.wroteItself(real) {
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
	return fmt.Sprintf("outside what this script may read (%s); allow more with --allow-read=DIR",
		strings.Join(all, ", "))
}

// wrote makes a file that the run wrote readable for it: it holds nothing that the run did not know.
func (f *Files) wrote(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written[realPath(path)] = true
}

// Output returns where to write a file, once a file can be made there. What writes it makes the folders above it. A
// contained run writes no hidden files: those configure programs, such as git.
func (f *Files) Output(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	if f.policy.OutFile != "" {
		if samePath(path, f.policy.OutFile) {
			return givenOutput(path)
		}
		if furtherPage(path, f.policy.OutFile) {
			if info, err := os.Lstat(filepath.Clean(path)); err == nil && !info.Mode().IsRegular() {
				return "", fmt.Errorf("%s is no regular file: remove it first", path) // it was not named by the user
			}
			return givenOutput(path)
		}
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

// furtherPage tells whether path is a file that belongs to the file that was asked for: the pages after the first of a
// report (out-2.png beside out.png), and the pictures of a Markdown text (out-fig1.png beside out.md).
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

// givenOutput is Output for a file that the user named. What the script wrote is the same path but for dots, which must
// not lead back over a link.
func givenOutput(path string) (string, error) {
	path = filepath.Clean(path)
	if real := realPath(path); formats.CheckAdministration(filepath.Dir(real), real) != nil && !samePath(path, real) {
		return "", fmt.Errorf("%s leads through a symbolic link to %s: %w", path, real, formats.ErrAdministration)
	}
	return path, formats.CheckOutput(path)
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
	real := realPath(out)
	rel, err := filepath.Rel(out, target)
	if err != nil || !filepath.IsLocal(rel) {
		rel, err = filepath.Rel(real, target)
	}
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is outside the output folder %s; choose another one with --out=DIR", path, out)
	}
	if rel == "." {
		return "", fmt.Errorf("%s is the output folder itself, not a file", path)
	}
	file, err := follow(real, rel)
	switch {
	case errors.Is(err, errLedOut):
		return "", fmt.Errorf("%s is outside the output folder %s: %w", path, out, err)
	case errors.Is(err, errInTheWay):
		return "", fmt.Errorf("write %s: %w", path, err)
	case err != nil:
		return "", plain(path, err)
	}
	// The names are judged when every link is resolved: those that the script wrote say nothing about where they lead.
	if err := f.mayHold(real, file); err != nil {
		if file != filepath.Join(real, rel) {
			path += ", which leads to " + displayName(file) + ","
		}
		return "", fmt.Errorf("%s may not be written by a script: %w", path, err)
	}
	if err := formats.CheckOutputFolder(out); err != nil {
		return "", err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if rel, err = filepath.Rel(real, file); err != nil {
		return "", err
	}
	if dir := filepath.Dir(rel); dir != "." {
		switch err := root.MkdirAll(dir, 0o777); {
		case errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("write %s: %w", path, errInTheWay)
		case err != nil:
			return "", plain(path, err)
		}
	}
	switch info, err := root.Lstat(rel); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", plain(path, err)
	case info.IsDir():
		return "", fmt.Errorf("%s is a folder, not a file", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a special file: a script writes regular files only; remove it first", path)
	}
	return asWritten(target, file), nil
}

// Errors of follow, which the caller words: a link leads out of the folder, or a file has the name of a folder.
var (
	errLedOut   = errors.New("a symbolic link leads out")
	errInTheWay = errors.New("in this path a file stands where a folder should")
)

// follow resolves every link of a path below a real folder, the last one too. What does not exist yet keeps its name. A
// link whose target does not exist cannot be judged and is refused.
func follow(dir, rel string) (string, error) {
	at := dir
	parts := strings.Split(filepath.Clean(rel), string(filepath.Separator))
	for i, part := range parts {
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return filepath.Join(at, filepath.Join(parts[i:]...)), nil
		case err != nil:
			return "", err
		case info.Mode().IsRegular() && i < len(parts)-1:
			return "", errInTheWay
		}
		// Also where it is no link: some systems have other things that lead elsewhere.
		if at, err = filepath.EvalSymlinks(next); err != nil {
			return "", fmt.Errorf("the symbolic link %s leads nowhere: remove it first", displayName(next))
		}
		if !within(dir, at) {
			return "", fmt.Errorf("%w, to %s", errLedOut, at)
		}
	}
	return at, nil
}

// mayHold says why a contained run may not write a file, whose path below the output folder is free of links.
func (f *Files) mayHold(out, file string) error {
	rel, err := filepath.Rel(out, file)
	if err != nil {
		return err
	}
	if hidden(rel) {
		return errors.New("it is hidden: files and folders whose names begin with a dot configure programs")
	}
	if err := formats.CheckAdministration(out, file); err != nil {
		return err
	}
	switch name := formats.FoldName(filepath.Base(file)); {
	case name == repoMarks[0]:
		return fmt.Errorf("%s widens what scripts may read: make it yourself", repoMarks[0])
	case name == "rc.star":
		return errors.New("it runs when a session begins: make it yourself")
	case strings.HasSuffix(name, sourceSuffix) && !f.wroteItself(file):
		if _, err := os.Lstat(file); err == nil {
			return errors.New("it replaces a script, which may be run with more rights: remove it first")
		}
	case isProgram(file) && !f.wroteItself(file):
		return errors.New("it replaces a program, which may be run with more rights: remove it first")
	}
	return nil
}

// isProgram reports whether a file is there that a shell would run, by its content: on some file systems all files may
// be executed.
func isProgram(file string) bool {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return false
	}
	r, err := os.Open(file)
	if err != nil {
		return false // what cannot be read is told by its writer
	}
	defer r.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(r, head) // a shorter file has less
	for _, magic := range []string{"#!", "\x7fELF", "MZ"} {
		if strings.HasPrefix(string(head[:n]), magic) {
			return true
		}
	}
	return false
}

// wroteItself reports whether the run wrote the file at a real path.
func (f *Files) wroteItself(real string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.written[real]
}

// asWritten shows a real path as the script wrote it, where no link makes the two differ, relative to the working
// directory where it is below it.
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
