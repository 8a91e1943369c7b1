package main

import (
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/spf13/cobra"

	"astrolabe/internal/cli"
)

// serverCommand is prism as a job server for other machines and programs.
func serverCommand() *cobra.Command {
	port, log := 0, ""
	cmd := &cobra.Command{
		Use:   "server",
		Short: "Serve jobs: prism, Beam's own runner, for --endpoint of others",
		Long: "Runs prism as a job server until it is interrupted. It listens on all addresses of this machine and asks " +
			"nobody who they are: whoever\nreaches the port can run programs here.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if port < 1 || port > 65535 {
				return cli.Usagef("--port=%d: give a port from 1 to 65535", port)
			}
			h, err := quiet(log)
			if err != nil {
				return err
			}
			if _, err := prism.CreateJobServer(cmd.Context(), prism.Options{Port: port}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "prism listens on port %d\n", port)
			<-cmd.Context().Done()
			return h.close()
		},
	}
	cmd.Flags().IntVar(&port, "port", 8073, "the `PORT` to listen on")
	cmd.Flags().StringVar(&log, "log", "", "write what Beam says to `FILE`")
	return cmd
}
