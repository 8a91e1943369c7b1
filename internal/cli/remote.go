package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"astrolabe/internal/recording"
	"astrolabe/internal/remote"
	"astrolabe/internal/remote/wire"
)

// remoteFlags say on what device a command works, if not on this machine.
type remoteFlags struct {
	ssh    string
	adb    anyOrOne
	device remote.Options
}

// anyOrOne is a flag that may stand alone, or name one. Its value may also be the next argument, which one takes.
type anyOrOne struct {
	given bool
	name  string
}

// alone is what pflag hands on where there is no value: that of a bool, so that help shows the flag without it. A device of this name is given as
// the next argument.
const alone = "true"

func (f *anyOrOne) String() string { return f.name }
func (f *anyOrOne) Type() string   { return "bool" }
func (f *anyOrOne) Set(s string) error {
	f.given, f.name = true, s
	if s == alone {
		f.name = ""
	}
	return nil
}

func (f *anyOrOne) register(flags *pflag.FlagSet, name, usage string) {
	flags.Var(f, name, usage)
	flags.Lookup(name).NoOptDefVal = alone
}

func (f *remoteFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.ssh, "ssh", "", "work on `HOST`, as ssh takes it, by your ssh program")
	f.adb.register(flags, "adb", "work on the Android device `SERIAL`, by your adb program; alone: on the only one")
	flags.StringVar(&f.device.Binary, "binary", "",
		"the `FILE` to bring to the device (default astrolabe-record-ARCH beside this program)")
	flags.StringVar(&f.device.Dir, "remote-dir", "", "the `DIR` of the device that takes it (default a folder that runs programs)")
}

// takeArgs gives the flags that stand alone the arguments before a --, and returns what is left of those.
func (f *remoteFlags) takeArgs(args []string, dash int, others ...*anyOrOne) []string {
	if dash < 0 {
		dash = len(args)
	}
	before := args[:dash]
	for _, x := range append([]*anyOrOne{&f.adb}, others...) {
		if x.given && x.name == "" && len(before) > 0 {
			x.name, before = before[0], before[1:]
		}
	}
	return before
}

// check refuses what makes no sense.
func (f *remoteFlags) check(flags *pflag.FlagSet) error {
	switch {
	case f.ssh != "" && f.adb.given:
		return usagef("--ssh and --adb are two devices: give one of them")
	case flags.Changed("ssh") && f.ssh == "":
		return usagef("--ssh needs a host")
	case f.given():
		return nil
	}
	for _, name := range []string{"binary", "remote-dir", "reconnect", "resume", "app"} {
		if flags.Changed(name) {
			return usagef("--%s is about a device: give --ssh HOST or --adb too", name)
		}
	}
	return nil
}

func (f *remoteFlags) given() bool { return f.ssh != "" || f.adb.given }

// flag is how the device is named again.
func (f *remoteFlags) flag() string {
	switch {
	case f.ssh != "":
		return "--ssh " + f.ssh
	case f.adb.name != "":
		return "--adb " + f.adb.name
	}
	return "--adb"
}

// connect brings the program to the device. The link is to be closed.
func (a *app) connect(ctx context.Context, f *remoteFlags) (d *remote.Device, end func(), err error) {
	var link remote.Link
	if f.ssh != "" {
		link, err = remote.NewSSH(f.ssh)
	} else {
		link, err = remote.NewADB(ctx, f.adb.name)
	}
	if err != nil {
		return nil, nil, err
	}
	if d, err = remote.Connect(ctx, link, f.device); err != nil {
		link.Close()
		return nil, nil, err
	}
	return d, link.Close, nil
}

// remoteRecordFlags are of record alone.
type remoteRecordFlags struct {
	remoteFlags
	reconnect time.Duration
	resume    anyOrOne
	app       string
}

func (f *remoteRecordFlags) register(cmd *cobra.Command) {
	f.remoteFlags.register(cmd)
	recording.TimeVar(cmd.Flags(), &f.reconnect, "reconnect", 10*time.Minute, "s",
		"the `TIME` for which a broken link to a device is tried again, and a recording without --duration goes on there")
	f.resume.register(cmd.Flags(), "resume",
		"fetch the recordings that a broken link left on the device, or the one of this `NAME`, and end those that go on when you press Ctrl-C")
	cmd.Flags().StringVar(&f.app, "app", "", "with --adb, the `PACKAGE` to start once the recording goes on; a region of its name says while it lives")
}

// checkRecord refuses what cannot be done on a device.
func (f *remoteRecordFlags) checkRecord(to *storeFlags) error {
	switch {
	case f.given() && len(to.budgets)+len(to.limits) > 0:
		return usagef("--budget and --limit judge on this machine only: record there, and use astrolabe check here")
	case f.app != "" && !f.adb.given:
		return usagef("--app starts an app of Android: give --adb too")
	case f.reconnect <= 0:
		return usagef("--reconnect=%v is no time", f.reconnect)
	}
	return nil
}

