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
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/repl"
)

// testSuffix ends the names of test files.
const testSuffix = "_test.star"

// testPrefix begins the names of test functions.
const testPrefix = "test_"

// errNoTests is the error of Test where there is nothing to run.
var errNoTests = errors.New("no tests")

// TestOptions is what Test runs, and how.
type TestOptions struct {
	Paths    []string       // files and folders, which are searched to the bottom; none is the working directory
	Run      *regexp.Regexp // matches somewhere in the names of the tests to run; nil is all
	Verbose  bool           // name the tests that pass, and show what they print
	Update   bool           // write golden files instead of comparing with them
	Parallel int            // files that run at the same time; less than 1 is 1
	Out      io.Writer

	// Env makes the environment of one test file; Test sets its Files, Exec, Clock, Testing, Golden and Wrote.
	Env    func() *binding.Env
	Policy Policy // Repo is found from each file
	// of each test, and of the top level of each file; memory is that of the program, whatever runs beside
	Limits  Limits
	Library fs.FS
	Talk    io.Writer      // see Options
	Exit    func(code int) // see Options
}

// TestResult counts tests. A file that cannot be loaded is one failed test.
type TestResult struct {
	Passed  int
	Failed  int
	Skipped int // left out by the filter
	Files   []TestFile
}

// TestFile is what became of one test file.
type TestFile struct {
	Name     string // with slashes
	Duration time.Duration
	Tests    []TestCase // those that ran, in the order in which they stand in the file
	Skipped  int
	Broken   string // why the file could not be loaded, with the traceback; "" where it could
}

// TestCase is one test that ran.
type TestCase struct {
	Name     string
	Line     int
	Duration time.Duration
	Failure  string // the traceback and the message; "" of a test that passed
	Message  string // the message alone
	Printed  string
}

// Test runs the test_ functions without parameters of every file whose name ends in _test.star, each in a thread of its
// own, with a fresh environment per file. It writes failures with their traceback, a line per file and the sums to Out,
// in the order of the files whatever ends first. The error is about running tests at all; failed tests are in the
// result only.
func Test(ctx context.Context, o TestOptions) (TestResult, error) {
	var sum TestResult
	if len(o.Paths) == 0 {
		o.Paths = []string{"."}
	}
	files, err := testFiles(o.Paths)
	if err != nil {
		return sum, err
	}
	err = inOrder(len(files), o.Parallel, func(i int) (*fileRun, error) {
		run := &fileRun{opt: &o, file: files[i]}
		return run, run.test(ctx)
	}, func(run *fileRun) error {
		sum.add(run.result)
		_, err := o.Out.Write(run.out.Bytes())
		return err
	})
	if err != nil {
		return sum, err
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
		return sum, fmt.Errorf("%w: %q matches no test's name", errNoTests, o.Run)
	}
	return sum, fmt.Errorf("%w: no function in %s begins with %s", errNoTests, strings.Join(files, ", "), testPrefix)
}

// add counts the tests of a file.
func (r *TestResult) add(f TestFile) {
	r.Files = append(r.Files, f)
	r.Skipped += f.Skipped
	if f.Broken != "" {
		r.Failed++
	}
	passed, failed := f.count()
	r.Passed += passed
	r.Failed += failed
}

func (f *TestFile) count() (passed, failed int) {
	for _, t := range f.Tests {
		if t.Failure != "" {
			failed++
		} else {
			passed++
		}
	}
	return passed, failed
}

// inOrder calls work for 0 to n-1, at most parallel of them at the same time, and hands the results to done in order.
// After an error nothing new begins, and the error of the lowest number is returned.
func inOrder[T any](n, parallel int, work func(i int) (T, error), done func(T) error) error {
	type result struct {
		v   T
		err error
	}
	slots := make(chan struct{}, max(1, parallel))
	results := make([]chan result, n)
	for i := range results {
		results[i] = make(chan result, 1)
	}
	stop := make(chan struct{})
	end := sync.OnceFunc(func() { close(stop) })
	var group sync.WaitGroup
	group.Go(func() {
		for i := range n {
			slots <- struct{}{}
			select {
			case <-stop:
				return
			default:
			}
			group.Go(func() {
				v, err := work(i)
				if err != nil {
					end()
				}
				<-slots
				results[i] <- result{v, err}
			})
		}
	})
	var err error
	for _, c := range results {
		r := <-c
		if err = r.err; err == nil {
			err = done(r.v)
		}
		if err != nil {
			break
		}
	}
	end()
	group.Wait()
	return err
}

