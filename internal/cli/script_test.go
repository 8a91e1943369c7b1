package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// answerVariable is how long the program of the tests waits for what a terminal answers.
const answerVariable = "ASTROLABE_TEST_ANSWER"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"astrolabe": func() {
			if d, err := time.ParseDuration(os.Getenv(answerVariable)); err == nil {
				answerTime = d
			}
			os.Exit(recordingMemory(Main(os.Args[1:])))
		},
	})
}

// memoryFile names the environment variable with the file that a program under test leaves what it had of mapped files
// in.
const memoryFile = "ASTROLABE_TEST_MEMORY"

// recordingMemory runs at the end of the program under test. Pages of mapped files do not count to the limit, only the
// program itself can tell how many it has, and to Linux the largest size of a child includes that of the parent that it
// was forked from.
func recordingMemory(status int) int {
	if path := os.Getenv(memoryFile); path != "" {
		text, err := os.ReadFile("/proc/self/status")
		if err != nil {
			panic(err)
		}
		os.WriteFile(path, text, 0o666)
	}
	return status
}

// stuck is how long a program may show nothing new, not answer or not end while a test waits for it: no measure of the
// program, only the end of a test that would never end.
const stuck = 4 * time.Minute

func TestCommandLine(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits, "mistakes": mistakes,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_STATE_HOME", env.WorkDir)
			scripts, err := filepath.Abs("../../scripts")
			env.Setenv("SCRIPTS", scripts)
			return err
		},
	})
}

// exits runs the program and checks its exit status: exits STATUS [ARGS…].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if neg || err != nil {
		ts.Fatalf("usage: exits STATUS [ARGS…]")
	}
	got := 0
	err = ts.Exec("astrolabe", args[1:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// mistakes runs each line of a file and looks for its answer: mistakes FILE. A line has four fields between tabs, see
// mistakes.txtar.
func mistakes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mistakes FILE")
	}
	n := 0
	var changed []string
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 4 {
			ts.Fatalf("not four fields between tabs: %q", line)
		}
		n++
		name, code, want := fields[0], fields[2], fields[3]
		var run []string
		switch fields[1] {
		case "c":
			run = []string{"-c", "cap = capture.open(\"game.csv\", gpu = \"mali-g720\")\n" + code}
		case "f":
			file := ts.MkAbs("written.star")
			ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(code, `\n`, "\n")+"\n"), 0o666))
			run = []string{"run", "written.star"}
		case "s":
			for _, m := range word.FindAllStringSubmatch(strings.TrimPrefix(code, "astrolabe "), -1) {
				run = append(run, os.Expand(m[1]+m[2], func(string) string { return "" }))
			}
		default:
			ts.Fatalf("%s: there is no way %q to run it", name, fields[1])
		}
		_ = ts.Exec("astrolabe", run...) // most fail, which is theirs to say
		if out := ts.ReadFile("stdout") + ts.ReadFile("stderr"); !strings.Contains(out, want) {
			ts.Logf("%s: %s\nshould be answered with\n  %s\nand is with\n%s", name, code, want, out)
			changed = append(changed, name)
		}
	}
	if len(changed) > 0 {
		ts.Fatalf("answers that have changed: %s", strings.Join(changed, ", "))
	}
	if n < 60 {
		ts.Fatalf("only %d mistakes in %s", n, args[0])
	}
}

// word is a word of a command line, or text between double quotes.
var word = regexp.MustCompile(`"([^"]*)"|(\S+)`)
