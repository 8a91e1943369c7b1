package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"astrolabe/internal/notices"
	"astrolabe/internal/version"
)

func (a *app) versionCommand() *cobra.Command {
	licences := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, or the licences of what the program contains",
		Args:  argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if licences {
				read := notices.Text
				if a.engine != nil {
					read = a.engine.Notices
				}
				text, err := read()
				if err != nil {
					return err
				}
				return a.printAsIs(text)
			}
			return a.print(fmt.Sprintf("astrolabe %s %s/%s %s\n", version.String(), runtime.GOOS, runtime.GOARCH,
				runtime.Version()))
		},
	}
	cmd.Flags().BoolVar(&licences, "licences", false,
		"print the notices and licences of the works of others in this program")
	return cmd
}
