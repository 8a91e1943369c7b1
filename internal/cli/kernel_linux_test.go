package cli

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest/programs"
	"astrolabe/internal/testfiles"
)

// jupyter is an environment of Python with Jupyter, in which the built program is a kernel: the folder of its programs,
// and the variables that they run with.
func jupyter(t *testing.T, program string) (bin string, env []string) {
	t.Helper()
	folder := os.Getenv("ASTROLABE_JUPYTER")
	if folder == "" {
		t.Skip("SKIPPED: Jupyter is in no folder that ASTROLABE_JUPYTER names (.ci/extra fetch jupyter installs it)")
	}
	if _, err := os.Stat(filepath.Join(folder, "bin", program)); err != nil {
		t.Skipf("SKIPPED: the folder of ASTROLABE_JUPYTER has no %s", program)
	}
	home := t.TempDir()
	env = append(os.Environ(), "JUPYTER_DATA_DIR="+filepath.Join(home, "data"), "JUPYTER_PATH=", "JUPYTER_CONFIG_DIR="+filepath.Join(home, "config"),
		"JUPYTER_RUNTIME_DIR="+filepath.Join(home, "run"), "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_CONFIG_HOME="+filepath.Join(home, "xdg"),
		"IPYTHONDIR="+filepath.Join(home, "ipython"))
	install := exec.CommandContext(t.Context(), programs.Path(t, "astrolabe"), "kernel", "--install")
	install.Env = env
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(folder, "bin"), env
}

// asked runs a program of testdata/jupyter in Python and returns what it printed; what it says beside is in the error.
func asked(t *testing.T, bin string, env []string, script string, args ...string) (out, said []byte, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "python"), append([]string{filepath.Join("testdata", "jupyter", script)}, args...)...)
	cmd.Env = env
	var talk bytes.Buffer
	cmd.Stderr = &talk
	out, err = cmd.Output()
	return out, talk.Bytes(), err
}

// conformed is the last line of unittest about a suite without failures; what follows OK counts skips.
var conformed = regexp.MustCompile(`(?m)^Ran (\d+) tests? in .*\n\nOK(.*)$`)

func TestJupytersConformanceSuiteFindsNothing(t *testing.T) {
	bin, env := jupyter(t, "jupyter-kernelspec")
	_, said, err := asked(t, bin, env, "conformance.py", "-v")
	found := conformed.FindSubmatch(said)
	if err != nil || found == nil || len(found[2]) > 0 {
		t.Fatalf("%v\n%s", err, said)
	}
	t.Logf("%s tests, no failure, no skip", found[1])
	if n := strings.Count(string(said), " ... ok\n"); n < 13 {
		t.Errorf("%d tests passed, want the 13 of version 0.7 at least\n%s", n, said)
	}
}

func TestJupytersClientIsAnsweredWhateverHappens(t *testing.T) {
	bin, env := jupyter(t, "jupyter-kernelspec")
	out, said, err := asked(t, bin, env, "clients.py")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var checks map[string]any
	if err := json.Unmarshal(out, &checks); err != nil {
		t.Fatal(err)
	}
	for name, ok := range checks {
		if ok != true {
			t.Errorf("not so: %s: %v", name, ok)
		}
	}
	if len(checks) != 21 {
		t.Errorf("%d things were looked at, want 21", len(checks))
	}
}

