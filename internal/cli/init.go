package cli

import (
	"github.com/spf13/cobra"

	"astrolabe/internal/script/scaffold"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Begin a folder of scripts",
		Long:  "Writes astrolabe.toml, a script, its test, and what a build server runs into a folder, the working directory if none is given, and prints the\npaths. What exists is never overwritten.",
		Args:  argCount(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			paths, err := scaffold.Write(dir)
			for _, p := range paths {
				a.wrote(p)
			}
			return err
		},
	}
}
