package lsp

import (
	"cmp"
	"context"
	"slices"

	"go.starlark.net/syntax"

	"astrolabe/internal/script/infer"
)

// variable is what an identifier stands for, in the file that binds it.
type variable struct {
	file  *infer.File
	first *syntax.Ident
	of    *syntax.DefStmt // whose parameter it is; nil of others
}

// name is what the variable is called where it is bound.
func (v *variable) name() string { return v.first.Name }

// global reports whether other files may load it.
func (v *variable) global() bool { return v.file.Global(v.first.Name) == v.first }

// occurrence is a place where a variable is named.
type occurrence struct {
	file  *infer.File
	at    *syntax.Ident
	binds bool // it is the first binding
	alias bool // by another name, that a load statement gave it
}

// variableAt finds the variable that is named at a place of the document, which is read as part of a world; nil where
// none is, or one that no script binds.
func (d *document) variableAt(f *infer.File, at position) (*variable, *syntax.Ident) {
	here := *d
	here.file = f
	nodes := here.nodes(at)
	if len(nodes) == 0 {
		return nil, nil
	}
	line, col := d.place(d.offset(at))
	for _, n := range nodes {
		load, ok := n.(*syntax.LoadStmt)
		if !ok {
			continue
		}
		for i, from := range load.From {
			for _, id := range []*syntax.Ident{from, load.To[i]} {
				if covers(id, line, col) {
					if v := originOf(f, infer.First(load.To[i])); v != nil {
						return v, id
					}
				}
			}
		}
		return nil, nil
	}
	id, ok := nodes[len(nodes)-1].(*syntax.Ident)
	if !ok {
		return nil, nil
	}
	if first := infer.First(id); first != nil {
		return originOf(f, first), id
	}
	if call := callAround(nodes[:len(nodes)-1]); call != nil {
		if fn := f.Type(call.Fn); fn.Kind == infer.Def {
			if p := parameterOf(fn.Def, id.Name); p != nil && keywordOf(nodes[len(nodes)-2]) == id {
				return &variable{fn.File, infer.First(p), fn.Def}, id
			}
		}
	}
	return nil, nil
}

// originOf follows load statements to where a variable is bound.
func originOf(f *infer.File, first *syntax.Ident) *variable {
	if first == nil {
		return nil
	}
	const maxChain = 100 // of files that pass a name on
	for range maxChain {
		stmt, name, ok := f.Loaded(first)
		if !ok {
			break
		}
		m, err := f.Load(stmt)
		if err != nil || m.Global(name) == nil {
			return nil
		}
		f, first = m, m.Global(name)
	}
	v := &variable{file: f, first: first}
	syntax.Walk(f.Syntax, func(n syntax.Node) bool {
		if def, ok := n.(*syntax.DefStmt); ok {
			if p := parameterOf(def, first.Name); p != nil && infer.First(p) == first {
				v.of = def
			}
		}
		return v.of == nil
	})
	return v
}

// parameterOf is the parameter of a function that can be given by name; nil where it has none of that name.
func parameterOf(def *syntax.DefStmt, name string) *syntax.Ident {
	for _, p := range def.Params {
		if b, ok := p.(*syntax.BinaryExpr); ok {
			p = b.X
		}
		if id, ok := p.(*syntax.Ident); ok && id.Name == name {
			return id
		}
	}
	return nil
}

// keywordOf is the name of an argument that has one.
func keywordOf(n syntax.Node) *syntax.Ident {
	if b, ok := n.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
		if id, ok := b.X.(*syntax.Ident); ok {
			return id
		}
	}
	return nil
}

// occurrences lists every place in files where a variable is named, and whether a call may name it in a way that
// cannot be seen: a parameter, by **.
func (v *variable) occurrences(ctx context.Context, files []*infer.File) (out []occurrence, unseen bool, err error) {
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if f.Syntax == nil {
			continue
		}
		o := occurrences{v: v, f: f}
		o.collect()
		out = append(out, o.found...)
		unseen = unseen || o.unseen
	}
	slices.SortStableFunc(out, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.file.Source.Key, b.file.Source.Key), comparePos(a.at.NamePos, b.at.NamePos))
	})
	return slices.CompactFunc(out, func(a, b occurrence) bool {
		return a.file == b.file && comparePos(a.at.NamePos, b.at.NamePos) == 0
	}), unseen, nil
}

func comparePos(a, b syntax.Position) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// occurrences are those in one file.
type occurrences struct {
	v      *variable
	f      *infer.File
	found  []occurrence
	unseen bool
}

func (o *occurrences) collect() {
	firsts := map[*syntax.Ident]bool{} // what stands for the variable here; true where by another name
	home := o.f.Source.Key == o.v.file.Source.Key
	if home {
		firsts[o.v.first] = false
	} else if !o.v.global() && o.v.of == nil {
		return
	}
	for _, s := range o.f.Syntax.Stmts {
		load, ok := s.(*syntax.LoadStmt)
		if !ok || home || !o.v.global() {
			continue
		}
		for i, from := range load.From {
			to := infer.First(load.To[i])
			v := originOf(o.f, to)
			if v == nil || v.first != o.v.first {
				continue
			}
			alias := load.To[i].NamePos != from.NamePos
			o.found = append(o.found, occurrence{file: o.f, at: from})
			firsts[to] = alias
		}
	}
	syntax.Walk(o.f.Syntax, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Ident:
			if alias, ok := firsts[infer.First(n)]; ok && infer.First(n) != nil {
				o.found = append(o.found, occurrence{o.f, n, n == o.v.first, alias})
			}
		case *syntax.CallExpr:
			o.keywords(n)
		}
		return true
	})
}

// keywords notes where a call gives a parameter by its name.
func (o *occurrences) keywords(call *syntax.CallExpr) {
	if o.v.of == nil {
		return
	}
	if fn := o.f.Type(call.Fn); fn.Kind != infer.Def || fn.Def != o.v.of {
		return
	}
	for _, a := range call.Args {
		if u, ok := a.(*syntax.UnaryExpr); ok && u.Op == syntax.STARSTAR {
			o.unseen = true
		}
		if id := keywordOf(a); id != nil && id.Name == o.v.name() {
			o.found = append(o.found, occurrence{file: o.f, at: id})
		}
	}
}

// references lists where what stands at a place is named, in every script of the client's folders.
func (d *document) references(ctx context.Context, at position, declaration bool) ([]location, error) {
	out := []location{}
	w := d.s.world()
	v, _ := d.variableAt(w.Read(d.file.Source), at)
	if v == nil {
		return out, nil
	}
	found, _, err := d.s.whereNamed(ctx, w, v)
	if err != nil {
		return nil, err
	}
	for _, o := range found {
		if o.binds && !declaration {
			continue
		}
		if l := d.in(o.file.Source, o.at.NamePos, endOf(o.at)); l != nil {
			out = append(out, *l)
		}
	}
	return out, nil
}

func endOf(n syntax.Node) syntax.Position {
	_, end := infer.Span(n)
	return end
}

// whereNamed is occurrences in all the scripts that may name the variable.
func (s *server) whereNamed(ctx context.Context, w *infer.World, v *variable) ([]occurrence, bool, error) {
	files := []*infer.File{v.file}
	if v.global() || v.of != nil {
		more, err := s.containing(ctx, w, v.name())
		if err != nil {
			return nil, false, err
		}
		for _, f := range more {
			if f.Source.Key != v.file.Source.Key {
				files = append(files, f)
			}
		}
	}
	return v.occurrences(ctx, files)
}
