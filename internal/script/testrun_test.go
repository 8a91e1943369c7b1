package script

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"astrolabe/builtins/binding"
	"astrolabe/hwio"
	"astrolabe/internal/buildserver"
)

var testTree = map[string]string{
	"astrolabe.toml": "",
	"lib/m.star":     "print(\"m runs\")\none = 1\n",
	"a/good_test.star": "load(\"//lib/m.star\", \"one\")\nload(\"@astrolabe//triage/a.star\", \"a\")\n" +
		"def test_second():\n    assert.eq(one, 1)\n\ndef test_also():\n    assert.eq(a, 11)\n\ndef not_a_test():\n  " +
		"  fail(\"never\")\n",
	"a/bad_test.star": "def check(x):\n    assert.eq(x, 2)\n\ndef test_fine():\n    pass\n\ndef test_bad():\n    " +
		"print(\"before\")\n    check(1)\n\n" +
		"def test_after():\n    assert.fails(lambda: [][1], \"out of range\")\n",
	"a/broken_test.star":         "load(\"//lib/none.star\", \"x\")\n",
	"a/empty_test.star":          "x = 1\n",
	"a/params_test.star":         "def test_p(x):\n    pass\n",
	"a/spin_test.star":           "def test_spin():\n    for i in range(1 << 40):\n        pass\n\ndef test_next():\n    pass\n",
	"a/testdata/x_test.star":     "fail(\"not run\")\n",
	"a/.hidden/x_test.star":      "fail(\"not run\")\n",
	"a/node_modules/x_test.star": "fail(\"not run\")\n",
	"a/other.star":               "fail(\"not run\")\n",
}

// runTests runs tests and returns what was written.
func runTests(t *testing.T, o TestOptions) (TestResult, string, error) {
	t.Helper()
	var out bytes.Buffer
	o.Out, o.Library = &out, library
	o.Env = func() *binding.Env { return &binding.Env{} }
	n, err := Test(context.Background(), o)
	return n, out.String(), err
}

