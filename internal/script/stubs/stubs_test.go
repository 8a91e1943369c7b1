package stubs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"astrolabe/builtins"
	"astrolabe/builtins/modules"
	"astrolabe/builtins/values"
)

func written(t *testing.T) string {
	var b bytes.Buffer
	if err := Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEveryDocumentedNameIsInTheStubs(t *testing.T) {
	text := written(t)
	for _, d := range slices.Concat(values.Types, modules.All) {
		if d.TypeName() == "assert" {
			continue
		}
		for _, en := range d.Entries() {
			if !strings.Contains(text, "    def "+en.Name+"(self") && !strings.Contains(text, "    "+en.Name+": ") {
				t.Errorf("%s.%s is missing", d.TypeName(), en.Name)
			}
		}
	}
	for _, en := range builtins.Functions().Entries() {
		if !strings.Contains(text, "\ndef "+en.Name+"(") {
			t.Errorf("%s is missing", en.Name)
		}
	}
	for _, want := range []string{
		"def open(self, path: str, format: str | None = None, gpu: str | None = None, kinds: dict[Any, Any] | str | None = None, force: bool = False, **options: Any) -> Capture:",
		"capture: _capture\n", "    sqrt: Any\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestEveryTypeOfTheStubsIsKnown(t *testing.T) {
	text := written(t)
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^class (\w+)`).FindAllStringSubmatch(text, -1) {
		known[m[1]] = true
	}
	for _, word := range strings.Fields("Any None float str int bool list dict Callable tuple") {
		known[word] = true
	}
	for _, d := range slices.Concat(values.Types, modules.All) {
		for _, en := range d.Entries() {
			for _, name := range regexp.MustCompile(`\w+`).FindAllString(pythonType(en.Type), -1) {
				if !known[name] {
					t.Errorf("%s.%s gives %s, which is no type of the stubs", d.TypeName(), en.Name, name)
				}
			}
		}
	}
}

func TestPythonReadsTheStubs(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to read the stubs with")
	}
	file := filepath.Join(t.TempDir(), "builtins.pyi")
	if err := os.WriteFile(file, []byte(written(t)), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(python, "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())",
		file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
