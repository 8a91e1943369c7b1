// Package scaffold makes the folder of a new analysis: a script, its test, and what a build server runs.
package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed all:template
var template embed.FS

// root is the folder of the embedded files; their names end in suffix there, so that tools leave them alone.
const (
	root   = "template"
	suffix = ".txt"
)

// Write makes the files of a new analysis in dir, which is made where it does not exist, and returns their paths. Where one of them
// exists already nothing is written, and the error names them.
func Write(dir string) ([]string, error) {
	type file struct {
		path string
		text []byte
		mode fs.FileMode
	}
	var files []file
	var there []string
	err := fs.WalkDir(template, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := template.ReadFile(name)
		if err != nil {
			return err
		}
		rel := strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), suffix)
		f := file{filepath.Join(dir, filepath.FromSlash(rel)), text, 0o666}
		if path.Ext(rel) == ".sh" {
			f.mode = 0o777
		}
		if _, err := os.Lstat(f.path); err == nil {
			there = append(there, f.path)
		}
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(there) > 0 {
		return nil, fmt.Errorf("nothing was written, because there is already %s: choose another folder (%w)", strings.Join(there, ", "), fs.ErrExist)
	}
	var paths []string
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
			return paths, err
		}
		out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
		if err != nil {
			return paths, err
		}
		_, err = out.Write(f.text)
		if err := errors.Join(err, out.Close()); err != nil {
			return paths, err
		}
		paths = append(paths, f.path)
	}
	return paths, nil
}
