package bundle_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/hwio/bundle"
)

var update = flag.Bool("update", false, "write docs/verified-hardware.md")

func TestThePageOfVerifiedHardwareIsThatOfTheAcceptedBundles(t *testing.T) {
	files, err := filepath.Glob("../../testdata/verified/*.zip")
	if err != nil {
		t.Fatal(err)
	}
	accepted := map[string]*bundle.Bundle{}
	for _, file := range files {
		b, err := bundle.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range b.Judge(t.Context()) {
			if c.Verdict == bundle.Broken {
				t.Errorf("%s was accepted, but %s: %s", file, c.Name, c.Text)
			}
		}
		accepted[strings.TrimSuffix(filepath.Base(file), ".zip")] = b
	}
	const page = "../../docs/verified-hardware.md"
	want := verified(accepted)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("%s is not what the bundles say (%v); go test ./hwio/bundle -run VerifiedHardware -update writes it", page, err)
	}
}

func TestThePageNamesWhatAnAcceptedBundleIsOf(t *testing.T) {
	b, err := bundle.Open("../hwtest/replay/testdata/mali-g52.zip")
	if err != nil {
		t.Fatal(err)
	}
	if page := verified(map[string]*bundle.Bundle{"ticket-7": b}); !strings.Contains(page, "| ticket-7 | kbase | linux/amd64") ||
		!strings.Contains(page, "Mali-G52") {
		t.Error(page)
	}
}

// verified is the page about hardware that bundles were accepted of, as Markdown. The names are those of the archives.
func verified(bundles map[string]*bundle.Bundle) string {
	var out strings.Builder
	out.WriteString(verifiedHead)
	if len(bundles) == 0 {
		out.WriteString("No bundle has been accepted yet: nothing here was verified on hardware beyond what the README's table says.\n")
		return out.String()
	}
	out.WriteString("| bundle | recorded | machine | found | checks that hold | undecided | broken |\n" +
		"| --- | --- | --- | --- | --- | --- | --- |\n")
	var names []string
	for name := range bundles {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b := bundles[name]
		n := map[string]int{}
		for _, c := range b.Checks {
			n[c.Verdict]++
		}
		what := "nothing"
		for _, f := range b.Findings {
			if f.Usable && slices.Contains(b.About.Recorded, f.Source) {
				what = f.What
				break
			}
		}
		fmt.Fprintf(&out, "| %s | %s | %s, Linux %s | %s | %d | %d | %d |\n", name, strings.Join(b.About.Recorded, ", "),
			b.About.System, b.About.Kernel, what, n[bundle.Holds], n[bundle.Undecided], n[bundle.Broken])
	}
	return out.String()
}

const verifiedHead = `# Hardware that was verified

Each row is made of a bundle that somebody sent, and that was accepted: its checks hold, and a replay of it is a test. Made by a test of
hwio/bundle from testdata/verified; do not edit.

To add yours, type ` + "`astrolabe doctor --bundle FILE`" + ` on the machine, look at the list that it shows, and attach the file to an issue.
[bundle.md](bundle.md) says what is in it, and what is not.

`
