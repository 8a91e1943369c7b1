package lsp

import (
	"slices"
	"strings"
)

// What a text that does not parse says of its names is taken from the last one that did: half a line that is being
// typed must not silence the rest of the file.

// unchanged is how much of a text is as it was in the last that parsed: so many bytes at its beginning and at its end.
type unchanged struct {
	head, tail int
	was, is    string
}

func unchangedOf(was, is string) unchanged {
	u := unchanged{was: was, is: is}
	most := min(len(was), len(is))
	for u.head < most && was[u.head] == is[u.head] {
		u.head++
	}
	for u.tail < most-u.head && was[len(was)-1-u.tail] == is[len(is)-1-u.tail] {
		u.tail++
	}
	return u
}

// before is where an offset of the text was; false in what was changed.
func (u unchanged) before(offset int) (int, bool) {
	switch {
	case offset <= u.head:
		return offset, true
	case offset >= len(u.is)-u.tail:
		return offset - len(u.is) + len(u.was), true
	}
	return 0, false
}

// now is where an offset of the last text is; false in what was changed.
func (u unchanged) now(offset int) (int, bool) {
	return unchanged{u.head, u.tail, u.is, u.was}.before(offset)
}

// lastPlace is a place of d in the last text that parsed; false where there is none.
func (d *document) lastPlace(at position) (position, unchanged, bool) {
	if d.file.Syntax != nil || d.last == nil {
		return position{}, unchanged{}, false
	}
	u := unchangedOf(d.last.text, d.text)
	offset, ok := u.before(d.offset(at))
	if !ok {
		return position{}, u, false
	}
	return d.last.at(offset), u, true
}

// moved is where a span of the last text is in d, whole and with the same text.
func (d *document) moved(u unchanged, s span) (span, bool) {
	a, b := d.last.offset(s.Start), d.last.offset(s.End)
	start, ok1 := u.now(a)
	end, ok2 := u.now(b)
	if !ok1 || !ok2 || start > end || u.was[a:b] != u.is[start:end] {
		return span{}, false
	}
	return span{d.at(start), d.at(end)}, true
}

// lastHover is hover by the last text that parsed.
func (d *document) lastHover(at position) *hover {
	place, u, ok := d.lastPlace(at)
	if !ok {
		return nil
	}
	h := d.last.hover(place)
	if h == nil {
		return nil
	}
	if h.Range, ok = d.moved(u, h.Range); !ok {
		return nil // the word itself is being changed
	}
	return h
}

// lastDefinition is definition by the last text that parsed. A binding that is being changed is pointed at where the
// change begins.
func (d *document) lastDefinition(at position) *location {
	place, u, ok := d.lastPlace(at)
	if !ok {
		return nil
	}
	l := d.last.definition(place)
	if l == nil || l.URI != d.uri {
		return l
	}
	if l.Range, ok = d.moved(u, l.Range); !ok {
		begin := d.at(u.head)
		l.Range = span{begin, begin}
	}
	return l
}

// withoutMistake reads a text that never parsed, such as that of a file that was broken when it was opened, without the
// line that the parser stumbled over, or one shortly before, or all from there on. The result is nil where that does
// not help.
func (d *document) withoutMistake() *document {
	if len(d.file.Errors) == 0 {
		return nil
	}
	n := min(max(int(d.file.Errors[0].Pos.Line)-1, 0), len(d.lines)-1)
	lines := d.everyLine()
	try := func(lines []string) *document {
		text := strings.Join(lines, "\n")
		if f := d.read(text); f.Syntax == nil {
			return nil
		}
		return newDocument(d.s, d.uri, d.path, text, nil)
	}
	const reach = 8 // an open bracket is noticed lines later
	for i := n; i >= max(n-reach, 0); i-- {
		l := lines[i]
		rest := slices.Clone(lines)
		rest[i] = l[:len(l)-len(strings.TrimLeft(l, " \t"))] + "pass"
		if last := try(rest); last != nil {
			return last
		}
	}
	return try(lines[:n])
}
