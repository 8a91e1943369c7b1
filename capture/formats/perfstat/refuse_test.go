package perfstat

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture/formats"
)

func TestOutputWithoutCountsNamesTheOptionThatGivesThem(t *testing.T) {
	for name, want := range map[string]error{
		"plain.txt": errPlain, "plainI.txt": errPlain, "mo.csv": errNoCounts, "moI.csv": errMetricOnly, "mo.json": errMetricOnly, "moI.json": errMetricOnly,
	} {
		path := filepath.Join("testdata", "other", name)
		_, err := formats.NewRegistry(Format{}).Open(t.Context(), path, formats.Options{})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "-j") || !strings.Contains(err.Error(), "-x") {
			t.Errorf("%s: %v; want %v", name, err, want)
		}
		for _, prefix := range []string{"\r\n", "hello\n"} { // as on standard error, behind the program's own
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			other := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(other, []byte(prefix+strings.ReplaceAll(string(text), "\n", "\r\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = formats.NewRegistry(Format{}).Open(t.Context(), other, formats.Options{})
			if want == errPlain && !errors.Is(err, want) {
				t.Errorf("%s behind %q: %v; want %v", name, prefix, err, want)
			}
		}
	}
}

func FuzzRefusal(f *testing.F) {
	for _, s := range []string{" Performance counter stats for 'x':\n 1 y\n", "# started on x\n", " time,a,\n", "{}\n", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.TrimSpace(s) == "" && refusal(strings.Split(s, "\n")) != nil {
			t.Errorf("%q is refused as perf stat's", s)
		}
	})
}
