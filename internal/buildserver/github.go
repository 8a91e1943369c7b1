package buildserver

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"astrolabe/plots/documents"
)

// Limits of GitHub: of a step it shows so many annotations of a level and leaves the others out without a word, and a
// summary that is longer than so many bytes fails to upload as a whole.
const (
	maxAnnotations = 10
	MaxSummary     = 1 << 20
)

// What GitHub's workflow commands would take for their own.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Annotation is a remark that GitHub shows beside a line of a file, or of a run where it has no file.
type Annotation struct {
	Level        string // "error", "warning" or "notice"
	Title        string
	File         string // in the project; "" for none
	Line, Column int    // 0 where not known
	Message      string
}

// String is the workflow command that makes the annotation.
func (n Annotation) String() string {
	var out strings.Builder
	out.WriteString("::" + n.Level)
	separator := " "
	property := func(name, value string) {
		out.WriteString(separator + name + "=" + commandProperty.Replace(value))
		separator = ","
	}
	if n.Title != "" {
		property("title", n.Title)
	}
	if n.File != "" {
		property("file", n.File)
		if n.Line > 0 {
			property("line", fmt.Sprint(n.Line))
		}
		if n.Column > 0 {
			property("col", fmt.Sprint(n.Column))
		}
	}
	out.WriteString("::" + commandData.Replace(n.Message))
	return out.String()
}

// WriteAnnotations writes what did not pass as GitHub's workflow commands, a line each. Of more than GitHub shows the
// last one says how many there are.
func (s *Suites) WriteAnnotations(w io.Writer, p Project) error {
	byName := map[string][]Annotation{}
	for _, c := range s.cases() {
		lv, why := c.outcome()
		if lv < warning {
			continue
		}
		n := Annotation{Level: "error", Title: "astrolabe " + s.Command + ": " + c.Name, Line: c.line(), Column: c.At.Column,
			Message: strings.TrimSpace(why.text())}
		if lv == warning {
			n.Level = "warning"
		}
		n.File, _ = p.file(c.File)
		byName[n.Level] = append(byName[n.Level], n)
	}
	for _, name := range []string{"error", "warning"} {
		list := byName[name]
		if more := len(list) - maxAnnotations; more > 0 {
			list = append(list[:maxAnnotations-1:maxAnnotations-1], Annotation{Level: name,
				Title:   "astrolabe " + s.Command,
				Message: fmt.Sprintf("%d more, of which GitHub shows none: the summary of the step lists them", more+1)})
		}
		for _, n := range list {
			if _, err := io.WriteString(w, n.String()+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

// Summary is what came of all as Markdown: a sentence and a table, the gravest first. It has at most room bytes; what is
// left out is counted. It is empty where there is no room for anything.
func (s *Suites) Summary(p Project, room int) string {
	head := "### astrolabe " + s.Command + ": " + documents.MarkdownCell(s.Title) + "\n\n"
	table := "| | what | result | where |\n| --- | --- | --- | --- |\n"
	var rows strings.Builder
	quiet, cut := 0, 0
	const end = 100 // the longest of what is said behind the table
	for _, c := range s.cases() {
		lv, why := c.outcome()
		said := c.Said
		if why != nil {
			said = why.Message
		}
		if said == "" {
			quiet++
			continue
		}
		where := c.Class
		if file, ok := p.file(c.File); ok {
			where = file
			if n := c.line(); n > 0 {
				where += fmt.Sprintf(":%d", n)
			}
		}
		row := fmt.Sprintf("| %s | %s | %s | %s |\n", levelNames[lv], cell(c.Name), cell(said), cell(where))
		if cut > 0 || len(head)+len(table)+rows.Len()+len(row)+end > room {
			cut++
			continue
		}
		rows.WriteString(row)
	}
	out := head
	if rows.Len() > 0 {
		out += table + rows.String() + "\n"
	}
	if cut > 0 {
		out += fmt.Sprintf("%d more rows have no room here.\n\n", cut)
	}
	if quiet > 0 {
		out += fmt.Sprintf("%d more passed.\n\n", quiet)
	}
	if len(out) > room {
		return ""
	}
	return out
}

// maxCell is how many characters of a text a summary shows.
const maxCell = 2000

func cell(text string) string {
	if utf8.RuneCountInString(text) > maxCell {
		text = string([]rune(text)[:maxCell]) + "…"
	}
	return documents.MarkdownCell(strings.Join(strings.Fields(text), " "))
}
