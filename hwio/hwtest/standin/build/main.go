// Command build makes standin.so and standin-gpa.so in the root of the repository. go generate ./hwio/hwtest/... runs
// it. Where there is no C compiler it says so and succeeds: the tests that need the libraries skip.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"astrolabe/hwio/hwtest/standin"
)

func main() {
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		if !errors.Is(err, standin.ErrNoCompiler) {
			os.Exit(1)
		}
	}
}

func build() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return errors.New("run it within astrolabe's source")
		}
		dir = filepath.Dir(dir)
	}
	for name, source := range map[string]string{"standin.so": standin.Rocprofiler, "standin-gpa.so": standin.GPA} {
		if err := standin.Build(filepath.Join(dir, name), source); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "standin: built", filepath.Join(dir, name))
	}
	return nil
}
