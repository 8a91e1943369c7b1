package binding

import (
	"fmt"
	"strings"
)

// Param is one parameter of a method.
type Param struct {
	Name    string
	Type    string // such as "number" or "str|Counter"; "" takes anything
	Default string // as written in Starlark; "" where an argument is needed
	Keyword bool   // can only be given by name
}

// Signature is the parsed form of a method's signature.
type Signature struct {
	Name   string
	Params []Param
	Rest   *Param // takes the remaining positional arguments; nil if there is none
	Extra  string // name that takes unknown keywords; "" if there is none
	Result string
	Text   string // the signature as written
}

// ParseSignature reads text such as "slice(start: duration, end: duration=None) -> Capture". A malformed signature is a
// mistake in this package, which the test of the tables finds.
func ParseSignature(text string) (*Signature, error) {
	open := strings.IndexByte(text, '(')
	end := strings.LastIndexByte(text, ')')
	if open <= 0 || end < open {
		return nil, fmt.Errorf("signature %q has no parameter list", text)
	}
	s := &Signature{Name: text[:open], Text: text}
	if _, r, ok := strings.Cut(text[end:], "->"); ok {
		s.Result = strings.TrimSpace(r)
	}
	keyword := false
	for _, part := range splitParams(text[open+1 : end]) {
		switch {
		case part == "*":
			keyword = true
		case strings.HasPrefix(part, "**"):
			s.Extra = part[2:]
		case strings.HasPrefix(part, "*"):
			p := parseParam(part[1:])
			s.Rest = &p
			keyword = true
		default:
			p := parseParam(part)
			p.Keyword = keyword
			s.Params = append(s.Params, p)
		}
	}
	return s, nil
}

// splitParams splits at commas that are not inside quotes or brackets.
func splitParams(s string) []string {
	var out []string
	depth, from := 0, 0
	quoted := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			out = append(out, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	if last := strings.TrimSpace(s[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

func parseParam(s string) Param {
	s, def, _ := strings.Cut(s, "=")
	name, typ, _ := strings.Cut(s, ":")
	return Param{Name: strings.TrimSpace(name), Type: strings.TrimSpace(typ), Default: strings.TrimSpace(def)}
}

// Call is the signature as shown to people: names and defaults, without types.
func (s *Signature) Call() string {
	var parts []string
	star := false
	for _, p := range s.Params {
		if p.Keyword && !star && s.Rest == nil {
			parts = append(parts, "*")
			star = true
		}
		text := p.Name
		if p.Default != "" {
			text += "=" + p.Default
		}
		parts = append(parts, text)
	}
	if s.Rest != nil {
		at := 0
		for at < len(s.Params) && !s.Params[at].Keyword {
			at++
		}
		parts = append(parts[:at], append([]string{"*" + s.Rest.Name}, parts[at:]...)...)
	}
	if s.Extra != "" {
		parts = append(parts, "**"+s.Extra)
	}
	return s.Name + "(" + strings.Join(parts, ", ") + ")"
}

// Keywords lists the parameters that can be given by name.
func (s *Signature) Keywords() []string {
	var out []string
	for _, p := range s.Params {
		out = append(out, p.Name)
	}
	return out
}
