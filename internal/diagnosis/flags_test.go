package diagnosis

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"astrolabe/scripts"
)

// One report may run the script of a GPU and that of the CPU: a flag of both would have two defaults, and the report
// show one of them.
func TestTheScriptOfTheCPUSharesNoFlagWithThatOfAGPU(t *testing.T) {
	list := regexp.MustCompile(`(?ms)^\w+ = flags\((.*?)^\)`)
	flag := regexp.MustCompile(`(?m)^    (\w+) = `)
	names, err := fs.Glob(scripts.Library, "triage/*.star")
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.star") {
			continue
		}
		modules, err := fs.Glob(scripts.Library, strings.TrimSuffix(name, ".star")+"/*.star") // of a script that is divided
		if err != nil {
			t.Fatal(err)
		}
		id := path.Base(name)
		flags[id] = map[string]bool{}
		for _, module := range append(modules, name) {
			text, err := fs.ReadFile(scripts.Library, module)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range list.FindAllStringSubmatch(string(text), -1) {
				for _, m := range flag.FindAllStringSubmatch(found[1], -1) {
					flags[id][m[1]] = true
				}
			}
		}
		if len(flags[id]) == 0 {
			t.Fatalf("%s has no flags", name)
		}
	}
	if len(flags["cpu.star"]) == 0 || len(flags) < 6 {
		t.Fatalf("flags of %d scripts were found", len(flags))
	}
	for id, have := range flags {
		for name := range have {
			if id != "cpu.star" && flags["cpu.star"][name] {
				t.Errorf("cpu.star and %s both have a flag %s", id, name)
			}
		}
	}
}
