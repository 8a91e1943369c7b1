package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/hwio"
	"astrolabe/internal/live"
	"astrolabe/internal/recording"
)

// liveFlags are the flags of live; what it does not know goes to the script.
type liveFlags struct {
	record    recording.Flags
	out       string
	marks     string
	script    string
	port      int
	last      time.Duration
	window    time.Duration
	refresh   time.Duration
	instances bool
	open      bool
	judge     bool
	rest      []string // of the script
}

func (a *app) liveCommand() *cobra.Command {
	f := liveFlags{refresh: 500 * time.Millisecond}
	cmd := &cobra.Command{
		Use:   "live [flags] [SCRIPT FLAGS…]",
		Short: "Show what this machine measures now, in a browser on this machine",
		Long: "Serves a page on loopback that shows a recording while it goes on: every counter and metric over time, " +
			"with the statistics of any stretch,\nand what the triage, or --script, says of the last seconds. The page " +
			"can stand still, mark a moment, and save what is kept of the recording\nas a capture or a report. Its " +
			"address, which holds a secret, is printed and opened. Nothing is written until the page or -o asks for it; " +
			"Ctrl-C ends.\n\nFlags that live does not know go to the script's flags().",
		Args: argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.live(&f)
		},
	}
	f.record.Register(cmd.Flags(), 0)
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "write the whole recording into this `FILE` too")
	flags.StringVar(&f.marks, "marks", "", "make a FIFO at `PATH` and take marks from it, as record does")
	flags.StringVar(&f.script, "script", "", "the script `FILE` to run instead of the triage")
	flags.BoolVar(&f.judge, "judge", true, "run the triage, or the script, on the last seconds")
	recording.TimeVar(flags, &f.window, "window", 10*time.Second, "s", "the `TIME` at the end of the recording that the script sees")
	recording.TimeVar(flags, &f.last, "last", 5*time.Minute, "s", "the `TIME` that is kept in memory, shown, and saved")
	recording.TimeVar(flags, &f.refresh, "refresh", f.refresh, "s", "how often the page gets what is new, as a `TIME`")
	flags.BoolVar(&f.instances, "instances", false, "show every instance of a counter too, such as each of several GPUs")
	flags.IntVar(&f.port, "port", 0, "the `PORT` on loopback to serve the page at (default any that is free)")
	flags.BoolVar(&f.open, "open", true, "open the page in a browser, where there is a desktop")
	takeUnknownFlags(cmd, &f.rest)
	return cmd
}

func (f *liveFlags) check() error {
	switch {
	case len(f.record.Sets) > 1:
		return usagef("--set: live shows one metric set at a time; record measures several in turn")
	case f.refresh < leastRefresh || f.refresh > mostRefresh:
		return usagef("--refresh=%v is not between %v and %v", f.refresh, leastRefresh, mostRefresh)
	case f.last < recording.ShortestLast:
		return usagef("--last=%v is less than %v", f.last, recording.ShortestLast)
	case f.window <= 0 || f.window > f.last:
		return usagef("--window=%v is not between 0 and the %v of --last", f.window, f.last)
	case f.port < 0 || f.port > 65535:
		return usagef("--port=%d is not between 0 and 65535", f.port)
	case !f.judge && (f.script != "" || len(f.rest) > 0):
		return usagef("--judge=false runs no script: leave --script and its flags out")
	}
	return asUsage(f.record.Check())
}

// live records, and serves the page, until the user ends it.
func (a *app) live(f *liveFlags) error {
	defer survivePipe()()
	sel, err := f.record.Selection(a.ctx, false)
	if err != nil {
		return err
	}
	if err := checkOutputs(f.out); err != nil {
		return err
	}
	if f.judge {
		if err := a.reportFlagsDeclared(&reportFlags{script: f.script, rest: f.rest}); err != nil {
			return err
		}
	}
	ctx, stop := endingContext(a.ctx)
	defer stop()
	t := &liveRun{a: a, f: f, ctx: ctx, name: f.record.Name(sel), begun: make(chan struct{}), ended: make(chan struct{})}
	opt := f.record.Recording()
	t.page = live.New(t.options(sel))
	server, err := live.Listen(t.page, f.port)
	if err != nil {
		return err
	}
	defer server.Close()
	opt.Sources, opt.Warnings, opt.OwnCost = sel.Sources, sel.Warnings, true
	opt.FlushEvery = min(f.refresh/2, 200*time.Millisecond)
	opt.Marks, opt.Marker = f.marks, &t.marker
	opt.Progress = func(p hwio.Progress) { t.progress.Store(&p) }
	opt.Create = t.create
	measuring, end := context.WithCancel(ctx)
	defer end()
	var result *hwio.Result
	var failed error
	go func() {
		defer close(t.ended)
		result, failed = hwio.Record(measuring, opt)
	}()
	select { // what cannot be measured has no page
	case <-t.begun:
		err = t.serve(server)
	case <-t.ended:
	}
	end()
	<-t.ended
	err = errors.Join(err, server.Close())
	return errors.Join(err, a.liveEnded(f, result, failed))
}

