package builtins

import (
	"fmt"
	"io"
	"strings"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/modules"
	"astrolabe/builtins/values"
	"astrolabe/capture"
)

// functionDocs is the table of predeclared functions. It is filled in at start, because help is itself in it.
var functionDocs binding.Documented

func init() { functionDocs = &functions }

// Functions documents the predeclared functions.
func Functions() binding.Documented { return functionDocs }

// DocOf is the documentation of a value's type or of a module, nil where there is none.
func DocOf(v starlark.Value) binding.Documented {
	if m, ok := v.(*binding.Module); ok {
		return m.Doc()
	}
	for _, t := range values.Types {
		if t.TypeName() == v.Type() {
			return t
		}
	}
	return nil
}

// EntryOf is the documentation of a function of this package, nil of anything else.
func EntryOf(v starlark.Value) *binding.Entry {
	if m, ok := v.(*binding.Bound); ok {
		return m.Entry()
	}
	return nil
}

func help(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	if !c.Has("x") {
		return starlark.String(overview()), nil
	}
	return helpFor(e, c.Value("x"))
}

// helpFor documents a value, or what a text names.
func helpFor(e *binding.Env, v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case starlark.String:
		s, err := Topic(string(v))
		return starlark.String(s), err
	case *binding.Bound:
		return starlark.String(entryHelp(v.FullName(), v.Entry())), nil
	case *values.Counter:
		return starlark.String(counterHelp(v.Counter)), nil
	case *values.Metric:
		return starlark.String(metricHelp(v)), nil
	case *starlark.Function:
		return starlark.String(functionHelp(v)), nil
	case starlark.Callable:
		return starlark.String(v.Name() + "(…): a function of the language; see the Starlark specification."), nil
	}
	if d := DocOf(v); d != nil {
		return starlark.String(typeHelp(d)), nil
	}
	return starlark.String(languageHelp(v)), nil
}

// languageHelp describes a value of the language itself.
func languageHelp(v starlark.Value) string {
	s := v.Type() + ", a type of the language"
	if h, ok := v.(starlark.HasAttrs); ok {
		if names := h.AttrNames(); len(names) > 0 {
			s += ". Attributes: " + strings.Join(names, ", ")
		}
	}
	return s + "."
}

// Topic documents what a name such as "Counter", "Counter.gt", "capture.open" or "fmt" stands for.
func Topic(name string) (string, error) {
	owner, member, dotted := strings.Cut(name, ".")
	var known []string
	for _, list := range [][]binding.Documented{values.Types, modules.All} {
		for _, d := range list {
			known = append(known, d.TypeName())
			if d.TypeName() != owner {
				continue
			}
			if !dotted {
				return typeHelp(d), nil
			}
			if en := d.Entry(member); en != nil {
				return entryHelp(name, en), nil
			}
			var names []string
			for _, en := range d.Entries() {
				names = append(names, en.Name)
			}
			return "", fmt.Errorf("%s has no %s%s", owner, member, binding.DidYouMean(member, names))
		}
	}
	for _, en := range functionDocs.Entries() {
		known = append(known, en.Name)
		if en.Name == name {
			return entryHelp(name, en), nil
		}
	}
	// A bare method name is enough where somebody has it.
	var found []string
	for _, list := range [][]binding.Documented{values.Types, modules.All} {
		for _, d := range list {
			if en := d.Entry(name); en != nil {
				found = append(found, entryHelp(d.TypeName()+"."+name, en))
			}
		}
	}
	if len(found) > 0 {
		return strings.Join(found, "\n\n"), nil
	}
	return "", fmt.Errorf("nothing is called %q%s; help() lists what there is, and a counter is given as cap[%q]", name,
		binding.DidYouMean(name, known), name)
}

func overview() string {
	var b strings.Builder
	b.WriteString("Modules\n")
	for _, d := range modules.All {
		fmt.Fprintf(&b, "  %-10s %s\n", d.TypeName(), firstSentence(d.TypeDoc()))
	}
	b.WriteString("Functions\n")
	for _, en := range functionDocs.Entries() {
		fmt.Fprintf(&b, "  %-10s %s\n", en.Name, firstSentence(en.Doc))
	}
	b.WriteString("Types\n")
	for _, d := range values.Types {
		fmt.Fprintf(&b, "  %-10s %s\n", d.TypeName(), firstSentence(d.TypeDoc()))
	}
	b.WriteString("help(x) documents a value, help(\"Counter.gt\") a name.")
	return b.String()
}

