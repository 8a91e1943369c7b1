// Package mistakes says what to write instead, where the language's own error only says what it did not expect.
//
// People come to Starlark from Python, pandas, C and the shell. "got import, want primary expression" is true, and of
// no help to them. Explain takes the errors of the parser and the resolver, which say what is wrong with a text before
// it runs; Runtime takes the messages of the interpreter. What our own types and functions refuse is said where they do
// so.
package mistakes

import (
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Explain returns err with what to write instead, where err is what the parser or the resolver said of text. The text
// begins at line first of its file; names are those that the program sees beside the language's own. Positions stay.
func Explain(err error, text string, first int, names starlark.StringDict) error {
	switch err := err.(type) { // and not errors.As: what a loaded file is wrong about has been explained there
	case resolve.ErrorList:
		out := slices.Clone(err)
		for i, e := range out {
			before, _ := around(text, first, e.Pos)
			out[i].Msg = resolved(e.Msg, before, names)
		}
		return out
	case syntax.Error:
		before, at := around(text, first, err.Pos)
		err.Msg = parsed(err.Msg, before, at, int(err.Pos.Line))
		return err
	}
	return err
}

// maxAround bounds how much text before a mistake is looked at.
const maxAround = 64 << 10

// around splits a text at a position, whose columns count characters.
func around(text string, first int, pos syntax.Position) (before, at string) {
	offset := 0
	for range int(pos.Line) - first {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			offset = len(text)
			break
		}
		offset += i + 1
	}
	for range int(pos.Col) - 1 {
		if offset == len(text) {
			break
		}
		_, n := utf8.DecodeRuneInString(text[offset:])
		offset += n
	}
	return text[max(0, offset-maxAround):offset], text[offset:]
}
