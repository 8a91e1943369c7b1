package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio"
	"astrolabe/hwio/all"
)

// recordFlags say what to measure; record and report share them.
type recordFlags struct {
	sources  []string
	counters []string
	period   time.Duration
	periods  map[string]time.Duration // of single sources
	duration time.Duration
	sets     []string
	options  map[string]string // of the sources
}

func (f *recordFlags) register(cmd *cobra.Command, duration time.Duration) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.sources, "source", nil,
		"the `SOURCES` to read, with commas between them; cpu is perfevent and procfs together, mali, amd and intel are what reads such a GPU here (default the best that works here)")
	flags.Var((*counterList)(&f.counters), "counters",
		"the counters to record, `GLOBS` with commas between them (default each source's own choice)")
	f.period = hwio.DefaultPeriod
	flags.Var(&periodFlag{to: f}, "period", "the `TIME` between two samples, also of single sources, as in 1ms,procfs=100ms")
	timeVar(flags, &f.duration, "duration", duration, "s", "the `TIME` to record")
	flags.StringSliceVar(&f.sets, "set", nil,
		"the metric `SETS` of the source, with commas between them; several are measured one after the other, the command being run once for each")
	flags.StringToStringVar(&f.options, "source-option", nil,
		"`NAME=VALUE` options of the source's own; astrolabe sources lists them")
}

func (f *recordFlags) check() error {
	switch {
	case f.period < hwio.MinPeriod || f.period > hwio.MaxPeriod:
		return usagef("--period=%v is not between %v and %v", f.period, hwio.MinPeriod, hwio.MaxPeriod)
	case f.duration < 0:
		return usagef("--duration=%v is negative", f.duration)
	}
	return nil
}

// selection finds the sources. process says that a command is measured, not the whole machine.
func (f *recordFlags) selection(ctx context.Context, process bool) (*hwio.Selection, error) {
	sources := all.Sources("")
	switch {
	case len(f.sources) > 0:
		return hwio.Select(ctx, sources, f.sources, process)
	case process:
		return hwio.Select(ctx, sources, []string{"cpu"}, true)
	}
	return hwio.Best(ctx, sources)
}

// recording describes what the recorder shall do.
func (f *recordFlags) recording() hwio.Options {
	opt := hwio.Options{Counters: f.counters, Period: f.period, Periods: f.periods, Duration: f.duration,
		SourceOptions: f.options}
	for _, set := range f.sets {
		opt.Rounds = append(opt.Rounds, hwio.Round{Name: set, Options: map[string]string{"set": set}})
	}
	opt.RoundLabel = metricSetLabel
	return opt
}

// counterList is a flag of counters with commas between them. A comma between the slashes of an event of a counter
// unit, as in cpu/event=0x3c,umask=0/, belongs to the event.
type counterList []string

var counterItem = regexp.MustCompile(`[^,/]+/[^/]*=[^/]*/[^,]*|[^,]+`)

func (l *counterList) String() string { return strings.Join(*l, ",") }
func (l *counterList) Type() string   { return "GLOBS" }
func (l *counterList) Set(s string) error {
	for _, item := range counterItem.FindAllString(s, -1) {
		if item = strings.TrimSpace(item); item != "" {
			*l = append(*l, item)
		}
	}
	return nil
}

// metricSetLabel is the label by which catalogues know what metric set a sample was measured with.
const metricSetLabel = "metric_set"

// name is what the sources are called in a file name: as the user wrote them.
func (f *recordFlags) name(sel *hwio.Selection) string {
	if len(f.sources) > 0 {
		return strings.Join(f.sources, "-")
	}
	for _, s := range sel.Sources {
		if s.Name() != "perfevent" && s.Name() != "procfs" {
			return strings.Join(sel.Names(), "-")
		}
	}
	return "cpu"
}

