package script

import (
	"fmt"
	"strings"
	"time"

	"astrolabe/internal/buildserver"
)

// Results is the result for build servers: a suite per file. A file that could not be loaded is one test with an
// error. Tests that the filter left out are not in it.
func Results(r TestResult) *buildserver.Suites {
	all := &buildserver.Suites{Command: "test"}
	var sum time.Duration
	for _, f := range r.Files {
		class := strings.ReplaceAll(strings.TrimSuffix(f.Name, sourceSuffix), "/", ".")
		s := buildserver.Suite{Name: f.Name, Time: seconds(f.Duration)}
		if f.Broken != "" {
			message, _, _ := strings.Cut(lastLine(f.Broken), "\n")
			s.Cases = append(s.Cases, buildserver.Case{Name: "load", Class: class, File: f.Name, Time: seconds(f.Duration),
				At: failedAt(f.Name, f.Broken), Error: &buildserver.Message{Message: message, Text: f.Broken}})
			s.Errors++
		}
		for _, t := range f.Tests {
			c := buildserver.Case{Name: t.Name, Class: class, File: f.Name, Line: t.Line, Time: seconds(t.Duration),
				Output: t.Printed}
			if t.Failure != "" {
				message, _, _ := strings.Cut(t.Message, "\n")
				c.At = failedAt(f.Name, t.Failure)
				c.Failure = &buildserver.Message{Message: message, Text: t.Failure}
				s.Failures++
			}
			s.Cases = append(s.Cases, c)
		}
		s.Tests = len(s.Cases)
		if s.Tests == 0 {
			continue
		}
		all.Add(s)
		sum += f.Duration
	}
	all.Time = seconds(sum)
	return all
}

// failedAt is the innermost place in a file that a traceback names, of which each frame stands on a line.
func failedAt(file, traceback string) (at buildserver.Position) {
	for line := range strings.Lines(traceback) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), file+":")
		if !ok {
			continue
		}
		var p buildserver.Position
		if n, _ := fmt.Sscanf(rest, "%d:%d", &p.Line, &p.Column); n > 0 {
			at = p
		}
	}
	return at
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// lastLine is the last line of a text, which of a traceback is the message.
func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
