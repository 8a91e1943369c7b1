package repl

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// printer turns the value of an expression into text.
type printer struct {
	// short shows only the head of long containers and says how much it left out: a screen is for people. It is off
	// where programs read the output.
	short bool
	items int // of one container in the short form
}

// Limits of the short form.
const (
	shortItems  = 40    // of one container, unless :set items says otherwise
	shortText   = 4000  // bytes of one string or number
	shortDepth  = 4     // of containers in containers
	shortTotal  = 8000  // bytes after which containers show nothing more
	shortOutput = 64000 // bytes of one text that a statement prints
)

// text is the printed form of v. Astrolabe's own values print themselves in a line or a table.
func (p printer) text(v starlark.Value) string {
	if !p.short {
		return v.String()
	}
	var out strings.Builder
	p.write(&out, v, 0)
	return out.String()
}

// output is a text that print was given.
func (p printer) output(text string) string {
	if !p.short || len(text) <= shortOutput {
		return text
	}
	cut := strings.ToValidUTF8(text[:shortOutput], "")
	if i := strings.LastIndexByte(cut, '\n'); i > shortOutput/2 {
		cut = cut[:i+1]
	}
	return fmt.Sprintf("%s… and %d more bytes: write(PATH, TEXT) puts all of it into a file", cut, len(text)-len(cut))
}

func (p printer) write(out *strings.Builder, v starlark.Value, depth int) {
	switch v := v.(type) {
	case starlark.String:
		if len(v) > shortText {
			cut := strings.ToValidUTF8(string(v[:shortText]), "")
			fmt.Fprintf(out, "%s … and %d more bytes", starlark.String(cut), len(v)-len(cut))
			return
		}
	case starlark.Bytes:
		if len(v) > shortText {
			fmt.Fprintf(out, "%s … and %d more bytes", v[:shortText], len(v)-shortText)
			return
		}
	case starlark.Int:
		if big := v.BigInt(); big.BitLen() > 8*shortText {
			fmt.Fprintf(out, "… an integer of %d bits", big.BitLen())
			return
		}
	case *starlark.List:
		p.sequence(out, "[", "]", v, v.Len(), depth)
		return
	case starlark.Tuple:
		if v.Len() > 1 {
			p.sequence(out, "(", ")", v, v.Len(), depth)
			return
		}
	case *starlark.Set:
		if v.Len() > 0 {
			p.sequence(out, "set([", "])", v, v.Len(), depth)
			return
		}
	case *starlark.Dict:
		p.dict(out, v, depth)
		return
	case *starlarkstruct.Struct:
		p.structure(out, v, depth)
		return
	}
	out.WriteString(v.String())
}

// full reports whether a container shows no item number i: it is one of too many, or enough is on the screen. It then
// says how many are left out.
func (p printer) full(out *strings.Builder, i, n int) bool {
	if i < p.items && out.Len() < shortTotal {
		return false
	}
	fmt.Fprintf(out, "… and %d more", n-i)
	return true
}

func (p printer) sequence(out *strings.Builder, open, end string, v starlark.Iterable, n, depth int) {
	if depth == shortDepth && n > 0 {
		fmt.Fprintf(out, "%s… %d items%s", open, n, end)
		return
	}
	out.WriteString(open)
	it := v.Iterate()
	defer it.Done()
	var x starlark.Value
	for i := 0; it.Next(&x); i++ {
		if i > 0 {
			out.WriteString(", ")
		}
		if p.full(out, i, n) {
			break
		}
		p.write(out, x, depth+1)
	}
	out.WriteString(end)
}

func (p printer) dict(out *strings.Builder, d *starlark.Dict, depth int) {
	if depth == shortDepth && d.Len() > 0 {
		fmt.Fprintf(out, "{… %d items}", d.Len())
		return
	}
	out.WriteString("{")
	it := d.Iterate()
	defer it.Done()
	var k starlark.Value
	for i := 0; it.Next(&k); i++ {
		if i > 0 {
			out.WriteString(", ")
		}
		if p.full(out, i, d.Len()) {
			break
		}
		p.write(out, k, depth+1)
		out.WriteString(": ")
		v, _, _ := d.Get(k)
		p.write(out, v, depth+1)
	}
	out.WriteString("}")
}

func (p printer) structure(out *strings.Builder, v *starlarkstruct.Struct, depth int) {
	names := v.AttrNames()
	if depth == shortDepth && len(names) > 0 {
		fmt.Fprintf(out, "struct(… %d fields)", len(names))
		return
	}
	if name, ok := v.Constructor().(starlark.String); ok {
		out.WriteString(string(name) + "(")
	} else {
		out.WriteString(v.Constructor().String() + "(")
	}
	for i, name := range names {
		if i > 0 {
			out.WriteString(", ")
		}
		if p.full(out, i, len(names)) {
			break
		}
		out.WriteString(name + " = ")
		if field, err := v.Attr(name); err == nil {
			p.write(out, field, depth+1)
		}
	}
	out.WriteString(")")
}
