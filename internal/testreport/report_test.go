package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// judge runs the command on the stream of a made-up module and a list. testdata/stream.json is what go test -json of Go
// 1.26 printed for it, without times: packages that pass, fail, panic and do not build.
func judge(t *testing.T, events, list string, args ...string) (status int, out string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "skips")
	if err := os.WriteFile(path, []byte(list), 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	status = run(append([]string{"--skips", path}, args...), strings.NewReader(events), &b, &b)
	return status, b.String()
}

// stream are the recorded events of some packages.
func stream(t *testing.T, packages ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "stream.json"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		for _, p := range packages {
			if strings.Contains(line, `"Package":"sample/`+p+`"`) ||
				strings.Contains(line, `"ImportPath":"sample/`+p+` `) {
				b.WriteString(line)
			}
		}
	}
	return b.String()
}

const everySkip = `# allowed
... | TestNoTool  | gizmo is not installed | no gizmo
... | TestShort   | SKIPPED: -short: *     | -short
... | TestParts/* | SKIPPED: file does *   | another system
... | TestLate    | no data here           | for this test alone
`

func TestAListedSkipIsAcceptedAndAnUnlistedOneFails(t *testing.T) {
	status, out := judge(t, stream(t, "good"), everySkip)
	if status != 1 || !strings.Contains(out, "SKIP NOT ALLOWED sample/good TestSilent: it gives no reason\n") ||
		!strings.Contains(out, "skips that are not allowed: 1; ") {
		t.Errorf("a skip without a reason: %d\n%s", status, out)
	}
	all := strings.ReplaceAll(stream(t, "good"), `"Action":"skip","Package":"sample/good","Test":"TestSilent"`,
		`"Action":"pass","Package":"sample/good","Test":"TestSilent"`)
	status, out = judge(t, all, everySkip)
	if status != 0 || strings.Contains(out, "NOT ALLOWED") {
		t.Errorf("listed skips: %d\n%s", status, out)
	}
	for _, want := range []string{"SKIP sample/good TestNoTool: looks for it; gizmo is not installed\n",
		"TestShort: SKIPPED: -short: it takes long\n",
		"4 passed, 0 failed, 4 skipped\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is absent:\n%s", want, out)
		}
	}
	if status, out := judge(t, all, everySkip, "--brief"); status != 0 ||
		!strings.Contains(out, "1 skipped: no gizmo\n") || strings.Contains(out, "SKIP sample") {
		t.Errorf("brief: %d\n%s", status, out)
	}
	for _, c := range []struct{ name, line, instead string }{
		{"another test", "TestNoTool ", "TestOther "},
		{"another message", "gizmo is not installed", "gizmo is not"},
		{"another package", "... | TestNoTool", "elsewhere/... | TestNoTool"},
	} {
		status, out := judge(t, all, strings.Replace(everySkip, c.line, c.instead, 1))
		if status != 1 || !strings.Contains(out, "SKIP NOT ALLOWED sample/good TestNoTool") {
			t.Errorf("%s: %d\n%s", c.name, status, out)
		}
	}
}

func TestALineThatIsNotUsedIsNoFailure(t *testing.T) {
	all := strings.ReplaceAll(stream(t, "good"), `"Action":"skip"`, `"Action":"pass"`)
	if status, out := judge(t, all, everySkip); status != 0 {
		t.Errorf("%d\n%s", status, out)
	}
}

