package buildserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"astrolabe/capture/formats"
)

// degradation is an entry of a code quality report. GitLab leaves out every entry behind one that it cannot read, so all
// of them have each of these.
type degradation struct {
	Description string   `json:"description"`
	Check       string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"` // what tells an entry of a branch from those of its target
	Severity    string   `json:"severity"`
	Location    location `json:"location"`
	Job         string   `json:"job,omitempty"` // ours: the job whose commands share a file
}

type location struct {
	Path  string `json:"path"`
	Lines lines  `json:"lines"`
}

type lines struct {
	Begin int `json:"begin"`
}

var severities = map[level]string{broken: "critical", failure: "major", warning: "minor"}

const ourChecks = "astrolabe "

// degradations are what did not pass.
func (s *Suites) degradations(p Project, job string) []degradation {
	var out []degradation
	seen := map[string]int{}
	for _, c := range s.cases() {
		lv, why := c.outcome()
		if lv < warning {
			continue
		}
		d := degradation{Check: ourChecks + s.Command, Severity: severities[lv], Job: job,
			Description: c.Name + ": " + why.Message,
			Location:    location{c.File, lines{max(c.line(), 1)}}}
		if path, ok := p.file(c.File); ok {
			d.Location.Path = path
		} else {
			d.Location = location{c.Class, lines{1}}
			if path, ok := p.file(c.Class); ok {
				d.Location.Path = path
			}
		}
		if d.Location.Path == "" {
			d.Location.Path = "astrolabe"
		}
		// Neither values nor lines: what is still wrong after a change elsewhere is not new.
		name := c.ID
		if name == "" {
			name = c.Name
		}
		key := strings.Join([]string{s.Command, d.Location.Path, c.Class, name}, "\x00")
		seen[key]++
		d.Fingerprint = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", key, seen[key])))
		out = append(out, d)
	}
	return out
}

// maxQuality is how long a code quality report may be that others wrote before, in bytes.
const maxQuality = 64 << 20

// Quality is a code quality report for GitLab. A job has one file, so what other commands of the same job wrote there
// stays, and so does what other programs did; what an earlier job left does not.
type Quality struct {
	Path    string
	Project Project
	Job     string // what the server calls the job; "" where there is none

	kept []json.RawMessage
}

// Read takes in what is in the file already. It is called before the work whose results the file takes.
func (q *Quality) Read() error {
	if q.Job == "" {
		return nil
	}
	f, err := os.Open(q.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxQuality+1))
	switch {
	case err != nil:
		return err
	case len(data) > maxQuality:
		return fmt.Errorf("%s: a code quality report of more than %d MiB; remove it", q.Path, maxQuality>>20)
	case len(bytes.TrimSpace(data)) == 0:
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("%s is no code quality report, which is an array in JSON (%v); remove it, or name another "+
			"file by --format gitlab=FILE", q.Path, err)
	}
	for _, one := range list {
		var d degradation
		if json.Unmarshal(one, &d) != nil || !strings.HasPrefix(d.Check, ourChecks) || d.Job == q.Job {
			q.kept = append(q.kept, one)
		}
	}
	return nil
}

// Write writes the report: what is kept of what was read, and what did not pass now.
func (q *Quality) Write(s *Suites) error {
	list := s.degradations(q.Project, q.Job)
	again := map[string]bool{}
	for _, d := range list {
		again[d.Fingerprint] = true
	}
	out := []json.RawMessage{}
	for _, one := range q.kept {
		var d degradation
		if json.Unmarshal(one, &d) != nil || !again[d.Fingerprint] {
			out = append(out, one)
		}
	}
	for _, d := range list {
		one, err := json.Marshal(d)
		if err != nil {
			return err
		}
		out = append(out, one)
	}
	return formats.WriteFile(q.Path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	})
}
