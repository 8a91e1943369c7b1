package vendorproc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Variable is the environment variable with the path of the second program.
const Variable = "ASTROLABE_VENDORLIB"

// BuildHint is how the second program is made.
const BuildHint = "build it in astrolabe's source with: go build -o astrolabe-vendorlib ./hwio/vendorlib, and put it beside astrolabe or into PATH"

// find looks for the second program: the path in ASTROLABE_VENDORLIB, beside this program, in PATH. Its error is an
// *Error with ProgramMissing.
func find() (string, error) {
	if path := os.Getenv(Variable); path != "" {
		if st, err := os.Stat(path); err != nil || st.IsDir() {
			return "", missing("%s is %s, where there is no program", Variable, path)
		}
		return filepath.Abs(path)
	}
	name := Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		path := filepath.Join(filepath.Dir(self), name)
		if st, err := os.Stat(path); err == nil && !st.IsDir() {
			return path, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return filepath.Abs(path)
	}
	return "", missing("%s, the program that loads vendors' libraries, was not found beside astrolabe or in PATH", Program)
}

func missing(format string, args ...any) error {
	return &Error{Kind: ProgramMissing, Text: fmt.Sprintf(format, args...)}
}
