package script

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"astrolabe/builtins"
)

// testSuffix ends the names of test files.
const testSuffix = "_test.star"

// testPrefix begins the names of test functions.
const testPrefix = "test_"

// ErrNoTests is the error of Test where there is nothing to run.
var ErrNoTests = errors.New("no tests")

// TestOptions is what Test runs, and how.
type TestOptions struct {
	Paths   []string // files and folders, which are searched to the bottom; none is the working directory
	Filter  string   // part of the name of the tests to run; "" is all
	Verbose bool     // name the tests that pass, and show what they print
	Out     io.Writer

	// Env makes the environment of one test file; Test sets its Files, Exec, Clock and Testing.
	Env     func() *builtins.Env
	Policy  Policy // Repo is found from each file
	Limits  Limits // of each test, and of the top level of each file
	Library fs.FS
	Talk    io.Writer      // see Options
	Exit    func(code int) // see Options
}

// TestResult counts tests. A file that cannot be loaded is one failed test.
type TestResult struct {
	Passed  int
	Failed  int
	Skipped int // left out by the filter
}

// Test runs the test_ functions without parameters of every file whose name ends in _test.star, each in a thread of its own, with
// a fresh environment per file. It writes failures with their traceback, a line per file and the sums to Out. The error is about
// running tests at all; failed tests are in the result only.
func Test(ctx context.Context, o TestOptions) (TestResult, error) {
	var sum TestResult
	if len(o.Paths) == 0 {
		o.Paths = []string{"."}
	}
	files, err := testFiles(o.Paths)
	if err != nil {
		return sum, err
	}
	for _, file := range files {
		n, err := o.file(ctx, file)
		sum.Passed += n.Passed
		sum.Failed += n.Failed
		sum.Skipped += n.Skipped
		if err != nil {
			return sum, err
		}
	}
	text := fmt.Sprintf("%d passed, %d failed", sum.Passed, sum.Failed)
	if sum.Skipped > 0 {
		text += fmt.Sprintf(", %d left out by the filter", sum.Skipped)
	}
	if _, err := fmt.Fprintln(o.Out, text); err != nil {
		return sum, err
	}
	switch {
	case sum.Passed+sum.Failed > 0:
		return sum, nil
	case sum.Skipped > 0:
		return sum, fmt.Errorf("%w: %q is part of no test's name", ErrNoTests, o.Filter)
	}
	return sum, fmt.Errorf("%w: no function in %s begins with %s", ErrNoTests, strings.Join(files, ", "), testPrefix)
}

// testFiles lists the test files at and below paths, sorted, each once. Hidden folders, testdata and node_modules are not
// searched, unless they are named.
func testFiles(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if !isTestFile(path) {
				return nil, &UsageError{Msg: fmt.Sprintf("%s is no test file: its name does not end in %s", path, testSuffix)}
			}
			files = append(files, filepath.Clean(path))
			continue
		}
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && file != path && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
				return fs.SkipDir
			case !d.IsDir() && isTestFile(file):
				files = append(files, filepath.Clean(file))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	if len(files) == 0 {
		return nil, fmt.Errorf("%w: no file below %s has a name that ends in %s", ErrNoTests, strings.Join(paths, ", "), testSuffix)
	}
	return files, nil
}

// file runs the tests of one file.
func (o *TestOptions) file(ctx context.Context, file string) (n TestResult, err error) {
	env := o.Env()
	env.Testing = true
	policy := o.Policy
	policy.Repo = Root(file)
	if err := policy.Apply(env); err != nil {
		return n, err
	}
	printed := &printedText{}
	r := NewRunner(Options{Env: env, Library: o.Library, Limits: o.Limits, Print: printed.add, Talk: o.Talk, Exit: o.Exit})
	name := filepath.ToSlash(file)

	globals, err := r.LoadFile(ctx, file)
	var tests []*starlark.Function
	if err == nil {
		tests, err = testFunctions(globals)
	}
	if err != nil {
		if ctx.Err() != nil {
			return n, err
		}
		n.Failed = 1
		return n, o.write("FAIL %s\n%s%s", name, indent(FormatError(err)), indent(printed.text()))
	}
	for _, fn := range tests {
		if !strings.Contains(fn.Name(), o.Filter) {
			n.Skipped++
			continue
		}
		printed.reset()
		r.renew()
		_, err := r.Call(ctx, fn, nil, nil)
		switch {
		case err != nil && ctx.Err() != nil:
			return n, err
		case err != nil:
			n.Failed++
			err = o.write("FAIL %s:%d %s\n%s%s", name, fn.Position().Line, fn.Name(), indent(FormatError(err)), indent(printed.text()))
		default:
			n.Passed++
			if o.Verbose {
				err = o.write("pass %s:%d %s\n%s", name, fn.Position().Line, fn.Name(), indent(printed.text()))
			}
		}
		if err != nil {
			return n, err
		}
	}
	switch {
	case n.Failed > 0:
		return n, o.write("FAIL %s: %d passed, %d failed\n", name, n.Passed, n.Failed)
	case n.Passed > 0:
		return n, o.write("ok   %s: %d passed\n", name, n.Passed)
	case n.Skipped == 0:
		return n, o.write("none %s: no function begins with %s\n", name, testPrefix)
	}
	return n, nil
}

func (o *TestOptions) write(format string, args ...any) error {
	_, err := fmt.Fprintf(o.Out, format, args...)
	return err
}

// testFunctions lists the test functions of a file in the order in which they stand there.
func testFunctions(globals starlark.StringDict) ([]*starlark.Function, error) {
	var tests []*starlark.Function
	for name, v := range globals {
		fn, ok := v.(*starlark.Function)
		if !strings.HasPrefix(name, testPrefix) || !ok {
			continue
		}
		if fn.NumParams() > 0 {
			return nil, fmt.Errorf("%s has parameters: a test takes none", name)
		}
		tests = append(tests, fn)
	}
	slices.SortFunc(tests, func(a, b *starlark.Function) int {
		return cmp.Or(cmp.Compare(a.Position().Line, b.Position().Line), strings.Compare(a.Name(), b.Name()))
	})
	return tests, nil
}

// renew gives the next call the whole of the limits again.
func (r *Runner) renew() {
	r.steps = 0
	r.began = time.Time{}
}

// maxPrinted is how much of what a test prints is kept, in bytes.
const maxPrinted = 64 << 10

// printedText keeps the first lines that a test printed.
type printedText struct {
	buf  bytes.Buffer
	lost int // bytes
}

func (p *printedText) add(text string) {
	if p.buf.Len()+len(text) > maxPrinted {
		p.lost += len(text) + 1
		return
	}
	p.buf.WriteString(text)
	p.buf.WriteByte('\n')
}

func (p *printedText) reset() { p.buf.Reset(); p.lost = 0 }

func (p *printedText) text() string {
	out := p.buf.String()
	if out != "" || p.lost > 0 {
		out = "printed:\n" + out
	}
	if p.lost > 0 {
		out += fmt.Sprintf("… and %d more bytes\n", p.lost)
	}
	return out
}

// indent sets text off by four spaces.
func indent(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("    " + line)
	}
	return out.String()
}