// exampleNotebook is a copy of docs/notebook.ipynb beside the data that it opens, in a folder that may be written to.
func exampleNotebook(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"docs", "testdata/captures"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(testfiles.Path(t, "captures/cpu-programs"), filepath.Join(dir, "testdata/captures/cpu-programs")); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../docs/notebook.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "docs", "notebook.ipynb")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheExampleNotebookRunsByNbclient(t *testing.T) {
	bin, env := jupyter(t, "jupyter-kernelspec")
	path := exampleNotebook(t)
	out, said, err := asked(t, bin, env, "notebook.py", path)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var cells []struct {
		Count   int
		Outputs []struct {
			Kind, Name, Text string
			Data             map[string]string
		}
	}
	if err := json.Unmarshal(out, &cells); err != nil {
		t.Fatal(err)
	}
	var all []string
	pictures := 0
	for i, c := range cells {
		if c.Count != i+1 || len(c.Outputs) == 0 {
			t.Errorf("cell %d has the number %d and %d outputs", i+1, c.Count, len(c.Outputs))
		}
		for _, o := range c.Outputs {
			all = append(all, o.Text, o.Data["text/plain"], o.Data["text/html"])
			if o.Kind != "stream" && o.Data["text/plain"] == "" {
				t.Errorf("cell %d has an output without text", i+1)
			}
			if data := o.Data["image/png"]; data != "" {
				pictures++
				raw, err := base64.StdEncoding.DecodeString(data)
				if err != nil {
					t.Fatal(err)
				}
				if is, err := png.Decode(bytes.NewReader(raw)); err != nil || is.Bounds().Dx() != 1920 {
					t.Errorf("cell %d: a picture: %v", i+1, err)
				}
			}
		}
	}
	// The numbers are those of the program itself.
	cmd := exec.CommandContext(t.Context(), programs.Path(t, "astrolabe"), "-c",
		"print(cap['context_switches'].total() / cap.duration)\nprint(cap.summary()[0]['total'])", testfiles.Path(t, "captures/cpu-programs/pipe.arrow"))
	numbers, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(all, "\n")
	for number := range strings.FieldsSeq(string(numbers)) {
		if !strings.Contains(text, number) {
			t.Errorf("no cell shows %s", number)
		}
	}
	if pictures < 2 || len(cells) != 5 {
		t.Errorf("%d pictures in %d cells", pictures, len(cells))
	}
}

func TestANotebookInJupyterLab(t *testing.T) {
	folder := os.Getenv("ASTROLABE_PLAYWRIGHT")
	if folder == "" {
		t.Skip("SKIPPED: playwright is in no folder that ASTROLABE_PLAYWRIGHT names (.ci/extra notebooks installs it)")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIPPED: chromium is not installed (Debian's chromium)")
	}
	bin, env := jupyter(t, "jupyter-lab")
	path := exampleNotebook(t)
	lab := exec.CommandContext(t.Context(), filepath.Join(bin, "jupyter-lab"), "--allow-root", "--no-browser", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0",
		"--IdentityProvider.token=known", "--ServerApp.root_dir="+filepath.Dir(filepath.Dir(path)), "--LabApp.news_url=None")
	lab.Env = env
	lab.Cancel = func() error { return lab.Process.Signal(syscall.SIGTERM) } // it ends its kernels
	talk, err := lab.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := lab.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		lab.Process.Signal(syscall.SIGTERM)
		lab.Wait()
	}()
	address, said := "", ""
	lines := bufio.NewScanner(talk)
	where := regexp.MustCompile(`http://127\.0\.0\.1:\d+/lab`)
	for address == "" && lines.Scan() {
		said += lines.Text() + "\n"
		address = where.FindString(lines.Text())
	}
	if address == "" {
		t.Fatalf("JupyterLab does not say where it is\n%s", said)
	}
	go func() {
		for lines.Scan() { // it must not wait for who reads its log
		}
	}()
	node := exec.CommandContext(t.Context(), "node", "testdata/jupyter/lab.js", address+"/tree/docs/notebook.ipynb?token=known&reset", browser,
		os.Getenv("ASTROLABE_PAGE_SHOTS"))
	var wrong bytes.Buffer
	node.Stderr = &wrong
	out, err := node.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, wrong.Bytes())
	}
	var got struct {
		Checks map[string]bool
		Errors []string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for name, ok := range got.Checks {
		if !ok {
			t.Errorf("not so: %s", name)
		}
		seen = append(seen, name)
	}
	slices.Sort(seen)
	t.Logf("LAB | %s", strings.Join(seen, "; "))
	if len(seen) != 8 {
		t.Errorf("%d things were looked at, want 8", len(seen))
	}
}
