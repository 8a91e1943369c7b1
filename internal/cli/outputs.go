package cli

import (
	"fmt"
	"os"

	"astrolabe/capture/formats"
)

// checkOutputs finds out whether files could be written, before the work whose results they take. The empty path is no
// output.
func checkOutputs(paths ...string) error {
	for _, p := range paths {
		if p == "" {
			continue
		}
		if err := formats.CheckOutput(p); err != nil {
			return err
		}
	}
	return nil
}

// checkKept finds out whether a recording could be written to a path, and be opened again.
func checkKept(path string) error {
	if st, err := os.Stat(path); err == nil && !st.IsDir() && !st.Mode().IsRegular() {
		return fmt.Errorf("write %s: it is no regular file, from which the recording could be read again", path)
	}
	return formats.CheckOutput(path)
}
