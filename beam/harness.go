package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// harnessArgs reports whether a runner has started the program: as its own boot program (--environment=process), or
// as the worker of Beam's (docker, Dataflow). Runners give arguments of Beam and no command.
func harnessArgs(args []string) bool {
	for _, arg := range args {
		if strings.HasPrefix(arg, "--provision_endpoint=") || arg == "--worker=true" || arg == "--worker" {
			return true
		}
	}
	return false
}

// runHarness works for a runner until it has nothing more to do.
func runHarness(args []string) int {
	ids := map[string]string{}
	for _, arg := range args {
		if name, value, ok := strings.Cut(strings.TrimLeft(arg, "-"), "="); ok {
			ids[name] = strings.Trim(value, "'") // prism quotes them
		}
	}
	if ids["provision_endpoint"] == "" {
		if err := flag.CommandLine.Parse(args); err != nil {
			fmt.Fprintf(os.Stderr, "astrolabe-beam: %v\n", err)
			return 2
		}
		beam.Init() // does not return
		return 1
	}
	if err := serveRunner(ids); err != nil {
		fmt.Fprintf(os.Stderr, "astrolabe-beam: %v\n", err)
		return 1
	}
	return 0
}

// serveRunner asks the runner where it listens, and does what it says.
func serveRunner(ids map[string]string) error {
	if err := flag.CommandLine.Parse(nil); err != nil {
		return err
	}
	beam.Init()
	ctx := grpcx.WriteWorkerID(context.Background(), ids["id"])
	info, err := tools.ProvisionInfo(ctx, ids["provision_endpoint"])
	if err != nil {
		return fmt.Errorf("ask the runner what to do: %w", err)
	}
	logging, control := info.GetLoggingEndpoint().GetUrl(), info.GetControlEndpoint().GetUrl()
	if logging == "" {
		logging = ids["logging_endpoint"]
	}
	if control == "" {
		control = ids["control_endpoint"]
	}
	return harness.MainWithOptions(ctx, logging, control, harness.Options{
		StatusEndpoint: info.GetStatusEndpoint().GetUrl(), RunnerCapabilities: info.GetRunnerCapabilities()})
}
