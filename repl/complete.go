package repl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// Complete returns what may stand for the end of line[:pos]: whole words, and the length in bytes of what they replace. It evaluates only
// names, attributes and literal indexes, which have no side effects.
func (s *Session) Complete(line string, pos int) (words []string, replaced int) {
	defer func() {
		if recover() != nil { // a value that cannot be asked completes nothing
			words, replaced = nil, 0
		}
	}()
	before := line[:pos]
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	if before == "" || isBlank(before) {
		return []string{before + "    "}, len(before)
	}
	if before[0] == ':' {
		return s.completeCommand(before)
	}
	c := contextOf(before)
	switch {
	case c.comment:
		return nil, 0
	case c.inString:
		words = s.stringWords(c)
	case c.attribute:
		words = s.attributeWords(c.base)
	default:
		words = s.nameWords(c)
	}
	return filterWords(words, c.prefix), len(c.prefix)
}

// filterWords keeps the words that begin with prefix: exactly, or where none does in any case of letters, but then only if
// they can be typed on.
func filterWords(words []string, prefix string) []string {
	out := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, prefix) })
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *Session) completeCommand(before string) ([]string, int) {
	name, arg, hasArg := strings.Cut(before[1:], " ")
	if !hasArg {
		var words []string
		for _, c := range commands() {
			words = append(words, c.name)
		}
		return filterWords(words, name), len(name)
	}
	if name == "set" {
		return s.completeSetting(arg)
	}
	for _, c := range commands() {
		if c.name == name && c.file {
			return filterWords(fileWords(arg), arg), len(arg)
		}
		if c.name == name && name != "quit" {
			return s.Complete(arg, len(arg))
		}
	}
	return nil, 0
}

// completeSetting completes what stands behind :set.
func (s *Session) completeSetting(arg string) ([]string, int) {
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
	return filterWords(words, value), len(value)
}

// stringWords completes inside a string.
func (s *Session) stringWords(c cursor) []string {
	switch {
	case c.index: // value["…
		return s.namesOf(c.base, c.prefix)
	case c.base == "load":
		return append(s.moduleWords(c.prefix), scriptWords(c.prefix)...)
	case c.base != "":
		return s.argumentWords(c)
	}
	return nil
}

// namesOf lists the names that may index the value of an expression.
func (s *Session) namesOf(expr, prefix string) []string {
	v := s.peek(expr)
	if c, ok := v.(*builtins.Capture); ok {
		return captureNames(c.Capture(), prefix)
	}
	if t, ok := v.(*builtins.Table); ok {
		return columnNames(t)
	}
	if m, ok := v.(starlark.IterableMapping); ok {
		return keyWords(m)
	}
	return nil
}

// captureNames lists the counters and metrics of a capture by name or, where no name begins with prefix, metrics by their vendor's group and
// title.
func captureNames(c *capture.Capture, prefix string) []string {
	var names, titles []string
	for _, ctr := range c.Counters {
		names = append(names, ctr.Name)
	}
	for _, cat := range metrics.For(c) {
		for _, e := range cat.Entries() {
			if e.IsMetric() {
				names = append(names, e.Name)
				titles = append(titles, e.Address())
			}
		}
	}
	return namesOrTitles(names, titles, prefix)
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
var keywords = []string{"and", "break", "continue", "def", "elif", "else", "for", "if", "in", "lambda", "load", "not", "or", "pass", "return"}

func (s *Session) nameWords(c cursor) []string {
	words := append(s.visible(), keywords...)
	if c.call != "" {
		for _, p := range parameters(s.peek(c.call)) {
			words = append(words, p+"=")
		}
	}
	return words
}

func parameters(v starlark.Value) []string {
	var words []string
	switch f := v.(type) {
	case *builtins.Method:
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
