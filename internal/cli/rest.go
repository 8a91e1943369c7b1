package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"astrolabe/capture/spelling"
)

// takeUnknownFlags makes a command put the flags that it does not know into rest, for a script, and parse the others as
// always. Behind the first argument an unknown flag takes the next word as its value, if that is no flag.
func takeUnknownFlags(cmd *cobra.Command, rest *[]string) {
	cmd.DisableFlagParsing = true
	run, check := cmd.RunE, cmd.Args
	cmd.Args = nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		flags := cmd.Flags()
		cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
			if flags.Lookup(f.Name) == nil {
				flags.AddFlag(f)
			}
		})
		cmd.InitDefaultHelpFlag()
		known, unknown := splitFlags(flags, args)
		*rest = unknown
		for _, arg := range unknown {
			if err := oneDash(arg, flagNames(cmd)); err != nil {
				return err
			}
		}
		if err := flags.Parse(known); err != nil {
			return flagError(cmd, err)
		}
		if help, err := flags.GetBool("help"); err == nil && help {
			return cmd.Help()
		}
		if err := check(cmd, flags.Args()); err != nil {
			return err
		}
		return meantFlag(run(cmd, flags.Args()), unknown, flagNames(cmd))
	}
}

// meantFlag adds to the error of a command that was handed a flag for its script, which is near to one of its own, that
// this may have been meant.
func meantFlag(err error, unknown, names []string) error {
	if err == nil || isReported(err) {
		return err
	}
	for _, arg := range unknown {
		name, isFlag := strings.CutPrefix(arg, "--")
		if name, _, _ = strings.Cut(name, "="); !isFlag {
			continue
		}
		if near := spelling.Nearest(name, names); near != "" && !strings.Contains(err.Error(), "did you mean") {
			return fmt.Errorf("%w; --%s is no flag of this command (did you mean --%s?)", err, name, near)
		}
	}
	return err
}

// splitFlags separates what a flag set knows, with arguments, from what it does not.
func splitFlags(flags *pflag.FlagSet, args []string) (known, unknown []string) {
	positional := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(known, args[i:]...), unknown
		}
		if len(arg) < 2 || arg[0] != '-' {
			positional = true
			known = append(known, arg)
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		flag := flags.Lookup(name)
		if !strings.HasPrefix(arg, "--") {
			flag = flags.ShorthandLookup(arg[1:2])
			hasValue = len(arg) > 2
		}
		next := !hasValue && i+1 < len(args) && (len(args[i+1]) < 2 || args[i+1][0] != '-')
		switch {
		case flag != nil:
			known = append(known, arg)
			if !hasValue && flag.NoOptDefVal == "" && i+1 < len(args) {
				i++
				known = append(known, args[i])
			}
		case next && positional:
			unknown = append(unknown, arg, args[i+1])
			i++
		default:
			unknown = append(unknown, arg)
		}
	}
	return known, unknown
}