func TestFailuresAreShownOfWhateverKind(t *testing.T) {
	status, out := judge(t, stream(t, "bad", "panics", "broken"), everySkip)
	if status != 1 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{"-- FAIL sample/bad TestWrong\n", "a_test.go:5: 1 is not 2\n",
		"-- FAIL sample/bad TestPart/x\n", "panic: out of order",
		"undefined: undefined\n", "2 passed, 4 failed, 0 skipped\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is absent:\n%s", want, out)
		}
	}
	again := filepath.Join(t.TempDir(), "again")
	for range 2 {
		judge(t, stream(t, "bad"), everySkip, "--failures", again)
	}
	if text, err := os.ReadFile(again); err != nil || strings.Count(string(text), "-- FAIL sample/bad TestWrong\n") != 2 ||
		strings.Contains(string(text), "passed") {
		t.Errorf("failures of two runs: %v\n%s", err, text)
	}
	// A test that does not end, since its package ended by the limit of time, and a stream that is cut off.
	running := `{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestX","Output":"panic: test timed out after 10m0s\n"}
`
	pass := `{"Action":"pass","Package":"a","Test":"TestY"}` + "\n"
	for _, events := range []string{pass + running + `{"Action":"fail","Package":"a"}` + "\n", pass + running} {
		status, out := judge(t, events, everySkip)
		if status != 1 || !strings.Contains(out, "FAIL a TestX\npanic: test timed out") ||
			!strings.Contains(out, "1 passed, 1 failed") {
			t.Errorf("%d\n%s", status, out)
		}
	}
	if status, out := judge(t, pass+`{"Action":"output","Package":"b","Output":"FAIL\tb [setup failed]\n"}`+"\n"+
		`{"Action":"fail","Package":"b"}`+"\n", everySkip); status != 1 ||
		!strings.Contains(out, "setup failed") {
		t.Errorf("a package that cannot be set up: %d\n%s", status, out)
	}
}

func TestWhatIsNoRunOfTestsIsAnError(t *testing.T) {
	for events, want := range map[string]string{
		"": "no event was read", "go: no such package\n": "no event was read",
	} {
		if status, out := judge(t, events, everySkip); status != 2 || !strings.Contains(out, want) {
			t.Errorf("%q: %d\n%s", events, status, out)
		}
	}
	if status, out := judge(t, `{"Action":"start","Package":"a"}`+"\n"+`{"Action":"pass","Package":"a"}`,
		everySkip); status != 1 || !strings.Contains(out, "no test passed") {
		t.Errorf("a package without tests: %d\n%s", status, out)
	}
}

func TestMistakesInTheListAreNamedWithTheirLine(t *testing.T) {
	for list, want := range map[string]string{
		"a | b | c\n":                           "skips:1: want PACKAGES | TESTS | MESSAGE | WHY",
		"# x\n\na | b | c | \n":                 "skips:3: want",
		"a | b | * | why\n":                     "skips:1: the message fits any skip",
		"a | b | c | why\n a|b|c | otherwise\n": "skips:2: line 1 says the same",
	} {
		if status, out := judge(t, stream(t, "good"), list); status != 2 || !strings.Contains(out, want) {
			t.Errorf("%q: %d, %s; want %s", list, status, out, want)
		}
	}
}

func TestTheCountsAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts")
	judge(t, stream(t, "good", "bad"), everySkip, "--counts", path)
	if text, err := os.ReadFile(path); err != nil || string(text) != "4 3 5\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func FuzzReadEvents(f *testing.F) {
	text, err := os.ReadFile(filepath.Join("testdata", "stream.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"Action":"skip","Test":"T"}` + "\nnot an event\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		res, err := readEvents(bytes.NewReader(data))
		if (res == nil) == (err == nil) {
			t.Fatalf("%v and %v", res, err)
		}
		if res != nil && res.failed > 0 && len(res.failures) < res.failed {
			t.Fatalf("%d tests failed, %d are shown", res.failed, len(res.failures))
		}
	})
}

func FuzzParseRules(f *testing.F) {
	f.Add(everySkip)
	f.Add("a | b | c\xfe | d")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := parseRules("skips", text)
		if err != nil {
			if rules != nil || !strings.HasPrefix(err.Error(), "skips:") {
				t.Fatalf("%v and %v", rules, err)
			}
			return
		}
		for _, r := range rules {
			r.allows(skip{"astrolabe/a", "T", []string{"x"}})
		}
	})
}
