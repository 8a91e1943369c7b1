package docs

import (
	"archive/zip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/programs"
)

// Programs that are not ours judge the language server on a script of the repository, to which these lines are added:
// a line to lay out, a name that is mistyped, and characters of two and four bytes before it.
const judged = "../scripts/lib/phases.star"

const added = "\ndemo=capture.open(\"x.csv\", gpu = \"mali-g720\")\nprint(\"é𝄞\", demo[\"gpu_active_cycle\"], demo[\"gpu_active_cycles\"])\n"

// neovim finds a Neovim of 0.10 or later: the system's, or that of a root of Debian 13 that ASTROLABE_NEOVIM names, which
// .ci/extra editors makes. env is what it needs besides.
func neovim(t *testing.T) (command, env []string) {
	t.Helper()
	if root := os.Getenv("ASTROLABE_NEOVIM"); root != "" {
		return []string{root + "/lib64/ld-linux-x86-64.so.2", "--library-path", root + "/usr/lib/x86_64-linux-gnu",
			root + "/usr/bin/nvim"}, []string{"VIMRUNTIME=" + root + "/usr/share/nvim/runtime"}
	}
	out, err := exec.Command("nvim", "--version").Output()
	version := regexp.MustCompile(`^NVIM v0\.(\d+)`).FindSubmatch(out)
	if err == nil && version != nil {
		if minor, err := strconv.Atoi(string(version[1])); err == nil && minor >= 10 {
			return []string{"nvim"}, nil
		}
	}
	t.Skip("SKIPPED: a Neovim of 0.10 or later is not installed")
	return nil, nil
}

func TestANewNeovimIsAnsweredEveryRequestOfThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	command, env := neovim(t)
	script, err := os.ReadFile(judged)
	if err != nil {
		t.Fatal(err)
	}
	asks, err := os.ReadFile("testdata/ask_neovim.lua")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"init.lua": settingsOf(t, "lua"), "ask.lua": string(asks),
		"phases.star": string(script) + added, "astrolabe.toml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(command[0], append(command[1:], "--headless", "-u", "init.lua", "phases.star", "-c",
		"luafile ask.lua", "-c", "qa!")...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), env...), "PATH="+filepath.Dir(programs.Path(t, "astrolabe"))+":"+
		os.Getenv("PATH"), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_DATA_HOME="+dir,
		"XDG_CACHE_HOME="+dir)
	out, err := cmd.CombinedOutput()
	count := strconv.Itoa(strings.Count(string(script), "_measured("))
	for _, want := range []string{"13 of 13 requests answered", "references " + count + "\n", "hint cycles",
		"action Change to gpu_active_cycles"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("not %q: %v\n%.3000s", want, err, out)
		}
	}
	if strings.Contains(string(out), "rror detected while processing") {
		t.Errorf("the settings fail: %.3000s", out)
	}
	after, err := os.ReadFile(filepath.Join(dir, "after.star"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(string(script), "_measured(", "_held(") +
		"\ndemo = capture.open(\"x.csv\", gpu = \"mali-g720\")\nprint(\"é𝄞\", demo[\"gpu_active_cycles\"], demo[\"gpu_active_cycles\"])\n"
	if string(after) != want {
		t.Errorf("after a fix, formatting and a rename the script is not what it should be:\n%.2000s",
			after[max(0, len(after)-2000):])
	}
	t.Logf("EDITOR | Neovim | %s", regexp.MustCompile(`\d+ of \d+ requests answered`).Find(out))
}

func TestPytestLSPFindsTheServerToKeepToTheProtocol(t *testing.T) {
	python := os.Getenv("ASTROLABE_EDITORS_PYTHON")
	if python == "" {
		t.Skip("SKIPPED: pytest-lsp is not installed")
	}
	suite, err := filepath.Abs("testdata/test_language_server.py")
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(judged)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-s", "-W",
		"error::pytest_lsp.LspSpecificationWarning", suite)
	dir := t.TempDir()
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "FOLDER="+dir, "SCRIPT="+script, "ASTROLABE="+programs.Path(t, "astrolabe"),
		"PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "13 of 13 answered") != 3 || !strings.Contains(string(out), "6 passed") {
		t.Errorf("%v\n%.6000s", err, out)
	}
	t.Logf("EDITOR | pytest-lsp | three clients, %d times 13 of 13 requests answered",
		strings.Count(string(out), "13 of 13 answered"))
}

// extension is the folder of the extension of VS Code.
const extension = "../editors/vscode"

func TestTheExtensionOfVSCodeIsWhole(t *testing.T) {
	read := func(name string, v any) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(extension, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var manifest struct {
		Main        string
		Contributes struct {
			Languages []struct {
				ID, Configuration string
				Extensions        []string
			}
			Grammars []struct{ Language, ScopeName, Path string }
		}
	}
	read("package.json", &manifest)
	c := manifest.Contributes
	if len(c.Languages) != 1 || !slices.Contains(c.Languages[0].Extensions, ".star") || len(c.Grammars) != 1 ||
		c.Grammars[0].Language != c.Languages[0].ID {
		t.Fatalf("%+v", c)
	}
	var any map[string]any
	read(c.Languages[0].Configuration, &any)
	var grammar struct{ ScopeName string }
	if read(c.Grammars[0].Path, &grammar); grammar.ScopeName != c.Grammars[0].ScopeName {
		t.Errorf("the grammar is %s, the manifest says %s", grammar.ScopeName, c.Grammars[0].ScopeName)
	}
	main, err := os.ReadFile(filepath.Join(extension, manifest.Main))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(main), `language: "`+c.Languages[0].ID+`"`) {
		t.Errorf("%s serves another language than %s", manifest.Main, c.Languages[0].ID)
	}
	if node, err := exec.LookPath("node"); err == nil {
		if out, err := exec.Command(node, "--check", filepath.Join(extension, manifest.Main)).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

func TestVSCEPacksTheExtension(t *testing.T) {
	home := os.Getenv("ASTROLABE_VSCE")
	if home == "" {
		t.Skip("SKIPPED: vsce is not installed")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(extension)); err != nil {
		t.Fatal(err)
	}
	// Where someone works on the extension, this is here too.
	if err := os.RemoveAll(filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "node_modules"), os.DirFS(home+"/client/node_modules")); err != nil {
		t.Fatal(err)
	}
	licence, err := os.ReadFile("../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSE"), licence, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(home+"/node_modules/.bin/vsce", "package", "--allow-missing-repository", "--out", "a.vsix")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	// That many files load slower than one is true, and no reason for a bundler.
	if err != nil || strings.Count(string(out), "WARNING") != strings.Count(string(out), "you should bundle") {
		t.Fatalf("%v\n%s", err, out)
	}
	z, err := zip.OpenReader(filepath.Join(dir, "a.vsix"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
	}
	for _, want := range []string{"extension/package.json", "extension/extension.js",
		"extension/node_modules/vscode-languageclient/package.json", "extension/syntaxes/astrolabe.tmLanguage.json"} {
		if !slices.Contains(names, want) {
			t.Errorf("the package has no %s", want)
		}
	}
	t.Logf("EDITOR | vsce | a package of %d files", len(names))
}
