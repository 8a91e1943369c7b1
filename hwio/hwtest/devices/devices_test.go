package devices

import (
	"strings"
	"testing"

	"astrolabe/hwio/hwtest"
)

func TestEveryDeviceIsDescribedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		if m.Name == "" || m.Doc == "" || m.New == nil || seen[m.Name] {
			t.Errorf("device %q lacks something or comes twice", m.Name)
		}
		seen[m.Name] = true
		names := map[string]bool{}
		for _, s := range append(m.Scenarios, hwtest.General()...) {
			if s.Name == "" || s.Doc == "" || names[s.Name] || strings.ContainsAny(s.Name, ", ") {
				t.Errorf("scenario %q of %s lacks something or comes twice", s.Name, m.Name)
			}
			names[s.Name] = true
		}
		if found, err := Find(m.Name); err != nil || found.Name != m.Name {
			t.Errorf("Find(%q): %v, %v", m.Name, found.Name, err)
		}
		if err := Scenarios(m, []string{hwtest.Unprivileged}); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

func TestUnknownNamesAreAnsweredWithNearOnes(t *testing.T) {
	if _, err := Find("cpu-pmv"); err == nil || !strings.Contains(err.Error(), "did you mean cpu-pmu?") {
		t.Errorf("a misspelled device: %v", err)
	}
	if _, err := Find("zzzzzzzz"); err == nil || !strings.Contains(err.Error(), "there are ") {
		t.Errorf("a device that is nothing like any: %v", err)
	}
	m, err := Find("cpu-pmu")
	if err != nil {
		t.Fatal(err)
	}
	if err := Scenarios(m, []string{"unprivilegd"}); err == nil || !strings.Contains(err.Error(), "did you mean unprivileged?") {
		t.Errorf("a misspelled scenario: %v", err)
	}
}
