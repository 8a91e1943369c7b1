package repl

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
)

// printer turns the value of an expression into text.
type printer struct {
	// short shows only the head of long containers and says how much it left out: a screen is for people. It is off
	// where programs read the output.
	short bool
}

// Limits of the short form.
const (
	shortItems = 40   // of one container
	shortText  = 4000 // bytes of one string
	shortDepth = 4
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

func (p printer) write(out *strings.Builder, v starlark.Value, depth int) {
	switch v := v.(type) {
	case starlark.String:
		if len(v) > shortText {
			cut := strings.ToValidUTF8(string(v[:shortText]), "")
			fmt.Fprintf(out, "%s … and %d more bytes", starlark.String(cut), len(v)-len(cut))
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
	}
	out.WriteString(v.String())
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
		if i == shortItems {
			fmt.Fprintf(out, "… and %d more", n-i)
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
		if i == shortItems {
			fmt.Fprintf(out, "… and %d more", d.Len()-i)
			break
		}
		p.write(out, k, depth+1)
		out.WriteString(": ")
		v, _, _ := d.Get(k)
		p.write(out, v, depth+1)
	}
	out.WriteString("}")
}
