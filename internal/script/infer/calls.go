package infer

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
)

func (f *File) call(e *syntax.CallExpr) *Type {
	fn := f.Type(e.Fn)
	switch fn.Kind {
	case Nothing:
		return nothing
	case Def:
		return fn.File.result(fn.Def)
	case Function:
		return f.method(e, fn)
	}
	if id, ok := e.Fn.(*syntax.Ident); ok && First(id) == nil && starlark.Universe.Has(id.Name) {
		return f.universal(id.Name, e.Args)
	}
	if dot, ok := e.Fn.(*syntax.DotExpr); ok {
		return f.languageMethod(f.Type(dot.X), dot.Name.Name)
	}
	return unknown
}

// method is what a function of ours returns.
func (f *File) method(e *syntax.CallExpr, fn *Type) *Type {
	owner := ""
	if fn.Recv != nil {
		owner = fn.Recv.Name
	}
	t := f.declared(fn.Entry.Type, owner+"."+fn.Entry.Name).of(fn.Recv)
	if fn.Recv == nil || fn.Recv.Kind != Module {
		return t
	}
	if t.Is("Capture") {
		t = value("Capture")
		t.GPU = f.GPU
		if id, ok := f.Text(Argument(e, fn.Entry.Sig, "gpu")); ok {
			t.GPU = id
		}
		t.Columns = keys(Argument(e, fn.Entry.Sig, "columns"))
	}
	return t
}

// keys lists the literal keys of a dict.
func keys(e syntax.Expr) []string {
	d, ok := e.(*syntax.DictExpr)
	if !ok {
		return nil
	}
	var out []string
	for _, x := range d.List {
		if entry, ok := x.(*syntax.DictEntry); ok {
			if lit, ok := entry.Key.(*syntax.Literal); ok && lit.Token == syntax.STRING {
				out = append(out, lit.Value.(string))
			}
		}
	}
	return out
}

// Argument is what a call gives a parameter of ours, nil where that is nothing or cannot be told.
func Argument(e *syntax.CallExpr, sig *binding.Signature, name string) syntax.Expr {
	at := -1
	for i, p := range sig.Params {
		if p.Name == name && !p.Keyword {
			at = i
		}
	}
	for i, a := range e.Args {
		switch a := a.(type) {
		case *syntax.UnaryExpr:
			if a.Op == syntax.STAR || a.Op == syntax.STARSTAR {
				at = -1
				continue
			}
		case *syntax.BinaryExpr:
			if id, ok := a.X.(*syntax.Ident); ok && a.Op == syntax.EQ {
				if id.Name == name {
					return a.Y
				}
				continue
			}
		}
		if i == at {
			return a
		}
	}
	return nil
}

// Text is the text that an expression certainly is: a literal, or a variable that is assigned one literal only.
func (f *File) Text(e syntax.Expr) (string, bool) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return f.Text(e.X)
	case *syntax.Literal:
		s, ok := e.Value.(string)
		return s, ok && e.Token == syntax.STRING
	case *syntax.Ident:
		return f.constants()[First(e)].text()
	}
	return "", false
}

// result is what a function of the file returns.
func (f *File) result(def *syntax.DefStmt) *Type {
	t := nothing
	var walk func(list []syntax.Stmt)
	walk = func(list []syntax.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *syntax.ReturnStmt:
				if s.Result == nil {
					t = join(t, none)
				} else {
					t = join(t, f.Type(s.Result))
				}
			case *syntax.IfStmt:
				walk(s.True)
				walk(s.False)
			case *syntax.ForStmt:
				walk(s.Body)
			case *syntax.WhileStmt:
				walk(s.Body)
			}
		}
	}
	walk(def.Body)
	if t.Kind == Nothing {
		return none
	}
	return t
}

func (f *File) universal(name string, args []syntax.Expr) *Type {
	if t := universal[name]; t == "NoneType" {
		return none
	} else if t != "" {
		return value(t)
	}
	switch name {
	case "range":
		return listOf(value("int"))
	case "list", "sorted", "reversed":
		if len(args) > 0 {
			return listOf(f.elem(f.Type(args[0])))
		}
		return listOf(nothing)
	case "enumerate":
		if len(args) > 0 {
			pair := value("tuple")
			pair.Items = []*Type{value("int"), f.elem(f.Type(args[0]))}
			return listOf(pair)
		}
	case "zip":
		row := value("tuple")
		for _, a := range args {
			row.Items = append(row.Items, f.elem(f.Type(a)))
		}
		return listOf(row)
	case "tuple":
		return value("tuple")
	case "min", "max":
		if len(args) == 1 {
			return f.elem(f.Type(args[0]))
		}
		return f.joined(args)
	}
	return unknown
}

func (f *File) joined(args []syntax.Expr) *Type {
	t := nothing
	for _, a := range args {
		if b, ok := a.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
			continue
		}
		t = join(t, f.Type(a))
	}
	return t
}

// languageMethod is what a method of the language's own types returns.
func (f *File) languageMethod(x *Type, name string) *Type {
	switch {
	case x.Is("str"):
		switch name {
		case "split", "rsplit", "splitlines", "elems":
			return listOf(value("str"))
		case "find", "rfind", "index", "rindex", "count":
			return value("int")
		case "startswith", "endswith", "isalpha", "isdigit", "isspace", "isalnum", "islower", "isupper", "istitle":
			return value("bool")
		case "capitalize", "format", "join", "lower", "lstrip", "removeprefix", "removesuffix", "replace", "rstrip",
			"strip", "title", "upper":
			return value("str")
		}
	case x.Is("dict"):
		switch name {
		case "keys":
			return listOf(unknown)
		case "values":
			if x.Elem != nil {
				return listOf(x.Elem)
			}
		case "items":
			pair := value("tuple")
			pair.Items = []*Type{unknown, unknown}
			if x.Elem != nil {
				pair.Items[1] = x.Elem
			}
			return listOf(pair)
		}
	}
	return unknown
}
