package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/notation"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// candidates are what may stand for the end of what has been typed, the likeliest first.
type candidates struct {
	words    []string          // whole words
	replaced int               // bytes that they replace
	notes    map[string]string // what is said of some words where they are listed
}

// candidatesOf are words of a list that fit the beginning, or if none begins so another part, of what was typed.
func candidatesOf(words []string, typed string) candidates {
	slices.Sort(words)
	return candidates{words: metrics.SuggestWords(words, typed), replaced: len(typed)}
}

// complete returns what may stand for the end of line[:pos]. It evaluates only names, attributes and literal indexes,
// which have no side effects. Names that hold what a terminal obeys are left out: they would be written as they are.
func (s *Session) complete(line string, pos int) (found candidates) {
	defer func() {
		if recover() != nil { // a value that cannot be asked completes nothing
			found = candidates{}
		}
		found.words = slices.DeleteFunc(found.words, func(w string) bool { return notation.VisibleLine(w) != w })
	}()
	before := line[:pos]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	if before == "" || isBlank(before) {
		return candidates{words: []string{before + "    "}, replaced: len(before)}
	}
	if before[0] == ':' {
		return s.completeCommand(before)
	}
	c := contextOf(before)
	switch {
	case c.comment:
		return candidates{}
	case c.inString:
		return s.stringWords(c)
	case c.attribute:
		return candidatesOf(s.attributeWords(c.base), c.prefix)
	}
	return s.nameWords(c)
}

func (s *Session) completeCommand(before string) candidates {
	name, arg, hasArg := strings.Cut(before[1:], " ")
	if !hasArg {
		var words []string
		for _, c := range commands() {
			words = append(words, c.name)
		}
		return candidatesOf(words, name)
	}
	if name == "set" {
		return s.completeSetting(arg)
	}
	for _, c := range commands() {
		if c.name == name && c.file {
			return candidatesOf(fileWords(arg), arg)
		}
		if c.name == name && name != "quit" {
			return s.complete(arg, len(arg))
		}
	}
	return candidates{}
}

// completeSetting completes what stands behind :set.
func (s *Session) completeSetting(arg string) candidates {
	name, value, hasValue := strings.Cut(arg, " ")
	var words []string
	for _, set := range s.settings() {
		switch {
		case !hasValue:
			words = append(words, set.Name)
		case set.Name == name:
			words = set.Values
		}
	}
	if !hasValue {
		value = name
	}
	return candidatesOf(words, value)
}

// stringWords completes inside a string.
func (s *Session) stringWords(c cursor) candidates {
	switch {
	case c.index: // value["…
		return s.namesOf(c.base, c.prefix)
	case c.base == "load":
		return candidatesOf(append(s.moduleWords(c.prefix), scriptWords(c.prefix)...), c.prefix)
	case c.base != "":
		return s.argumentWords(c)
	}
	return candidates{}
}

// namesOf lists the names that may index the value of an expression.
func (s *Session) namesOf(expr, prefix string) candidates {
	switch v := s.peek(expr).(type) {
	case *values.Capture:
		return suggested(captureNames(v.Capture), prefix)
	case *values.Table:
		return candidatesOf(columnNames(v), prefix)
	case starlark.IterableMapping:
		return candidatesOf(keyWords(v), prefix)
	}
	return candidates{}
}

// suggested are candidates for the name of a counter or metric.
func suggested(known []metrics.Known, typed string) candidates {
	found := candidates{replaced: len(typed), notes: map[string]string{}}
	for _, s := range metrics.Suggest(known, typed) {
		found.words = append(found.words, s.Text)
		if s.Note != "" {
			found.notes[s.Text] = s.Note
		}
	}
	if len(found.notes) == 0 { // otherwise they are in the order of the guide
		slices.Sort(found.words)
	}
	return found
}

// captureNames lists the counters and metrics of a capture.
func captureNames(c *capture.Capture) []metrics.Known {
	var known []metrics.Known
	for _, ctr := range c.Counters {
		known = append(known, metrics.KnownCounter(ctr))
	}
	for _, cat := range metrics.For(c) {
		for i, k := range cat.Known() {
			if cat.Entries()[i].IsMetric() {
				known = append(known, k)
			}
		}
	}
	return known
}

// maxWords bounds the keys read from a mapping.
const maxWords = 100000

