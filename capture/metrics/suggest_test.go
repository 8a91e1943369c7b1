package metrics

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func texts(list []Suggestion) (out []string) {
	for _, s := range list {
		out = append(out, s.Text)
	}
	return out
}

func TestAnyPartOfANameSuggestsIt(t *testing.T) {
	for _, c := range []struct {
		gpu, typed string
		want       string // is among the first suggestions
		all        string // every suggestion holds it
		note       string // of the first
	}{
		{"mali-g720", "main_ph", "main_phase_queue_active_cycles", "main_phase", ""},
		{"mali-g720", "MaliGPUCy", "MaliGPUCyclesGPUActive", "MaliGPUCycles", ""},
		{"mali-g720", "maligpucy", "MaliGPUCyclesGPUActive", "MaliGPUCy", ""},
		{"mali-g720", "util", "main_phase_queue_utilization", "", ""},
		{"mali-g720", "util queue", "main_phase_queue_utilization", "", ""},
		{"mali-g720", "queue main util", "main_phase_queue_utilization", "main_phase_queue_utilization", ""},
		{"mali-g720", "3.", "gpu_active_cycles", "", "3.1.1"},
		{"mali-g720", "3.2.2", "main_phase_queue_utilization", "main_phase_queue_utilization", "3.2.2"},
		{"mali-g720", "GPU utilization/Main", "GPU utilization/Main phase queue utilization", "GPU utilization/Main", ""},
		{"intel-kbl-gt2", "EuAc", "EuActive", "EuActive", ""},
		{"intel-kbl-gt2", "euac", "EuActive", "EuActive", ""},
		{"intel-kbl-gt2", "RenderBasic/EuAc", "RenderBasic/EuActive", "RenderBasic/EuActive", ""},
		{"gfx1151", "hit rate tcp", "tcp_hit_rate", "", ""},
		{"gfx1151", "803", "tcp_hit_rate", "", "803.1"},
	} {
		cat, err := Get(c.gpu)
		if err != nil {
			t.Fatal(err)
		}
		list := Suggest(cat.Known(), c.typed)
		got := texts(list)
		if !slices.Contains(got[:min(20, len(got))], c.want) {
			t.Errorf("%s %q suggests %q, not %q", c.gpu, c.typed, got, c.want)
			continue
		}
		for _, text := range got {
			if !strings.Contains(text, c.all) {
				t.Errorf("%s %q suggests %q", c.gpu, c.typed, text)
			}
			if _, err := cat.Find(text); err != nil && !strings.Contains(err.Error(), "stands for") {
				t.Errorf("%s: %q was suggested and does not address anything: %v", c.gpu, text, err)
			}
		}
		if c.note != "" && !strings.HasPrefix(list[0].Note, strings.TrimSuffix(c.note, ".1")) {
			t.Errorf("%s %q: the first is found by %q, want %q", c.gpu, c.typed, list[0].Note, c.note)
		}
	}
	if got := SuggestWords([]string{"open", "open_all", "close"}, "open"); !slices.Equal(got, []string{"open", "open_all"}) {
		t.Errorf("%q", got)
	}
	if got := SuggestWords([]string{"a", "b"}, "%"); got != nil {
		t.Errorf("%q", got)
	}
}

func FuzzSuggest(f *testing.F) {
	f.Add("EuAc", "Eu Active", "3.2.2")
	f.Add("3.", "µ", "")
	f.Fuzz(func(t *testing.T, typed, title, ref string) {
		known := []Known{{Name: "eu_active", Others: []string{title}, Refs: []string{ref}}, {Name: title}, {Name: "3.x"}}
		for _, s := range Suggest(known, typed) {
			if s.Index < 0 || s.Index >= len(known) || utf8.ValidString(typed) && utf8.ValidString(title) && !utf8.ValidString(s.Text) {
				t.Errorf("%q suggests %+v", typed, s)
			}
		}
	})
}
