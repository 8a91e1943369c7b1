package lsp

import (
	"errors"
	"strings"

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
		from := strings.LastIndexByte(d.text[:u.head], '\n') + 1
		tail := d.text[len(d.text)-u.tail:]
		if i := strings.IndexByte(tail, '\n'); i >= 0 {
			tail = tail[i+1:]
		} else {
			tail = ""
		}
		edits = append(edits, textEdit{span{d.at(from), d.at(len(d.text) - len(tail))},
			text[from : len(text)-len(tail)]})
	}
	return edits, nil
}
