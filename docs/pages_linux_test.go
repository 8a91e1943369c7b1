// Package docs holds the pages of the documentation. Its test runs what stands in their blocks.
package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/programs"
	"astrolabe/internal/testfiles"
)

// Every block of the README and of the pages beside this file is run as it stands, page by page, each in a clean folder
// with astrolabe in PATH:
//
//   - a block without a language is a shell's, run by bash -e; where its lines begin with >>> it is a session's, which goes on in the next
//     such block of the page, and what it shows below an entry is compared;
//   - a python block that begins with "# NAME.star" is written to that file for the blocks after it; any other belongs to the page's session;
//   - a text block right behind one of the session's is what that shows, and is compared; any other is read and not run.
//
// What a page takes for granted (a capture, a game to measure, a device) is in setups; a line that cannot be run here
// is in skipped, with the reason, and the test prints it.

// setup is what a reader of a block has, and a clean folder has not.
type setup struct {
	page, block string // the block is the one that has this text
	device      string // an emulated one
	before      string // shell commands that make files
	data        string // a folder of testdata/captures that the commands link to, as $DATA
}

const gameOfThePage = `astrolabe -c 'load("@astrolabe//lib/example.star", "game"); game().save("game.arrow")'` + "\n"
const runsOfThePage = gameOfThePage + "mkdir runs && mv game.arrow runs/1233-1.arrow\n" +
	`astrolabe -c 'cap.slice(0, 1.5).save("runs/1234-1.arrow")' runs/1233-1.arrow` + "\n"
const farmOfThePage = gameOfThePage +
	"for b in 1 2; do mkdir -p farm/build=$b/device=m1 && cp game.arrow farm/build=$b/device=m1/; done && rm game.arrow\n"
const checkedOut = "printf 'bench:\\n\\tsleep 0.3\\n' > Makefile\nmkdir -p perf\n" +
	"printf 'def test_one():\\n    assert.eq(1, 1)\\n' > perf/one_test.star\n" +
	`printf '[[limit]]\nmetric = "duration"\nmax = "1h"\n' > perf/budget.toml` + "\n"
const standInGame = "printf '#!/bin/sh\\nsleep 1\\n' > game && chmod +x game\n"

var setups = []setup{
	{page: "README.md", block: "-- make -j8", before: "printf 'all:\\n\\tsleep 1\\n' > Makefile\n"},
	{page: "README.md", block: "--source i915", device: "kbl-gt2",
		before: "astrolabe record --source i915 --duration 1s -o recorded.arrow && astrolabe convert recorded.arrow capture.record\n"},
	{page: "README.md", block: "-- ./game", device: "mali-g720",
		before: standInGame + gameOfThePage + "astrolabe convert game.arrow export.csv && rm game.arrow\n"},
	{page: "README.md", block: "path/to/workloads", device: "gfx1151", data: "gfx1151-vcopy",
		before: "mkdir -p path/to/workloads/vcopy && ln -s $DATA path/to/workloads/vcopy/RDNA35_HALO\n"},
	{page: "amd.md", block: "--source amdgpu --period", device: "gfx1151"},
	{page: "bundle.md", block: "--bundle", device: "mali-g720"},
	{page: "amd.md", block: "workloads/vcopy/MI300X", data: "mi300x-vcopy-long",
		before: "mkdir -p workloads/vcopy && ln -s $DATA workloads/vcopy/MI300X\n"},
	{page: "amd.md", block: "workloads/vcopy/MI200", data: "mi200-vcopy",
		before: "mkdir -p workloads/vcopy && ln -s $DATA workloads/vcopy/MI200\n"},
	{page: "amd.md", block: "capture.session", before: standInGame + "mv game benchmark\n"},
	{page: "build-servers.md", block: "actions/checkout", before: checkedOut},
	{page: "build-servers.md", block: "before_script", before: checkedOut},
	{page: "build-servers.md", block: "test perf --junit tests.xml\nastrolabe check", before: checkedOut},
	{page: "dataframes.md", block: "convert run.arrow run.parquet", before: frameOfThePage},
	{page: "diagnosis.md", block: "report game.arrow --overdraw", before: gameOfThePage},
	{page: "fleet.md", block: "rate.star 'farm", before: farmOfThePage},
	{page: "formats.md", block: "table.parquet",
		before: `astrolabe -c 'capture.from_columns({"used_a": [1, 2], "requests": [3, 4]}, period="1ms").save("table.parquet")'` + "\n"},
	{page: "formats.md", block: "--metrics all --by frame", before: gameOfThePage},
	{page: "formats.md", block: "convert game.arrow game.prom", before: gameOfThePage},
	{page: "formats.md", block: "convert run.arrow lake", device: "kbl-gt2",
		before: "astrolabe record --source i915 --set RenderBasic --duration 1s -o run.arrow\n"},
	{page: "intel.md", block: "astrolabe doctor", device: "kbl-gt2"},
	{page: "intel.md", block: "-- ./benchmark", device: "kbl-gt2", before: standInGame + "mv game benchmark\n"},
	{page: "intel.md", block: "flex=", device: "kbl-gt2"},
	{page: "intel.md", block: "--source xe --set", device: "lnl"},
	{page: "intel.md", block: "capture.record",
		before: "astrolabe convert run.arrow capture.record\n"},
	{page: "lake.md", block: "lake add", before: runsOfThePage},
	{page: "mali.md", block: "--marks", device: "mali-g720", before: standInGame},
	{page: "mali.md", block: "export.csv", before: gameOfThePage + "astrolabe convert game.arrow export.csv\n"},
	{page: "tour.md", block: "before.parquet", data: "mali-g57-level",
		before: "mkdir -p testdata/captures && ln -s $DATA testdata/captures/mali-g57-level\n"},
}

