// Package scaffold makes the folder of a new analysis: a script, its test, and what a build server runs.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"astrolabe/capture/formats"
)

//go:embed all:template
var template embed.FS

// root is the folder of the embedded files; their names end in suffix there, so that tools leave them alone.
const (
	root   = "template"
	suffix = ".txt"
)

type file struct {
	path string
	text []byte
	mode fs.FileMode
}

// Write makes the files of a new analysis in dir, which is made where it does not exist, and returns their paths. Where
// one of them exists already nothing is written, and the error names them.
func Write(dir string) ([]string, error) {
	var files []file
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
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return write(files)
}

// Copy makes copies of triage scripts of a library, such as "mali", with the files that they are divided into and their
// tests, in dir. Copies load copies, and a copied test tests the copy.
func Copy(dir string, library fs.FS, names ...string) ([]string, error) {
	var files []file
	for _, name := range names {
		from := "triage/" + name + ".star"
		text, err := fs.ReadFile(library, from)
		if err != nil {
			known, globErr := fs.Glob(library, "triage/*.star")
			if globErr != nil {
				return nil, globErr
			}
			var list []string
			for _, k := range known {
				if k = strings.TrimSuffix(path.Base(k), ".star"); !strings.HasSuffix(k, "_test") {
					list = append(list, k)
				}
			}
			return nil, fmt.Errorf("there is no triage script %q; there are %s", name, strings.Join(list, ", "))
		}
		modules, err := fs.Glob(library, "triage/"+name+"/*.star")
		if err != nil {
			return nil, err
		}
		for _, m := range modules {
			part, err := fs.ReadFile(library, m)
			if err != nil {
				return nil, err
			}
			files = append(files, file{filepath.Join(dir, name, path.Base(m)), loading(part, path.Dir(m)+"/", ""), 0o666})
		}
		files = append(files, file{filepath.Join(dir, name+".star"), loading(text, "triage/"+name+"/", name+"/"), 0o666})
		if test, err := fs.ReadFile(library, "triage/"+name+"_test.star"); err == nil {
			test = loading(loading(test, from, name+".star"), "triage/"+name+"/", name+"/")
			files = append(files, file{filepath.Join(dir, name+"_test.star"), test, 0o666})
		}
	}
	return write(files)
}

// loading is a script that loads what begins with a path of the library from another path.
func loading(script []byte, from, to string) []byte {
	return bytes.ReplaceAll(script, []byte(`"@astrolabe//`+from), []byte(`"`+to))
}

// write makes files that must not exist, and returns their paths.
func write(files []file) ([]string, error) {
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(f.path); err == nil {
			there = append(there, f.path)
		}
	}
	if len(there) > 0 {
		return nil, fmt.Errorf("nothing was written, because there is already %s: choose another folder (%w)",
			strings.Join(there, ", "), fs.ErrExist)
	}
	for _, f := range files {
		if err := formats.CheckOutput(f.path); err != nil {
			return nil, err
		}
	}
	var paths []string
	for _, f := range files {
		if err := f.write(); err != nil {
			for _, p := range paths {
				os.Remove(p) // half an analysis would be in the way of the next attempt
			}
			return nil, formats.WriteError(f.path, err)
		}
		paths = append(paths, f.path)
	}
	return paths, nil
}

// write makes the file whole or not at all.
func (f *file) write() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o777); err != nil {
		return err
	}
	out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
	if err != nil {
		return err
	}
	_, err = out.Write(f.text)
	if err = errors.Join(err, out.Close()); err != nil {
		os.Remove(f.path)
	}
	return err
}
