package repl

import (
	"regexp"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// argumentWords completes a string that is an argument of c.base, by the parameter that it is given to.
func (s *Session) argumentWords(c cursor) candidates {
	receiver := ""
	if i := strings.LastIndexByte(c.base, '.'); i >= 0 {
		receiver = c.base[:i]
	}
	m, ok := s.peek(c.base).(*binding.Bound)
	if !ok {
		if c.base == "read" || c.base == "write" || c.base == "capture.open" {
			return candidatesOf(fileWords(c.prefix), c.prefix)
		}
		if receiver != "" {
			return s.namesOf(receiver, c.prefix)
		}
		return candidates{}
	}
	p := parameterAt(m.Entry().Sig, c.args)
	if p.Name == "name" || p.Name == "match" {
		if gpu := firstString(c.args); receiver == "metrics" && gpu != "" {
			if cat, err := metrics.Get(gpu); err == nil {
				return suggested(cat.Known(), c.prefix)
			}
			return candidates{}
		}
	}
	if words := s.parameterWords(p, receiver, c.prefix); words != nil {
		return candidatesOf(words, c.prefix)
	}
	if strings.HasPrefix(p.Default, `"`) {
		return candidatesOf(quotedWords(m.Entry().Doc), c.prefix)
	}
	return s.namesOf(receiver, c.prefix)
}

// parameterWords are the values that a parameter takes, by its name; nil where that does not tell.
func (s *Session) parameterWords(p binding.Param, receiver, prefix string) []string {
	switch p.Name {
	case "path", "out", "paths":
		return append([]string{}, fileWords(prefix)...)
	case "gpu":
		return metrics.IDs()
	case "source":
		return s.sourceWords()
	case "format":
		return s.formatWords()
	case "severity":
		return []string{"critical", "warning", "info", "good"}
	case "denom":
		return metrics.Denoms()
	case "zero":
		return []string{"missing", "vendor"}
	case "duration":
		if p.Type == "" { // an option of open, not a time
			return metrics.Durations()
		}
		return []string{}
	case "generation":
		return metrics.Generations()
	case "api":
		return []string{"gl", "dx11", "dx12", "vk", "cl", "hsa"}
	case "label":
		if v, ok := s.peek(receiver).(*values.Capture); ok {
			return append([]string{}, labelNames(v.Capture)...)
		}
		return []string{}
	}
	return nil
}

// parameterAt is the parameter that the argument behind args is given to. One that the signature does not know has only
// a name.
func parameterAt(sig *binding.Signature, args string) binding.Param {
	if sig == nil {
		return binding.Param{}
	}
	parts := argumentTexts(args)
	last := strings.TrimSpace(parts[len(parts)-1])
	if name, ok := strings.CutSuffix(last, "="); ok {
		name = strings.TrimSpace(name)
		for _, p := range sig.Params {
			if p.Name == name {
				return p
			}
		}
		return binding.Param{Name: name}
	}
	if n := len(parts) - 1; n < len(sig.Params) && !sig.Params[n].Keyword {
		return sig.Params[n]
	}
	if sig.Rest != nil {
		return *sig.Rest
	}
	return binding.Param{}
}

// argumentTexts splits the text of arguments at the commas between them.
func argumentTexts(text string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'':
			i = endOfString(text, i)
		case ',':
			if depth == 0 {
				out = append(out, text[from:i])
				from = i + 1
			}
		}
	}
	return append(out, text[from:])
}

// firstString is the first argument if it is a plain string.
func firstString(args string) string {
	first := strings.TrimSpace(argumentTexts(args)[0])
	if _, after, ok := strings.Cut(first, "="); ok && !strings.ContainsAny(first[:1], `"'`) {
		first = strings.TrimSpace(after)
	}
	if len(first) < 2 || first[0] != '"' && first[0] != '\'' || first[len(first)-1] != first[0] {
		return ""
	}
	return first[1 : len(first)-1]
}

func (s *Session) sourceWords() []string {
	if s.cfg.Env == nil || s.cfg.Env.Sources == nil {
		return nil
	}
	var words []string
	for _, source := range s.cfg.Env.Sources() {
		words = append(words, source.Name())
	}
	return words
}

func (s *Session) formatWords() []string {
	if s.cfg.Env == nil || s.cfg.Env.Registry == nil {
		return nil
	}
	return s.cfg.Env.Registry.Names(false)
}

func labelNames(c *capture.Capture) []string {
	var words []string
	for _, l := range c.Labels {
		words = append(words, l.Name)
	}
	return words
}

var quoted = regexp.MustCompile(`"([a-z0-9_-]+)"`)

// quotedWords are the values that the documentation of an option names.
func quotedWords(doc string) []string {
	var words []string
	for _, m := range quoted.FindAllStringSubmatch(doc, -1) {
		words = append(words, m[1])
	}
	return words
}

var option = regexp.MustCompile(`([a-z_]+) \(`)

// optionNames are the options that the documentation of a function with free keywords explains.
func optionNames(doc string) []string {
	_, list, _ := strings.Cut(doc, "Options: ")
	var words []string
	for _, m := range option.FindAllStringSubmatch(list, -1) {
		words = append(words, m[1])
	}
	return words
}

func columnNames(t *values.Table) []string {
	v, err := t.Attr("columns")
	if err != nil {
		return nil
	}
	list, ok := v.(starlark.Iterable)
	if !ok {
		return nil
	}
	var words []string
	for x := range starlark.Elements(list) {
		if text, ok := x.(starlark.String); ok {
			words = append(words, string(text))
		}
	}
	return words
}

// keyWords lists the keys of a mapping.
func keyWords(m starlark.IterableMapping) []string {
	var words []string
	it := m.Iterate()
	defer it.Done()
	for k := starlark.Value(nil); len(words) < maxWords && it.Next(&k); {
		if text, ok := k.(starlark.String); ok {
			words = append(words, string(text))
		}
	}
	return words
}