func (a *app) recordCommand() *cobra.Command {
	var f recordFlags
	var to storeFlags
	var marks string
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
			"NAME-0001.arrow, NAME-0002.arrow and so on.",
		Args: func(cmd *cobra.Command, args []string) error {
			if at := cmd.ArgsLenAtDash(); len(args) > 0 && at != 0 {
				return usagef(
					"unexpected argument %q; a command to measure stands behind --, as in: astrolabe record -- make",
					args[0])
			}
			return errors.Join(f.check(), to.check())
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.record(&f, &to, marks, args) },
	}
	f.register(cmd, 0)
	to.register(cmd)
	cmd.Flags().StringVar(&marks, "marks", "",
		"make a FIFO at `PATH` and take lines from it: NAME, begin NAME, end NAME, frame [N], optionally led by a CLOCK_MONOTONIC time in ns")
	return cmd
}

func (a *app) record(f *recordFlags, to *storeFlags, marks string, command []string) error {
	sel, err := f.selection(a.ctx, len(command) > 0)
	if err != nil {
		return err
	}
	if to.out == "" {
		name := f.name(sel)
		if len(command) > 0 {
			name = filepath.Base(command[0])
		}
		to.out = to.named(name)
	}
	st, err := a.store(to, f.period)
	if err != nil {
		return err
	}
	opt := f.recording()
	opt.Marks = marks
	if len(command) > 0 {
		opt.Command = &hwio.Command{Args: command, Stdin: a.in, Stdout: a.talk.file, Stderr: a.talk.file,
			PassSignals: true}
		if to.last > 0 {
			opt.Command.Own = saveSignal
		}
	}
	opt.Create = st.create
	res, err := a.measure(a.ctx, opt, sel)
	if res != nil {
		for _, w := range res.Warnings {
			a.warn(w)
		}
		st.tell()
	}
	return err
}

// recordingFile is the native file of a recording.
type recordingFile struct {
	*arrow.Writer
	broken bool // a batch could not be written
	warn   func(string)
}

// createFile is hwio.Options.Create for a native file at path.
func (a *app) createFile(path string) func(*capture.Schema) (hwio.Sink, error) {
	return func(schema *capture.Schema) (hwio.Sink, error) {
		w, err := arrow.Create(path, *schema)
		if err != nil {
			return nil, err
		}
		return &recordingFile{Writer: w, warn: a.warn}, nil
	}
}

func (f *recordingFile) Write(b *capture.Batch) error {
	err := f.Writer.Write(b)
	f.broken = f.broken || err != nil
	return err
}

// Close completes the file. That there was no room for its footer loses nothing, and is no error.
func (f *recordingFile) Close() error {
	err := f.Writer.Close()
	if !errors.Is(err, arrow.ErrNoFooter) {
		return err
	}
	if !f.broken { // else the error of Write says it all
		f.warn(err.Error() + "; astrolabe repair adds it")
	}
	return nil
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
		a.say(recordingLine(opt, sel))
	}
	res, err := hwio.Record(ctx, opt)
	bar.done()
	if res == nil {
		if errors.Is(err, os.ErrPermission) {
			return nil, fmt.Errorf("%w; astrolabe doctor says what this machine can measure", err)
		}
		return nil, err
	}
	a.say(recordedLine(res))
	if res.Exit != nil && (res.Exit.Code != 0 || res.Exit.Signal != "") {
		fmt.Fprintf(a.talk, "the command %s\n", exitText(res.Exit))
	}
	return res, err
}

// recordedLine says what a recording holds, and what it took.
func recordedLine(res *hwio.Result) string {
	return fmt.Sprintf("%d samples of %d counters from %s in %.3g s, for %.2g %% of a processor", res.Samples,
		res.Columns, strings.Join(res.Sources, " and "), res.Duration.Seconds(),
		100*res.CPU.Seconds()/max(res.Duration.Seconds(), 1e-9))
}

func recordingLine(opt hwio.Options, sel *hwio.Selection) string {
	line := fmt.Sprintf("recording %s every %v", strings.Join(sel.Names(), " and "), opt.Period)
	switch {
	case opt.Command != nil:
		return line + " until " + opt.Command.Args[0] + " ends"
	case opt.Duration > 0:
		return line + fmt.Sprintf(" for %v", opt.Duration)
	}
	return line + " until Ctrl-C"
}

func exitText(e *hwio.Exit) string {
	if e.Signal != "" {
		return "was " + e.String()
	}
	return fmt.Sprintf("ended with status %d", e.Code)
}