func TestTheTestRunnerReportsFailuresWithTheirTraceback(t *testing.T) {
	golden, err := filepath.Abs("testdata/testrun.txt")
	if err != nil {
		t.Fatal(err)
	}
	tree(t, testTree)
	n, out, err := runTests(t, TestOptions{Limits: Limits{MaxSteps: 10000}})
	if err != nil {
		t.Fatal(err)
	}
	if n.Passed != 5 || n.Failed != 4 || n.Skipped != 0 {
		t.Errorf("got %+v", n)
	}
	if *update {
		if err := os.WriteFile(golden, []byte(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), out); d != "" {
		t.Error(d)
	}
}

func TestTheFilterChoosesTestsByName(t *testing.T) {
	tree(t, testTree)
	n, out, err := runTests(t, TestOptions{Paths: []string{"a/good_test.star", "a/bad_test.star"},
		Run: regexp.MustCompile("a.s"), Verbose: true})
	if err != nil || n.Passed != 1 || n.Failed != 0 || n.Skipped != 4 {
		t.Errorf("got %+v, %v\n%s", n, err, out)
	}
	if !strings.Contains(out, "pass a/good_test.star:6 test_also\n") ||
		!strings.Contains(out, "1 passed, 0 failed, 4 left out by the filter") {
		t.Error(out)
	}
}

func TestNoTestsIsAnError(t *testing.T) {
	tree(t, testTree)
	for _, o := range []TestOptions{{Paths: []string{"lib"}}, {Run: regexp.MustCompile("nothing is called so"),
		Paths: []string{"a/good_test.star"}}, {Paths: []string{"a/empty_test.star"}}} {
		if _, _, err := runTests(t, o); !errors.Is(err, errNoTests) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	var usage *UsageError
	if _, _, err := runTests(t, TestOptions{Paths: []string{"a/other.star"}}); !errors.As(err, &usage) {
		t.Errorf("a file that is no test: %v", err)
	}
	if _, _, err := runTests(t, TestOptions{Paths: []string{"none"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestTestsAreContainedEachInItsRepository(t *testing.T) {
	tree(t, map[string]string{"secret.txt": "key", "r/astrolabe.toml": "", "r/data.txt": "fine",
		"r/t_test.star": "def test_in():\n    assert.eq(read(\"r/data.txt\"), \"fine\")\n\ndef test_out():\n    assert.fails(lambda: read(\"secret.txt\"), \"outside what this script may read\")\n"})
	n, out, err := runTests(t, TestOptions{})
	if err != nil || n.Passed != 2 {
		t.Errorf("%+v, %v\n%s", n, err, out)
	}
}

func TestATestThatIsInterruptedEndsTheRun(t *testing.T) {
	tree(t,
		map[string]string{
			"spin_test.star": "def test_spin():\n    capture.sources()\n    for i in range(1 << 40):\n        pass\n"})
	ctx, cancel := context.WithCancel(context.Background())
	var out bytes.Buffer
	_, err := Test(ctx, TestOptions{Paths: []string{"spin_test.star"}, Out: &out, Env: func() *binding.Env {
		return &binding.Env{Sources: func() []hwio.Source { cancel(); return nil }} // the test runs by then
	}})
	if !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v\n%s", err, out.String())
	}
}

func TestWhatATestPrintsIsBounded(t *testing.T) {
	var p printedText
	line := strings.Repeat("x", 1000)
	for range 1000 {
		p.add(line)
	}
	if s := p.text(); len(s) > maxPrinted+100 || !strings.HasSuffix(s, "more bytes\n") {
		t.Errorf("%d bytes kept, ends %q", len(s), s[max(0, len(s)-60):])
	}
}

func TestFilesInParallelAreReportedInOrder(t *testing.T) {
	tree(t, testTree)
	_, want, err := runTests(t, TestOptions{Limits: Limits{MaxSteps: 10000}})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		n, got, err := runTests(t, TestOptions{Limits: Limits{MaxSteps: 10000}, Parallel: 4})
		if err != nil || n.Passed != 5 || n.Failed != 4 {
			t.Errorf("%+v, %v", n, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	}
	if p := debug.SetGCPercent(100); p < 0 {
		t.Error("the garbage collector was left switched off")
	}
}

func TestInOrderStopsAtTheFirstError(t *testing.T) {
	wrong := errors.New("wrong")
	var began atomic.Int32
	var got []int
	err := inOrder(1000, 3, func(i int) (int, error) {
		began.Add(1)
		if i >= 5 {
			return 0, wrong
		}
		return i, nil
	}, func(i int) error { got = append(got, i); return nil })
	if !errors.Is(err, wrong) || !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("got %v, %v", got, err)
	}
	if n := began.Load(); n > 5+3 { // those before, and the three at the same time of which one fails first
		t.Errorf("%d calls began after the error", n)
	}
}

func TestGoldenFilesAreWrittenOnUpdateOnlyAndStayBesideTheTest(t *testing.T) {
	tree(t, map[string]string{"astrolabe.toml": "",
		"a/g_test.star": "def test_g():\n    assert.golden(\"sub/g.txt\", \"one\\ntwo\")\n\ndef test_out():\n    assert.fails(lambda: assert.golden(\"../g.txt\", \"x\"), \"not below testdata\")\n"})
	n, out, err := runTests(t, TestOptions{})
	if err != nil || n.Failed != 1 || !strings.Contains(out, "there is no golden file a/testdata/sub/g.txt yet") {
		t.Errorf("%+v, %v\n%s", n, err, out)
	}
	if _, out, err = runTests(t, TestOptions{Update: true}); err != nil ||
		!strings.HasPrefix(out, "a/testdata/sub/g.txt\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile("a/testdata/sub/g.txt"); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("%q, %v", text, err)
	}
	if n, out, err = runTests(t, TestOptions{}); err != nil || n.Failed != 0 {
		t.Errorf("%+v, %v\n%s", n, err, out)
	}
	if err := os.WriteFile("a/testdata/sub/g.txt", []byte("one\n2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, out, _ = runTests(t, TestOptions{}); !strings.Contains(out, "-2\n") || !strings.Contains(out, "+two\n") {
		t.Error(out)
	}
}

func TestJUnitHoldsEveryTestThatRan(t *testing.T) {
	tree(t, testTree)
	n, _, err := runTests(t, TestOptions{Limits: Limits{MaxSteps: 10000}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Results(n).WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var back buildserver.Suites
	if err := xml.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Tests != 9 || back.Failures != 2 || back.Errors != 2 || len(back.Suites) != 5 {
		t.Errorf("%d tests, %d failures, %d errors, %d suites", back.Tests, back.Failures, back.Errors,
			len(back.Suites))
	}
	bad := back.Suites[0].Cases[1]
	if bad.Name != "test_bad" || bad.Class != "a.bad_test" || bad.Line != 7 || bad.Failure == nil ||
		bad.Failure.Message != "assert.eq: got 1, want 2" || bad.Output != "before\n" {
		t.Errorf("%+v", bad)
	}
}
