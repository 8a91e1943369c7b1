package lsp

import (
	"errors"

	"go.starlark.net/syntax"

	"astrolabe/internal/script/format"
)

// formatted lays the document out as fmt does, by one edit of the lines that change; none where it is laid out.
func (d *document) formatted() ([]textEdit, error) {
	out, err := format.Source(d.file.Source)
	var e syntax.Error
	switch {
	case errors.As(err, &e):
		return nil, refused("%s: %s", e.Pos, e.Msg)
	case err != nil:
		return nil, refused("%v", err)
	}
	edits := []textEdit{}
	if text := string(out); text != d.text {
		u := unchangedOf(d.text, text)
		// Whole lines: parts of characters must not stay behind.
		from := d.lines[d.at(u.head).Line]
		end := len(d.text) - u.tail
		if line := d.at(end).Line; d.lines[line] != end {
			end = len(d.text)
			if line+1 < len(d.lines) {
				end = d.lines[line+1]
			}
		}
		edits = append(edits, textEdit{span{d.at(from), d.at(end)}, text[from : len(text)-(len(d.text)-end)]})
	}
	return edits, nil
}
