package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/hwio"
)

func (a *app) markCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "mark --to PATH LINE…",
		Short: "Put a mark, region or frame into a recording under way",
		Long: "Writes one line to the FIFO of a recording that was started with record --marks PATH: NAME for " +
			"something that happened, begin NAME and\n" +
			"end NAME for a region, frame [N] where a frame starts. The time is now, unless the line is led by one " +
			"in ns of CLOCK_MONOTONIC.",
		Example: "  astrolabe mark --to /tmp/marks begin loading",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("nothing to write: give NAME, begin NAME, end NAME or frame [N]")
			}
			if to == "" {
				return usagef("--to PATH is missing: the FIFO of a recording, as in: astrolabe record --marks PATH")
			}
			if err := hwio.ParseMark(strings.Join(args, " ")); err != nil {
				return usagef("%v", err)
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return hwio.SendMark(to, strings.Join(args, " ")) },
	}
	cmd.Flags().StringVar(&to, "to", "", "the `PATH` of the FIFO")
	return cmd
}
