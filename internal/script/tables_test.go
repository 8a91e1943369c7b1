package script

import (
	"io/fs"
	"testing"

	"astrolabe/builtins/binding"
	"astrolabe/capture/metrics"
	"astrolabe/scripts"
)

func TestEveryGPUThatAScriptJudgesHasATable(t *testing.T) {
	t.Chdir(t.TempDir())
	r := NewRunner(Options{Env: &binding.Env{}, Library: scripts.Library})
	texts := map[string]string{}
	for _, gpu := range metrics.IDs() {
		c, err := metrics.Get(gpu)
		if err != nil {
			t.Fatal(err)
		}
		d, err := r.table(t.Context(), gpu)
		if err != nil {
			t.Errorf("the table of %s: %v", gpu, err)
		}
		_, err = fs.Stat(scripts.Library, "triage/"+c.Triage()+".star")
		if want := err == nil && c.Triage() != "generic"; (d != nil) != want {
			t.Errorf("%s, which %s.star judges, has a table: %v, want %v", gpu, c.Triage(), d != nil, want)
		}
		if d != nil {
			texts[gpu] = d.String()
		}
	}
	if texts["gfx90a"] == texts["gfx950"] {
		t.Error("one table of CDNA has the counters and peaks of two products that differ")
	}
	if d, err := r.table(t.Context(), "mali_g72"); d != nil || err != nil {
		t.Errorf("a GPU that no catalogue knows has the table %v, %v", d, err)
	}
}
