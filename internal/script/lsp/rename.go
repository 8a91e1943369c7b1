package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/jsonrpc2"
	"go.starlark.net/syntax"

	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
)

// refused says why a request that makes sense is not done; the number is the protocol's.
func refused(format string, args ...any) error { return jsonrpc2.Errorf(-32803, format, args...) }

type renamed struct {
	Range       span   `json:"range"`
	Placeholder string `json:"placeholder"`
}

// prepareRename is the name at a place that can be changed; nil where there is none.
func (d *document) prepareRename(at position) *renamed {
	v, id := d.variableAt(d.s.world().Read(d.file.Source), at)
	if v == nil || v.file.Source.Path == "" {
		return nil
	}
	return &renamed{d.node(id), id.Name}
}

// rename gives what stands at a place another name wherever it is named. Before anything is said, the scripts are read
// with that name: where it would come to mean something else somewhere, the rename is refused.
func (d *document) rename(ctx context.Context, at position, name string) (*workspaceEdit, error) {
	if d.file.Syntax == nil {
		return nil, refused("%s cannot be read: mend %s first", d.file.Source.Name, d.file.Errors[0].Msg)
	}
	if x, err := d.file.Source.ParseExpr(name); err != nil {
		return nil, refused("%q is no name", name)
	} else if id, ok := x.(*syntax.Ident); !ok || id.Name != name {
		return nil, refused("%q is no name", name)
	}
	w := d.s.world()
	f := w.Read(d.file.Source)
	v, at1 := d.variableAt(f, at)
	switch {
	case v == nil:
		return nil, refused("nothing that a script binds stands here: only such names can be changed")
	case v.file.Source.Path == "":
		return nil, refused("%s belongs to the built-in library", v.name())
	}
	found, unseen, err := d.s.whereNamed(ctx, w, v)
	if err != nil {
		return nil, err
	}
	if unseen {
		return nil, refused("a call of %s has **: whether that names %s cannot be seen", v.of.Name.Name, v.name())
	}
	if at1.Name != v.name() { // what a load statement calls it here
		found = slices.DeleteFunc(aliasesIn(f, found), func(o occurrence) bool { return o.at.Name != at1.Name })
		v = &variable{file: f, first: infer.First(at1)}
	} else {
		found = slices.DeleteFunc(found, func(o occurrence) bool { return o.alias })
	}
	edit, texts := d.s.edits(found, name)
	if err := d.s.proven(ctx, v, found, texts, name); err != nil {
		return nil, err
	}
	return edit, nil
}

// aliasesIn are the occurrences in a file by a name that it gave itself.
func aliasesIn(f *infer.File, found []occurrence) []occurrence {
	return slices.DeleteFunc(slices.Clone(found), func(o occurrence) bool { return !o.alias || o.file != f })
}

// edits changes occurrences to a name: as the client does it, and the texts that come of it, by the keys of the files.
func (s *server) edits(found []occurrence, name string) (*workspaceEdit, map[string][]byte) {
	edit := &workspaceEdit{Changes: map[string][]textEdit{}}
	texts := map[string][]byte{}
	for len(found) > 0 {
		src := found[0].file.Source
		n := slices.IndexFunc(found, func(o occurrence) bool { return o.file.Source.Key != src.Key })
		if n < 0 {
			n = len(found)
		}
		d := plain(s, s.uriFor(src), src.Path, string(src.Text))
		var out []byte
		from := 0
		for _, o := range found[:n] {
			r := d.node(o.at)
			edit.Changes[d.uri] = append(edit.Changes[d.uri], textEdit{r, name})
			out = append(append(out, d.text[from:d.offset(r.Start)]...), name...)
			from = d.offset(r.End)
		}
		texts[src.Key] = append(out, d.text[from:]...)
		found = found[n:]
	}
	return edit, texts
}

// proven reports a rename that changes what a name stands for: v is named at found, and texts are what comes of it.
func (s *server) proven(ctx context.Context, v *variable, found []occurrence, texts map[string][]byte, name string) error {
	reader := script.NewReader(s.opt.Library)
	reader.Unsaved = func(key string) ([]byte, bool) {
		if text, ok := texts[key]; ok {
			return text, true
		}
		return s.unsaved(key)
	}
	w := infer.NewWorld(reader)
	var files []*infer.File
	for _, o := range found {
		if len(files) > 0 && files[len(files)-1].Source.Key == o.file.Source.Key {
			continue
		}
		f := w.Read(reader.Text(o.file.Source.Path, texts[o.file.Source.Key]))
		if f.Syntax == nil || len(f.Errors) > len(o.file.Errors) {
			return refused("%s would no longer run as %s: %s", v.name(), name, f.Errors[len(f.Errors)-1].Msg)
		}
		files = append(files, f)
	}
	home := slices.IndexFunc(files, func(f *infer.File) bool { return f.Source.Key == v.file.Source.Key })
	if home < 0 {
		return refused("%s is bound where it cannot be changed", v.name())
	}
	// Where the first binding is now: names before it on its line have moved it.
	col := v.first.NamePos.Col
	for _, o := range found {
		if o.file.Source.Key == v.file.Source.Key && o.at.NamePos.Line == v.first.NamePos.Line &&
			o.at.NamePos.Col < v.first.NamePos.Col {
			col += int32(len([]rune(name)) - len([]rune(o.at.Name)))
		}
	}
	var first *syntax.Ident
	syntax.Walk(files[home].Syntax, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id.NamePos.Line == v.first.NamePos.Line && id.NamePos.Col == col {
			first = infer.First(id)
		}
		return true
	})
	now := &variable{file: files[home], first: first}
	if first != nil && v.of != nil {
		now = originOf(files[home], first)
	}
	var again []occurrence
	if first != nil {
		var err error
		if again, _, err = now.occurrences(ctx, files); err != nil {
			return err
		}
	}
	again = slices.DeleteFunc(again, func(o occurrence) bool { return o.at.Name != name })
	if len(again) != len(found) {
		return refused("%s cannot become %s: that name is used already where %s is", v.name(), name, v.name())
	}
	return nil
}
