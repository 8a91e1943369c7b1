package main

import (
	"strings"
	"testing"

	"astrolabe/internal/notices"
)

// linkedPrograms are those that go generate names, in main.go.
var linkedPrograms = []string{"astrolabe", "astrolabe/hwio/vendorlib"}

func TestTheNoticesAreThoseOfWhatIsLinked(t *testing.T) {
	want, err := collect(linkedPrograms)
	if err != nil {
		t.Fatal(err)
	}
	have, err := notices.Text()
	if err != nil {
		t.Fatal(err)
	}
	if have != string(want) {
		t.Error("internal/notices/notices.txt.gz is not current: go generate . writes it")
	}
	for _, owner := range []string{"go.starlark.net ", "github.com/apache/arrow-go/v18 ",
		"github.com/ebitengine/purego ", "modernc.org/sqlite ", "Go, its library", "liberation",
		"igt-gpu-tools", "Arm Limited"} {
		if !strings.Contains(have, owner) {
			t.Errorf("%s has no notice", owner)
		}
	}
	for _, absent := range []string{"honnef.co/go/tools", "github.com/google/go-cmp", "github.com/creack/pty"} {
		if strings.Contains(string(have), "\n"+absent+" ") {
			t.Errorf("%s is in no program and has a notice", absent)
		}
	}
}
