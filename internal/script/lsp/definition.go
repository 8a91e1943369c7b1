package lsp

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.starlark.net/syntax"

	"astrolabe/capture/formats"
	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
)

// definition is where what stands at a place is bound; nil where that is nowhere in a script.
func (d *document) definition(at position) *location {
	if d.file.Syntax == nil {
		return d.lastDefinition(at)
	}
	nodes := d.nodes(at)
	if len(nodes) == 0 {
		return nil
	}
	var load *syntax.LoadStmt
	for _, n := range nodes {
		if l, ok := n.(*syntax.LoadStmt); ok {
			load = l
		}
	}
	if load != nil {
		return d.loadedAt(load, at)
	}
	id, ok := nodes[len(nodes)-1].(*syntax.Ident)
	if !ok {
		return nil
	}
	first := infer.First(id)
	if first == nil {
		return nil
	}
	return d.binding(d.file, first)
}

// loadedAt is what a part of a load statement names: the file, or a name of it.
func (d *document) loadedAt(load *syntax.LoadStmt, at position) *location {
	m, err := d.file.Load(load)
	if err != nil {
		return nil
	}
	line, col := d.place(d.offset(at))
	for i, from := range load.From {
		if covers(from, line, col) || covers(load.To[i], line, col) {
			if first := m.Global(from.Name); first != nil {
				return d.binding(m, first)
			}
			return nil
		}
	}
	return d.in(m.Source, syntax.MakePosition(nil, 1, 1), syntax.MakePosition(nil, 1, 1))
}

// binding is where a variable of a file is bound first; of what is loaded, in the file that it comes from.
func (d *document) binding(f *infer.File, first *syntax.Ident) *location {
	const maxChain = 100 // of files that pass a name on
	for range maxChain {
		stmt, name, ok := f.Loaded(first)
		if !ok {
			break
		}
		m, err := f.Load(stmt)
		if err != nil || m.Global(name) == nil {
			break
		}
		f, first = m, m.Global(name)
	}
	start, end := infer.Span(first)
	return d.in(f.Source, start, end)
}

// in is a place in a file; nil where no editor can open the file.
func (d *document) in(s *script.Source, start, end syntax.Position) *location {
	target := newTarget(d, s)
	if target == nil {
		return nil
	}
	return &location{target.uri, target.between(start, end)}
}

// newTarget is a document to point into, whether it is open or not.
func newTarget(d *document, s *script.Source) *document {
	if s.Key == d.file.Source.Key {
		return d
	}
	path := s.Path
	if path == "" {
		path = d.s.cached(s)
	}
	if path == "" {
		return nil
	}
	uri := uriOf(path)
	for _, open := range d.s.docs {
		if open.file.Source.Key == s.Key {
			uri = open.uri
		}
	}
	return plain(d.s, uri, path, string(s.Text))
}

// cached puts a file of the built-in library where an editor can open it, and returns its path; "" where that cannot be
// done.
func (s *server) cached(src *script.Source) string {
	name, ok := strings.CutPrefix(src.Name, "@astrolabe//")
	if s.opt.Cache == "" || !ok {
		return ""
	}
	path := filepath.Join(s.opt.Cache, filepath.FromSlash(name))
	if old, err := os.ReadFile(path); err == nil && string(old) == string(src.Text) {
		return path
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return ""
	}
	err := formats.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(src.Text)
		return err
	})
	if err != nil {
		return ""
	}
	return path
}
