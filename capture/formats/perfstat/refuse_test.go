package perfstat

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture/formats"
)

func TestOutputWithoutCountsNamesTheOptionThatGivesThem(t *testing.T) {
	for name, want := range map[string]error{
		"mo.csv": errNoCounts, "moI.csv": errMetricOnly, "mo.json": errMetricOnly, "moI.json": errMetricOnly,
	} {
		path := filepath.Join("testdata", "other", name)
		_, err := formats.NewRegistry(Format{}).Open(t.Context(), path, formats.Options{})
		if !errors.Is(err, want) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), "without --metric-only") {
			t.Errorf("%s: %v; want %v", name, err, want)
		}
	}
}

func TestMetricsAloneNameTheOptionInEveryForm(t *testing.T) {
	for _, text := range []string{
		"#           time    %  tma_retiring %  tma_backend_bound\n     1.000300000            11.2                 84.9\n",
		`{"interval" : 1.000300000, "%  tma_retiring" : "11.2", "%  tma_backend_bound" : "84.9"}` + "\n",
		`{"%  tma_retiring" : "11.2", "%  tma_backend_bound" : "84.9"}` + "\n",
	} {
		if _, err := parse(text); !errors.Is(err, errMetricOnly) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzRefusal(f *testing.F) {
	for _, s := range []string{" Performance counter stats for 'x':\n 1 y\n", "# started on x\n",
		" time,a,\n", "{}\n", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.TrimSpace(s) == "" && refusal(strings.Split(s, "\n")) != nil {
			t.Errorf("%q is refused as perf stat's", s)
		}
	})
}
