package lsp

import (
	"strings"

	"astrolabe/builtins/binding"
	"astrolabe/internal/script/docs"
	"astrolabe/internal/script/infer"
)

type signatureHelp struct {
	Signatures      []signature `json:"signatures"`
	ActiveSignature int         `json:"activeSignature"`
	ActiveParameter int         `json:"activeParameter"`
}

type signature struct {
	Label         string      `json:"label"`
	Documentation string      `json:"documentation,omitempty"`
	Parameters    []parameter `json:"parameters"`
}

// parameter is a part of a signature's label.
type parameter struct {
	Label string `json:"label"`
}

// signatureHelp says what the call that a place is in takes, and which of it the place is; nil where there is none.
func (d *document) signatureHelp(at position) *signatureHelp {
	offset := d.offset(at)
	c := cursorAt(d.text[:offset])
	if c.site.fn == "" || c.comment {
		return nil
	}
	f := d.file
	if f.Syntax == nil {
		f = d.repaired(c.first, offset)
	}
	line, col := d.place(offset)
	switch fn := f.TypeAt(c.site.fn, enclosing(f, line, col)); fn.Kind {
	case infer.Function:
		return helpOf(fn.Entry.Sig.Name, writtenParams(fn.Entry.Sig), fn.Entry.Sig.Result, fn.Entry.Doc, c.site)
	case infer.Def:
		return helpOf(fn.Def.Name.Name, docs.Parameters(fn.File.Source, fn.Def), "", docs.Docstring(fn.Def), c.site)
	}
	return nil
}

// writtenParams are the parameters of a function of ours as people read them.
func writtenParams(sig *binding.Signature) []string {
	var out []string
	rest := func() {
		if sig.Rest != nil {
			out = append(out, "*"+sig.Rest.Name)
		}
	}
	star := false // names are needed from here on
	for _, p := range sig.Params {
		if p.Keyword && !star {
			star = true
			if rest(); sig.Rest == nil {
				out = append(out, "*")
			}
		}
		text := p.Name
		if p.Type != "" {
			text += ": " + p.Type
		}
		if p.Default != "" {
			text += "=" + p.Default
		}
		out = append(out, text)
	}
	if !star {
		rest()
	}
	if sig.Extra != "" {
		out = append(out, "**"+sig.Extra)
	}
	return out
}

func helpOf(name string, params []string, result, doc string, at site) *signatureHelp {
	s := signature{Label: name + "(" + strings.Join(params, ", ") + ")", Documentation: doc, Parameters: []parameter{}}
	if result != "" {
		s.Label += " -> " + result
	}
	for _, p := range params {
		s.Parameters = append(s.Parameters, parameter{p})
	}
	return &signatureHelp{Signatures: []signature{s}, ActiveParameter: activeParam(params, at)}
}

// activeParam is which parameter an argument is for; behind the last where it is for none.
func activeParam(params []string, at site) int {
	names := len(params)
	for i, p := range params {
		name, _, _ := strings.Cut(strings.SplitN(p, ":", 2)[0], "=")
		switch {
		case at.keyword != "" && name == at.keyword:
			return i
		case strings.HasPrefix(p, "**"):
			if at.keyword != "" {
				return i
			}
			names = min(names, i)
		case strings.HasPrefix(p, "*"):
			names = min(names, i)
		}
	}
	switch {
	case at.keyword != "":
		return len(params)
	case at.arg < names:
		return at.arg
	case names < len(params) && params[names] != "*" && !strings.HasPrefix(params[names], "**"):
		return names // the rest
	}
	return len(params)
}
