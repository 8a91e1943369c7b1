package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v3"
	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/hwio"
	"astrolabe/internal/recording"
	"astrolabe/internal/top"
)

// How often the screen of top may be drawn anew. More often than that nobody reads it, and values of a few samples
// jump.
const (
	leastRefresh = 100 * time.Millisecond
	mostRefresh  = time.Minute
)

func (a *app) topCommand() *cobra.Command {
	var f recording.Flags
	refresh := 500 * time.Millisecond
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Show what this machine measures now, in the terminal",
		Long: "Shows every counter and metric of a recording while it goes on: its value, a bar and its history. A count " +
			"is shown per second, a level as its\nmean, a metric as its formula on the totals of the time since the screen " +
			"was drawn before. Nothing is written until r is pressed; ? lists the keys.",
		Args: argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			switch {
			case len(f.Sets) > 1:
				return usagef("--set: top shows one metric set at a time; record measures several in turn")
			case refresh < leastRefresh || refresh > mostRefresh:
				return usagef("--refresh=%v is not between %v and %v", refresh, leastRefresh, mostRefresh)
			}
			if err := asUsage(f.Check()); err != nil {
				return err
			}
			return a.top(&f, refresh)
		},
	}
	f.Register(cmd.Flags(), 0)
	recording.TimeVar(cmd.Flags(), &refresh, "refresh", refresh, "s", "the `TIME` between two screens, which the values are of")
	return cmd
}

// needsScreen says why a screen cannot be drawn here, and what to do instead; nil where it can.
func (a *app) needsScreen(getenv func(string) string) error {
	instead := "; astrolabe record writes a file instead, and astrolabe stat prints one"
	term := getenv("TERM")
	switch {
	case !isTerminal(a.out.file):
		return errors.New("top draws on a terminal, and standard output is none" + instead)
	case !isTerminal(a.in):
		return errors.New("top reads keys from a terminal, and standard input is none" + instead)
	case term == "dumb" || term == "":
		return fmt.Errorf("top moves the cursor of the terminal, which this one is said not to know (TERM=%q)%s", term,
			instead)
	}
	return nil
}

// top shows a recording that nothing is kept of until the user asks for a file.
func (a *app) top(f *recording.Flags, refresh time.Duration) error {
	if err := a.needsScreen(os.Getenv); err != nil {
		return err
	}
	sel, err := f.Selection(a.ctx, false)
	if err != nil {
		return err
	}
	t := &topRun{a: a, name: f.Name(sel), period: f.Period, sources: strings.Join(sel.Names(), " and "),
		begun: make(chan struct{}), ended: make(chan struct{})}
	opt := f.Recording()
	opt.Sources, opt.Warnings = sel.Sources, sel.Warnings
	opt.FlushEvery = min(refresh/2, 200*time.Millisecond)
	opt.Progress = func(p hwio.Progress) { t.progress.Store(&p) }
	opt.Create = func(s *capture.Schema) (hwio.Sink, error) {
		defer close(t.begun)
		return t.feed.Create(s)
	}
	ctx, stop := endingContext(a.ctx)
	defer stop()
	measuring, end := context.WithCancel(ctx)
	defer end()
	go func() {
		defer close(t.ended)
		t.result, t.failed = hwio.Record(measuring, opt)
	}()
	select { // what cannot be measured is said on the terminal as it was
	case <-t.begun:
		err = t.show(ctx, refresh)
	case <-t.ended:
	}
	end()
	<-t.ended
	return errors.Join(err, t.report())
}

// topRun is one run of top.
type topRun struct {
	a        *app
	feed     top.Feed
	name     string // of files
	sources  string
	period   time.Duration
	progress atomic.Pointer[hwio.Progress]
	begun    chan struct{} // closed when the columns are known
	ended    chan struct{} // closed when the recording is over
	result   *hwio.Result
	failed   error

	file  string   // that is being written
	files []string // that were written

	mu   sync.Mutex
	said []string // for when the screen is gone
}

// warn keeps what a file has to say, in which goroutine it may be.
func (t *topRun) warn(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, text)
}

// show draws until the user quits or the recording ends. However it ends, the terminal is as it was.
func (t *topRun) show(ctx context.Context, refresh time.Duration) error {
	tty, err := tcell.NewDevTty() // not standard input: it would be left non-blocking for who has it too
	if err != nil {
		return fmt.Errorf("top: open the terminal: %w", err)
	}
	screen, err := tcell.NewTerminfoScreenFromTty(tty)
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return fmt.Errorf("top: draw on the terminal: %w", err)
	}
	defer screen.Fini()
	view := top.NewView(screen, top.NewBoard(), t.a.ascii(), t.status, t.record)
	view.Suspend = suspend
	return top.Run(ctx, screen, &t.feed, view, refresh, t.ended)
}

func (t *topRun) status() top.Status {
	s := top.Status{Sources: t.sources, Period: t.period, File: t.file}
	if p := t.progress.Load(); p != nil {
		s.Missed, s.Dropped = p.Missed, p.Dropped
	}
	return s
}

// record begins a file with all further samples, or ends it.
func (t *topRun) record() (string, error) {
	if t.file != "" {
		path := t.file
		t.file = ""
		return "written: " + path, t.feed.EndFile()
	}
	path := recording.FileName(t.name)
	if err := formats.CheckOutput(path); err != nil {
		return "", err
	}
	if err := t.feed.RecordTo(recording.CreateFile(path, t.warn)); err != nil {
		return "", err
	}
	t.file = path
	t.files = append(t.files, path)
	return "recording into " + path + "; r ends it", nil
}

// report says what became of the recording, once the screen is gone.
func (t *topRun) report() error {
	for _, text := range t.said {
		t.a.warn(text)
	}
	if t.result != nil {
		for _, w := range t.result.Warnings {
			t.a.warn(w)
		}
	}
	for _, path := range t.files {
		t.a.wrote(path)
	}
	if t.failed != nil && errors.Is(t.failed, os.ErrPermission) {
		return fmt.Errorf("%w; astrolabe doctor says what this machine can measure", t.failed)
	}
	return t.failed
}
