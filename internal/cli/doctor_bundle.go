package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/hwio"
	"astrolabe/hwio/bundle"
	"astrolabe/internal/recording"
	"astrolabe/internal/version"
)

// bundleFlags say what doctor --bundle collects.
type bundleFlags struct {
	to, check string
	sources   []string
	yes       bool
	duration  time.Duration
	period    time.Duration
}

func (f *bundleFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.to, "bundle", "",
		"collect what this machine answers into the archive `FILE`, after showing what is in it; nothing is sent anywhere")
	flags.StringVar(&f.check, "check", "", "judge `FILE`, an archive of another machine or any capture")
	flags.StringSliceVar(&f.sources, "source", nil, "the `SOURCES` that --bundle records (default the best that works here)")
	recording.TimeVar(flags, &f.duration, "duration", 2*time.Second, "s", "the `TIME` that --bundle records")
	recording.TimeVar(flags, &f.period, "period", hwio.DefaultPeriod, "s", "the `TIME` between two samples of --bundle")
	flags.BoolVar(&f.yes, "yes", false, "write the archive of --bundle without asking")
}

func (f *bundleFlags) checkFlags(cmd *cobra.Command, deep bool) error {
	switch {
	case f.to != "" && f.check != "":
		return usagef("--bundle makes an archive and --check judges one: give one of them")
	case f.to == "":
		for _, name := range []string{"source", "duration", "period", "yes"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s belongs to --bundle", name)
			}
		}
	case f.duration <= 0 || f.duration > time.Minute:
		return usagef("--duration=%v is not between 0 and a minute", f.duration)
	case f.period < hwio.MinPeriod || f.period > f.duration:
		return usagef("--period=%v is not between %v and the duration", f.period, hwio.MinPeriod)
	}
	if deep && (f.to != "" || f.check != "") {
		return usagef("--deep measures by itself: give it without --bundle and --check")
	}
	return nil
}

// bundle collects, shows the list, asks, and writes.
func (a *app) bundle(f *bundleFlags, asJSON bool) error {
	a.say(fmt.Sprintf("asking what this machine can measure, and recording for %v", f.duration))
	b, err := bundle.Collect(a.ctx, bundle.Options{Program: version.String(), Sources: f.sources, Duration: f.duration,
		Period: f.period})
	if err != nil {
		return err
	}
	fmt.Fprint(a.talk, notation.Visible(bundleText(b)))
	if !f.yes {
		if !isTerminal(a.in) {
			return fmt.Errorf("nothing was written: --yes writes %s without a question", f.to)
		}
		fmt.Fprintf(a.talk, "Write %s? [y/N] ", f.to)
		line, _ := bufio.NewReader(a.in).ReadString('\n')
		if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
			a.say("nothing was written")
			return nil
		}
	}
	if err := b.Write(f.to); err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(checksJSON(b.Checks))
	}
	a.wrote(f.to)
	return nil
}

// checkFile judges an archive or a capture. A broken identity is a failure.
func (a *app) checkFile(path string, asJSON bool) error {
	head := ""
	var checks []bundle.Check
	if archive, err := isArchive(path); err != nil {
		return err
	} else if archive {
		b, err := bundle.Open(path)
		if err != nil {
			return err
		}
		head, checks = aboutText(b), b.Judge(a.ctx)
	} else {
		c, err := a.open(path, &openFlags{})
		if err != nil {
			return err
		}
		checks = bundle.JudgeCapture(a.ctx, c)
	}
	var err error
	if asJSON {
		err = a.printJSON(checksJSON(checks))
	} else {
		err = a.print(head + checksText(checks))
	}
	if err != nil {
		return err
	}
	for _, c := range checks {
		if c.Verdict == bundle.Broken {
			return statusError{statusFailed}
		}
	}
	return nil
}

// isArchive reports whether a file begins as archives do.
func isArchive(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return false, err // a folder of parts, or a pipe
	}
	head := make([]byte, 2)
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == "PK", nil
}

// bundleText is the list that is shown before anything is written.
func bundleText(b *bundle.Bundle) string {
	var out strings.Builder
	out.WriteString("The archive will hold\n")
	for _, i := range b.List() {
		fmt.Fprintf(&out, "  %9d bytes  %-14s  %s\n", i.Bytes, i.Name, i.Meaning)
	}
	if len(b.About.Left) > 0 {
		out.WriteString("and leaves out, because it may not be in one:\n")
		for _, l := range b.About.Left {
			fmt.Fprintf(&out, "  %s\n", l)
		}
	}
	out.WriteString(aboutText(b))
	out.WriteString(checksText(b.Checks))
	return out.String()
}

func aboutText(b *bundle.Bundle) string {
	x := &b.About
	out := fmt.Sprintf("astrolabe %s on %s, Linux %s", x.Program, x.System, x.Kernel)
	if len(x.Recorded) > 0 {
		out += fmt.Sprintf("; %s recorded for %.3g s every %v", strings.Join(x.Recorded, " and "), float64(x.Wall)*1e-9,
			time.Duration(x.Period))
	}
	if x.Refused != "" {
		out += "; no recording: " + x.Refused
	}
	return out + "\n"
}

func checksText(checks []bundle.Check) string {
	var out strings.Builder
	for _, c := range checks {
		name := c.Name
		if c.Source != "" {
			name = c.Source + ": " + name
		}
		fmt.Fprintf(&out, "  %-9s  %s (%s)\n", c.Verdict, name, c.Text)
	}
	return out.String()
}

func checksJSON(checks []bundle.Check) []bundle.Check { return orEmpty(checks) }
