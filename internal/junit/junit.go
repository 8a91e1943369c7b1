// Package junit writes results of tests and checks in the form that build servers read.
package junit

import (
	"encoding/xml"
	"io"
)

// Suites is the document. There is no standard; these are the attributes that Jenkins, GitLab and GitHub's actions have
// in common. Times are seconds; an empty one is left out.
type Suites struct {
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

// Write writes the document.
func (s *Suites) Write(w io.Writer) error {
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
