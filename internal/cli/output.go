package cli

import (
	"os"

	"astrolabe/capture/formats"
)

// output is standard output. It remembers that something could not be written, because what a script prints has nobody to hand an error to: a
// program that says nothing of it and ends well would have lost its results.
type output struct {
	file   *os.File
	failed error // of the first write that failed
}

// Write writes to standard output.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if err = formats.WriteError("standard output", err); err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}
