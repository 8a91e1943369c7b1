package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"astrolabe/internal/version"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return a.print(fmt.Sprintf("astrolabe %s %s/%s %s\n", version.String(), runtime.GOOS, runtime.GOARCH, runtime.Version()))
		},
	}
}
