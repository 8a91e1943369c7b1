package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"astrolabe/builtins/binding"
	"astrolabe/capture/formats"
	"astrolabe/internal/script"
	"astrolabe/scripts"
)

// testFlags are the flags of the test command.
type testFlags struct {
	run      string
	verbose  bool
	update   bool
	parallel int
	server   serverFlags
}

func (a *app) testCommand() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test [PATH…]",
		Short: "Run the tests of scripts",
		Long: "Runs every function whose name begins with test_ in every file whose name ends in _test.star, below " +
			"the given files and folders or the\n" +
			"working directory. Test files have assert; assert.golden(\"NAME\", text) compares with testdata/NAME " +
			"beside the test file.",
		RunE: func(_ *cobra.Command, args []string) error { return a.test(args, &f) },
	}
	cmd.Flags().StringVar(&f.run, "run", "", "run only the tests whose names match `REGEX`")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "name the tests that pass too, and show what they print")
	cmd.Flags().BoolVar(&f.update, "update", false,
		"write golden files instead of comparing with them (-update does too)")
	cmd.Flags().IntVar(&f.parallel, "parallel", 1,
		"run `N` files at the same time; results stay in order. The memory limit is that of all together")
	f.server.register(a, cmd)
	return cmd
}

func (a *app) test(paths []string, f *testFlags) error {
	o := script.TestOptions{
		Paths: paths, Verbose: f.verbose, Update: f.update, Parallel: f.parallel, Out: a.out, Talk: a.talk,
		Library: scripts.Library, Limits: a.scriptLimits(),
		Env: func() *binding.Env { return a.environment(nil) },
		Policy: script.Policy{Read: a.limits.allowRead, Out: a.limits.out, Exec: a.limits.allowExec,
			Clock: a.limits.clock()},
	}
	if f.parallel < 1 {
		return usagef("--parallel=%d: want at least 1", f.parallel)
	}
	if f.run != "" {
		re, err := regexp.Compile(f.run)
		if err != nil {
			return usagef("--run: %w", err)
		}
		o.Run = re
	}
	if a.limits.out != "" {
		if err := formats.CheckOutputFolder(a.limits.out); err != nil {
			return err
		}
	}
	res, err := script.Test(a.ctx, o)
	if err != nil {
		return a.usageOf(err)
	}
	results := script.Results(res)
	results.Title = fmt.Sprintf("%d passed, %d failed", res.Passed, res.Failed)
	if err := a.tell(&f.server, results, true); err != nil {
		return err
	}
	if res.Failed > 0 {
		return errors.Join(errReported, fmt.Errorf("%d tests failed", res.Failed))
	}
	return nil
}

// longUpdate turns -update of the test command, as Go's own tests have it, into the --update of every other flag.
func longUpdate(root *cobra.Command, args []string) []string {
	if cmd, _, err := root.Find(args); err != nil || cmd.Name() != "test" {
		return args
	}
	out := slices.Clone(args)
	for i := 0; i < len(out) && out[i] != "--"; i++ {
		if out[i] == "-update" {
			out[i] = "--update"
		}
	}
	return out
}
