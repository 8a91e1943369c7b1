package script

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/syntax"

	"astrolabe/builtins/binding"
	"astrolabe/capture/spelling"
)

// Several files of one run may declare flags: the scripts of a report, and modules that they load. Which flags a file
// declares is read from its source before it runs, so that each gets its own arguments, and a flag that none of them
// declares is an error before anything runs.

// flagSet is what one file declares.
type flagSet struct {
	calls bool // flags is called
	// with names that the source does not tell, such as flags(**d), or in a file that is no Starlark
	open  bool
	raw   bool            // the file reads args itself
	flags map[string]bool // name with _: true for a switch, which takes no value
}

// flagSets are the files of a run by the key of their module.
type flagSets struct {
	files map[string]*flagSet
	all   []string // the arguments of the run, while modules have their own
	depth int      // of modules that run
}

func newFlagSets() *flagSets { return &flagSets{files: map[string]*flagSet{}} }

// Declare reads the scripts that a run is going to load, without running them, and checks that one of them declares
// each flag among the arguments: a UsageError, otherwise. Names with "@astrolabe//" are of the built-in library.
func (r *Runner) Declare(ctx context.Context, scripts ...string) error {
	return r.protect(ctx, func(context.Context) error {
		if r.flags == nil {
			r.flags = newFlagSets()
		}
		r.Ahead(slices.DeleteFunc(slices.Clone(scripts), func(name string) bool {
			return !strings.HasPrefix(name, libraryPrefix)
		})...) // each is compiled while the next is looked through, or the one before it runs
		for _, name := range scripts {
			find := r.fileModule
			if lib, ok := strings.CutPrefix(name, libraryPrefix); ok {
				name, find = lib, r.libraryModule
			}
			m, err := find(name)
			if err != nil {
				return err
			}
			r.flags.scan(r, m)
		}
		return r.flags.check(r.opt.Env.Args, true)
	})
}

// scan reads the flags of a module and of those that it loads. Mistakes in them show when they run.
func (s *flagSets) scan(r *Runner, m *module) {
	if s.files[m.key] != nil {
		return
	}
	found := r.scanned(m)
	s.files[m.key] = found.set
	var next []*module
	for _, name := range found.loads {
		if l, err := r.resolve(m, name); err == nil {
			next = append(next, l)
			if l.library && s.files[l.key] == nil && r.opt.Bundle == nil {
				go r.prepared(l).program() // while those before it are looked through
			}
		}
	}
	for _, l := range next {
		s.scan(r, l)
	}
}

// scanned reads the flags of a module, or takes what the bundle has of them.
func (r *Runner) scanned(m *module) scanned {
	b := r.opt.Bundle
	if b == nil {
		return r.prepared(m).scanned()
	}
	if _, ok := b.flags[m.key]; !ok {
		if b.flags == nil {
			b.flags = map[string]scanned{}
		}
		b.flags[m.key] = r.prepared(m).scanned()
	}
	return b.flags[m.key]
}

// scanFlags reads the flags of one module, and what it loads; err is that of its text. Most statements of a long script
// have neither word on their lines and are not looked through: this and telling args from variables of that name took a
// sixth of the time in which the shipped scripts are made ready.
func scanFlags(text []byte, file *syntax.File, err error) scanned {
	set := &flagSet{flags: map[string]bool{}}
	if err != nil {
		set.open = true
		return scanned{set: set}
	}
	var lines []int32                                    // that have one of the words, from 1
	args, odd := false, bytes.IndexByte(text, '\r') >= 0 // it may end lines too
	for n, line := int32(1), []byte(nil); len(text) > 0; n++ {
		line, text, _ = bytes.Cut(text, []byte("\n"))
		raw := bytes.Contains(line, []byte("args"))
		if args = args || raw; raw || bytes.Contains(line, []byte("flags")) {
			lines = append(lines, n)
		}
	}
	if args {
		resolve.File(file, func(string) bool { return true }, func(string) bool { return false })
	}
	var loads []string
	look := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.LoadStmt:
			loads = append(loads, n.ModuleName())
		case *syntax.CallExpr:
			if id, ok := n.Fn.(*syntax.Ident); ok && id.Name == "flags" {
				set.add(n)
			}
		case *syntax.Ident:
			if b, ok := n.Binding.(*resolve.Binding); ok && n.Name == "args" && b.Scope == resolve.Predeclared {
				set.raw = true // not a variable that the file calls so
			}
		case *syntax.DotExpr:
			if n.Name.Name == "args" { // a field, such as that of what flags returns
				_, plain := n.X.(*syntax.Ident)
				return !plain
			}
		}
		return true
	}
	for _, stmt := range file.Stmts {
		switch stmt.(type) {
		case *syntax.DefStmt, *syntax.AssignStmt, *syntax.ExprStmt: // which load nothing
			from, to := stmt.Span()
			if i, _ := slices.BinarySearch(lines, from.Line); !odd && (i == len(lines) || lines[i] > to.Line) {
				continue
			}
		}
		syntax.Walk(stmt, look)
	}
	return scanned{set, loads}
}