// skipped has lines that are not run, by page and beginning, and why.
var skipped = []struct{ page, line, why string }{
	{"README.md", "go test ./...", "it is what runs this test"},
	{"diagnosis.md", "go test ./internal/diagnosis", "the tests of that package run beside this one"},
	{"diagnosis.md", "astrolabe test analysis",
		"CI runs the tests of every shipped script, and a test of internal/cli those of a copy"},
	{"amd.md", "go build -o astrolabe-vendorlib",
		"it needs ROCm; tests of hwio run the second program on a stand-in library"},
	{"amd.md", "astrolabe record --source rocprofiler",
		"it needs ROCm; tests of hwio run the source on a stand-in library"},
	{"amd.md", "astrolabe report gl0.arrow", "it reports what the line above recorded"},
	{"amd.md", "echo profile_standard", "it changes a setting of the machine"},
	{"amd.md", "ASTROLABE_GPA_LIB=", "it needs AMD's library; tests of hwio list a stand-in's counters"},
	{"amd.md", "astrolabe report host/312_results.db",
		"the repository has no database of rocprofv3; tests of its format make them"},
	{"amd.md", "astrolabe report counters.csv", "tests of GPUPerfAPI's format make such a file"},
	{"amd.md", "go generate ./hwio/hwtest/...", "it writes into the repository; CI runs it"},
	{"amd.md", "ASTROLABE_ROCPROFILER_LIB=",
		"it needs what the line above builds with a C compiler; tests of hwio do the same"},
	{"intel.md", `cap = capture.open("reports.bin"`, "tests of the format make raw reports"},
	{"recording.md", "astrolabe top", "it needs a terminal; a test of internal/cli drives it in tmux"},
	{"recording.md", "astrolabe live", "it serves a page until Ctrl-C; a test of internal/cli drives it in a browser"},
	{"mali.md", "CGO_ENABLED=0", "CI builds the program for every system"},
	{"mali.md", "ASTROLABE_ARM64=", "it needs a phone"},
	{"mali.md", "astrolabe doctor --adb", "it needs a phone"},
	{"mali.md", "astrolabe record --adb", "it needs a phone"},
	{"mali.md", "astrolabe report game.arrow", "it reports what a phone recorded"},
	{"mali.md", "astrolabe doctor --ssh", "it needs a board"},
	{"mali.md", "astrolabe record --ssh", "it needs a board"},
	{"remote.md", "astrolabe doctor --ssh", "it needs a board; tests of internal/cli record from a server on loopback"},
	{"remote.md", "astrolabe record --ssh", "it needs a board; tests of internal/cli record from a server on loopback"},
	{"remote.md", "astrolabe record --adb", "it needs a phone"},
	{"editors.md", "# gpu: mali-g720", "it is an example for an editor"},
	{"editors.md", "cap = capture.open(args[0])", "it is an example for an editor"},
	{"editors.md", `print(cap["main`, "it is an example for an editor"},
	{"packages.md", ".ci/release", ".ci/extra packages makes a release"},
	{"packages.md", "SOURCE_DATE_EPOCH=", ".ci/extra packages makes a release in a folder without git"},
	{"packages.md", "apt ", ".ci/extra packages installs and purges the deb in a clean root"},
	{"packages.md", "dnf ", "it needs another distribution"},
	{"packages.md", "apk ", "it needs another distribution"},
	{"packages.md", "brew ", "it needs another system"},
	{"packages.md", "scoop ", "it needs another system"},
	{"packages.md", "podman ", ".ci/extra packages has podman load and run the image"},
	{"bundle.md", "unzip ", "tests of hwio/bundle show such a file to lspci and udevadm"},
	{"bundle.md", "umockdev-run ", "tests of hwio/bundle show such a file to lspci and udevadm"},
	{"benchmarks.md", "", "benchmarks need a quiet machine, hyperfine and Python's libraries"},
}