// testFiles lists the test files at and below paths, sorted, each once. Hidden folders, testdata and node_modules are
// not searched, unless they are named.
func testFiles(paths []string) ([]string, error) {
	files, err := starlarkFiles(paths, isTestFile, func(path string) error {
		if !isTestFile(path) {
			return &UsageError{Msg: fmt.Sprintf("%s is no test file: its name does not end in %s", path, testSuffix)}
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		return nil, fmt.Errorf("%w: no file below %s has a name that ends in %s", errNoTests, strings.Join(paths, ", "),
			testSuffix)
	}
	return files, err
}

// starlarkFiles lists the files at paths that check lets pass, and those below folders that match, sorted, each once.
func starlarkFiles(paths []string, match func(name string) bool, check func(path string) error) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, notThere(path, err)
		}
		if !info.IsDir() {
			if err := check(path); err != nil {
				return nil, err
			}
			files = append(files, filepath.Clean(path))
			continue
		}
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && file != path && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" ||
				d.Name() == "node_modules"):
				return fs.SkipDir
			case !d.IsDir() && match(file):
				files = append(files, filepath.Clean(file))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// fileRun runs the tests of one file.
type fileRun struct {
	opt     *TestOptions
	file    string
	out     bytes.Buffer // what is shown
	printed printedText
	result  TestFile
}

// test runs the tests. The error is about what stopped the whole run.
func (f *fileRun) test(ctx context.Context) error {
	began := time.Now()
	defer func() { f.result.Duration = time.Since(began) }()
	o := f.opt
	env := o.Env()
	env.Testing = true
	env.Golden = f.golden
	env.Wrote = func(path string) { fmt.Fprintln(&f.out, path) }
	policy := o.Policy
	policy.Repo = Root(f.file)
	if err := policy.Apply(env); err != nil {
		return err
	}
	r := NewRunner(Options{Env: env, Library: o.Library, Limits: o.Limits, Print: f.printed.add,
		Talk: o.Talk, Exit: o.Exit})
	f.result.Name = filepath.ToSlash(f.file)

	globals, err := r.LoadFile(ctx, f.file)
	var tests []*starlark.Function
	if err == nil {
		tests, err = testFunctions(globals)
	}
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		f.result.Broken = repl.FormatError(err, nil)
		fmt.Fprintf(&f.out, "FAIL %s\n%s%s", f.result.Name, indent(f.result.Broken), indent(f.printed.shown()))
		return nil
	}
	for _, fn := range tests {
		if o.Run != nil && !o.Run.MatchString(fn.Name()) {
			f.result.Skipped++
			continue
		}
		if err := f.call(ctx, r, fn); err != nil {
			return err
		}
	}
	name := f.result.Name
	switch passed, failed := f.result.count(); {
	case failed > 0:
		fmt.Fprintf(&f.out, "FAIL %s: %d passed, %d failed\n", name, passed, failed)
	case passed > 0:
		fmt.Fprintf(&f.out, "ok   %s: %d passed\n", name, passed)
	case f.result.Skipped == 0:
		fmt.Fprintf(&f.out, "none %s: no function begins with %s\n", name, testPrefix)
	}
	return nil
}

// call runs one test.
func (f *fileRun) call(ctx context.Context, r *Runner, fn *starlark.Function) error {
	f.printed.reset()
	r.renew()
	began := time.Now()
	_, err := r.Call(ctx, fn, nil, nil)
	if err != nil && ctx.Err() != nil {
		return err
	}
	c := TestCase{Name: fn.Name(), Line: int(fn.Position().Line), Duration: time.Since(began),
		Printed: f.printed.text()}
	switch {
	case err != nil:
		c.Failure, c.Message = repl.FormatError(err, nil), err.Error()
		fmt.Fprintf(&f.out, "FAIL %s:%d %s\n%s%s", f.result.Name, c.Line, c.Name, indent(c.Failure),
			indent(f.printed.shown()))
	case f.opt.Verbose:
		fmt.Fprintf(&f.out, "pass %s:%d %s\n%s", f.result.Name, c.Line, c.Name, indent(f.printed.shown()))
	}
	f.result.Tests = append(f.result.Tests, c)
	return nil
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

// text is what was printed, and how much of it was not kept.
func (p *printedText) text() string {
	out := p.buf.String()
	if p.lost > 0 {
		out += fmt.Sprintf("… and %d more bytes\n", p.lost)
	}
	return out
}

// shown is text under a heading, "" where nothing was printed.
func (p *printedText) shown() string {
	text := p.text()
	if text != "" {
		text = "printed:\n" + text
	}
	return text
}

// indent sets text off by four spaces.
func indent(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString("    " + line)
	}
	return out.String()
}
