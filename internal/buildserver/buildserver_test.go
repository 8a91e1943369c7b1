package buildserver

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The vectors are what GitHub's own library (@actions/core 1.11.1) prints for the same annotations.
func TestAnnotationsAreThoseOfGitHubsLibrary(t *testing.T) {
	data, err := os.ReadFile("testdata/actions-core-1.11.1.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Level, Title, File, Message, Command string
		Line, Column                         int
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got := Annotation{c.Level, c.Title, c.File, c.Line, c.Column, c.Message}.String()
		if got != c.Command {
			t.Errorf("got  %s\nwant %s", got, c.Command)
		}
	}
}

// made is a result with n failures, and one case of each other kind.
func made(n int) *Suites {
	all := &Suites{Command: "check", Title: "a | <b>"}
	var s Suite
	for i := range n {
		s.Add(Case{Name: fmt.Sprintf("limit %d", i), Class: "run.arrow", File: "budget.toml", Line: i + 1,
			Failure: &Message{Message: fmt.Sprintf("frame %d is late: 5 %%", i)}})
	}
	s.Add(Case{Name: "passes", Class: "run.arrow"})
	s.Add(Case{Name: "is told", Class: "run.arrow", Said: "fine"})
	s.Add(Case{Name: "left out", Class: "run.arrow", Skipped: &Message{Message: "no counter"}})
	s.Add(Case{Name: "look", Class: "run.arrow", Warning: &Message{Message: "two\nlines"}})
	s.Add(Case{Name: "not judged", Class: "run.arrow", File: "gone.toml", Line: 9,
		At: Position{3, 4}, Error: &Message{Message: "short", Text: "long\n"}})
	all.Add(s)
	return all
}

// inProject makes a folder with a budget the working directory, as a server's checkout.
func inProject(t *testing.T) Project {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("budget.toml", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	return Project(dir)
}

func TestWhatGitHubShows(t *testing.T) {
	p := inProject(t)
	var out strings.Builder
	if err := made(2).WriteAnnotations(&out, p); err != nil {
		t.Fatal(err)
	}
	want := "::error title=astrolabe check%3A not judged::long\n" + // a file that is not there is not named
		"::error title=astrolabe check%3A limit 0,file=budget.toml,line=1::frame 0 is late: 5 %25\n" +
		"::error title=astrolabe check%3A limit 1,file=budget.toml,line=2::frame 1 is late: 5 %25\n" +
		"::warning title=astrolabe check%3A look::two%0Alines\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if err := made(30).WriteAnnotations(&out, p); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "::error"); n != 10 {
		t.Errorf("%d errors, GitHub shows 10", n)
	}
	if !strings.Contains(out.String(), "::error title=astrolabe check::22 more") {
		t.Errorf("what is left out is not counted:\n%s", out.String())
	}
}

func TestTheSummaryOfAStep(t *testing.T) {
	p := inProject(t)
	got := made(1).Summary(p, MaxSummary)
	want := `### astrolabe check: a \| &lt;b&gt;

| | what | result | where |
| --- | --- | --- | --- |
| error | not judged | short | run.arrow |
| failed | limit 0 | frame 0 is late: 5 % | budget.toml:1 |
| warning | look | two lines | run.arrow |
| skipped | left out | no counter | run.arrow |
| passed | is told | fine | run.arrow |

1 more passed.

`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// What a summary holds and what it counts are all rows, whatever room there is.
	rows := regexp.MustCompile(`(?m)^\| (error|failed|warning|skipped|passed) `)
	left := regexp.MustCompile(`(\d+) more rows have no room`)
	for _, room := range []int{300, 1000, 50_000, MaxSummary} {
		text := made(20_000).Summary(p, room)
		if len(text) > room {
			t.Errorf("%d bytes in %d", len(text), room)
		}
		n := 0
		if m := left.FindStringSubmatch(text); m != nil {
			fmt.Sscan(m[1], &n)
		}
		if n += len(rows.FindAllString(text, -1)); n != 20_004 {
			t.Errorf("%d bytes of room: %d rows of 20004", room, n)
		}
	}
	if text := made(1).Summary(p, 20); text != "" {
		t.Errorf("a summary without room: %q", text)
	}
}

// entry is what GitLab reads of a code quality report, after its schema: it drops what follows an entry that lacks one.
type entry struct {
	Description, Fingerprint, Severity *string
	Check                              *string `json:"check_name"`
	Location                           *struct {
		Path  *string
		Lines *struct{ Begin *int }
	}
}