type block struct {
	language, text string
	line           int
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

func blocksOf(text string) (out []block) {
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, block{text[m[2]:m[3]], text[m[4]:m[5]], 1 + strings.Count(text[:m[0]], "\n")})
	}
	return out
}

// pageRun runs the blocks of one page.
type pageRun struct {
	t                   *testing.T
	name, dir, repo     string
	bin                 string
	session             []entry // of the page so far
	talked              int     // how many of them were typed
	opens               string  // the arguments of the session's program
	used, usedSkip      map[int]bool
	ran, left, compared int
}

// entry is one thing that is typed, and what the page shows below it.
type entry struct {
	code, shows string
	line        int
}

func TestEveryBlockOfThePagesRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program and records for seconds")
	}
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append([]string{"../README.md"}, pages...) {
		name := filepath.Base(page)
		if name == "api.md" {
			continue // a test of builtins runs each example of the reference
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel() // recordings take the time that they are told to, whatever else runs
			p := &pageRun{t: t, name: name, dir: t.TempDir(), repo: repo, bin: programsIn(t), used: map[int]bool{},
				usedSkip: map[int]bool{}}
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			p.run(string(p.fresh(page, text)))
			p.unused()
			t.Logf("%d blocks ran, %d outputs agree, %d lines left out", p.ran, p.compared, p.left)
		})
	}
}

