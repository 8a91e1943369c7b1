package cli

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// attack is a repository that a stranger wrote, and what somebody runs in it.
type attack struct {
	name string
	// in the repository; CONFIG stands for a configuration of git that runs a command, TMP for the folder around all
	files map[string]string
	links map[string]string // name to target
	dir   string            // working directory below the repository
	run   string            // command line; an empty one is: run x.star
	fails bool              // it must be refused, not only be harmless
}

// gitConfig has git run a command when it looks at the working tree.
const gitConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = \"touch TMP/pwned;:\"\n"

const gitConfigAt = gitConfig + "\tworktree = TMP/repo/b\n"

var writeAttacks = []attack{
	{name: "a link to .git takes a text", files: map[string]string{"x.star": `write("results/config", CONFIG)`},
		links: map[string]string{"results": ".git"}, fails: true},
	{name: "a link to .git takes a new file",
		files: map[string]string{"x.star": `write("results/hooks/post-checkout", "x")`},
		links: map[string]string{"results": ".git"}, fails: true},
	{name: "a link to a link to .git", files: map[string]string{"x.star": `write("a/config", CONFIG)`},
		links: map[string]string{"a": "k", "k": "./l", "l": ".git"}, fails: true},
	{name: "an absolute link to .git", files: map[string]string{"x.star": `write("a/config", CONFIG)`},
		links: map[string]string{"a": "TMP/repo/.git"}, fails: true},
	{name: "a link to a folder in .git", files: map[string]string{"x.star": `write("a/post-checkout", "x")`},
		links: map[string]string{"a": ".git/hooks"}, fails: true},
	{name: "dots behind a link into .git", files: map[string]string{"x.star": `write("a/../config", "x")
write("a/../a/../config2", "x")
write("sub/../a/config", CONFIG)`}, links: map[string]string{"a": ".git"}, fails: true},
	{name: "a link to the file config", files: map[string]string{"x.star": `write("out.txt", CONFIG)`},
		links: map[string]string{"out.txt": ".git/config"}, fails: true},
	{name: "a capture is saved through a link",
		files: map[string]string{
			"x.star": `capture.from_columns({"a": [1, 2]}, period = "1ms").save("results/config.csv")`},
		links: map[string]string{"results": ".git"}, fails: true},
	{name: "a picture is saved through a link",
		files: map[string]string{"x.star": `plot.bar({"a": 1}).save("results/x.svg")`},
		links: map[string]string{"results": ".git"}, fails: true},
	{name: "a report is saved through a link",
		files: map[string]string{"x.star": "r = report.new(\"x\")\nr.text(CONFIG)\nr.save(\"results/config.md\")"},
		links: map[string]string{"results": ".git"}, fails: true},
	{name: "a recording is made through a link",
		files: map[string]string{"x.star": `capture.record("procfs", duration = "20ms", out = "results/index.arrow")`},
		links: map[string]string{"results": ".git"}, fails: true},
	{name: "golden files lie in .git",
		files: map[string]string{"x_test.star": "def test_x():\n    assert.golden(\"config\", CONFIG)\n"},
		links: map[string]string{"testdata": ".git"}, run: "test --update", fails: true},
	{name: "golden files lie in .git by a link within",
		files: map[string]string{"t/x_test.star": "def test_x():\n    assert.golden(\"g/config\", CONFIG)\n",
			"t/testdata/x": ""},
		links: map[string]string{"t/testdata/g": "../../.git"}, run: "test --update", fails: true},
	{name: "a golden file is a link to config",
		files: map[string]string{"x_test.star": "def test_x():\n    assert.golden(\"g.txt\", CONFIG)\n",
			"testdata/x": ""},
		links: map[string]string{"testdata/g.txt": "../.git/config"}, run: "test --update", fails: true},
	{name: "golden files make a repository",
		files: map[string]string{
			"b/x_test.star": "def test_x():\n    assert.golden(\"HEAD\", \"ref: refs/heads/main\")\n    " +
				"assert.golden(\"config\", CONFIGAT)\n" +
				"    assert.golden(\"objects/x\", \"\")\n    assert.golden(\"refs/x\", \"\")\n"},
		run: "test --update", fails: true},
	{name: "a repository is planted",
		files: map[string]string{"x.star": plant("HEAD", "config", "objects/x", "refs/x")}, fails: true},
	{name: "a repository is planted, its HEAD last",
		files: map[string]string{"x.star": plant("refs/x", "config", "objects/x", "HEAD")}, fails: true},
	{name: "a repository is planted whose common folder is another", fails: true,
		files: map[string]string{"x.star": plant("c/objects/x", "c/refs/x", "c/config", "HEAD", "commondir")}},
	{name: "a repository of which half is checked in", files: map[string]string{"x.star": plant("config", "refs/x"),
		"b/HEAD": "ref: refs/heads/main\n", "b/objects/x": ""}, fails: true},
	{name: "a repository of which the HEAD is a checked-in link",
		files: map[string]string{"x.star": plant("config", "refs/x", "objects/x")},
		links: map[string]string{"b/HEAD": "refs/heads/main"}, fails: true},
	{name: "a repository of which all but the HEAD is checked in", files: map[string]string{"x.star": plant("HEAD"),
		"b/config": "CONFIGAT", "b/objects/x": "", "b/refs/x": ""}, fails: true},
	{name: "a repository of which all but the HEAD is checked in, which a picture may be", fails: true,
		files: map[string]string{
			"x.star":   `capture.from_columns({"a": [1, 2]}, period = "1ms").save("b/HEAD", format = "csv")`,
			"b/config": "CONFIGAT", "b/objects/x": "", "b/refs/x": ""}},
	{name: "the configuration of a bare repository is replaced", files: map[string]string{"x.star": plant("config"),
		"b/HEAD": "ref: refs/heads/main\n", "b/objects/x": "", "b/refs/x": "", "b/config": "[core]\n"}, fails: true},
	{name: "a hook of a bare repository is replaced", fails: true,
		files: map[string]string{"x.star": `write("b/hooks/post-checkout", "x")`, "b/HEAD": "ref: refs/heads/main\n",
			"b/objects/x": "", "b/refs/x": "", "b/hooks/post-checkout": ""}},
	{name: "a repository is planted through a link",
		files: map[string]string{"x.star": plant("HEAD", "config", "objects/x", "refs/x"), "d/x": ""},
		links: map[string]string{"b": "d"}, fails: true},
	{name: "a pointer to a repository", files: map[string]string{"x.star": `write("b/.git", "gitdir: ../c")`},
		fails: true},
	{name: "a link out takes a text", files: map[string]string{"x.star": `write("out/key.txt", "x")`},
		links: map[string]string{"out": "TMP/victim"}, fails: true},
	{name: "a link to a file outside takes a text", files: map[string]string{"x.star": `write("key.txt", "x")`},
		links: map[string]string{"key.txt": "../victim/key.txt"}, fails: true},
	{name: "a dangling link out takes a text", files: map[string]string{"x.star": `write("n/x.txt", "x")`},
		links: map[string]string{"n": "../victim/new"}, fails: true},
	{name: "a link out of the folder for output, into the repository",
		files: map[string]string{"x.star": `write("up/tool.txt", "x")`, "tool.txt": "tool", "out/x": ""},
		links: map[string]string{"out/up": ".."}, run: "--out=out run x.star", fails: true},
	{name: "the working directory is .git", files: map[string]string{"x.star": `write("config", CONFIG)`}, dir: ".git",
		run: "run ../x.star", fails: true},
	{name: "the folder for output is in .git", files: map[string]string{"x.star": `write("post-checkout", "x")`},
		run: "--out=.git/hooks run x.star", fails: true},
	{name: "the folder for output is a link to .git", files: map[string]string{"x.star": `write("config", CONFIG)`},
		links: map[string]string{"out": ".git"}, run: "--out=out run x.star", fails: true},
	{name: "the file for output is a link to config",
		files: map[string]string{"r.star": "def report(cap, flags = None):\n    r = report.new(CONFIG)\n    return r\n",
			"c.csv": "start,end,a\n0,1,1\n"},
		links: map[string]string{"out.md": ".git/config"}, run: "report c.csv -o out.md", fails: true},
	{name: "a further page of a report is a link to config",
		files: map[string]string{"x.star": "", "c.csv": "start,end,a\n0,1,1\n", "r.star": reportScript("out-fig1.png")},
		links: map[string]string{"out-fig1.png": ".git/config"}, run: "report c.csv --script r.star -o out.md"},
	{name: "dots in the file for output lead back over a link",
		files: map[string]string{"c.csv": "start,end,a\n0,1,1\n", "r.star": reportScript("l/../config.md")},
		links: map[string]string{"l": ".git/hooks"}, run: "report c.csv --script r.star -o config.md"},
	{name: "a conversion goes through a link", files: map[string]string{"c.csv": "start,end,a\n0,1,1\n"},
		links: map[string]string{"out.csv": ".git/config"}, run: "convert c.csv out.csv", fails: true},
	{name: "what may be read is widened", files: map[string]string{"x.star": `write("../astrolabe.toml", "")
write("Astrolabe.TOML", "")`}, fails: true},
	{name: "a file that marks a repository is made", files: map[string]string{"x.star": `write("astrolabe.toml", "")`},
		fails: true},
	{name: "a start-up file is made", files: map[string]string{"x.star": `write("rc.star", "print(1)")`}, fails: true},
	{name: "another script is replaced", files: map[string]string{"x.star": `write("lib/deploy.star", "print(1)")`,
		"lib/deploy.star": "print(0)\n"}, fails: true},
	{name: "another script is replaced through a link",
		files: map[string]string{"x.star": `write("notes.txt", "print(1)")`, "deploy.star": "print(0)\n"},
		links: map[string]string{"notes.txt": "deploy.star"}, fails: true},
	{name: "a program is replaced, which stays executable",
		files: map[string]string{"x.star": `write("build", "#!/bin/sh\ntouch TMP/pwned\n")`, "build": "#!/bin/sh\n"},
		fails: true},
	{name: "golden files replace a script",
		files: map[string]string{"x_test.star": "def test_x():\n    assert.golden(\"deploy.star\", \"print(1)\")\n",
			"deploy.star": "print(0)\n"},
		links: map[string]string{"testdata": "."}, run: "test --update", fails: true},
	{name: "fmt follows a link out", files: map[string]string{"a.star": "x = 1\n"},
		links: map[string]string{"l.star": "../victim/other.star"}, run: "fmt ."},
	{name: "fmt follows a link into .git", files: map[string]string{"a.star": "x = 1\n"},
		links: map[string]string{"l.star": ".git/x.star"}, run: "fmt"},
}

