package budget

import (
	"encoding/xml"
	"fmt"
	"io"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr"`
	Line    int           `xml:"line,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
}

// WriteJUnit writes judgements as JUnit XML: a suite per budget and capture, a case per limit. A broken limit is a failure, one that
// cannot be judged an error. A judgement of which everything was skipped fails in a case of its own.
func WriteJUnit(w io.Writer, list []*Judgement) error {
	var all junitSuites
	for _, j := range list {
		path := j.Capture.Path
		s := junitSuite{Name: j.Budget.File + ": " + path, Tests: len(j.Results), Failures: j.Count(Broken), Errors: j.Count(NotJudged), Skipped: j.Count(Skipped)}
		for _, r := range j.Results {
			l := r.Limit
			c := junitCase{Name: fmt.Sprintf("%s (%s, %s)", l.Label(), l.Scope(), r.LimitText()), Class: path, File: j.Budget.File, Line: l.Line}
			switch r.Verdict {
			case Broken:
				c.Failure = &junitMessage{r.Sentence()}
			case NotJudged:
				c.Error = &junitMessage{r.Sentence()}
			case Skipped:
				c.Skipped = &junitMessage{r.Why}
			default:
				c.Output = r.Sentence()
			}
			s.Cases = append(s.Cases, c)
		}
		if j.Count(Skipped) == len(j.Results) {
			s.Tests, s.Errors = s.Tests+1, s.Errors+1
			s.Cases = append(s.Cases, junitCase{Name: "anything is judged", Class: path, File: j.Budget.File, Line: 1, Error: &junitMessage{NothingJudged}})
		}
		all.Suites = append(all.Suites, s)
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
	}
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
