package lint

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"go.starlark.net/syntax"

	"astrolabe/capture/metrics"
	"astrolabe/internal/script/infer"
)

// cpuCatalogue is the one that every capture may have besides that of its GPU.
const cpuCatalogue = "cpu"

// index checks cap["NAME"].
func (c *checker) index(n *syntax.IndexExpr) {
	if x := c.f.Type(n.X); x.Is("Capture", "Sample", "CounterMap") {
		c.captureName(x, n.Y)
	}
}

// taking are the methods of a Capture whose first argument is the name of a counter or metric.
var taking = []string{"counter", "metric", "total"}

// named checks the names and GPUs among the arguments of a call.
func (c *checker) named(n *syntax.CallExpr, fn *infer.Type) {
	sig := fn.Entry.Sig
	if fn.Recv == nil {
		return
	}
	if fn.Recv.Is("Capture") && fn.Entry.Name == "eval" || fn.Recv.Kind == infer.Module && fn.Recv.Name == "metrics" &&
		fn.Entry.Name == "define" {
		c.formula(fn.Recv.GPU, infer.Argument(n, sig, "expr"))
	}
	if fn.Recv.Is("Capture") && slices.Contains(taking, fn.Entry.Name) {
		c.captureName(fn.Recv, infer.Argument(n, sig, "name"))
		return
	}
	if fn.Recv.Kind != infer.Module {
		return
	}
	arg := infer.Argument(n, sig, "gpu")
	if arg == nil {
		return
	}
	gpu, ok := c.f.Text(arg)
	if !ok {
		return
	}
	cat, err := metrics.Get(gpu)
	switch {
	case err != nil && (fn.Recv.Name == "metrics" || fn.Recv.Name == "capture"):
		c.at(arg, codeGPU, "no catalogue is called %s%s; there are %s", quote(gpu), near(gpu, metrics.IDs()),
			strings.Join(metrics.IDs(), ", "))
		if id, ok := nearest(gpu, metrics.IDs()); ok {
			c.retext(arg, gpu, id)
		}
	case err == nil && fn.Recv.Name == "metrics" && fn.Entry.Name == "get":
		c.catalogueName(cat, infer.Argument(n, sig, "name"))
	}
}

// catalogueName checks a name that must be in one catalogue.
func (c *checker) catalogueName(cat *metrics.Catalogue, arg syntax.Expr) {
	name, ok := c.f.Text(arg)
	if arg == nil || !ok || c.defined(name) {
		return
	}
	err := c.find(cat, strings.TrimPrefix(strings.TrimSpace(name), "$"))
	var lacking *metrics.UnknownError
	var ambiguous *metrics.AmbiguousError
	var sets *metrics.SetsError
	switch {
	case errors.As(err, &lacking):
		c.at(arg, codeName, "%s has no counter or metric %s%s", cat.ID(), quote(name), orNear(lacking.Near))
		if len(lacking.Near) > 0 {
			c.retext(arg, strings.TrimPrefix(strings.TrimSpace(name), "$"), lacking.Near[0])
		}
	case errors.As(err, &ambiguous), errors.As(err, &sets):
		c.at(arg, codeAmbiguous, "%v", err)
	}
}

// formula checks the text of a formula.
func (c *checker) formula(gpu string, arg syntax.Expr) {
	if arg == nil {
		return
	}
	text, ok := c.f.Text(arg)
	if !ok {
		return
	}
	if gpu == "" {
		gpu = c.f.GPU
	}
	switch assumed, err := metrics.CheckFormula(gpu, text); {
	case err != nil:
		c.at(arg, codeFormula, "%v", err)
	case assumed != "":
		c.at(arg, codeFormula, "%s", assumed)
	}
}

func orNear(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return " (did you mean " + names[0] + "?)"
}

