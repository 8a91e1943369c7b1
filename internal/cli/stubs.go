package cli

import (
	"io"

	"github.com/spf13/cobra"

	"astrolabe/capture/formats"
	"astrolabe/internal/script/stubs"
)

func (a *app) stubsCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "stubs",
		Short: "Print stubs for editors",
		Long: "Prints what scripts can call as Python stubs (.pyi), for editors that treat Starlark as Python: put " +
			"them beside the scripts as\n" +
			"__builtins__.pyi, which pyright reads. Editors with a language client get more from astrolabe lsp.",
		Args: argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if out == "" {
				return stubs.Write(a.out)
			}
			if err := checkOutputs(out); err != nil {
				return err
			}
			if err := formats.WriteFile(out, func(w io.Writer) error { return stubs.Write(w) }); err != nil {
				return err
			}
			a.wrote(out)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write them to `FILE`")
	return cmd
}
