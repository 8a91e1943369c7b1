package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/chzyer/readline"

	"astrolabe/builtins/binding"
	formatsall "astrolabe/capture/formats/all"
	"astrolabe/hwio"
	"astrolabe/hwio/all"
	"astrolabe/internal/recording"
	"astrolabe/internal/version"
)

// environment is what the values of a script or session share, but for what it may read and write.
func (a *app) environment(args []string) *binding.Env {
	width, height := a.screen()
	return &binding.Env{
		Registry: formatsall.Registry(),
		Sources:  func() []hwio.Source { return all.Sources("") },
		Record:   a.recordForScript,
		Warn:     a.warn,
		Wrote:    a.wrote,
		Show:     a.showPicture,
		Args:     args,
		Width:    width,
		Height:   height,
		ASCII:    a.ascii(),
		Version:  version.String(),
		Command:  ownCommand(),

		CommandOutput: a.commandOutput(),
	}
}

// commandOutput takes what commands of scripts write.
func (a *app) commandOutput() *os.File {
	if a.heard != nil {
		return a.heard
	}
	return a.talk.file
}

// screen is how many cells a line of output may take and how many lines there are; 0 where it is no terminal.
func (a *app) screen() (width, height int) {
	if !isTerminal(a.out.file) {
		return 0, 0
	}
	width, height, err := readline.GetSize(int(a.out.file.Fd()))
	if err != nil {
		return 0, 0
	}
	return max(0, width), max(0, height)
}

func (a *app) width() int {
	width, _ := a.screen()
	return width
}

// talkWidth is how many cells a line of the terminal that the program talks on may take; 0 where that is not known.
func (a *app) talkWidth() int {
	width, _, err := readline.GetSize(int(a.talk.file.Fd()))
	if err != nil {
		return 0
	}
	return max(0, width)
}

// recordForScript is capture.record.
func (a *app) recordForScript(ctx context.Context, r binding.RecordRequest) (string, error) {
	f := recording.Flags{Sources: r.Sources, Counters: r.Counters, Period: time.Duration(r.Period),
		Duration: time.Duration(r.Duration), Sets: r.Sets, Options: r.Options}
	sel, err := f.Selection(ctx, len(r.Command) > 0)
	if err != nil {
		return "", err
	}
	to := &storeFlags{StoreFlags: recording.StoreFlags{Out: r.Out, Split: time.Duration(r.Split), Last: time.Duration(r.Last)}}
	if to.Out == "" {
		to.Out = to.Named(f.Name(sel))
	}
	if err := to.check(); err != nil {
		return "", err
	}
	st, err := a.store(to, f.Period)
	if err != nil {
		return "", err
	}
	opt := f.Recording()
	if len(r.Command) > 0 {
		opt.Command = &hwio.Command{Args: r.Command, Stdout: a.commandOutput(), Stderr: a.commandOutput()}
	}
	opt.Create = st.Create(ctx)
	measuring, end := context.WithCancel(ctx)
	defer end()
	release := binding.EndOnInterrupt(ctx, end)
	res, err := a.measure(measuring, opt, sel)
	release()
	out := st.Path()
	switch {
	case res == nil:
		return "", err
	case err != nil:
		st.tell()
		return "", fmt.Errorf("%w; what was measured until then is in %s", err, out)
	case res.Interrupted && ctx.Err() != nil:
		st.tell()
		return "", fmt.Errorf("the recording was interrupted; what was measured is in %s", out)
	case res.Interrupted:
		a.warn(fmt.Sprintf("the recording was ended by Ctrl-C and holds %.3g s", res.Duration.Seconds()))
	}
	return out, nil
}
