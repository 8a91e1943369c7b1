package infer

import (
	"errors"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/internal/script"
)

// World reads files and remembers what it found out about those that do not change meanwhile.
type World struct {
	reader *script.Reader
	files  map[string]*File
}

// NewWorld returns a World that follows load statements through reader.
func NewWorld(reader *script.Reader) *World { return &World{reader, map[string]*File{}} }

// Reader is what the World reads with.
func (w *World) Reader() *script.Reader { return w.reader }

// Error is a mistake for which the file would not run.
type Error struct {
	Pos syntax.Position
	Msg string
}

// File is a script whose names are resolved.
type File struct {
	Source     *script.Source
	Syntax     *syntax.File // nil where the file does not parse
	Errors     []Error      // of syntax, and of names
	GPU        string       // by a comment "# gpu: ID"; "" where there is none
	GPUComment Comment      // that comment

	world       *World
	predeclared starlark.StringDict
	sources     map[*syntax.Ident][]func() *Type // what is assigned to a variable, by its first use
	uses        map[*syntax.Ident][]*syntax.Ident
	calls       map[*syntax.Ident][]*syntax.CallExpr // by the First of the function
	loaded      map[*syntax.Ident]loadedName
	parents     map[*syntax.DefStmt]*syntax.DefStmt

	types  map[syntax.Expr]*Type
	vars   map[*syntax.Ident]*Type
	busy   map[any]bool
	cycles int
	steps  int
	scope  []*resolve.Function // of text that is no part of the file
	consts map[*syntax.Ident]*constant
}

type loadedName struct {
	stmt *syntax.LoadStmt
	name string
}

// Read resolves a file.
func (w *World) Read(s *script.Source) *File {
	f := &File{
		Source: s, world: w, predeclared: script.Predeclared(s.Name), sources: map[*syntax.Ident][]func() *Type{},
		uses: map[*syntax.Ident][]*syntax.Ident{}, calls: map[*syntax.Ident][]*syntax.CallExpr{},
		loaded:  map[*syntax.Ident]loadedName{},
		parents: map[*syntax.DefStmt]*syntax.DefStmt{}, types: map[syntax.Expr]*Type{}, vars: map[*syntax.Ident]*Type{},
		busy: map[any]bool{},
	}
	w.files[s.Key] = f
	f.GPU, f.GPUComment = gpuComment(s.Text)
	file, err := s.Parse()
	if err != nil {
		var e syntax.Error
		if errors.As(err, &e) {
			f.Errors = []Error{{e.Pos, e.Msg}}
		} else {
			f.Errors = []Error{{syntax.MakePosition(&s.Name, 1, 1), err.Error()}}
		}
		return f
	}
	f.Syntax = file
	if err := resolve.File(file, f.predeclared.Has, starlark.Universe.Has); err != nil {
		var list resolve.ErrorList
		if errors.As(err, &list) {
			for _, e := range list {
				f.Errors = append(f.Errors, Error{e.Pos, e.Msg})
			}
		}
	}
	f.index()
	return f
}

// gpuComment finds a comment of the form "# gpu: ID".
func gpuComment(text []byte) (string, Comment) {
	for _, c := range Comments(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(c.Text, "#")), "gpu:")
		if id := strings.TrimSpace(rest); ok && id != "" && !strings.ContainsAny(id, " \t") {
			return id, c
		}
	}
	return "", Comment{}
}

// Load is the file that a load statement names.
func (f *File) Load(stmt *syntax.LoadStmt) (*File, error) {
	s, err := f.world.reader.Load(f.Source, stmt.ModuleName())
	if err != nil {
		return nil, err
	}
	return f.world.Known(s), nil
}

// Known is what Read returned for the file before, where its text is still the same; else it reads the file.
func (w *World) Known(s *script.Source) *File {
	if old := w.files[s.Key]; old != nil && string(old.Source.Text) == string(s.Text) {
		return old
	}
	return w.Read(s)
}

// Globals are the global names of the file, which others may load, by their First.
func (f *File) Globals() []*syntax.Ident {
	m := f.module()
	if m == nil {
		return nil
	}
	return firsts(m.Globals)
}

// Global is the First of a global name of the file, nil where there is none.
func (f *File) Global(name string) *syntax.Ident { return find(f.Globals(), name) }

// Visible are the names that the whole file sees and binds itself: its globals and what it loads.
func (f *File) Visible() []*syntax.Ident {
	m := f.module()
	if m == nil {
		return nil
	}
	return append(firsts(m.Globals), firsts(m.Locals)...)
}

// top is the First of a name that the whole file sees, nil where there is none.
func (f *File) top(name string) *syntax.Ident { return find(f.Visible(), name) }

func (f *File) module() *resolve.Module {
	if f.Syntax == nil {
		return nil
	}
	m, _ := f.Syntax.Module.(*resolve.Module)
	return m
}

func firsts(bindings []*resolve.Binding) []*syntax.Ident {
	var out []*syntax.Ident
	for _, b := range bindings {
		out = append(out, b.First)
	}
	return out
}

func find(list []*syntax.Ident, name string) *syntax.Ident {
	for _, id := range list {
		if id.Name == name {
			return id
		}
	}
	return nil
}

// First is the identifier that stands for the variable that id names: its first use. It is nil of names that the file
// does not bind.
func First(id *syntax.Ident) *syntax.Ident {
	b, ok := id.Binding.(*resolve.Binding)
	if !ok {
		return nil
	}
	switch b.Scope {
	case resolve.Local, resolve.Cell, resolve.Free, resolve.Global:
		return b.First
	}
	return nil
}

// Uses lists where a variable is read, by its First.
func (f *File) Uses(first *syntax.Ident) []*syntax.Ident { return f.uses[first] }

// Loaded says which name of which module a variable stands for.
func (f *File) Loaded(first *syntax.Ident) (stmt *syntax.LoadStmt, name string, ok bool) {
	l, ok := f.loaded[first]
	return l.stmt, l.name, ok
}

// Predeclared are the names that the file sees without binding them.
func (f *File) Predeclared() starlark.StringDict { return f.predeclared }

// Locals are the variables of the functions of path, innermost first, by their First.
func (f *File) Locals(path []syntax.Node) []*syntax.Ident {
	var out []*syntax.Ident
	for _, fn := range scopes(path) {
		out = append(out, firsts(fn.Locals)...)
	}
	return out
}

// Siblings is Reader.Siblings of the file.
func (f *File) Siblings(name string) []string { return f.world.reader.Siblings(f.Source, name) }
