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
			if licences && a.engine != nil {
				text, err := a.engine.Notices()
				if err != nil {
					return err
				}
				return a.printAsIs(text)
			}
			if licences {
				return a.printAsIs(notices.Text)
			}
			return a.print(fmt.Sprintf("astrolabe %s %s/%s %s\n", version.String(), runtime.GOOS, runtime.GOARCH,
				runtime.Version()))
		},
	}
	cmd.Flags().BoolVar(&licences, "licences", false,
		"print the notices and licences of the works of others in this program")
	return cmd
}
