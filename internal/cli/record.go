package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"astrolabe/hwio"
	"astrolabe/internal/recording"
)

func (a *app) recordCommand() *cobra.Command {
	var f recording.Flags
	var to storeFlags
	var marks string
	var there remoteRecordFlags
	cmd := &cobra.Command{
		Use:   "record [flags] [-- COMMAND…]",
		Short: "Record this machine, or a command, into a file",
		Long: "Records counters into a native capture file and prints its path. With a command it measures that " +
			"command until it ends; otherwise the\n" +
			"machine, for --duration or until Ctrl-C. Standard output stays free for the path: the command's own " +
			"goes to standard error.\n\n" +
			"With --split the file is a folder of parts, which opens as one capture. With --last the end of the " +
			"recording is kept in memory and written on\n" +
			"the signal USR1, on a mark (--marks), when a --budget or --limit breaks, and at the end, into files " +
			"NAME-0001.arrow, NAME-0002.arrow and so on.\n\n" +
			"With --ssh and --adb all of that happens on another machine, to which a small program is brought once, and what " +
			"it writes comes here while\nit records. A link that breaks loses nothing: the device records on, and the rest is " +
			"fetched when it is back, or by --resume.",
		Args: func(cmd *cobra.Command, args []string) error {
			if rest := there.takeArgs(args, cmd.ArgsLenAtDash(), &there.resume); len(rest) > 0 {
				return usagef(
					"unexpected argument %q; a command to measure stands behind --, as in: astrolabe record -- make",
					rest[0])
			}
			return errors.Join(asUsage(f.Check()), to.check(), there.check(cmd.Flags()), there.checkRecord(&to))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if dash := cmd.ArgsLenAtDash(); dash < 0 {
				args = nil
			} else {
				args = args[dash:]
			}
			if there.given() {
				return a.recordThere(&f, &to, marks, args, &there)
			}
			return a.record(&f, &to, marks, args)
		},
	}
	f.Register(cmd.Flags(), 0)
	to.register(cmd)
	there.register(cmd)
	cmd.Flags().StringVar(&marks, "marks", "",
		"make a FIFO at `PATH` and take lines from it: NAME, begin NAME, end NAME, frame [N], optionally led by a CLOCK_MONOTONIC time in ns")
	return cmd
}

func (a *app) record(f *recording.Flags, to *storeFlags, marks string, command []string) error {
	sel, err := f.Selection(a.ctx, len(command) > 0)
	if err != nil {
		return err
	}
	if to.Out == "" {
		name := f.Name(sel)
		if len(command) > 0 {
			name = filepath.Base(command[0])
		}
		to.Out = to.Named(name)
	}
	st, err := a.store(to, f.Period)
	if err != nil {
		return err
	}
	opt := f.Recording()
	opt.Marks = marks
	if len(command) > 0 {
		opt.Command = &hwio.Command{Args: command, Stdin: a.in, Stdout: a.talk.file, Stderr: a.talk.file,
			PassSignals: true}
		if to.Last > 0 {
			opt.Command.Own = recording.SaveSignal
		}
	}
	opt.Create = st.Create(a.ctx)
	res, err := a.measure(a.ctx, opt, sel)
	if res != nil {
		for _, w := range res.Warnings {
			a.warn(w)
		}
		st.tell()
	}
	if err == nil {
		return commandFailed(res.Exit)
	}
	return err
}

// commandFailed passes on that the measured command failed, so that a build which it is a step of fails as it would without
// the recorder. One that was told to end, by whoever watched it or by the end of the recording, did not fail.
func commandFailed(e *hwio.Exit) error {
	if e == nil || e.Code == 0 || e.Told || slices.Contains([]string{"SIGINT", "SIGTERM", "SIGHUP"}, e.Signal) {
		return nil
	}
	return statusError{e.Code}
}

// measure makes a recording with a progress bar. Ctrl-C is its ordinary end, not an error. A Result comes with an error
// where the recording broke off: what was measured until then is in the file. The Result's warnings are in the
// recording too; they are left to whoever opens it.
func (a *app) measure(ctx context.Context, opt hwio.Options, sel *hwio.Selection) (*hwio.Result, error) {
	opt.Sources, opt.Warnings, opt.OwnCost, opt.OwnProcess = sel.Sources, sel.Warnings, true, true
	if opt.Command == nil { // a command gets these signals itself, and its end is the recording's
		var stop context.CancelFunc
		ctx, stop = endingContext(ctx)
		defer stop()
	}
	defer survivePipe()()
	bar := &progressBar{w: a.talk.file, live: isTerminal(a.talk.file) && !a.quiet}
	if bar.live {
		opt.Progress = bar.update
	} else {
		a.say(recording.Begun(&opt, sel.Names()))
	}
	res, err := hwio.Record(ctx, opt)
	bar.done()
	if res == nil {
		if errors.Is(err, os.ErrPermission) {
			return nil, fmt.Errorf("%w; astrolabe doctor says what this machine can measure", err)
		}
		return nil, err
	}
	a.say(recording.Recorded(res))
	if line := recording.Exited(res.Exit); line != "" {
		fmt.Fprintln(a.talk, line)
	}
	return res, err
}
