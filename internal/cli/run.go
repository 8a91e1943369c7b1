package cli

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture/formats/all"
	"astrolabe/internal/script"
)

func (a *app) runCommand() *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:   "run SCRIPT [ARGS…]",
		Short: "Run a script",
		Long: "Runs a Starlark script, that of standard input where SCRIPT is -. What stands behind SCRIPT are its " +
			"own arguments and flags. It may read its repository (the\n" +
			"nearest folder above it with astrolabe.toml or .git, else its own folder), the files among its " +
			"arguments and --allow-read, and write\n" +
			"below --out.",
		Args: argCount(1, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			if watch {
				return a.watchScript(args[0], args[1:])
			}
			return a.runScript(args[0], args[1:])
		},
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "run it again whenever its file, or one that it loads, changes")
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func (a *app) runScript(path string, args []string) error {
	if isStream(path) {
		return a.runStream(path, args)
	}
	if err := notCapture(path); err != nil {
		return err
	}
	h, err := a.scriptHost(args, script.Root(path), existing(args), "")
	if err != nil {
		return err
	}
	_, err = h.runner.LoadFile(a.ctx, path)
	return a.usageOf(err)
}

// runStream runs a script that comes from standard input or a pipe, as if it stood in the working directory.
func (a *app) runStream(path string, args []string) error {
	text, err := a.readNamed(path, maxInput, "script")
	if err != nil {
		return err
	}
	h, err := a.scriptHost(args, script.Root("stdin.star"), existing(args), "")
	if err != nil {
		return err
	}
	_, err = h.runner.LoadText(a.ctx, streamName(path), text)
	return a.usageOf(err)
}

// notCapture refuses a capture where a script is meant: what is wrong with it as a script would be said of each of its
// words.
func notCapture(path string) error {
	if strings.HasSuffix(path, ".star") || strings.HasPrefix(path, libraryPrefix) {
		return nil
	}
	format, err := all.Registry().Sniff(path)
	if err != nil {
		return nil // no capture, or not there, which is told of the script
	}
	return usagef(
		"%s is a capture (%s) and no script: astrolabe repl %s opens it; a script comes first, and the capture behind it",
		path, format.Name(), path)
}

// existing are the arguments that name files or folders: the captures that a script was given, which it may read.
func existing(args []string) []string {
	var out []string
	for _, arg := range args {
		if _, err := os.Stat(arg); arg != "" && err == nil {
			out = append(out, arg)
		}
	}
	return out
}
