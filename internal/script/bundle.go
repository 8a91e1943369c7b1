package script

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// Bundle is a script with the files that it loads, directly or not, as they were when it was made: what a run in
// another process, or much later, needs of the disk. Modules of the built-in library are not in it; every program has
// them.
//
// A Bundle serves one Runner after the other, and compiles each file once for all of them.
type Bundle struct {
	Main   string                 `json:"main"` // key of the script
	Files  map[string]BundledFile `json:"files,omitempty"`
	Tables map[string]string      `json:"tables,omitempty"` // keys of the files of the folder tables, see table

	programs map[string]*starlark.Program
	flags    map[string]scanned
}

// BundledFile is a file of a Bundle.
type BundledFile struct {
	Name  string            `json:"name"` // as errors show it
	Text  string            `json:"text"`
	Base  string            `json:"base"`  // folder that relative loads begin in
	Fence string            `json:"fence"` // folder that loads may not leave
	Loads map[string]string `json:"loads,omitempty"`
}

// scanned is what is known of the flags of a file.
type scanned struct {
	set   *flagSet
	loads []string
}

// NewBundle reads a script that the user named, a path or a name of the library, and what it loads. A file that cannot
// be read is an error only where it is the script itself; the run tells the others.
func NewBundle(library fs.FS, name string) (*Bundle, error) {
	r := NewReader(library)
	main, err := r.File(name)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Main: main.Key, Files: map[string]BundledFile{}, Tables: map[string]string{}}
	b.add(r, main)
	root, ok := FindRepo(".")
	if !ok {
		return b, nil
	}
	real := realPath(root)
	entries, err := os.ReadDir(filepath.Join(real, tablesFolder))
	if err != nil {
		return b, nil // most repositories have no tables of their own
	}
	from := newSource(&module{base: real, fence: real})
	for _, e := range entries {
		file := tablesFolder + "/" + e.Name()
		if !strings.HasSuffix(file, sourceSuffix) || isTestFile(file) {
			continue
		}
		s, err := r.Load(from, file)
		if err != nil {
			return nil, fmt.Errorf("the table %s: %w", file, err)
		}
		b.Tables[file] = s.Key
		b.add(r, s)
	}
	return b, nil
}

// add puts a file into the bundle, and all that it loads.
func (b *Bundle) add(r *Reader, s *Source) {
	for queue := []*Source{s}; len(queue) > 0 && len(b.Files) < maxLoaded; queue = queue[1:] {
		s := queue[0]
		if _, ok := b.Files[s.Key]; ok || s.m.library {
			continue
		}
		f := BundledFile{Name: s.Name, Text: string(s.Text), Base: s.m.base, Fence: s.m.fence,
			Loads: map[string]string{}}
		for _, name := range loads(s) {
			if next, err := r.Load(s, name); err == nil && !next.m.library {
				f.Loads[name] = next.Key
				queue = append(queue, next)
			}
		}
		b.Files[s.Key] = f
	}
}

// Hash is the SHA-256 of the script and of what it loads, in hexadecimal. It does not depend on where they lie.
func (b *Bundle) Hash() string {
	h := sha256.New()
	seen := map[string]int{}
	var visit func(key string)
	visit = func(key string) {
		if n, ok := seen[key]; ok {
			fmt.Fprintf(h, "again %d\n", n)
			return
		}
		seen[key] = len(seen)
		f, ok := b.Files[key]
		if !ok {
			fmt.Fprintf(h, "library %q\n", key)
			return
		}
		fmt.Fprintf(h, "file %d\n", len(f.Text))
		io.WriteString(h, f.Text)
		for _, name := range slices.Sorted(maps.Keys(f.Loads)) {
			fmt.Fprintf(h, "load %q\n", name)
			visit(f.Loads[name])
		}
	}
	visit(b.Main)
	for _, file := range slices.Sorted(maps.Keys(b.Tables)) {
		fmt.Fprintf(h, "table %q\n", file)
		visit(b.Tables[file])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// module is a file of the bundle for a run.
func (b *Bundle) module(r *Runner, key string) *module {
	if old := r.modules[key]; old != nil {
		return old
	}
	f := b.Files[key]
	return &module{key: key, name: f.Name, base: f.Base, fence: f.Fence, text: []byte(f.Text)}
}

// loaded is the file that a load statement of module from names, nil where the bundle has none.
func (b *Bundle) loaded(r *Runner, from *module, name string) *module {
	if b == nil {
		return nil
	}
	key, ok := b.Files[from.key].Loads[name]
	if !ok {
		return nil
	}
	return b.module(r, key)
}

// LoadBundle does as LoadFile for the script of Options.Bundle.
func (r *Runner) LoadBundle(ctx context.Context) (starlark.StringDict, error) {
	b := r.opt.Bundle
	return r.main(ctx, func() (*module, error) {
		if _, ok := b.Files[b.Main]; ok {
			return b.module(r, b.Main), nil
		}
		return r.libraryModule(strings.TrimPrefix(b.Main, libraryPrefix))
	})
}

// program is a module as it runs, which the bundle keeps.
func (r *Runner) program(m *module) (*starlark.Program, error) {
	b := r.opt.Bundle
	if b == nil {
		return r.compile(m)
	}
	if p := b.programs[m.key]; p != nil {
		return p, nil
	}
	p, err := r.compile(m)
	if err != nil {
		return nil, err
	}
	if b.programs == nil {
		b.programs = map[string]*starlark.Program{}
	}
	b.programs[m.key] = p
	return p, nil
}
