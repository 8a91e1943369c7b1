//go:build linux

// Package device is the program that is brought to a device: it records there, for a person who started it, or for who
// follows it over a link that may break.
//
// A recording for others is a run: a folder of its own, in which a process without a terminal (keep) writes the capture,
// what it said, and how it ended. Who follows (serve) reads that folder, so that a link that breaks costs nothing.
package device

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/pflag"

	"astrolabe/hwio"
	"astrolabe/hwio/all"
	"astrolabe/internal/recording"
	"astrolabe/internal/version"
)

const usage = `astrolabe-record records hardware performance counters of this machine into a native capture.

  astrolabe-record record [flags] [-- COMMAND…]   record, and print the path of the file
  astrolabe-record doctor                         say what can be measured here, and what to do about the rest
  astrolabe-record version

astrolabe record --ssh and --adb bring it to a device and fetch what it recorded.
`

// Main runs the program and returns its exit status.
func Main(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	if args[0] == "keep" { // a run, for serve
		return ended(keep(args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	var err error
	switch rest := args[1:]; args[0] {
	case "record":
		err = person(ctx, rest)
	case "doctor":
		err = doctor(ctx, rest)
	case "version", "--version":
		fmt.Println("astrolabe-record " + version.String())
	case "serve": // for astrolabe, over a link
		err = serve(rest, os.Stdin, os.Stdout)
	case "help", "--help", "-h":
		fmt.Print(usage)
	default:
		err = fmt.Errorf("there is no command %q here; astrolabe-record help lists them", args[0])
	}
	return ended(err)
}

// ended is the exit status, with words where there is an error.
func ended(err error) int {
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "astrolabe-record: "+err.Error())
		return 1
	}
	return 0
}

func flagsOf(name string) *pflag.FlagSet {
	flags := pflag.NewFlagSet("astrolabe-record "+name, pflag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	return flags
}

// say talks to a person.
func say(text string) { fmt.Fprintln(os.Stderr, text) }

func warn(text string) { say("warning: " + text) }

// person records for a person at this machine.
func person(ctx context.Context, args []string) error {
	var f recording.Flags
	var to recording.StoreFlags
	flags := flagsOf("record")
	f.Register(flags, 0)
	to.Register(flags)
	marks := flags.String("marks", "", "make a FIFO at `PATH` and take marks from it, as astrolabe record does")
	if err := flags.Parse(args); err != nil {
		return err
	}
	command := flags.Args()
	if len(command) > 0 && flags.ArgsLenAtDash() != 0 {
		return fmt.Errorf("unexpected argument %q; a command to measure stands behind --", command[0])
	}
	if err := errors.Join(f.Check(), to.Check()); err != nil {
		return err
	}
	sel, err := f.Selection(ctx, len(command) > 0)
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
	st := &recording.Store{Flags: &to, Period: f.Period, Warn: warn, Say: say,
		Wrote: func(path string) { fmt.Println(path) }}
	if err := to.CheckOutput(); err != nil {
		return err
	}
	opt := options(ctx, &f, sel, st, marks, command, os.Stdin, os.Stderr)
	say(recording.Begun(&opt, sel.Names()))
	res, err := hwio.Record(ctx, opt)
	if res == nil {
		return err
	}
	for _, w := range res.Warnings {
		warn(w)
	}
	say(recording.Recorded(res))
	if line := recording.Exited(res.Exit); line != "" {
		say(line)
	}
	if to.Last == 0 {
		fmt.Println(to.Out)
	}
	return err
}

// options are those of a recording, whoever it is for.
func options(ctx context.Context, f *recording.Flags, sel *hwio.Selection, st *recording.Store, marks *string,
	command []string, in io.Reader, out io.Writer) hwio.Options {
	opt := f.Recording()
	opt.Sources, opt.Warnings, opt.OwnCost, opt.OwnProcess = sel.Sources, sel.Warnings, true, true
	opt.Marks, opt.Create = *marks, st.Create(ctx)
	if len(command) > 0 {
		opt.Command = &hwio.Command{Args: command, Stdin: in, Stdout: out, Stderr: out, PassSignals: true}
		if st.Flags.Last > 0 {
			opt.Command.Own = recording.SaveSignal
		}
	}
	return opt
}

func doctor(ctx context.Context, args []string) error {
	flags := flagsOf("doctor")
	deep := flags.Bool("deep", false, "also measure what has known values, to prove that counters count")
	if err := flags.Parse(args); err != nil {
		return err
	}
	_, err := io.WriteString(os.Stdout, recording.FindingsText(findings(ctx, *deep)))
	return err
}

func findings(ctx context.Context, deep bool) []recording.Finding {
	list := all.Doctor(ctx, "")
	if deep {
		list = append(list, hwio.DeepTest(ctx, all.Sources(""))...)
	}
	return recording.Findings(list)
}
