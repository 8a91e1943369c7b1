package csv

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func unnamed(t *testing.T, text string) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{Format: "csv"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTablesOfProcessorsAreNotAskedForTheirGPU(t *testing.T) {
	c := unnamed(t, "time_s,cpu_user (ms),cpu_idle (ms),cycles,cpus_online,other\n1,100,900,5000000,16,3\n2,120,880,6000000,16,4\n")
	if c.GPU != "cpu" || strings.Contains(strings.Join(c.Warnings, "\n"), "which GPU") {
		t.Errorf("GPU %q, warnings %q", c.GPU, c.Warnings)
	}
	if k := c.Counter("cpus_online").Kind; k != capture.Constant {
		t.Errorf("cpus_online is a %v", k)
	}
	for name, text := range map[string]string{
		"events that GPUs have too": "time_s,cycles,instructions\n1,100,900\n2,120,880\n",
		"a GPU beside":              "time_s,cpu_user (ms),shaders,texels,vertices\n1,100,9,9,9\n2,120,8,8,8\n",
	} {
		if c := unnamed(t, text); c.GPU != "" {
			t.Errorf("%s: taken for %s", name, c.GPU)
		}
	}
}

func TestSharesOfSysstatAreLevels(t *testing.T) {
	c := unnamed(t, "# hostname;interval;timestamp;CPU;%user;%idle\n"+
		"db01;1;2026-11-30 10:00:00 UTC;-1;89.71;10.29\ndb01;1;2026-11-30 10:00:01 UTC;-1;0.00;0.00\n")
	user := c.Counter("%user")
	if user == nil || user.Kind != capture.Gauge || user.Unit != "percent" || user.Len() != 2 {
		t.Fatalf("%%user is %+v", user)
	}
}
