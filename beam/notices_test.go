package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheNoticesAreThoseOfWhatIsLinked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "notices.txt")
	if out, err := exec.Command("go", "run", "astrolabe/internal/notices/build", file, "astrolabe/beam").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	have, _ := finished(t, 0, program(t, dir, "astrolabe-beam", "version", "--licences"))
	if have != string(want) {
		t.Error("beam/notices.txt.gz is not current: go generate in beam/ writes it")
	}
	for _, owner := range []string{"github.com/apache/beam/sdks/v2 ", "gocloud.dev ", "github.com/aws/aws-sdk-go-v2/service/s3 ",
		"github.com/DataDog/sketches-go ", "go.starlark.net ", "Go, its library", "Arm Limited"} {
		if !strings.Contains(have, owner) {
			t.Errorf("%s has no notice", owner)
		}
	}
	if strings.Contains(have, "\ngithub.com/johannesboyne/gofakes3 ") {
		t.Error("what only tests have has a notice")
	}
}
