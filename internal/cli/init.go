package cli

import (
	"github.com/spf13/cobra"

	"astrolabe/internal/script/scaffold"
	"astrolabe/scripts"
)

func (a *app) initCommand() *cobra.Command {
	var copies []string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Begin a folder of scripts",
		Long: "Writes astrolabe.toml, a script, its test, and what a build server runs into a folder, the working " +
			"directory if none is given, and prints the\n" +
			"paths. With --copy it writes a copy of a shipped triage script and its test instead, to change and to " +
			"use with report --script. What exists is\n" +
			"never overwritten.",
		Args: argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			var paths []string
			var err error
			if len(copies) > 0 {
				paths, err = scaffold.Copy(dir, scripts.Library, copies...)
			} else {
				paths, err = scaffold.Write(dir)
			}
			for _, p := range paths {
				a.wrote(p)
			}
			return err
		},
	}
	cmd.Flags().StringSliceVar(&copies, "copy", nil,
		"copy the triage scripts `NAMES`, such as cpu or mali, with commas between them")
	return cmd
}
