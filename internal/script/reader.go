package script

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
	"astrolabe/builtins/guards"
	"astrolabe/builtins/mistakes"
)

// IsTest reports whether a file is one of tests, by its name.
func IsTest(name string) bool { return isTestFile(name) }

// Predeclared are the names that a file of that name sees, with their values in a run that may do everything.
func Predeclared(name string) starlark.StringDict {
	return builtins.Predeclared(&binding.Env{Clock: true, Exec: true, Testing: isTestFile(name)})
}

// Reader finds and reads the files that load statements name, by the rules of a run, without running anything. It holds
// nothing of the files, so what it reads is what stands there now.
type Reader struct {
	r *Runner
	// Unsaved is the text of a file, by its Key, that stands for what is stored, such as that of an editor; nil has
	// none.
	Unsaved func(key string) (text []byte, ok bool)
}

// NewReader returns a Reader; library is the root of "@astrolabe//", nil is none.
func NewReader(library fs.FS) *Reader {
	return &Reader{r: &Runner{opt: Options{Library: library}, modules: map[string]*module{}, ready: map[string]*prepared{}}}
}

// Source is a Starlark file that was read.
type Source struct {
	Key  string // the same for the same file
	Name string // as it is shown
	Path string // real absolute path; "" of the built-in library
	Text []byte
	m    *module
}

func newSource(m *module) *Source {
	s := &Source{Key: m.key, Name: m.name, Text: m.text, m: m}
	if !m.library {
		s.Path = m.key
	}
	return s
}

// File reads a script that the user named: a path, or a name of the built-in library that begins with @astrolabe//.
func (r *Reader) File(name string) (*Source, error) {
	find := r.r.fileModule
	if lib, ok := strings.CutPrefix(name, libraryPrefix); ok {
		name, find = lib, r.r.libraryModule
	}
	m, err := find(name)
	if err != nil {
		return nil, err
	}
	return newSource(m), nil
}

// Text is a script whose text is not, or not yet, what stands in the file.
func (r *Reader) Text(path string, text []byte) *Source {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = filepath.Clean(path)
	}
	real := realPath(abs)
	return newSource(&module{key: real, name: displayName(abs), base: filepath.Dir(real), fence: realPath(Root(real)),
		text: text})
}

// Load reads the file that a load statement of from names.
func (r *Reader) Load(from *Source, name string) (*Source, error) {
	m, err := r.r.resolve(from.m, name)
	if err != nil {
		return nil, err
	}
	s := newSource(m)
	if r.Unsaved != nil && !m.library {
		if text, ok := r.Unsaved(s.Key); ok {
			s.Text = text
		}
	}
	return s, nil
}

// Parts are the files that a script is divided into, in the order of their names: those in a folder of its name that it
// loads, directly or by others there.
func (r *Reader) Parts(s *Source) (parts []*Source) {
	for _, m := range r.r.partsOf(s.m) {
		parts = append(parts, newSource(m))
	}
	return parts
}

// maxNesting is how deep brackets may be nested in a file that a tool reads: parsers and walkers are recursive.
const maxNesting = 1000

// Parse reads the syntax of a file. The error is a syntax.Error.
func (s *Source) Parse() (*syntax.File, error) {
	if err := s.checkNesting(s.Text); err != nil {
		return nil, err
	}
	if err := guards.CheckNumbers(s.Name, s.Text); err != nil {
		return nil, err
	}
	file, err := dialect().Parse(s.Name, s.Text, 0)
	if err != nil {
		return nil, mistakes.Explain(err, string(s.Text), 1, nil)
	}
	return file, s.checkDepth(file)
}

// ParseExpr reads an expression that is no part of the file, but could be.
func (s *Source) ParseExpr(text string) (syntax.Expr, error) {
	if err := s.checkNesting([]byte(text)); err != nil {
		return nil, err
	}
	e, err := dialect().ParseExpr(s.Name, text, 0)
	if err != nil {
		return nil, err
	}
	return e, s.checkDepth(e)
}