var readAttacks = []attack{
	{name: "a link to a file", files: map[string]string{"x.star": `print(read("a.txt"))`},
		links: map[string]string{"a.txt": "../victim/key.txt"}, fails: true},
	{name: "a link to the environment", files: map[string]string{"x.star": `print(read("a.txt"))`},
		links: map[string]string{"a.txt": "/proc/self/environ"}, fails: true},
	{name: "the root of a process", files: map[string]string{"x.star": `print(read("r/TMP/victim/key.txt"))`},
		links: map[string]string{"r": "/proc/self/root"}, fails: true},
	{name: "the working directory of a process", files: map[string]string{"x.star": `print(read("r/../victim/key.txt"))
print(read("/proc/self/cwd/../victim/key.txt"))`}, links: map[string]string{"r": "/proc/self/cwd"}, fails: true},
	{name: "a capture beyond a link", files: map[string]string{"x.star": `print(capture.open("a.csv"))`},
		links: map[string]string{"a.csv": "../victim/c.csv"}, fails: true},
	{name: "a folder with a link", files: map[string]string{"x.star": `print(capture.open("w").properties)`,
		"w/pmc_perf.csv": pmcPerf}, links: map[string]string{"w/sysinfo.csv": "../../victim/sysinfo.csv"}, fails: true},
	{name: "a link beside a capture",
		files: map[string]string{"x.star": `print(capture.open("w/pmc_perf.csv").properties)`,
			"w/pmc_perf.csv": pmcPerf}, links: map[string]string{"w/sysinfo.csv": "../../victim/sysinfo.csv"}},
	{name: "a module beyond a link", files: map[string]string{"x.star": "load(\"m.star\", \"key\")\nprint(key)\n"},
		links: map[string]string{"m.star": "../victim/module.star"}, fails: true},
	{name: "golden files beyond a link",
		files: map[string]string{"x_test.star": "def test_x():\n    assert.golden(\"key.txt\", \"\")\n"},
		links: map[string]string{"testdata": "../victim"}, run: "test", fails: true},
	{name: "fmt shows what a link leads to", files: map[string]string{"a.star": "x = 1\n"},
		links: map[string]string{"l.star": "../victim/module.star"}, run: "fmt --diff"},
}

