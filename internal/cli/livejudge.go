package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"astrolabe/builtins/binding"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/internal/live"
	"astrolabe/internal/recording"
	"astrolabe/internal/script"
	"astrolabe/plots/canvas"
	"astrolabe/repl"
)

// mostPrinted is how much of what a script prints in one run its page shows, in bytes.
const mostPrinted = 16 << 10

// printout collects what a script prints and is warned of.
type printout struct {
	mu   sync.Mutex
	text strings.Builder
	lost int // bytes
}

func (p *printout) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text.Len()+len(text) >= mostPrinted {
		p.lost += len(text) + 1
		return
	}
	p.text.WriteString(text + "\n")
}

func (p *printout) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lost > 0 {
		return fmt.Sprintf("%s(%d more bytes were printed)\n", p.text.String(), p.lost)
	}
	return p.text.String()
}

// reported runs the scripts on a capture. Each run has a host of its own, so that a script that was edited meanwhile is
// read again; what it prints goes to the page.
func (t *liveRun) reported(ctx context.Context, c *capture.Capture, outFile string, to *printout) (*host, *values.Report, error) {
	a := t.a
	env := a.environment(t.f.rest)
	env.Warn = func(text string) { to.line("warning: " + text) }
	env.Wrote, env.Record, env.CommandOutput = nil, nil, nil
	env.Show = func(binding.Picture) (string, error) {
		return "", errors.New("live has no terminal to show a chart in: r.plot puts it on the page")
	}
	repo := ""
	if t.f.script != "" {
		repo = script.Root(t.f.script)
	}
	h, err := a.hostIn(env, script.Policy{Repo: repo, Read: a.limits.allowRead, Out: a.limits.out, OutFile: outFile,
		Exec: a.limits.allowExec, Clock: a.limits.clock()}, to.line)
	if err != nil {
		return nil, nil, err
	}
	names := reportScripts(c, t.f.script)
	if err := h.runner.Declare(ctx, names...); err != nil {
		return nil, nil, err
	}
	page, err := a.fill(ctx, h, c, names, "")
	if err == nil && (t.f.script == "" || page.Judging()) && page.Verdict() == "" {
		err = a.addTo(ctx, h, page, summaryScript, "page one")
	}
	return h, page, err
}

// judge is live.Options.Judge.
func (t *liveRun) judge(ctx context.Context, c *capture.Capture) (*live.Judgement, error) {
	var to printout
	_, page, err := t.reported(ctx, c, "", &to)
	if err != nil {
		return nil, errors.New(strings.TrimSpace(to.all() + repl.ErrorText(err)))
	}
	doc, err := page.Report()
	if err != nil {
		return nil, err
	}
	doc.Provenance, doc.Command = nil, "" // of a page that is gone in a second
	body, bands, err := doc.Live()
	if err != nil {
		return nil, err
	}
	return &live.Judgement{Body: body, Bands: bands, Printed: to.all()}, nil
}

// saveReport writes a report on what is kept into a file of this folder.
func (t *liveRun) saveReport(ctx context.Context, s *hwio.Saved) (path string, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(t.ctx, stop)()
	if path, err = freeName(strings.TrimSuffix(recording.FileName(t.name), ".arrow") + ".html"); err != nil {
		return "", err
	}
	c, err := s.Capture()
	if err != nil {
		return "", err
	}
	var to printout
	h, page, err := t.reported(ctx, c, path, &to)
	if err != nil {
		return "", errors.New(strings.TrimSpace(to.all() + repl.ErrorText(err)))
	}
	if err := h.runner.Do(ctx, "save", func() error { return page.Save(path, canvas.Size{}, nil) }); err != nil {
		return "", err
	}
	t.a.wrote(path)
	return path, nil
}
