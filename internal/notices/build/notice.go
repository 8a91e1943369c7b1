package main

import (
	"fmt"
	"os"
	"strings"
)

// rule is the line above and below each heading, in NOTICE and in what is written.
var rule = strings.Repeat("=", 80) + "\n"

// work is what somebody else made and files of the repository have data of.
type work struct {
	name            string
	programs, tests []string // files, or folders of them, by who reads them
	text            string   // copyright notice and licence
}

// readNotice reads the file NOTICE: an introduction, then a heading and a licence for each work. A heading has the
// work's name and a line for each file.
func readNotice(path string) ([]work, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(string(text), rule)
	if len(parts) < 3 || len(parts)%2 == 0 {
		return nil, fmt.Errorf("%s: want an introduction, and a heading between two rules above each licence", path)
	}
	var works []work
	for i := 1; i < len(parts); i += 2 {
		lines := strings.Split(strings.TrimSpace(parts[i]), "\n")
		w := work{name: lines[0], text: strings.TrimSpace(parts[i+1])}
		for _, line := range lines[1:] {
			if file, ok := strings.CutPrefix(line, "programs: "); ok {
				w.programs = append(w.programs, file)
			} else if file, ok := strings.CutPrefix(line, "tests: "); ok {
				w.tests = append(w.tests, file)
			} else {
				return nil, fmt.Errorf("%s: %s: want programs: or tests: and a file, not %q", path, w.name, line)
			}
		}
		if len(lines) == 1 || !strings.Contains(w.text, "Copyright") {
			return nil, fmt.Errorf("%s: %s has no files or no copyright notice", path, w.name)
		}
		works = append(works, w)
	}
	return works, nil
}
