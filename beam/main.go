// Command astrolabe-beam runs the scripts of astrolabe over many captures on the runners of Apache Beam.
//
// It is a module of its own, because Beam brings some hundred packages that the main program must not have. A job is a
// folder or a prefix in a bucket (see job): the work, the captures in chunks, and what came of each chunk. What goes
// through the runner is the numbers of chunks, and for aggregate the sketches of groups.
package main

//go:generate go run astrolabe/internal/notices/build notices.txt.gz astrolabe/beam

import (
	"os"

	"astrolabe/internal/cli"
)

func main() {
	if harnessArgs(os.Args[1:]) {
		os.Exit(runHarness(os.Args[1:]))
	}
	os.Exit(cli.Fleet(os.Args[1:], &engine{}))
}