// checkDepth refuses a tree that is too deep, which a chain such as 1+1+1+… makes without any bracket: tools look at
// every node and at all that is below it, which would take time that grows with the square of the chain.
func (s *Source) checkDepth(tree syntax.Node) error {
	depth := 0
	var deep syntax.Node
	syntax.Walk(tree, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return true
		}
		if depth++; depth > maxNesting && deep == nil {
			deep = n
		}
		return true
	})
	if deep == nil {
		return nil
	}
	start, _ := deep.Span()
	return syntax.Error{Pos: start,
		Msg: fmt.Sprintf("an expression has more than %d parts one in another: give some of them names", maxNesting)}
}

func (s *Source) checkNesting(text []byte) error {
	depth, line := 0, int32(1)
	for _, c := range text {
		switch c {
		case '\n':
			line++
		case '(', '[', '{':
			if depth++; depth > maxNesting {
				return syntax.Error{Pos: syntax.MakePosition(&s.Name, line, 1),
					Msg: fmt.Sprintf("more than %d brackets are open", maxNesting)}
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return nil
}

// maxLoaded bounds the files that Closure follows.
const maxLoaded = 10_000

// Closure lists the paths of a script and of the files that it loads, directly or not, without running it. Files that
// cannot be found now are listed by the path where they would be, so that a watch sees them appear; those of the
// library are not.
func (r *Reader) Closure(path string) []string {
	abs := realPath(path)
	seen := map[string]bool{abs: true}
	out := []string{abs}
	main, err := r.File(path)
	if err != nil {
		return out
	}
	for queue := []*Source{main}; len(queue) > 0 && len(out) < maxLoaded; queue = queue[1:] {
		s := queue[0]
		for _, name := range loads(s) {
			next, err := r.Load(s, name)
			file := ""
			switch {
			case err == nil:
				file = next.Path
			case !strings.HasPrefix(name, "@") && !s.m.library:
				file = s.m.place(name)
			}
			if file == "" || seen[file] {
				continue
			}
			seen[file] = true
			out = append(out, file)
			if err == nil {
				queue = append(queue, next)
			}
		}
	}
	return out
}

// place is where a relative load of a module, or one from the root of its repository, leads.
func (m *module) place(name string) string {
	dir := m.base
	if rest, ok := strings.CutPrefix(name, "//"); ok {
		root, ok := FindRepo(m.base)
		if !ok {
			return ""
		}
		dir, name = realPath(root), rest
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// loads lists the modules that a file loads; of a file that does not parse, those before the mistake cannot be told.
func loads(s *Source) []string {
	file, err := s.Parse()
	if err != nil {
		return nil
	}
	var out []string
	syntax.Walk(file, func(n syntax.Node) bool {
		if l, ok := n.(*syntax.LoadStmt); ok {
			out = append(out, l.ModuleName())
		}
		return true
	})
	return out
}

// FindFiles lists the Starlark files at and below paths, sorted, each once. What is named counts whatever its name is;
// hidden folders, testdata and node_modules are not searched unless they are named.
func FindFiles(paths []string) ([]string, error) {
	return starlarkFiles(paths, func(name string) bool {
		return strings.HasSuffix(name, sourceSuffix)
	}, func(path string) error {
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return &UsageError{Msg: path + " is neither a file nor a folder"}
		}
		return nil
	})
}

// FoundLink reports whether a file that FindFiles found is a symbolic link that is not itself among the paths: what may
// be rewritten is what lies below a folder, not what a link in it leads to.
func FoundLink(file string, paths []string) bool {
	info, err := os.Lstat(file)
	named := slices.ContainsFunc(paths, func(p string) bool { return samePath(p, file) })
	return err == nil && info.Mode()&fs.ModeSymlink != 0 && !named
}

// Siblings lists what a load statement of a file can name in the folder that the beginning of a name leads to: scripts,
// and folders that end in /. Of "//lib/a" that is what is in //lib.
func (r *Reader) Siblings(from *Source, name string) []string {
	prefix := name[:strings.LastIndexByte(name, '/')+1]
	if from.m.library || strings.HasPrefix(prefix, "@") || strings.HasPrefix(prefix, "/") &&
		!strings.HasPrefix(prefix, "//") {
		return nil
	}
	folder := from.m.place(prefix)
	if folder == "" || !within(from.m.fence, realPath(folder)) {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		switch name := e.Name(); {
		case strings.HasPrefix(name, "."):
		case e.IsDir():
			out = append(out, prefix+name+"/")
		case strings.HasSuffix(name, sourceSuffix) && !isTestFile(name):
			out = append(out, prefix+name)
		}
	}
	return out
}