// add notes the flags of one call.
func (s *flagSet) add(call *syntax.CallExpr) {
	s.calls = true
	for _, arg := range call.Args {
		kv, ok := arg.(*syntax.BinaryExpr)
		if !ok || kv.Op != syntax.EQ {
			s.open = true
			continue
		}
		id, ok := kv.X.(*syntax.Ident)
		if !ok {
			s.open = true
			continue
		}
		s.flags[id.Name] = isSwitch(kv.Y)
	}
}

// isSwitch reports whether the default of a flag is a bool, alone or with its help.
func isSwitch(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return isSwitch(e.X)
	case *syntax.TupleExpr:
		return len(e.List) > 0 && isSwitch(e.List[0])
	case *syntax.Ident:
		return e.Name == "True" || e.Name == "False"
	}
	return false
}

// find looks for a flag as the user wrote it, without the value.
func (s *flagSet) find(name string) (isSwitch, ok bool) {
	name = strings.ReplaceAll(strings.TrimPrefix(name, "--"), "-", "_")
	if isSwitch, ok := s.flags[name]; ok {
		return isSwitch, true
	}
	if on, ok := strings.CutPrefix(name, "no_"); ok && s.flags[on] {
		return true, true
	}
	return false, false
}

// check makes sure that some file takes each flag among the arguments. Where no file declares any, a script may have
// its own way with its arguments, unless strict asks that it reads them.
func (s *flagSets) check(args []string, strict bool) error {
	declares := strict
	var names []string
	for _, set := range s.files {
		if set.open || set.raw {
			return nil
		}
		declares = declares || set.calls
		for name := range set.flags {
			names = append(names, "--"+strings.ReplaceAll(name, "_", "-"))
		}
	}
	if !declares {
		return nil
	}
	slices.Sort(names)
	for _, a := range split(args, s.isSwitch) {
		if !a.flag || a.name == "--help" || s.takes(a.name) {
			continue
		}
		msg := "unknown flag " + a.name
		if near := spelling.Near(a.name, names); len(near) > 0 {
			msg += fmt.Sprintf(" (did you mean %s?)", near[0])
		} else if len(names) > 0 {
			msg += "; the script has " + strings.Join(names, ", ")
		} else {
			msg += "; the script has no flags"
		}
		return &UsageError{Msg: msg}
	}
	return nil
}

func (s *flagSets) takes(name string) bool {
	for _, set := range s.files {
		if _, ok := set.find(name); ok {
			return true
		}
	}
	return false
}

// isSwitch reports whether a flag takes no value.
func (s *flagSets) isSwitch(name string) bool {
	for _, set := range s.files {
		if is, ok := set.find(name); ok {
			return is
		}
	}
	return name == "--help"
}

// argument is one argument with the value that belongs to it.
type argument struct {
	words []string
	name  string // of a flag, with --
	flag  bool
}

// split groups arguments: a flag with its value, everything else alone.
func split(args []string, isSwitch func(string) bool) []argument {
	var out []argument
	for i := 0; i < len(args); i++ {
		a := argument{words: args[i : i+1]}
		if args[i] == "--" {
			for _, word := range args[i:] {
				out = append(out, argument{words: []string{word}})
			}
			break
		}
		if strings.HasPrefix(args[i], "--") {
			name, _, hasValue := strings.Cut(args[i], "=")
			a.flag, a.name = true, name
			if !hasValue && !isSwitch(name) && i+1 < len(args) {
				a.words = args[i : i+2]
				i++
			}
		}
		out = append(out, a)
	}
	return out
}

// lend gives a module the arguments that are its own while its top level runs: all but the flags that only other files
// declare. The function that it returns takes them back.
func (s *flagSets) lend(env *binding.Env, m *module) (back func()) {
	if s == nil || s.files[m.key] == nil {
		return func() {}
	}
	if s.depth == 0 {
		s.all = env.Args
	}
	s.depth++
	before := env.Args
	env.Args = s.own(s.files[m.key])
	return func() {
		env.Args = before
		s.depth--
	}
}

// own is what a file sees of the arguments.
func (s *flagSets) own(set *flagSet) []string {
	if !set.calls || set.open {
		return s.all
	}
	own := make([]string, 0, len(s.all))
	for _, a := range split(s.all, s.isSwitch) {
		if _, mine := set.find(a.name); a.flag && !mine && s.takes(a.name) {
			continue
		}
		own = append(own, a.words...)
	}
	return own
}
