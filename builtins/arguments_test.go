package builtins_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// user is a function that reads arguments of a call, with the parameters of every signature that leads to it.
type user struct {
	of, call   string // the package that it is of, and what it calls the call
	body       *ast.BlockStmt
	signatures map[string]map[string]bool // by signature
}

// argumentsRead compares the names by which functions read their arguments with the signatures beside them, in the
// syntax trees: a function that is handed to a table as Run has the signature beside it, one within a call that makes a
// method has the texts of that call, and what such a function hands its call to has the same.
func argumentsRead(fset *token.FileSet, files []*ast.File) (read int, wrong []string) {
	consts := map[string]string{}
	named := map[string]*user{}
	var users []*user
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.CONST && len(v.Values) == 1 {
						consts[v.Names[0].Name] = literal(v.Values[0], consts)
					}
				}
			case *ast.FuncDecl:
				if call := callIn(d.Type); call != "" && d.Body != nil {
					u := &user{of: f.Name.Name, call: call, body: d.Body, signatures: map[string]map[string]bool{}}
					if d.Recv != nil {
						named[f.Name.Name+".method."+d.Name.Name] = u
					} else {
						named[f.Name.Name+"."+d.Name.Name] = u
					}
					users = append(users, u)
				}
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			makes := map[string]bool{} // the parameters of a function that makes methods are parts of their signatures
			if fd, ok := d.(*ast.FuncDecl); ok {
				for _, p := range fd.Type.Params.List {
					for _, n := range p.Names {
						makes[n.Name] = true
					}
				}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				var texts []string
				var funcs []ast.Expr
				switch n := n.(type) {
				case *ast.CompositeLit:
					for _, el := range n.Elts {
						kv, ok := el.(*ast.KeyValueExpr)
						if !ok {
							continue
						}
						switch fmt.Sprint(kv.Key) {
						case "Sig":
							texts = append(texts, literal(kv.Value, consts))
							if id, ok := kv.Value.(*ast.Ident); ok && makes[id.Name] {
								texts = madeWith(files, d.(*ast.FuncDecl).Name.Name, consts)
							}
						case "Run":
							funcs = append(funcs, kv.Value)
						}
					}
				case *ast.CallExpr:
					for _, a := range n.Args {
						if lit, ok := a.(*ast.FuncLit); ok && callIn(lit.Type) != "" {
							funcs = append(funcs, a)
						}
						if text := literal(a, consts); text != "" && len(text) < 400 {
							texts = append(texts, text)
						}
					}
				}
				if len(texts) == 0 {
					return true
				}
				have := map[string]bool{}
				for _, text := range texts {
					maps.Copy(have, parametersIn(text))
				}
				for _, fn := range funcs {
					switch fn := fn.(type) {
					case *ast.FuncLit:
						users = append(users, &user{f.Name.Name, callIn(fn.Type), fn.Body,
							map[string]map[string]bool{texts[0]: have}})
					default:
						if u := called(named, f.Name.Name, fn); u != nil {
							u.signatures[texts[0]] = have
						}
					}
				}
				return true
			})
		}
	}
	for changed := true; changed; {
		changed = false
		for _, u := range users {
			ast.Inspect(u.body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return fmt.Sprint(a) == u.call }) {
					return true
				}
				if to := called(named, u.of, call.Fun); to != nil {
					for sig, have := range u.signatures {
						if to.signatures[sig] == nil {
							to.signatures[sig] = have
							changed = true
						}
					}
				}
				return true
			})
		}
	}
	for _, u := range users {
		ast.Inspect(u.body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			lit, is := call.Args[0].(*ast.BasicLit)
			if !ok || !is || fmt.Sprint(sel.X) != u.call ||
				!slices.Contains([]string{"Arg", "Has", "Value", "Str", "Float", "Flag", "Integer", "Duration"},
					sel.Sel.Name) {
				return true
			}
			name, _ := strconv.Unquote(lit.Value)
			read++
			for sig, have := range u.signatures {
				if !have[name] {
					wrong = append(wrong, fmt.Sprintf("%s reads %s, which %s does not have", fset.Position(lit.Pos()),
						name, sig))
				}
			}
			if len(u.signatures) == 0 {
				wrong = append(wrong, fmt.Sprintf("%s reads %s of no signature that this test finds",
					fset.Position(lit.Pos()), name))
			}
			return true
		})
	}
	return read, wrong
}

// called is the function of a package, or the method of one of its types, that an expression names.
func called(named map[string]*user, of string, e ast.Expr) *user {
	switch e := e.(type) {
	case *ast.Ident:
		return named[of+"."+e.Name]
	case *ast.SelectorExpr:
		if u := named[fmt.Sprint(e.X)+"."+e.Sel.Name]; u != nil {
			return u
		}
		return named[of+".method."+e.Sel.Name]
	}
	return nil
}

// madeWith lists the texts that stand first in calls of a function that makes methods.
func madeWith(files []*ast.File, name string, consts map[string]string) []string {
	var out []string
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && fmt.Sprint(call.Fun) == name && len(call.Args) > 0 {
				out = append(out, literal(call.Args[0], consts))
			}
			return true
		})
	}
	return out
}

// literal is the text of an expression; what is not constant is nothing.
func literal(e ast.Expr, consts map[string]string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return literal(e.X, consts) + literal(e.Y, consts)
	case *ast.Ident:
		return consts[e.Name]
	}
	return ""
}

// callIn is the name of the parameter that is a call.
func callIn(t *ast.FuncType) string {
	for _, p := range t.Params.List {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok || len(p.Names) == 0 {
			continue
		}
		if sel, ok := star.X.(*ast.SelectorExpr); ok && sel.Sel.Name == "Call" {
			return p.Names[0].Name
		}
	}
	return ""
}

var parameter = regexp.MustCompile(`(?:^|[(,])\s*([a-z_0-9]+)`)

// parametersIn are the names of the parameters in the text of a signature, or in a part of one.
func parametersIn(text string) map[string]bool {
	out := map[string]bool{}
	for _, m := range parameter.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

func TestArgumentsAreReadByNamesOfTheirSignatures(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	// together: a signature may stand in another package than what it runs
	for _, dir := range []string{".", "modules", "values"} {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	read, wrong := argumentsRead(fset, files)
	for _, w := range wrong {
		t.Error(w)
	}
	if read < 250 {
		t.Errorf("only %d arguments were found", read)
	}
}

func TestAnArgumentOfAnotherNameIsFound(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "a.go", `package a
const more = ", height: int=1"
var table = []Method{
	{Sig: "draw(width: int" + more + ") -> Plot", Run: draw},
	{Sig: "fill(color: str)", Run: func(e *Env, c *b.Call) { c.Str("colour", "") }},
}
func draw(e *Env, c *b.Call) { size(c); c.Flag("log", false) }
func size(c *b.Call) { c.Integer("width", 0); c.Integer("height", 0); c.Integer("depth", 0) }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	read, wrong := argumentsRead(fset, []*ast.File{f})
	slices.Sort(wrong)
	want := []string{"a.go:5:65 reads colour", "a.go:7:48 reads log", "a.go:8:81 reads depth"}
	if read != 5 || len(wrong) != len(want) {
		t.Fatalf("%d arguments, wrong %q", read, wrong)
	}
	for i := range want {
		if !strings.HasPrefix(wrong[i], want[i]) {
			t.Errorf("%q, want %q", wrong[i], want[i])
		}
	}
}
