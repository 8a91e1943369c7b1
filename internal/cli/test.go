package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"astrolabe/builtins"
	"astrolabe/internal/script"
	"astrolabe/scripts"
)

func (a *app) testCommand() *cobra.Command {
	var filter string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "test [PATH…]",
		Short: "Run the tests of scripts",
		Long:  "Runs every function whose name begins with test_ in every file whose name ends in _test.star, below the given files and folders or the\nworking directory. Test files have assert.",
		RunE:  func(_ *cobra.Command, args []string) error { return a.test(args, filter, verbose) },
	}
	cmd.Flags().StringVar(&filter, "run", "", "run only the tests with `TEXT` in their names")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "name the tests that pass too, and show what they print")
	return cmd
}

func (a *app) test(paths []string, filter string, verbose bool) error {
	res, err := script.Test(a.ctx, script.TestOptions{
		Paths: paths, Filter: filter, Verbose: verbose, Out: a.out, Talk: a.talk, Library: scripts.Library, Limits: a.scriptLimits(),
		Env:    func() *builtins.Env { return a.environment(nil) },
		Policy: script.Policy{Read: a.limits.allowRead, Out: a.limits.out, Exec: a.limits.allowExec, Clock: a.limits.clock()},
	})
	if err != nil {
		return a.usageOf(err)
	}
	if res.Failed > 0 {
		return errors.Join(errReported, fmt.Errorf("%d tests failed", res.Failed))
	}
	return nil
}