// recordThere is record on a device.
func (a *app) recordThere(f *recording.Flags, to *storeFlags, marks string, command []string, r *remoteRecordFlags) error {
	if to.Out != "" {
		if st, err := os.Stat(to.Out); err == nil && !st.IsDir() && !st.Mode().IsRegular() {
			return fmt.Errorf("write %s: a recording of a device goes into a regular file", to.Out)
		}
		if err := to.CheckOutput(); err != nil {
			return err
		}
	}
	d, end, err := a.connect(a.ctx, &r.remoteFlags)
	if err != nil {
		return err
	}
	defer end()
	if r.resume.given {
		return a.resume(d, to, r)
	}
	req := &wire.Request{Flags: *f, Split: to.Split, Last: to.Last, Marks: marks, Command: command, App: r.app,
		Alone: r.reconnect}
	if to.Out != "" {
		if req.Output, err = filepath.Abs(to.Out); err != nil {
			return err
		}
	}
	x, done := a.remoteRecording(d, to, r)
	defer done()
	ended, err := x.Record(context.WithoutCancel(a.ctx), req)
	return a.endedThere(ended, err, r)
}

// resume fetches what is left on a device.
func (a *app) resume(d *remote.Device, to *storeFlags, r *remoteRecordFlags) error {
	runs, err := d.Runs(a.ctx)
	if err != nil {
		return err
	}
	var wanted []wire.Run
	var names []string
	for _, x := range runs {
		names = append(names, x.ID)
		if r.resume.name == "" || x.ID == r.resume.name {
			wanted = append(wanted, x)
		}
	}
	switch {
	case len(runs) == 0:
		a.say("no recording is left on " + d.Name())
		return nil
	case len(wanted) == 0:
		return fmt.Errorf("%s has no recording %s; there is %s", d.Name(), r.resume.name, strings.Join(names, ", "))
	case len(wanted) > 1 && to.Out != "":
		return fmt.Errorf("%s has several recordings, and -o names one file: say which, as in --resume=%s; there is %s", d.Name(),
			names[0], strings.Join(names, ", "))
	}
	var failed error
	for _, run := range wanted {
		state := "has ended"
		if run.Going {
			state = "goes on, Ctrl-C ends it"
		}
		a.say(fmt.Sprintf("%s, begun %s, %s", run.ID, run.Began.Local().Format("2006-01-02 15:04:05"), state))
		x, done := a.remoteRecording(d, to, r)
		if x.Output == "" {
			x.Output = run.Output
		}
		ended, err := x.Resume(context.WithoutCancel(a.ctx), run.ID)
		done()
		failed = errors.Join(failed, a.endedThere(ended, err, r))
	}
	return failed
}

// remoteRecording is a recording on a device whose words, progress and signals are this program's.
func (a *app) remoteRecording(d *remote.Device, to *storeFlags, r *remoteRecordFlags) (x *remote.Recording, done func()) {
	ctx, stop := endingContext(a.ctx)
	restore := survivePipe()
	saves := make(chan struct{}, 1)
	if recording.SaveSignal != nil {
		recording.OnSaveSignal(ctx, func() {
			select {
			case saves <- struct{}{}:
			default: // one is on its way
			}
		})
	}
	bar := &progressBar{w: a.talk.file, live: isTerminal(a.talk.file) && !a.quiet}
	x = &remote.Recording{Device: d, Reconnect: r.reconnect, Again: "astrolabe record " + r.flag() + " --resume", Output: to.Out,
		Name: to.Named, Wrote: a.wrote, Progress: bar.update, Stop: ctx.Done(), Save: saves}
	x.Say = func(text string) {
		bar.done()
		a.say(text)
	}
	x.Talk = writerFunc(func(b []byte) (int, error) {
		bar.done()
		return a.talk.file.Write(b)
	})
	return x, func() {
		bar.done()
		stop()
		restore()
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// endedThere says what became of a recording on a device.
func (a *app) endedThere(e *wire.Ended, err error, r *remoteRecordFlags) error {
	switch {
	case err != nil:
		return err
	case e.Killed:
		return fmt.Errorf("the recorder on the device was killed; what it had written is here, and astrolabe repair completes it")
	}
	if res := e.Result; res != nil {
		for _, w := range res.Warnings {
			a.warn(w)
		}
		a.say(recording.Recorded(res))
		if line := recording.Exited(res.Exit); line != "" {
			fmt.Fprintln(a.talk, line)
		}
	}
	if e.Error != "" {
		return fmt.Errorf("%s: %s", strings.TrimPrefix(r.flag(), "--"), e.Error)
	}
	if e.Result != nil {
		return commandFailed(e.Result.Exit)
	}
	return nil
}