func typeHelp(d binding.Documented) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", d.TypeName(), wrap(d.TypeDoc(), 78, "  "))
	for _, en := range d.Entries() {
		fmt.Fprintf(&b, "  .%s", en.Title())
		if en.Type != "" {
			fmt.Fprintf(&b, " -> %s", en.Type)
		}
		fmt.Fprintf(&b, "\n%s\n", wrap(firstSentence(en.Doc), 78, "      "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func entryHelp(name string, en *binding.Entry) string {
	var b strings.Builder
	if en.Sig == nil {
		fmt.Fprintf(&b, "%s: %s\n%s", name, en.Type, wrap(en.Doc, 78, "  "))
		return b.String()
	}
	b.WriteString(strings.TrimSuffix(name, en.Name) + en.Sig.Call())
	if en.Type != "" {
		b.WriteString(" -> " + en.Type)
	}
	b.WriteString("\n" + wrap(en.Doc, 78, "  "))
	for _, p := range en.Sig.Params {
		if p.Type == "" {
			continue
		}
		fmt.Fprintf(&b, "\n  %s: %s", p.Name, strings.ReplaceAll(p.Type, "|", " or "))
		if p.Default != "" {
			fmt.Fprintf(&b, " = %s", p.Default)
		}
	}
	if en.Example != "" {
		b.WriteString("\n  Example: " + en.Example)
	}
	return b.String()
}

func counterHelp(c *capture.Counter) string {
	var b strings.Builder
	b.WriteString("Counter " + c.Name)
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\n%s", hanging(key, value))
		}
	}
	line("title", c.Title)
	line("unit", c.Unit)
	line("kind", c.Kind.String())
	line("gpu", c.GPU)
	line("block", c.Block)
	line("meaning", c.Doc)
	expr := c.Expr
	if expr == "" && c.Der != nil {
		expr = c.Der.Expr()
	}
	line("formula", expr)
	line("inputs", strings.Join(c.Inputs, ", "))
	line("refs", strings.Join(c.Refs, ", "))
	line("source", c.Source)
	b.WriteString("\n  help(\"Counter\") lists what a Counter can do; explain(c) takes its value apart.")
	return b.String()
}

func metricHelp(m *values.Metric) string {
	var b strings.Builder
	b.WriteString("Metric " + m.Entry.Name)
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\n%s", hanging(key, value))
		}
	}
	line("title", m.Entry.Title)
	line("group", m.Entry.Group)
	line("unit", m.Entry.Unit)
	line("gpu", m.Entry.GPU)
	line("block", m.Entry.Block)
	line("meaning", m.Entry.Doc)
	line("high", m.Entry.High)
	line("low", m.Entry.Low)
	line("formula", m.Entry.Expr)
	line("or", strings.Join(m.Entry.PublicFormulas(), "\n"))
	line("inputs", strings.Join(m.Entry.Inputs, ", "))
	line("refs", strings.Join(m.Entry.Refs, ", "))
	line("roles", strings.Join(m.Entry.Roles, ", "))
	line("source", m.Entry.Source)
	return b.String()
}

// functionHelp documents a function of a script.
func functionHelp(f *starlark.Function) string {
	var params []string
	for i := range f.NumParams() {
		name, _ := f.Param(i)
		if d := f.ParamDefault(i); d != nil {
			name += "=" + d.String()
		}
		params = append(params, name)
	}
	s := fmt.Sprintf("%s(%s), defined at %s", f.Name(), strings.Join(params, ", "), f.Position())
	if doc := strings.TrimSpace(f.Doc()); doc != "" {
		s += "\n  " + strings.ReplaceAll(doc, "\n", "\n  ")
	}
	return s
}

// WriteReference writes the reference of every module, function and type as Markdown.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# API reference\n\nGenerated from the method tables of package builtins; do not edit.\n\n")
	b.WriteString(
		"Arguments of type `duration` are seconds or text such as `\"250us\"`, `\"10ms\"`, `\"2s\"`. Missing values are `None`.\n\n")
	b.WriteString("## Functions\n\n")
	for _, en := range functionDocs.Entries() {
		writeEntry(&b, "", en)
	}
	for _, d := range modules.All {
		fmt.Fprintf(&b, "## Module %s\n\n%s\n\n", d.TypeName(), d.TypeDoc())
		for _, en := range d.Entries() {
			writeEntry(&b, d.TypeName()+".", en)
		}
	}
	for _, d := range values.Types {
		fmt.Fprintf(&b, "## Type %s\n\n%s\n\n", d.TypeName(), d.TypeDoc())
		attrs := false
		for _, en := range d.Entries() {
			if en.Sig != nil {
				continue
			}
			if !attrs {
				b.WriteString("| attribute | type | what |\n| --- | --- | --- |\n")
				attrs = true
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", en.Name, en.Type, strings.ReplaceAll(en.Doc, "|", "\\|"))
		}
		if attrs {
			b.WriteString("\n")
		}
		for _, en := range d.Entries() {
			if en.Sig != nil {
				writeEntry(&b, "", en)
			}
		}
	}
	_, err := io.WriteString(w, strings.TrimSuffix(b.String(), "\n"))
	return err
}

func writeEntry(b *strings.Builder, prefix string, en *binding.Entry) {
	if en.Sig == nil {
		fmt.Fprintf(b, "### `%s%s`\n\n%s\n\n", prefix, en.Name, en.Doc)
		return
	}
	fmt.Fprintf(b, "### `%s%s`\n\n%s\n\n", prefix, en.Sig.Call(), en.Doc)
	for _, p := range en.Sig.Params {
		if p.Type != "" {
			fmt.Fprintf(b, "- `%s`: %s\n", p.Name, strings.ReplaceAll(p.Type, "|", " or "))
		}
	}
	if en.Sig.Rest != nil && en.Sig.Rest.Type != "" {
		fmt.Fprintf(b, "- `*%s`: %s\n", en.Sig.Rest.Name, strings.ReplaceAll(en.Sig.Rest.Type, "|", " or "))
	}
	if en.Type != "" {
		fmt.Fprintf(b, "- gives %s\n", en.Type)
	}
	if en.Example != "" {
		fmt.Fprintf(b, "\n```python\n%s\n```\n", en.Example)
	}
	b.WriteString("\n")
}
