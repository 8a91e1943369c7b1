// Command emulate runs an unmodified program on hardware that the machine does not have.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"

	"astrolabe/hwio/bundle"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/hwio/hwtest/replay"
)

// Exit statuses of emulate's own; all others are the program's.
const (
	badUsage = 2
	failed   = 125 // the emulation itself
)

const usage = `usage: emulate --device NAME [--scenario S[,S]] [--seed N] [--truth FILE] -- COMMAND [ARGUMENT...]
       emulate --replay BUNDLE [--truth FILE] -- COMMAND [ARGUMENT...]
       emulate --list

Runs a program as if the machine had the device: what it opens, asks and reads of it is answered by a model whose counts are known,
or from a bundle of astrolabe doctor --bundle.
The exit status is the program's, 128+N where signal N ended it; 2 is bad usage and 125 a failed emulation.

`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the command line's.
type options struct {
	device, scenario, truth, replay string
	seed                            uint64
	list                            bool
	command                         []string
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("emulate", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.device, "device", "", "the `NAME` of the device, as --list has it")
	f.StringVar(&o.replay, "replay", "", "answer from the bundle `FILE` in place of a model")
	f.StringVar(&o.scenario, "scenario", "", "ways in which it behaves, `S[,S]`")
	f.Uint64Var(&o.seed, "seed", 1, "a `NUMBER` that decides everything random")
	f.StringVar(&o.truth, "truth", "", "a `FILE` to write what the model produced and was asked to, as JSON")
	f.BoolVar(&o.list, "list", false, "print the devices and their scenarios")
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stderr, usage)
		f.SetOutput(stderr)
		f.PrintDefaults()
		return nil, err
	}
	o.command = f.Args()
	switch {
	case err != nil:
	case o.list && len(o.command) > 0:
		err = errors.New("--list runs no command")
	case o.list:
	case o.replay != "" && (o.device != "" || o.scenario != ""):
		err = errors.New("--replay answers from a bundle, which has no other device and no scenarios")
	case o.device == "" && o.replay == "":
		err = errors.New("--device is missing; --list prints the devices")
	case len(o.command) == 0:
		err = errors.New("no command is given; it stands after --")
	}
	return o, err
}

func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	complain := func(status int, err error) int {
		fmt.Fprintf(stderr, "emulate: %v\n", err)
		return status
	}
	if err != nil {
		return complain(badUsage, err)
	}
	if o.list {
		if err := list(stdout); err != nil {
			return complain(failed, err)
		}
		return 0
	}
	scenarios := names(o.scenario)
	device, err := o.machine(scenarios)
	if err != nil {
		return complain(badUsage, err)
	}
	// The file is made first: a program that ran for an hour for nothing is worse than an early error.
	var truth *os.File
	if o.truth != "" {
		if truth, err = os.Create(o.truth); err != nil {
			return complain(failed, err)
		}
	}
	cmd := exec.Command(o.command[0], o.command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, caught...)
	defer signal.Stop(signals)
	result, err := hwtest.Run(context.Background(), hwtest.Options{
		Device: device, Settings: hwtest.Settings{Scenarios: scenarios, Seed: o.seed}, Cmd: cmd,
		Signals: passOn(signals),
	})
	if truth != nil {
		err = errors.Join(err, write(truth, o, scenarios, result))
	}
	if err != nil {
		return complain(failed, err)
	}
	return result.Exit
}

// machine is what the program runs on.
func (o *options) machine(scenarios []string) (hwtest.Device, error) {
	if o.replay != "" {
		b, err := bundle.Open(o.replay)
		if err != nil {
			return nil, err
		}
		return replay.New(b), nil
	}
	model, err := devices.Find(o.device)
	if err != nil {
		return nil, err
	}
	if err := devices.Scenarios(model, scenarios); err != nil {
		return nil, err
	}
	return model.New(), nil
}

// names splits a list at commas.
func names(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(s string) bool { return s == "" })
}

// passOn leaves out the signals that the terminal sends to the program as well.
func passOn(in <-chan os.Signal) <-chan os.Signal {
	out := make(chan os.Signal)
	go func() {
		for s := range in {
			if !fromTerminal(s) {
				out <- s
			}
		}
	}()
	return out
}

// account is what --truth writes.
type account struct {
	Device    string         `json:"device"`
	Scenarios []string       `json:"scenarios"`
	Seed      uint64         `json:"seed"`
	Exit      int            `json:"exit"`
	Truth     any            `json:"truth"`
	Calls     []hwtest.Entry `json:"calls"`
}

func write(f *os.File, o *options, scenarios []string, r *hwtest.Result) error {
	a := account{Device: o.device, Scenarios: scenarios, Seed: o.seed}
	if r != nil {
		a.Exit, a.Truth, a.Calls = r.Exit, r.Truth, r.Calls
	} else {
		a.Exit = failed
	}
	enc := json.NewEncoder(f)
	enc.SetIndent("", " ")
	if err := errors.Join(enc.Encode(a), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", o.truth, err)
	}
	return nil
}

// list prints the devices.
func list(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range devices.All() {
		fmt.Fprintf(t, "%s\t%s\n", m.Name, m.Doc)
		for _, s := range m.Scenarios {
			fmt.Fprintf(t, "  %s\t%s\n", s.Name, s.Doc)
		}
	}
	fmt.Fprintf(t, "every device\t\n")
	for _, s := range hwtest.General() {
		fmt.Fprintf(t, "  %s\t%s\n", s.Name, s.Doc)
	}
	return t.Flush()
}
