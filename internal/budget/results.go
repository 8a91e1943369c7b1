package budget

import (
	"fmt"

	"astrolabe/internal/buildserver"
)

// Results are judgements for build servers: a suite per budget and capture, a case per limit. A broken limit is a
// failure, one that cannot be judged an error. A judgement of which everything was skipped fails in a case of its own.
func Results(list []*Judgement) *buildserver.Suites {
	all := &buildserver.Suites{Command: "check"}
	for _, j := range list {
		path := j.Capture.Path
		s := buildserver.Suite{Name: j.Budget.File + ": " + path, Tests: len(j.Results), Failures: j.Count(Broken),
			Errors: j.Count(NotJudged), Skipped: j.Count(Skipped)}
		for _, r := range j.Results {
			l := r.Limit
			c := buildserver.Case{Name: fmt.Sprintf("%s (%s, %s)", l.Label(), l.Scope(), r.LimitText()), Class: path,
				File: j.Budget.File, Line: l.Line}
			switch r.Verdict {
			case Broken:
				c.Failure = &buildserver.Message{Message: r.Sentence()}
			case NotJudged:
				c.Error = &buildserver.Message{Message: r.Sentence()}
			case Skipped:
				c.Skipped = &buildserver.Message{Message: r.Why}
			default:
				c.Output, c.Said = r.Sentence(), r.Sentence()
			}
			s.Cases = append(s.Cases, c)
		}
		if j.Count(Skipped) == len(j.Results) {
			s.Tests, s.Errors = s.Tests+1, s.Errors+1
			s.Cases = append(s.Cases, buildserver.Case{Name: "anything is judged", Class: path, File: j.Budget.File, Line: 1,
				Error: &buildserver.Message{Message: NothingJudged}})
		}
		all.Add(s)
	}
	return all
}
