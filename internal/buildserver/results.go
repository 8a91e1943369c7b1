// Package buildserver writes what came of tests, checks, comparisons and reports in the forms that build servers read:
// JUnit XML, GitHub's annotations and step summaries, GitLab's code quality reports.
package buildserver

import (
	"encoding/xml"
	"io"
)

// Suites is what came of a command, and the form of a JUnit document. There is no standard; these are the attributes that
// Jenkins, GitLab and GitHub's actions have in common. Times are seconds; an empty one is left out. What stands in no
// attribute is for the other forms.
type Suites struct {
	Command string `xml:"-"` // such as "check"
	Title   string `xml:"-"` // what came of all in a sentence

	XMLName  xml.Name `xml:"testsuites"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     string   `xml:"time,attr,omitempty"`
	Suites   []Suite  `xml:"testsuite"`
}

// Suite is the cases of one file.
type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr,omitempty"`
	Cases    []Case `xml:"testcase"`
}

// Case is one test. It passed where it has neither a failure nor an error and was not skipped.
type Case struct {
	ID      string   `xml:"-"` // what names it from run to run where Name does not, such as "mali/overdraw"
	At      Position `xml:"-"` // where it went wrong in File, which is more exact than Line
	Said    string   `xml:"-"` // what a summary says of one that passed
	Warning *Message `xml:"-"` // of one that passed and is worth a look

	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	File    string   `xml:"file,attr"`
	Line    int      `xml:"line,attr,omitempty"`
	Time    string   `xml:"time,attr,omitempty"`
	Failure *Message `xml:"failure"`
	Error   *Message `xml:"error"`
	Skipped *Message `xml:"skipped"`
	Output  string   `xml:"system-out,omitempty"`
}

// Position is a place in a file, counted from 1; 0 is not known.
type Position struct{ Line, Column int }

// line is the best that is known of where a case is.
func (c *Case) line() int {
	if c.At.Line > 0 {
		return c.At.Line
	}
	return c.Line
}

// Message says why a test did not pass: in a line, and in full where there is more.
type Message struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Add appends a suite and counts it.
func (s *Suites) Add(one Suite) {
	s.Suites = append(s.Suites, one)
	s.Tests += one.Tests
	s.Failures += one.Failures
	s.Errors += one.Errors
	s.Skipped += one.Skipped
}

// Add adds a case and counts it.
func (s *Suite) Add(c Case) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	switch lv, _ := c.outcome(); lv {
	case broken:
		s.Errors++
	case failure:
		s.Failures++
	case skipped:
		s.Skipped++
	}
}

// WriteJUnit writes the document.
func (s *Suites) WriteJUnit(w io.Writer) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