const pmcPerf = "Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES,Start_Timestamp,End_Timestamp\n0,k,0,5,1000,2000\n"

// plant writes what makes a repository of the folder b.
func plant(names ...string) string {
	var out strings.Builder
	for _, name := range names {
		content := `""`
		switch filepath.Base(name) {
		case "HEAD":
			content = `"ref: refs/heads/main\n"`
		case "config":
			content = "CONFIGAT"
		case "commondir":
			content = `"c\n"`
		}
		fmt.Fprintf(&out, "write(\"b/%s\", %s)\n", name, content)
	}
	return out.String()
}

// reportScript saves a report under a name.
func reportScript(name string) string {
	return "def report_for(cap):\n    r = report.new(\"x\")\n    r.text(CONFIG)\n    return r\nr = report.new(\"x\")\nr.text(CONFIG)\nr.plot(plot.bar({\"a\": 1}))\nr.save(\"" + name + "\")\n"
}

func TestScriptsDoNotWriteWhereGitOrOthersRun(t *testing.T) {
	for _, a := range writeAttacks {
		t.Run(a.name, func(t *testing.T) { a.judge(t) })
	}
}

func TestScriptsDoNotWriteWhatSomeSystemsTakeForGit(t *testing.T) {
	for _, name := range []string{".GIT", ".git ", ".git.", ".git::$INDEX_ALLOCATION", "GIT~1", "git~2", "\u200c.git",
		".g\u200dit", "\ufeff.Git"} {
		a := attack{files: map[string]string{"x.star": "write(" + strconv.Quote(name+"/config") + ", CONFIG)"},
			fails: true}
		t.Run(strconv.QuoteToASCII(name), func(t *testing.T) { a.judge(t) })
	}
	for _, name := range []string{"head", "Head", "HEAD.", "HEAD ", "HE\u200cAD", "head:x"} {
		a := attack{files: map[string]string{"x.star": "write(" + strconv.Quote("b/"+name) +
			", \"ref: refs/heads/main\")", "b/config": "CONFIGAT", "b/objects/x": "", "b/refs/x": ""}, fails: true}
		t.Run(strconv.QuoteToASCII(name), func(t *testing.T) { a.judge(t) })
	}
}

