// Package docs holds the pages of the documentation, those for users also in the program, where they can be read and
// searched.
package docs

import (
	"cmp"
	"embed"
	"path"
	"slices"
	"strings"
	"unicode"
)

// The pages that are made of catalogues and of measurements are left out: metrics tells of every counter.
//
//go:embed amd.md api.md budget.md build-servers.md bundle.md charts.md coming-from.md cookbook.md dataframes.md diagnosis.md
//go:embed editors.md
//go:embed fleet.md formats-list.md formats.md intel.md lake.md mali.md notebooks.md questions.md recording.md remote.md session.md
//go:embed packages.md tour.md verdicts.md
var files embed.FS

// Section is a part of a page: a heading and what stands below it up to the next one.
type Section struct {
	Page  string // such as "recording"
	Title string // of the section; that of the page for what stands above the first one
	ID    string // what names it in Page, as links do: "long-recordings"; "" for the beginning
	Text  string // Markdown, the heading included
}

// Pages are the names of all pages.
func Pages() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // they are part of the program
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".md"))
	}
	return out
}

// Page is the text of a page, false where there is none of that name.
func Page(name string) (string, bool) {
	text, err := files.ReadFile(path.Clean(name) + ".md")
	return string(text), err == nil
}

// Sections are those of a page in order.
func Sections(name string) []Section {
	text, ok := Page(name)
	if !ok {
		return nil
	}
	out := []Section{{Page: name, Title: name}}
	fenced := false
	seen := map[string]int{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if heading := strings.TrimSpace(line[level:]); !fenced && level > 0 && line[level] == ' ' {
			if level == 1 {
				out[0].Title = heading
			} else {
				id := anchor(heading)
				if n := seen[id]; n > 0 {
					id += "-" + string(rune('0'+n%10))
				}
				seen[anchor(heading)]++
				out = append(out, Section{Page: name, Title: heading, ID: id})
			}
		}
		out[len(out)-1].Text += line
	}
	return out
}

// anchor is what links call a heading.
func anchor(heading string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			out.WriteRune(r)
		case r == ' ':
			out.WriteByte('-')
		}
	}
	return out.String()
}

// Hit is a section that has what was searched for.
type Hit struct {
	Section
	Line string // that shows it
}

// Search finds the sections that have all words, in any case and order, as beginnings of words of theirs: those with
// the words in their headings first, then those that have them most often for their length.
func Search(query string) []Hit {
	words := wordsOf(query)
	if len(words) == 0 {
		return nil
	}
	type scored struct {
		Hit
		score float64
	}
	var found []scored
	for _, name := range Pages() {
		for _, s := range Sections(name) {
			text, title := wordsOf(s.Text), wordsOf(s.Page+" "+s.Title)
			score := 0.0
			for _, w := range words {
				n := count(text, w)
				if n+count(title, w) == 0 {
					score = 0
					break
				}
				score += 5*float64(min(count(title, w), 1)) + float64(n)/(float64(n)+1+float64(len(text))/200)
			}
			if score > 0 {
				found = append(found, scored{Hit{s, shows(s.Text, words)}, score})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]Hit, len(found))
	for i, f := range found {
		out[i] = f.Hit
	}
	return out
}

// wordsOf are the words of a text without regard to case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

func count(words []string, beginning string) int {
	n := 0
	for _, w := range words {
		if strings.HasPrefix(w, beginning) {
			n++
		}
	}
	return n
}

// shows is the line of a text that has the most of some words.
func shows(text string, words []string) string {
	best, most := "", 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "| ---") {
			continue
		}
		n := 0
		have := wordsOf(line)
		for _, w := range words {
			n += min(count(have, w), 1)
		}
		if n > most {
			best, most = strings.TrimSpace(line), n
		}
	}
	return best
}
