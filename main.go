// Command astrolabe is a workbench for hardware performance counters: it records them, reads them from files, and
// answers questions about them in Starlark.
package main

//go:generate go run ./capture/formats/all/build
//go:generate go run ./internal/intelgen
//go:generate go run ./capture/metrics/pack
//go:generate go run ./internal/docgen
//go:generate go run ./internal/notices/build internal/notices/notices.txt.gz astrolabe astrolabe/hwio/vendorlib

import (
	"os"

	"astrolabe/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
