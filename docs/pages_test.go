package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// notInside are pages that the program does not hold, and why.
var notInside = map[string]string{
	"benchmarks": "measurements", "coverage": "made of the catalogues", "development": "for who works on astrolabe",
	"diagnosis-rates": "measurements", "diagnosis-rates-first": "measurements",
	"diagnosis-rates-second": "measurements", "diagnosis-rates-third": "measurements", "diagnosis-rates-fourth": "measurements",
	"diagnosis-rates-fifth": "measurements", "diagnosis-rates-sixth": "measurements", "diagnosis-rates-seventh": "measurements", "diagnosis-rates-eighth": "measurements", "diagnosis-rates-ninth": "measurements", "diagnosis-rates-tenth": "measurements", "diagnosis-rates-eleventh": "measurements", "diagnosis-rates-twelfth": "measurements",
	"diagnosis-rates-together": "measurements", "diagnosis-rates-files": "measurements",
	"gpa-functions":     "made of the catalogues",
	"verified-hardware": "made of bundles that users send",
}

func TestEveryPageIsInTheProgramOrHasAReason(t *testing.T) {
	paths, err := filepath.Glob("*.md")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	for _, p := range paths {
		name := strings.TrimSuffix(p, ".md")
		inside := slices.Contains(Pages(), name)
		if outside := notInside[name] != "" || strings.HasPrefix(name, "metrics-"); inside == outside {
			t.Errorf("%s: in the program: %t", p, inside)
		}
	}
}

func TestSectionsAreThePage(t *testing.T) {
	for _, name := range Pages() {
		whole, _ := os.ReadFile(name + ".md")
		var text strings.Builder
		ids := map[string]bool{}
		for _, s := range Sections(name) {
			text.WriteString(s.Text)
			if ids[s.ID] {
				t.Errorf("%s: two sections are called %q", name, s.ID)
			}
			ids[s.ID] = true
			if s.Title == "" || s.Text == "" && s.ID != "" {
				t.Errorf("%s#%s has no text", name, s.ID)
			}
		}
		if text.String() != string(whole) {
			t.Errorf("%s: its sections are not all of it", name)
		}
	}
}

// Questions as people put them, and where the answer stands.
func TestTheSearchFindsTheAnswer(t *testing.T) {
	for query, want := range map[string]string{
		"budget junit":         "budget",
		"exit status":          "build-servers#exit-statuses",
		"duckdb lake":          "lake",
		"neovim":               "editors#neovim",
		"killed recording":     "recording",
		"phone adb":            "mali",
		"perfetto":             "formats",
		"which question":       "questions",
		"clipboard":            "session",
		"Kaby Lake sets":       "intel",
		"jupyter":              "notebooks",
		"compare builds":       "lake",
		"NO_COLOR":             "session",
		"rocprofiler counters": "amd",
	} {
		found := Search(query)
		at := slices.IndexFunc(found, func(h Hit) bool {
			return h.Page == want || h.Page+"#"+h.ID == want
		})
		if at < 0 || at > 4 {
			t.Errorf("%s: %s is number %d of %d", query, want, at+1, len(found))
		}
	}
	for _, nothing := range []string{"", "  ", "!?", "qwertzuiop", "budget qwertzuiop"} {
		if found := Search(nothing); len(found) > 0 {
			t.Errorf("%q finds %d sections", nothing, len(found))
		}
	}
}

func TestLinksOfPagesLead(t *testing.T) {
	for _, name := range Pages() {
		text, _ := Page(name)
		for _, part := range strings.Split(text, "](")[1:] {
			link, _, _ := strings.Cut(part, ")")
			file, id, _ := strings.Cut(link, "#")
			to := strings.TrimSuffix(file, ".md")
			if file == "" {
				to = name
			}
			if id == "" || !slices.Contains(Pages(), to) {
				continue
			}
			if !slices.ContainsFunc(Sections(to), func(s Section) bool { return s.ID == id }) {
				t.Errorf("%s: %s leads nowhere", name, link)
			}
		}
	}
}
