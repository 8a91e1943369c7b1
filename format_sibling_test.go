package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tallyFormat is the package of a file format that does not exist: all that a new one takes.
const tallyFormat = `// Package tally reads and writes tallies.
package tally

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

type Format struct{}

func (Format) Name() string { return "tally" }
func (Format) Doc() string { return "the tally of a program that does not exist (starts with TALLY | 1)" }
func (Format) Extensions() []string { return []string{".tally"} }

func (Format) Sniff(in *formats.Input) int {
	if strings.HasPrefix(string(in.Head), "TALLY | 1\n") {
		return 100
	}
	return 0
}

func (Format) Open(_ context.Context, in *formats.Input, opt formats.Options) (*capture.Capture, error) {
	text, err := os.ReadFile(in.Path)
	if err != nil {
		return nil, err
	}
	c := capture.Config{Name: "tally", Path: in.Path, Format: "tally", Axis: capture.NewUniformAxis(1, 1e9)}
	for k, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		var name string
		var n uint64
		if _, err := fmt.Sscan(line, &name, &n); err != nil {
			return nil, fmt.Errorf("line %d: %w", k+2, err)
		}
		c.Counters = append(c.Counters, &capture.Counter{Meta: capture.Meta{Name: name}, Axis: c.Axis,
			Col: capture.NewColumn(capture.Data{U: []uint64{n}})})
	}
	opt.Apply(&c)
	return capture.New(c)
}

func (Format) Encode(_ context.Context, w io.Writer, c *capture.Capture) error {
	_, err := fmt.Fprintln(w, "TALLY | 1")
	for _, ctr := range c.Counters {
		if err == nil {
			_, err = fmt.Fprintf(w, "%s %.0f\n", ctr.Name, ctr.Total().Float())
		}
	}
	return err
}
`

// overlaid builds a package of this module, where more files stand than the tree has, or others. Files are named by
// their paths in the tree and told by theirs outside.
func overlaid(t *testing.T, pkg string, files map[string]string) (bin string) {
	t.Helper()
	dir := t.TempDir()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for name, at := range files {
		replace[filepath.Join(wd, filepath.FromSlash(name))] = at
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay, bin := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "program.exe")
	if err := os.WriteFile(overlay, raw, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", overlay, "-o", bin, pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func TestAFormatIsOneFolder(t *testing.T) {
	dir := t.TempDir()
	run := func(status int, bin string, args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
			t.Fatalf("%s %s: %v, not status %d\n%s", filepath.Base(bin), strings.Join(args, " "), err, status, out)
		}
		return string(out)
	}
	write := func(name, text string) string {
		t.Helper()
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return at
	}
	holds := func(out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("the output lacks %q:\n%s", want, out)
			}
		}
	}

	// The folder stands beside those of the tree, and what go generate makes of it on top of what it made of those.
	files := map[string]string{
		"capture/formats/tally/tally.go": write("new/tally/tally.go", tallyFormat),
		"capture/formats/all/list.go":    write("list.go", ""),
	}
	list := files["capture/formats/all/list.go"]
	generate := exec.Command("go", "run", "./capture/formats/all/build", "-o", list, filepath.Join(dir, "new"))
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bin := overlaid(t, ".", files)

	// It is read and written.
	write("a.tally", "TALLY | 1\nwolves 3\nsheep 40\n")
	holds(run(0, bin, "stat", "a.tally"), "wolves", "sheep", "40")
	holds(run(0, bin, "-c", `c = capture.open("a.tally", kinds = "delta"); c.save("b.tally"); `+
		`print(c.format, c["sheep"].total(), read("b.tally"))`), "tally 40 TALLY | 1\nwolves 3\nsheep 40\n")
	run(0, bin, "convert", "a.tally", "a.csv")
	holds(run(1, bin, "stat", write("b.tally", "TALLY | 1\nwolves\n")), "open tally capture: ", "line 2: ")

	// Help, completion and errors know it.
	holds(run(0, bin, "stat", "--help"), ", tally")
	holds(run(0, bin, "convert", "--help"), "the FORMAT to write: arrow,", ", tally")
	holds(run(0, bin, "__complete", "stat", "--input-format", "ta"), "tally\n")
	holds(run(0, bin, "__complete", "convert", "a.csv", "b.csv", "--format", "ta"), "tally\n")
	holds(run(0, bin, "__complete", "stat", ""), "\ntally\n")
	holds(run(1, bin, "stat", write("x", "nothing\x00")), "\n  tally: the tally of a program that does not exist")
	holds(run(1, bin, "stat", "--input-format", "taly", "x"), `did you mean "tally"?`)

	// So does the documentation.
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	run(0, overlaid(t, "./internal/docgen", files))
	page, err := os.ReadFile(filepath.Join(dir, "docs", "formats-list.md"))
	if err != nil {
		t.Fatal(err)
	}
	holds(string(page), "\n| tally | yes | `.tally` | the tally of a program that does not exist (starts with TALLY \\| 1) |\n")
}

func TestTheListOfFormatsIsUpToDate(t *testing.T) {
	at := filepath.Join(t.TempDir(), "list.go")
	if out, err := exec.Command("go", "run", "./capture/formats/all/build", "-o", at).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("capture", "formats", "all", "list.go"))
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != string(want) {
		t.Errorf("run go generate ./...; the list should be\n%s", want)
	}
}
