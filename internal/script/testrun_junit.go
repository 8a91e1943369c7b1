package script

import (
	"fmt"
	"io"
	"strings"
	"time"

	"astrolabe/internal/junit"
)

// WriteJUnit writes the result as JUnit XML: a suite per file. A file that could not be loaded is one test with an
// error. Tests that the filter left out are not in it.
func WriteJUnit(w io.Writer, r TestResult) error {
	var all junit.Suites
	var sum time.Duration
	for _, f := range r.Files {
		class := strings.ReplaceAll(strings.TrimSuffix(f.Name, sourceSuffix), "/", ".")
		s := junit.Suite{Name: f.Name, Time: seconds(f.Duration)}
		if f.Broken != "" {
			message, _, _ := strings.Cut(lastLine(f.Broken), "\n")
			s.Cases = append(s.Cases, junit.Case{Name: "load", Class: class, File: f.Name, Time: seconds(f.Duration),
				Error: &junit.Message{Message: message, Text: f.Broken}})
			s.Errors++
		}
		for _, t := range f.Tests {
			c := junit.Case{Name: t.Name, Class: class, File: f.Name, Line: t.Line, Time: seconds(t.Duration),
				Output: t.Printed}
			if t.Failure != "" {
				message, _, _ := strings.Cut(t.Message, "\n")
				c.Failure = &junit.Message{Message: message, Text: t.Failure}
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
	return all.Write(w)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// lastLine is the last line of a text, which of a traceback is the message.
func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
