package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest/programs"
)

// watched is what testdata/live.js found.
type watched struct {
	Requests, Errors []string
	Dialogs          int
	Checks           map[string]bool
	Capture, Report  string
	Rows             []struct {
		Script string
		Rows   []struct {
			Name   string
			Values []string
		}
	}
}

// A recording in two pages of a browser: what they show of it is what the file has that is saved from there.
func TestALiveRecordingInABrowser(t *testing.T) {
	if os.Getenv("ASTROLABE_PLAYWRIGHT") == "" {
		t.Skip("SKIPPED: playwright is in no folder that ASTROLABE_PLAYWRIGHT names (.ci/extra pages installs it)")
	}
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIPPED: chromium is not installed (Debian's chromium)")
	}
	exe := programs.Path(t, "astrolabe")
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), exe, "live", "--source", "procfs", "--open=false", "-o", "all.arrow")
	cmd.Dir = dir
	var talk bytes.Buffer
	cmd.Stderr = &talk
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		t.Fatalf("no address: %v %s", cmd.Wait(), talk.Bytes())
	}
	r := rand.New(rand.NewPCG(uint64(os.Getpid()), 1)) // other stretches each time; a failure says which
	var ranges [][2]float64
	for range 4 {
		a := r.Float64() * 0.9
		ranges = append(ranges, [2]float64{a, a + 0.02 + r.Float64()*(0.97-a)})
	}
	asked, _ := json.Marshal(ranges)
	node := exec.CommandContext(t.Context(), "node", "testdata/live.js", lines.Text(), browser, os.Getenv("ASTROLABE_PAGE_SHOTS"))
	node.Env = append(os.Environ(), "RANGES="+string(asked))
	var said bytes.Buffer
	node.Stderr = &said
	seen, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	read := bufio.NewReader(seen)
	text, err := read.ReadBytes('\n')
	if err != nil {
		node.Wait()
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	var got watched
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var end struct {
		Said   string
		Errors []string
	}
	if text, err = read.ReadBytes('\n'); err != nil || json.Unmarshal(text, &end) != nil || end.Said != "The recording has ended." {
		t.Errorf("the end: %q %v\n%s", end.Said, err, said.Bytes())
	}
	if err := node.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said.Bytes())
	}
	var printed []string
	for lines.Scan() {
		printed = append(printed, lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, talk.Bytes())
	}
	for name, ok := range got.Checks {
		if !ok {
			t.Errorf("not so: %s", name)
		}
	}
	if len(got.Requests) > 0 || len(end.Errors) > 0 || got.Dialogs > 0 {
		t.Errorf("requests %q, errors %q, %d dialogs", got.Requests, end.Errors, got.Dialogs)
	}
	if want := []string{got.Capture, got.Report, "all.arrow"}; strings.Join(printed, " ") != strings.Join(want, " ") {
		t.Errorf("printed %q, want %q", printed, want)
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("%d files were written, want 3", len(entries))
	}
	if page, err := os.ReadFile(filepath.Join(dir, got.Report)); err != nil || !bytes.Contains(page, []byte("astrolabe-data")) {
		t.Errorf("the report: %v, %d bytes", err, len(page))
	}
	compared := 0
	for i, stretch := range got.Rows {
		compared += compareStretch(t, exe, dir, i, filepath.Join(dir, got.Capture), stretch.Script, func(name string) []string {
			for _, row := range stretch.Rows {
				if row.Name == name {
					return row.Values
				}
			}
			return nil
		})
	}
	t.Logf("PAGE | live: statistics equal to those of the file that was saved: %d", compared)
	if len(got.Rows) != 5 || compared < 200 {
		t.Errorf("%d stretches, %d numbers compared", len(got.Rows), compared)
	}
	for _, name := range []string{got.Capture, "all.arrow"} {
		c, err := all.Registry().Open(t.Context(), filepath.Join(dir, name), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Regions) != 1 || c.Regions[0].Name != "<b>a mark</b>" {
			t.Errorf("%s has the regions %+v", name, c.Regions)
		}
	}
}
