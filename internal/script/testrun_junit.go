package script

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// The elements of JUnit's XML that build servers read. There is no standard; these are the attributes that Jenkins, GitLab and
// GitHub's actions have in common.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr,omitempty"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
	Error   *junitFailure `xml:"error"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the result as JUnit XML: a suite per file. A file that could not be loaded is one test with an error. Tests that
// the filter left out are not in it.
func WriteJUnit(w io.Writer, r TestResult) error {
	var all junitSuites
	var sum time.Duration
	for _, f := range r.Files {
		class := strings.ReplaceAll(strings.TrimSuffix(f.Name, sourceSuffix), "/", ".")
		s := junitSuite{Name: f.Name, Time: seconds(f.Duration)}
		if f.Broken != "" {
			message, _, _ := strings.Cut(lastLine(f.Broken), "\n")
			s.Cases = append(s.Cases, junitCase{Name: "load", Class: class, File: f.Name, Time: seconds(f.Duration), Error: &junitFailure{message, f.Broken}})
			s.Errors++
		}
		for _, t := range f.Tests {
			c := junitCase{Name: t.Name, Class: class, File: f.Name, Line: t.Line, Time: seconds(t.Duration), Output: t.Printed}
			if t.Failure != "" {
				message, _, _ := strings.Cut(t.Message, "\n")
				c.Failure = &junitFailure{message, t.Failure}
				s.Failures++
			}
			s.Cases = append(s.Cases, c)
		}
		s.Tests = len(s.Cases)
		if s.Tests == 0 {
			continue
		}
		all.Suites = append(all.Suites, s)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		sum += f.Duration
	}
	all.Time = seconds(sum)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// lastLine is the last line of a text, which of a traceback is the message.
func lastLine(text string) string {
	text = strings.TrimRight(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}