// liveEnded says what became of the recording.
func (a *app) liveEnded(f *liveFlags, result *hwio.Result, failed error) error {
	if result != nil {
		for _, w := range result.Warnings {
			a.warn(w)
		}
		a.say(recording.Recorded(result))
		if f.out != "" {
			a.wrote(f.out)
		}
	}
	if failed != nil && errors.Is(failed, os.ErrPermission) {
		return fmt.Errorf("%w; astrolabe doctor says what this machine can measure", failed)
	}
	return failed
}

// liveRun is one run of live.
type liveRun struct {
	a        *app
	f        *liveFlags
	ctx      context.Context // done when the user ends it
	name     string          // of files
	page     *live.Live
	marker   hwio.Marker
	progress atomic.Pointer[hwio.Progress]
	begun    chan struct{} // closed when the columns are known
	ended    chan struct{} // closed when the recording is over
}

func (t *liveRun) options(sel *hwio.Selection) live.Options {
	o := live.Options{Title: strings.Join(sel.Names(), " and ") + " every " + t.f.record.Period.String(),
		Last: t.f.last, Period: t.f.record.Period, Refresh: t.f.refresh, Instances: t.f.instances, Window: t.f.window,
		Mark: t.marker.Mark, SaveCapture: t.saveCapture, SaveReport: t.saveReport,
		Progress: func() hwio.Progress {
			if p := t.progress.Load(); p != nil {
				return *p
			}
			return hwio.Progress{}
		}}
	if t.f.judge {
		o.Judge = t.judge
	}
	return o
}

// create is hwio.Options.Create.
func (t *liveRun) create(s *capture.Schema) (hwio.Sink, error) {
	sink, err := t.page.Create(s)
	if err != nil {
		return nil, err
	}
	if t.f.out != "" {
		if err := t.page.RecordTo(recording.CreateFile(t.f.out, t.a.warn)); err != nil {
			return nil, err
		}
	}
	close(t.begun)
	return sink, nil
}

// serve answers browsers until the recording is over.
func (t *liveRun) serve(server *live.Server) error {
	served := make(chan error, 1)
	go func() { served <- server.Serve() }()
	if err := t.a.print(server.Address(false) + "\n"); err != nil {
		return err
	}
	t.a.say("the page is there for who has this address, on this machine; Ctrl-C ends")
	if t.f.open {
		openInBrowser(server.Address(true))
	}
	over := make(chan error, 1)
	go func() { over <- t.page.Run(t.ctx, t.ended) }()
	select {
	case err := <-served:
		return err
	case err := <-over:
		return err
	}
}

// openInBrowser opens an address where there is a desktop. Where that does not work there is the address that was
// printed.
func openInBrowser(address string) {
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return
	}
	cmd := exec.Command("xdg-open", address)
	if cmd.Start() == nil {
		go cmd.Wait()
	}
}

// saveCapture writes what is kept into a file of this folder.
func (t *liveRun) saveCapture(s *hwio.Saved) (path string, err error) {
	if path, err = freeName(recording.FileName(t.name)); err != nil {
		return "", err
	}
	schema := *s.Schema
	w, err := recording.CreateFile(path, t.a.warn)(&schema)
	if err != nil {
		return "", err
	}
	for _, b := range s.Batches {
		if err = w.Write(b); err != nil {
			break
		}
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return "", err
	}
	t.a.wrote(path)
	return path, nil
}

// freeName is a path, with a number where there is such a file already.
func freeName(path string) (string, error) {
	ext := filepath.Ext(path)
	base := strings.TrimSuffix(path, ext)
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, formats.CheckOutput(path)
		} else if err != nil {
			return "", formats.WriteError(path, err)
		}
		path = fmt.Sprintf("%s-%d%s", base, n, ext)
	}
}
