package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of what was built
}

// skip is a test that was skipped, with what it logged: the reason is among it, and nothing marks it.
type skip struct {
	pkg, test string
	logged    []string
}

// failure is a test or, where test is empty, a package or a build that failed, with what it printed.
type failure struct {
	pkg, test string
	output    []string
}

// results is what a stream of events says.
type results struct {
	passed, failed int // tests, parts of them included
	skips          []skip
	failures       []failure
	other          []string // lines that are no events
}

// logLine is the beginning of what a test logs: its file and line.
var logLine = regexp.MustCompile(`^ {4,}\S+\.go:\d+: `)

// readEvents reads a stream of events to its end.
func readEvents(r io.Reader) (*results, error) {
	type key struct{ pkg, test string }
	var (
		res     results
		in      = bufio.NewReader(r)
		printed = map[key][]string{}
		order   []key // of tests that run
		running = map[key]bool{}
		events  int
	)
	end := func(k key) []string {
		lines := printed[k]
		delete(printed, k)
		delete(running, k)
		return lines
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read events: %w", err)
		}
		done := err != nil
		if text := bytes.TrimRight(line, "\r\n"); len(text) > 0 {
			var e event
			if json.Unmarshal(text, &e) != nil || e.Action == "" {
				res.other = append(res.other, string(text))
			} else {
				events++
				k := key{e.Package, e.Test}
				switch e.Action {
				case "run":
					if !running[k] {
						running[k] = true
						order = append(order, k)
					}
				case "output":
					printed[k] = append(printed[k], strings.TrimRight(e.Output, "\n"))
				case "build-output":
					k = key{e.ImportPath, ""}
					printed[k] = append(printed[k], strings.TrimRight(e.Output, "\n"))
				case "build-fail":
					res.failures = append(res.failures, failure{pkg: e.ImportPath, output: end(key{e.ImportPath, ""})})
				case "pass":
					if end(k); e.Test != "" {
						res.passed++
					}
				case "skip":
					if lines := end(k); e.Test != "" {
						res.skips = append(res.skips, skip{e.Package, e.Test, messages(lines)})
					}
				case "fail":
					if e.Test != "" {
						res.failed++
						res.failures = append(res.failures, failure{e.Package, e.Test, end(k)})
						break
					}
					// A test that runs while its package ends, by a panic or the limit of time, has no result of its
					// own.
					for _, t := range order {
						if t.pkg == e.Package && running[t] {
							res.failed++
							res.failures = append(res.failures, failure{t.pkg, t.test, end(t)})
						}
					}
					res.failures = append(res.failures, failure{e.Package, "", end(k)})
				}
			}
		}
		if done {
			break
		}
	}
	for _, k := range order {
		if running[k] {
			res.failed++
			res.failures = append(res.failures,
				failure{k.pkg, k.test, append(end(k), "the stream of events ends while it runs")})
		}
	}
	if events == 0 {
		return nil, errors.New("no event was read: the input is that of go test -json")
	}
	return &res, nil
}

// messages are what a test logged, without places; the lines of one message are joined by spaces.
func messages(lines []string) (out []string) {
	for _, line := range lines {
		if at := logLine.FindString(line); at != "" {
			out = append(out, line[len(at):])
		} else if more, ok := strings.CutPrefix(line, "        "); ok && len(out) > 0 {
			out[len(out)-1] += " " + strings.TrimSpace(more)
		}
	}
	return out
}
