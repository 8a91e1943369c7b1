package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// workflow runs what a workflow has build servers run, in a checked-out folder and with the variables that the server sets.
// What gets astrolabe itself is left out: it is in PATH.
func (p *pageRun) workflow(b block) {
	p.t.Helper()
	env := "export GITHUB_ACTIONS=true GITHUB_WORKSPACE=$PWD GITHUB_STEP_SUMMARY=$PWD/summary.md\n"
	made := []string{"summary.md"}
	if strings.Contains(b.text, "before_script:") {
		env = "export GITLAB_CI=true CI_PROJECT_DIR=$PWD CI_JOB_ID=1\n"
		made = []string{"gl-code-quality-report.json", "tests.xml", "budget.xml"}
	}
	steps := commandsOf(b.text)
	if len(steps) < 4 {
		p.t.Errorf("line %d: %d commands: %q", b.line, len(steps), steps)
	}
	p.setup(b)
	for i, step := range steps {
		if strings.Contains(step, "git clone") || strings.Contains(step, "go build") {
			p.left++
			p.t.Logf("LEFT OUT: %s: the program is there already", step)
			continue
		}
		p.bash("", env+step, fmt.Sprintf("line %d, command %d", b.line, i))
	}
	for _, name := range made {
		if st, err := os.Stat(filepath.Join(p.dir, name)); err != nil || st.Size() == 0 {
			p.t.Errorf("line %d: the workflow leaves no %s", b.line, name)
		}
		os.Remove(filepath.Join(p.dir, name))
	}
	p.ran++
}

var runLine = regexp.MustCompile(`^( *)(?:- )?run: (.*)$`)
var listKey = regexp.MustCompile(`^( *)(?:before_)?script:$`)

// commandsOf are the commands of a workflow: the run: of steps, which may be several lines behind |, and the items below
// script: and before_script:.
func commandsOf(text string) (out []string) {
	lines := strings.Split(text, "\n")
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	for i := 0; i < len(lines); i++ {
		if m := runLine.FindStringSubmatch(lines[i]); m != nil {
			if m[2] != "|" {
				out = append(out, m[2])
				continue
			}
			var step []string
			for i+1 < len(lines) && lines[i+1] != "" && indent(lines[i+1]) > len(m[1]) {
				i++
				step = append(step, strings.TrimSpace(lines[i]))
			}
			out = append(out, strings.Join(step, "\n"))
		} else if m := listKey.FindStringSubmatch(lines[i]); m != nil {
			for i+1 < len(lines) && strings.HasPrefix(strings.TrimLeft(lines[i+1], " "), "- ") {
				i++
				out = append(out, strings.TrimPrefix(strings.TrimLeft(lines[i], " "), "- "))
			}
		}
	}
	return out
}

func TestCommandsOfWorkflows(t *testing.T) {
	got := commandsOf("steps:\n  - run: a\n  - name: x\n    run: |\n      b\n      c\n  - uses: y\njob:\n  script:\n    - d\n    - e f\n")
	if want := "a;b\nc;d;e f"; strings.Join(got, ";") != want {
		t.Errorf("%q, not %q", strings.Join(got, ";"), want)
	}
}