// programsIn is a folder with the programs of the pages, and a home of its own for them.
func programsIn(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for _, pkg := range []string{"astrolabe", "astrolabe/hwio/hwtest/cmd/emulate"} {
		path := programs.Path(t, pkg)
		if err := os.Symlink(path, filepath.Join(bin, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// unused finds what was written here for blocks that the page no longer has.
func (p *pageRun) unused() {
	p.t.Helper()
	for i, s := range setups {
		if s.page == p.name && !p.used[i] {
			p.t.Errorf("no block has %q: its setup is for nothing", s.block)
		}
	}
	for i, s := range skipped {
		if s.page == p.name && !p.usedSkip[i] {
			p.t.Errorf("no line begins with %q", s.line)
		}
	}
}

// fresh is the page as its generator writes it now, where it has one that draws pictures too: those are committed by
// whoever redraws them.
func (p *pageRun) fresh(page string, text []byte) []byte {
	script := map[string]string{"tour.md": "tour.star", "cookbook.md": "book.star"}[p.name]
	if script == "" {
		return text
	}
	out := p.t.TempDir()
	cmd := exec.Command(filepath.Join(p.bin, "astrolabe"), "run", "--out="+out, "scripts/cookbook/"+script)
	cmd.Dir = p.repo
	if said, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v\n%s", script, err, said)
	}
	text, err := os.ReadFile(filepath.Join(out, p.name))
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}

func (p *pageRun) run(text string) {
	blocks := blocksOf(text)
	if n := strings.Count("\n"+text, "\n```"); n != 2*len(blocks) {
		p.t.Fatalf("%d fences and %d blocks", n, len(blocks))
	}
	for i, b := range blocks {
		switch {
		case b.language == "text":
			if i > 0 && blocks[i-1].language == "python" && len(p.session) > 0 &&
				p.session[len(p.session)-1].line == blocks[i-1].line {
				p.session[len(p.session)-1].shows = b.text
			}
		case b.language == "python" && regexp.MustCompile(`\A# \S+\.star\n`).MatchString(b.text):
			name, _, _ := strings.Cut(b.text[2:], "\n")
			p.write(name, b.text)
			p.ran++
		case b.language == "python":
			p.python(b)
		case b.language != "" && p.name == "editors.md": // settings, which TestEditors gives to editors
		case b.language == "yaml" && p.name == "build-servers.md":
			p.workflow(b)
		case b.language != "" && p.name == "lake.md": // questions, which TestEnginesAnswer gives to engines
		case b.language == "py" && p.name == "dataframes.md": // which TestEnginesReadCapturesAsDataFrames runs
		case b.language != "":
			p.t.Errorf("line %d: a block of %s; known are python, text and none", b.line, b.language)
		case strings.Contains(b.text, ">>> "):
			p.transcript(b)
		default:
			p.talk()
			p.shell(b)
		}
	}
	p.talk()
}

func (p *pageRun) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// runnable is the block without the lines that are left out.
func (p *pageRun) runnable(b block) string {
	var out strings.Builder
	for line := range strings.Lines(b.text) {
		at := slices.IndexFunc(skipped, func(s struct{ page, line, why string }) bool {
			return s.page == p.name && strings.HasPrefix(line, s.line)
		})
		if at < 0 {
			out.WriteString(line)
			continue
		}
		p.left++
		p.usedSkip[at] = true
		p.t.Logf("LEFT OUT: %s: %s", strings.TrimSpace(line), skipped[at].why)
	}
	return out.String()
}

// setup makes what the block takes for granted.
func (p *pageRun) setup(b block) (device string) {
	for i, s := range setups {
		if s.page != p.name || !strings.Contains(b.text, s.block) || p.used[i] {
			continue
		}
		p.used[i] = true
		env := ""
		if s.data != "" {
			env = "DATA=" + testfiles.Path(p.t, "captures", s.data) + "\n"
		}
		if s.before != "" {
			p.bash(s.device, env+s.before, fmt.Sprintf("what line %d needs", b.line))
		}
		return s.device
	}
	return ""
}

func (p *pageRun) shell(b block) {
	p.t.Helper()
	code := p.runnable(b)
	if strings.TrimSpace(code) == "" {
		return
	}
	p.bash(p.setup(b), code, fmt.Sprintf("line %d", b.line))
	p.ran++
}

// go runs where the module is, with its output where the page is: a clean folder stands for the place that a user works
// in.
const goCommand = `go() {
  local args=() exe= before=
  for word; do
    case "$before" in -o) word=$PWD/$word;; esac
    args+=("$word"); before=$word
  done
  case "$1 $2" in
    "run .") shift 2 && astrolabe "$@";; # built already
    *) (cd "$REPO" && command go "${args[@]}");;
  esac
}
`

func (p *pageRun) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = p.dir
	home := p.bin
	gopath, _ := exec.Command("go", "env", "GOPATH", "GOCACHE").Output()
	dirs := strings.Fields(string(gopath))
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "PATH", "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "GOPATH", "GOCACHE", "XDG_DATA_HOME", "JUPYTER_DATA_DIR":
		default:
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+p.bin+":"+os.Getenv("PATH"), "HOME="+home, "XDG_STATE_HOME="+home,
		"XDG_CONFIG_HOME="+home,
		"REPO="+p.repo)
	if len(dirs) == 2 {
		cmd.Env = append(cmd.Env, "GOPATH="+dirs[0], "GOCACHE="+dirs[1])
	}
	return cmd
}

func (p *pageRun) bash(device, code, what string) {
	p.t.Helper()
	args := []string{"bash", "-euc", goCommand + code}
	if device != "" {
		args = append([]string{filepath.Join(p.bin, "emulate"), "--device", device, "--"}, args...)
	}
	if out, err := p.command(args...).CombinedOutput(); err != nil {
		p.t.Errorf("%s: %v\n%s\n%s", what, err, code, out)
	}
}

func (p *pageRun) python(b block) {
	code := p.runnable(b)
	if strings.TrimSpace(code) == "" {
		return
	}
	p.setup(b)
	p.session = append(p.session, entry{code: code, line: b.line})
	p.ran++
}

// transcript takes in a session as it is shown.
func (p *pageRun) transcript(b block) {
	for line := range strings.Lines(b.text) {
		if args, ok := strings.CutPrefix(line, "$ astrolabe "); ok {
			p.talk()
			p.session, p.talked, p.opens = nil, 0, strings.TrimSpace(args)
		} else if code, ok := strings.CutPrefix(line, ">>> "); ok {
			p.session = append(p.session, entry{code: code, line: b.line})
		} else if more, ok := strings.CutPrefix(line, "... "); ok && len(p.session) > 0 {
			p.session[len(p.session)-1].code += more
		} else if len(p.session) > 0 {
			p.session[len(p.session)-1].shows += line
		} else {
			p.t.Errorf("line %d: %q stands before what is typed", b.line, line)
		}
	}
	p.ran++
}

// talk types the session of the page, from its beginning: blocks of a shell may stand between its parts.
func (p *pageRun) talk() {
	p.t.Helper()
	const end = "<end of an entry>"
	if len(p.session) == p.talked {
		return
	}
	var in strings.Builder
	for _, e := range p.session {
		fmt.Fprintf(&in, "%s\nprint(%q)\n", e.code, end)
	}
	cmd := p.command(append([]string{filepath.Join(p.bin, "astrolabe")}, strings.Fields(p.opens)...)...)
	cmd.Stdin = strings.NewReader(in.String())
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	shown := strings.Split(string(out), end+"\n")
	for i, e := range p.session {
		if i >= len(shown)-1 {
			p.t.Errorf("line %d: %v\n%s\n%s", e.line, err, e.code, &errors)
			break
		}
		if e.shows == "" {
			continue
		}
		p.compared++
		if strings.TrimSpace(shown[i]) != strings.TrimSpace(e.shows) {
			p.t.Errorf("line %d: %s\nshows\n%s\nand not\n%s", e.line, e.code, shown[i], e.shows)
		}
	}
	p.talked = len(p.session)
}
