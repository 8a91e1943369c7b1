//go:build linux

// Command astrolabe-record is the part of astrolabe that records, for phones, boards and servers: astrolabe record --ssh
// and --adb bring it there. It reads counters and writes native captures; it has no formulas, scripts or charts.
package main

import (
	"os"

	"astrolabe/internal/remote/device"
)

func main() { os.Exit(device.Main(os.Args[1:])) }
