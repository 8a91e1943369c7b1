package script

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"astrolabe/capture/formats"
)

// goldenFolder is where golden files lie, beside the test file.
const goldenFolder = "testdata"

// golden compares text with a golden file of the test file, or writes it there. It is assert.golden.
func (f *fileRun) golden(name, text string) error {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) || local == "." {
		return fmt.Errorf(
			"the golden file %q is not below %s: write its name relative to that folder beside the test file",
			name, goldenFolder)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // as editors leave files
	}
	files, folder, err := f.goldenFiles()
	if err != nil {
		return err
	}
	file := filepath.Join(folder, goldenFolder, local)
	shown := path.Join(path.Dir(filepath.ToSlash(f.file)), goldenFolder, filepath.ToSlash(filepath.Clean(local)))
	want, err := readGolden(files, file)
	switch {
	case err == nil && want == text:
		return nil
	case f.opt.Update:
		out, err := files.Output(file)
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
		if err := formats.WriteFile(out, write); err != nil {
			return err
		}
		fmt.Fprintln(&f.out, shown)
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no golden file %s yet: astrolabe test --update writes it", shown)
	case err != nil:
		return err
	}
	return fmt.Errorf("it differs from %s; where the new text is right, astrolabe test --update writes it\n%s", shown,
		strings.TrimSuffix(string(diff.Diff(shown, []byte(want), "got", []byte(text))), "\n"))
}

// goldenFiles is what golden files may be, the repository of the test file, and the real folder of that file. Links
// inside of the repository are followed, out of it they are not.
func (f *fileRun) goldenFiles() (files *Files, folder string, err error) {
	abs, err := filepath.Abs(filepath.Dir(f.file))
	if err != nil {
		return nil, "", err
	}
	folder = realPath(abs)
	root := Root(filepath.Join(folder, filepath.Base(f.file)))
	files, err = newFiles(Policy{Repo: root, Read: f.opt.Policy.Read, Out: root})
	return files, folder, err
}

func readGolden(files *Files, path string) (string, error) {
	r, err := files.Open(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}