// What is no attack goes on working.
func TestLinksWithinTheFolderForOutputWork(t *testing.T) {
	tmp := t.TempDir()
	for _, dir := range []string{"repo/data", "repo/sub", "other"} {
		if err := os.MkdirAll(filepath.Join(tmp, dir), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"repo/astrolabe.toml": "", "other/in.txt": "other",
		"repo/data/in.txt": "in", "repo/config": "old", "repo/x.star": `
write("relative/a.txt", "a")
write("absolute/b.txt", "b")
write("absolute/new/c.txt", "c")
write("last.txt", "d")
write("config", "e")
write("objects/f.txt", "f")
write("refs/g.txt", "g")
write("written.star", "1\n")
write("written.star", "2\n")
print(read("given/in.txt"), read("absolute/in.txt"), read("last.txt"))
`} {
		if err := os.WriteFile(filepath.Join(tmp, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"relative": "data", "absolute": filepath.Join(tmp, "repo", "data"),
		"last.txt": filepath.Join(tmp, "repo", "data", "in.txt"),
		"given":    filepath.Join(tmp, "other")} {
		if err := os.Symlink(target, filepath.Join(tmp, "repo", name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	cmd := exec.Command("astrolabe", "--allow-read="+filepath.Join(tmp, "other"), "run", "x.star")
	cmd.Dir = filepath.Join(tmp, "repo")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || !strings.HasSuffix(string(out), "\nother d d\n") {
		t.Errorf("%v: printed\n%s%s", err, out, said.String())
	}
	for name, want := range map[string]string{"data/a.txt": "a", "data/b.txt": "b", "data/new/c.txt": "c",
		"data/in.txt": "d", "config": "e", "objects/f.txt": "f", "refs/g.txt": "g"} {
		if text, err := os.ReadFile(filepath.Join(tmp, "repo", name)); err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v", name, text, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(tmp, "repo", "last.txt")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
}

func TestScriptsDoNotReadBeyondLinks(t *testing.T) {
	for _, a := range readAttacks {
		t.Run(a.name, func(t *testing.T) { a.judge(t) })
	}
}

func (a attack) judge(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the attacks need links and procfs as Linux has them")
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo := filepath.Join(tmp, "repo")
	command := func(dir, name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+tmp, "XDG_CONFIG_HOME="+tmp, "XDG_STATE_HOME="+tmp,
			"GIT_CONFIG_NOSYSTEM=1", "TOKEN=SECRET")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	put := func(file, text string) {
		text = strings.ReplaceAll(text, "CONFIGAT", literal(file, strings.ReplaceAll(gitConfigAt, "TMP", tmp)))
		text = strings.ReplaceAll(text, "CONFIG", literal(file, strings.ReplaceAll(gitConfig, "TMP", tmp)))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "TMP", tmp)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(repo, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := command(repo, git, "init", "-q"); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	for name, text := range map[string]string{"key.txt": "SECRET\n", "other.star": "x=1\n",
		"module.star": "key='SECRET'\n", "c.csv": "start,end,SECRET\n0,1,1\n",
		"sysinfo.csv": "password,b\nSECRET,2\n"} {
		put(filepath.Join(tmp, "victim", name), text)
	}
	put(filepath.Join(repo, ".git", "x.star"), "x=1\n")
	for name, text := range a.files {
		put(filepath.Join(repo, name), text)
	}
	for name, target := range a.links {
		link := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(strings.ReplaceAll(target, "TMP", tmp), link); err != nil {
			t.Fatal(err)
		}
	}
	keep := map[string]string{}
	remember := func(into map[string]string) {
		maps.Copy(into, contentsOf(t, filepath.Join(repo, ".git")))
		maps.Copy(into, contentsOf(t, filepath.Join(tmp, "victim")))
		for name := range a.files {
			data, err := os.ReadFile(filepath.Join(repo, name))
			if err != nil {
				data = []byte(err.Error())
			}
			into[name] = string(data)
		}
	}
	remember(keep)
	args := strings.Fields(a.run)
	if len(args) == 0 {
		args = []string{"run", "x.star"}
	}
	out, err := command(filepath.Join(repo, a.dir), "astrolabe", args...)
	if a.fails && err == nil {
		t.Errorf("nothing was refused:\n%s", out)
	}
	if strings.Contains(out, "SECRET") {
		t.Errorf("it tells\n%s", out)
	}
	now := map[string]string{}
	remember(now)
	for name, text := range keep {
		if now[name] != text {
			t.Errorf("%s is changed to\n%s\n%s", name, now[name], out)
		}
	}
	for name := range now {
		if _, ok := keep[name]; !ok {
			t.Errorf("%s is new\n%s", name, out)
		}
	}
	for _, dir := range []string{"", "b", "b/testdata", "d"} {
		dir = filepath.Join(repo, dir)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		said, _ := command(dir, git, "status")
		if _, err := os.Stat(filepath.Join(tmp, "pwned")); err == nil {
			t.Errorf("git status in %s runs the command of the script\n%s\n%s", dir, out, said)
		}
	}
	for _, name := range []string{"astrolabe.toml", "Astrolabe.TOML", "rc.star"} {
		if _, err := os.Stat(filepath.Join(repo, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	if t.Failed() {
		t.Logf("it said\n%s", out)
	}
}

// literal is a text as it stands in a file: as a literal of Starlark in a script.
func literal(file, text string) string {
	if strings.HasSuffix(file, ".star") {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// contentsOf is what all regular files below a folder hold.
func contentsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
