package repl

import (
	"regexp"
	"strings"
)

// People paste what a session, or a page about one, shows: statements behind prompts, with their output between them.
// No statement begins like a prompt, so a line that does, outside of a string, makes a text such a transcript. Of a
// transcript only what stands behind prompts runs; a text without one is taken as it is, whatever its strings hold.

var (
	firstPrompt = regexp.MustCompile(`^[ \t]*(?:>>>(?: |$)|In \[\d+\]:(?: |$))`)
	morePrompt  = regexp.MustCompile(`^[ \t]*\.\.\.:?(?: |$)`)
)

// isTranscript reports whether a line of a text outside of strings begins with a prompt.
func isTranscript(text string) bool {
	if !strings.Contains(text, ">>>") && !strings.Contains(text, "In [") {
		return false
	}
	var e entry
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if e.quote == "" && firstPrompt.MatchString(line) {
			return true
		}
		e.scan(line)
	}
	return false
}

// withoutPrompts are the entries of a transcript in order, each ended, and how many lines of it are none: output.
func withoutPrompts(text string) (entries []string, output int) {
	var now strings.Builder
	inside := false // the line before belongs to an entry
	end := func() {
		if code := strings.TrimRight(now.String(), "\n"); !isBlank(strings.ReplaceAll(code, "\n", "")) {
			entries = append(entries, code+"\n")
		}
		now.Reset()
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		prompt := firstPrompt.FindString(line)
		switch more := morePrompt.FindString(line); {
		case prompt != "":
			end()
			now.WriteString(line[len(prompt):] + "\n")
			inside = true
		case inside && more != "":
			now.WriteString(line[len(more):] + "\n")
		default:
			inside = false
			if !isBlank(line) {
				output++
			}
		}
	}
	end()
	return entries, output
}