// captureName checks a name that a capture of a known GPU is asked for.
func (c *checker) captureName(x *infer.Type, arg syntax.Expr) {
	if arg == nil {
		return
	}
	gpu := x.GPU
	if gpu == "" {
		gpu = c.f.GPU
	}
	name, ok := c.f.Text(arg)
	if !ok || gpu == "" {
		return
	}
	cat, err := metrics.Get(gpu)
	if err != nil {
		return // said where the GPU is named
	}
	bare := strings.TrimPrefix(strings.TrimSpace(name), "$")
	if i := strings.LastIndexByte(bare, '['); i > 0 && strings.HasSuffix(bare, "]") {
		if c.has(x, name) {
			return
		}
		bare = bare[:i] // an instance
	}
	if c.has(x, bare) || c.has(x, name) || c.defined(bare) {
		return
	}
	if id, rest, ok := strings.Cut(bare, "/"); ok && (id == gpu || id == cpuCatalogue) {
		bare = rest
		if cat, err = metrics.Get(id); err != nil {
			return
		}
	}
	err = c.find(cat, bare)
	var lacking *metrics.UnknownError
	if !errors.As(err, &lacking) {
		return // found, or the capture's own set or generation decides
	}
	if cpu, e := metrics.Get(cpuCatalogue); e == nil && cat.ID() != cpuCatalogue {
		if c.find(cpu, bare) == nil {
			return
		}
	}
	c.at(arg, codeName, "%s has no counter or metric %s%s", cat.ID(), quote(name), orNear(lacking.Near))
	if len(lacking.Near) > 0 {
		c.retext(arg, bare, lacking.Near[0])
	}
}

// find is why a catalogue has no such name; nil where it has. To find that out takes looking at all of its names, so
// that it is done once.
func (c *checker) find(cat *metrics.Catalogue, name string) error {
	key := [2]string{cat.ID(), name}
	err, ok := c.lacking[key]
	if !ok {
		_, err = cat.Find(name)
		if c.lacking == nil {
			c.lacking = map[[2]string]error{}
		}
		c.lacking[key] = err
	}
	return err
}

// has reports whether the capture is known to have a column of that name, or instances of it.
func (c *checker) has(x *infer.Type, name string) bool {
	return slices.ContainsFunc(x.Columns, func(column string) bool {
		base, _, instance := strings.Cut(column, "[")
		return column == name || instance && base == name
	})
}

// defined reports whether the script, or what it loads, may define a metric of that name.
func (c *checker) defined(name string) bool {
	if c.definitions == nil {
		c.definitions = &definitions{names: map[string]bool{}}
		c.definitions.collect(c.f, map[string]bool{})
	}
	return c.definitions.any || c.definitions.names[name]
}

// definitions are the metrics that calls of metrics.define make.
type definitions struct {
	names map[string]bool
	any   bool // with a name that cannot be told
}

func (d *definitions) collect(f *infer.File, seen map[string]bool) {
	if f.Syntax == nil || seen[f.Source.Key] {
		return
	}
	seen[f.Source.Key] = true
	syntax.Walk(f.Syntax, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.LoadStmt:
			if m, err := f.Load(n); err == nil {
				d.collect(m, seen)
			}
		case *syntax.CallExpr:
			fn := f.Type(n.Fn)
			if fn.Kind != infer.Function || fn.Recv == nil || fn.Recv.Kind != infer.Module ||
				fn.Recv.Name != "metrics" || fn.Entry.Name != "define" {
				return true
			}
			arg := infer.Argument(n, fn.Entry.Sig, "name")
			if arg == nil {
				d.any = true
				return true
			}
			if name, ok := f.Text(arg); ok {
				d.names[name] = true
			} else {
				d.any = true
			}
		}
		return true
	})
}

// gpuComment checks the comment that names the GPU of the script.
func (c *checker) gpuComment() {
	if c.f.GPU == "" {
		return
	}
	if _, err := metrics.Get(c.f.GPU); err != nil {
		p := c.f.GPUComment
		start := syntax.MakePosition(&c.f.Source.Name, int32(p.Line), int32(p.Col))
		c.span(start, start, codeGPU, "no catalogue is called %s%s; there are %s", quote(c.f.GPU),
			near(c.f.GPU, metrics.IDs()), strings.Join(metrics.IDs(), ", "))
		if id, ok := nearest(c.f.GPU, metrics.IDs()); ok {
			end := start
			end.Col += int32(utf8.RuneCountInString(p.Text))
			c.fix(changeTo(id), start, end, strings.Replace(p.Text, c.f.GPU, id, 1))
		}
	}
}
