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

// MissingError says that the second program was not found.
type MissingError struct{ Reason string }

func (e *MissingError) Error() string { return e.Reason + "; " + BuildHint }

// Find looks for the second program: the path in ASTROLABE_VENDORLIB, beside this program, in PATH. It returns a *MissingError.
func Find() (string, error) {
	if path := os.Getenv(Variable); path != "" {
		if st, err := os.Stat(path); err != nil || st.IsDir() {
			return "", &MissingError{fmt.Sprintf("%s is %s, where there is no program", Variable, path)}
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
	return "", &MissingError{fmt.Sprintf("%s, the program that loads vendors' libraries, was not found beside astrolabe or in PATH", Program)}
}