func (s *Session) attributeWords(base string) []string {
	if v, ok := s.peek(base).(starlark.HasAttrs); ok {
		return v.AttrNames()
	}
	return nil
}

// keywords are the words of the language that a person types.
var keywords = []string{"and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not",
	"or", "pass", "return"}

// leastPart is how much of a name must be typed for others to be found that hold it, where everything visible is a
// candidate.
const leastPart = 3

// nameWords are the parameters of the call around the cursor, the names that are bound, and the words of the language,
// in this order.
func (s *Session) nameWords(c cursor) candidates {
	var params []string
	if c.call != "" {
		for _, p := range parameters(s.peek(c.call)) {
			params = append(params, p+"=")
		}
	}
	found := candidates{replaced: len(c.prefix)}
	begins := func(w string) bool { return !strings.HasPrefix(w, c.prefix) }
	for _, list := range [][]string{params, s.visible(), slices.Clone(keywords)} {
		found.words = append(found.words, slices.DeleteFunc(list, begins)...)
	}
	if len(found.words) == 0 && len(c.prefix) >= leastPart {
		return candidatesOf(s.visible(), c.prefix)
	}
	return found
}

func parameters(v starlark.Value) []string {
	var words []string
	switch f := v.(type) {
	case *binding.Bound:
		for _, p := range f.Entry().Sig.Params {
			words = append(words, p.Name)
		}
		if f.Entry().Sig.Extra != "" {
			words = append(words, optionNames(f.Entry().Doc)...)
		}
	case *starlark.Function:
		n := f.NumParams()
		if f.HasVarargs() {
			n--
		}
		if f.HasKwargs() {
			n--
		}
		for i := range n {
			name, _ := f.Param(i)
			words = append(words, name)
		}
	}
	return words
}

// peek evaluates an expression made of names, attributes and literal indexes; nil where it is anything else or fails.
func (s *Session) peek(expr string) starlark.Value {
	x, err := s.opts.ParseExpr("<completion>", expr, 0)
	if err != nil {
		return nil
	}
	return s.peekExpr(x)
}

func (s *Session) peekExpr(x syntax.Expr) starlark.Value {
	switch x := x.(type) {
	case *syntax.Ident:
		if v, ok := s.names[x.Name]; ok {
			return v
		}
		return starlark.Universe[x.Name]
	case *syntax.ParenExpr:
		return s.peekExpr(x.X)
	case *syntax.Literal:
		switch v := x.Value.(type) {
		case string:
			return starlark.String(v)
		case int64:
			return starlark.MakeInt64(v)
		}
	case *syntax.DotExpr:
		if v, ok := s.peekExpr(x.X).(starlark.HasAttrs); ok {
			if attr, err := v.Attr(x.Name.Name); err == nil {
				return attr
			}
		}
	case *syntax.IndexExpr:
		return peekIndex(s.peekExpr(x.X), s.peekExpr(x.Y))
	}
	return nil
}

func peekIndex(v, key starlark.Value) starlark.Value {
	if v == nil || key == nil {
		return nil
	}
	if m, ok := v.(starlark.Mapping); ok {
		if out, found, err := m.Get(key); err == nil && found {
			return out
		}
		return nil
	}
	list, ok := v.(starlark.Indexable)
	if i, err := starlark.AsInt32(key); ok && err == nil && i >= 0 && i < list.Len() {
		return list.Index(i)
	}
	return nil
}

// moduleWords lists the built-in library as load names it.
func (s *Session) moduleWords(prefix string) []string {
	const library = "@astrolabe//"
	if s.cfg.Library == nil {
		return nil
	}
	if !strings.HasPrefix(prefix, library) {
		return []string{library}
	}
	var words []string
	walkStar(s.cfg.Library, func(path string) { words = append(words, library+path) })
	return words
}

// fileWords lists the files whose path begins with prefix; a folder ends in a slash.
func fileWords(prefix string) []string {
	dir, _ := filepath.Split(prefix)
	folder := dir
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var words []string
	for _, e := range entries {
		name := dir + e.Name()
		if strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(filepath.Base(prefix), ".") {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			name += "/"
		}
		words = append(words, name)
	}
	return words
}

// scriptWords lists the scripts and folders among the files whose path begins with prefix.
func scriptWords(prefix string) []string {
	return slices.DeleteFunc(fileWords(prefix), func(path string) bool {
		return !strings.HasSuffix(path, ".star") && !strings.HasSuffix(path, "/")
	})
}
