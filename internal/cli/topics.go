package cli

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"astrolabe/builtins/notation"
	"astrolabe/capture/spelling"
	"astrolabe/docs"
)

// maxTopics is how many sections a search lists.
const maxTopics = 12

// topic is what the documentation says of some words: a page, a section of one as PAGE#SECTION, or where they stand.
// ok is false where nothing is found.
func topic(words, how string) (text string, ok bool) {
	name, id, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(words), ".md"), "#")
	name = strings.TrimSuffix(strings.TrimPrefix(name, "docs/"), ".md")
	if slices.Contains(docs.Pages(), name) {
		if id == "" {
			text, _ = docs.Page(name)
			return text, true
		}
		for _, s := range docs.Sections(name) {
			if s.ID == id {
				return s.Text, true
			}
		}
	}
	found := docs.Search(words)
	if len(found) == 0 {
		return "", false
	}
	var out strings.Builder
	for _, h := range found[:min(len(found), maxTopics)] {
		at := h.Page
		if h.ID != "" {
			at += "#" + h.ID
		}
		fmt.Fprintf(&out, "%s %s\n", how, at)
		if h.ID != "" {
			fmt.Fprintf(&out, "    %s\n", h.Title)
		}
		if h.Line != "" {
			fmt.Fprintf(&out, "    %s\n", shortened(notation.VisibleLine(h.Line), 120))
		}
	}
	if more := len(found) - maxTopics; more > 0 {
		fmt.Fprintf(&out, "and %d more sections: more words find fewer\n", more)
	}
	return out.String(), true
}

// helpTopic shows what the documentation says of words that are no command.
func (a *app) helpTopic(words []string, commands []string) error {
	text, ok := topic(strings.Join(words, " "), "astrolabe help")
	if ok {
		return a.paged(text)
	}
	if len(words) == 1 {
		if near := spelling.Nearest(words[0], docs.Pages()); near != "" && spelling.Nearest(words[0], commands) == "" {
			return usagef("no command and no page is called %q (did you mean %s?)", words[0], near)
		} else if near != "" || spelling.Nearest(words[0], commands) != "" {
			return unknownCommand(words[0], commands)
		}
	}
	return usagef("no page of the documentation has %q; astrolabe help lists the commands, the pages are: %s",
		strings.Join(words, " "), strings.Join(docs.Pages(), ", "))
}

// paged shows a text that may be long, at a terminal in the user's pager.
func (a *app) paged(text string) error {
	pager := strings.Fields(os.Getenv("PAGER"))
	if len(pager) == 0 {
		pager = []string{"less", "-FRX"}
	}
	if !isTerminal(a.out.file) || os.Getenv("TERM") == "dumb" || pager[0] == "cat" {
		return a.print(text)
	}
	if _, err := exec.LookPath(pager[0]); err != nil {
		return a.print(text)
	}
	cmd := exec.Command(pager[0], pager[1:]...)
	cmd.Stdin = strings.NewReader(notation.Visible(text))
	cmd.Stdout, cmd.Stderr = a.out.file, a.talk.file
	return cmd.Run()
}
