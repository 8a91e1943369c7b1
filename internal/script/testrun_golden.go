package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// goldenFolder is where golden files lie, beside the test file.
const goldenFolder = "testdata"

// golden compares text with a golden file of the test file, or writes it there. It is assert.golden.
func (f *fileRun) golden(name, text string) error {
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) || local == "." {
		return fmt.Errorf("the golden file %q is not below %s: write its name relative to that folder beside the test file", name, goldenFolder)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // as editors leave files
	}
	root, err := os.OpenRoot(filepath.Dir(f.file))
	if err != nil {
		return err
	}
	defer root.Close()
	local = filepath.Join(goldenFolder, local)
	shown := path.Join(path.Dir(filepath.ToSlash(f.file)), filepath.ToSlash(local))
	want, err := root.ReadFile(local)
	switch {
	case err == nil && string(want) == text:
		return nil
	case f.opt.Update:
		if err := root.MkdirAll(filepath.Dir(local), 0o777); err != nil {
			return err
		}
		if err := root.WriteFile(local, []byte(text), 0o666); err != nil {
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
		strings.TrimSuffix(string(diff.Diff(shown, want, "got", []byte(text))), "\n"))
}
