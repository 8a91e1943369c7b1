// Command testreport reads what go test -json printed and says what failed, what was skipped and why, and how many
// tests passed. A skip that is not in the list of allowed ones (.ci/skips) is a failure: a test that stops running
// because something is absent that every clone has, or that CI installs, must not pass unseen. It imports nothing of
// astrolabe.
//
//	go test -json ./... | go run ./internal/testreport --skips .ci/skips
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the command: its status is 0 where every test passed or may be skipped, 1 where not, 2 where it could not be
// judged.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	flags := flag.NewFlagSet("testreport", flag.ContinueOnError)
	flags.SetOutput(errs)
	list := flags.String("skips", "", "the `FILE` that lists the allowed skips")
	counts := flags.String("counts", "", "write how many tests passed, failed and were skipped into `FILE`")
	brief := flags.Bool("brief", false, "print how many tests were skipped for each line of the list, not each of them")
	again := flags.String("failures", "", "add what failed to `FILE` too, with fewer lines of each")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *list == "" || flags.NArg() > 1 {
		fmt.Fprintln(errs, "usage: testreport --skips FILE [--counts FILE] [--failures FILE] [--brief] [EVENTS]")
		return 2
	}
	fail := func(err error) int {
		fmt.Fprintln(errs, "testreport:", err)
		return 2
	}
	text, err := os.ReadFile(*list)
	if err != nil {
		return fail(err)
	}
	rules, err := parseRules(*list, string(text))
	if err != nil {
		return fail(err)
	}
	if flags.NArg() == 1 {
		f, err := os.Open(flags.Arg(0))
		if err != nil {
			return fail(err)
		}
		defer f.Close()
		in = f
	}
	res, err := readEvents(in)
	if err != nil {
		return fail(err)
	}
	w := bufio.NewWriter(out)
	good := report(w, res, rules, *list, *brief)
	if err := w.Flush(); err != nil {
		return fail(err)
	}
	if *counts != "" {
		line := fmt.Sprintf("%d %d %d\n", res.passed, res.failed, len(res.skips))
		if err := os.WriteFile(*counts, []byte(line), 0o666); err != nil {
			return fail(err)
		}
	}
	if *again != "" && len(res.failures) > 0 {
		f, err := os.OpenFile(*again, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return fail(err)
		}
		printFailures(f, res, shownAgain)
		if err := f.Close(); err != nil {
			return fail(err)
		}
	}
	if !good {
		return 1
	}
	return 0
}