func report(t *testing.T, path string) []entry {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []entry
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	if list == nil {
		t.Fatalf("no array: %s", data)
	}
	seen := map[string]bool{}
	for i, e := range list {
		if e.Description == nil || e.Fingerprint == nil || e.Severity == nil || e.Check == nil || e.Location == nil ||
			e.Location.Path == nil || e.Location.Lines == nil || e.Location.Lines.Begin == nil {
			t.Fatalf("entry %d lacks what GitLab needs: %s", i, data)
		}
		if !strings.Contains(" info minor major critical blocker ", " "+*e.Severity+" ") {
			t.Errorf("entry %d: severity %q", i, *e.Severity)
		}
		if path := *e.Location.Path; path == "" || filepath.IsAbs(path) || *e.Location.Lines.Begin < 1 {
			t.Errorf("entry %d: place %q, line %d", i, path, *e.Location.Lines.Begin)
		}
		if seen[*e.Fingerprint] {
			t.Errorf("entry %d: a fingerprint stands twice", i)
		}
		seen[*e.Fingerprint] = true
	}
	return list
}

func TestCodeQualityForGitLab(t *testing.T) {
	p := inProject(t)
	write := func(job string, s *Suites) []entry {
		t.Helper()
		q := &Quality{Path: "q.json", Project: p, Job: job}
		if err := q.Read(); err != nil {
			t.Fatal(err)
		}
		if err := q.Write(s); err != nil {
			t.Fatal(err)
		}
		return report(t, "q.json")
	}
	first := write("1", made(2))
	if len(first) != 4 || *first[1].Location.Path != "budget.toml" || *first[2].Location.Lines.Begin != 2 ||
		*first[0].Severity != "critical" || *first[1].Severity != "major" || *first[3].Severity != "minor" {
		t.Errorf("%d entries", len(first))
	}
	other := &Suites{Command: "lint"}
	var s Suite
	for range 2 { // alike, and yet two
		s.Add(Case{Name: "unused", File: "budget.toml", Failure: &Message{Message: "unused"}})
	}
	other.Add(s)
	if list := write("1", other); len(list) != 6 {
		t.Errorf("two commands of a job: %d entries of 6", len(list))
	}
	if list := write("1", made(2)); len(list) != 6 {
		t.Errorf("a command that runs again: %d entries of 6", len(list))
	}
	if list := write("2", other); len(list) != 2 {
		t.Errorf("what an earlier job left: %d entries of 2", len(list))
	}
	if list := write("2", &Suites{Command: "test"}); len(list) != 2 {
		t.Errorf("nothing new: %d entries of 2", len(list))
	}
	// What other programs wrote stays, whatever they write.
	foreign := `[{"check_name":"theirs","fingerprint":"x","description":"d","severity":"info",` +
		`"location":{"path":"a","lines":{"begin":1}},"extra":[1,2]}]`
	if err := os.WriteFile("q.json", []byte(foreign), 0o666); err != nil {
		t.Fatal(err)
	}
	if list := write("3", other); len(list) != 3 || *list[0].Check != "theirs" {
		t.Errorf("%d entries, theirs and 2", len(list))
	}
	if list := write("", &Suites{Command: "test"}); len(list) != 0 {
		t.Errorf("without a job the file is new: %d entries", len(list))
	}
	// A value that changes is not another finding.
	a, b := made(1), made(1)
	b.Suites[0].Cases[0].Failure.Message = "frame 0 is late: 7 %"
	b.Suites[0].Cases[0].Line = 40
	if x, y := a.degradations(p, "")[1], b.degradations(p, "")[1]; x.Fingerprint != y.Fingerprint {
		t.Error("a limit that is broken by another value is taken for another")
	}
}

func TestABadCodeQualityFileIsNamed(t *testing.T) {
	p := inProject(t)
	for _, text := range []string{"{}", "[1, 2", "<xml/>"} {
		if err := os.WriteFile("q.json", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		q := &Quality{Path: "q.json", Project: p, Job: "1"}
		if err := q.Read(); err == nil || !strings.Contains(err.Error(), "q.json is no code quality report") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzQuality(f *testing.F) {
	f.Add([]byte(`[{"check_name":"astrolabe lint","job":"1"}, 1, null]`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "q.json")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		q := &Quality{Path: path, Job: "1"}
		if q.Read() != nil {
			return
		}
		if err := q.Write(made(1)); err != nil {
			t.Fatal(err)
		}
		again := &Quality{Path: path, Job: "1"}
		if err := again.Read(); err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
