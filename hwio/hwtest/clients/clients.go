// Package clients runs programs that are not ours on emulated devices: a reader and a model that share a mistake agree
// with each other, and another program's author has read neither. Tests say what they compared, which .ci/extra prints
// as a table. Only tests import it.
package clients

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
)

// Path finds an installed program, and skips the test where there is none. pkg is the package of Debian that has it.
func Path(t testing.TB, program, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("SKIPPED: %s is not installed (Debian's %s)", program, pkg)
	}
	return path
}

// Debian13 finds the path of a program that Debian has from 13 on, and what stands before it on the command line: where
// the system is older, the loader of a Debian 13 in a folder, which .ci/extra makes. pkg is the package that has it.
func Debian13(t testing.TB, program, pkg string) (path string, before []string) {
	t.Helper()
	const variable = "ASTROLABE_DEBIAN13"
	root := os.Getenv(variable)
	if root == "" {
		pkg += " of Debian 13, or one in a root that " + variable + " names"
		if olderDebian() { // it may have an older program of that name
			t.Skipf("SKIPPED: %s is not installed (Debian's %s)", program, pkg)
		}
		return Path(t, program, pkg), nil
	}
	if _, err := os.Stat(root + "/usr/bin/" + program); err != nil {
		t.Skipf("SKIPPED: %s is not installed (Debian's %s, in the root that %s names)", program, pkg, variable)
	}
	return Path(t, root+"/lib64/ld-linux-x86-64.so.2", "debootstrap"),
		[]string{"--library-path", root + "/usr/lib/x86_64-linux-gnu", root + "/usr/bin/" + program}
}

// olderDebian reports whether this system is a Debian before 13.
func olderDebian() bool {
	text, err := os.ReadFile("/etc/debian_version")
	if err != nil {
		return false
	}
	var major int
	n, _ := fmt.Sscanf(string(text), "%d", &major)
	return n == 1 && major < 13
}

// Options are those of an emulation whose end is not the program's own.
type Options struct {
	Device    hwtest.Device
	Scenarios []string
	Seed      uint64
	EndAfter  int // as in hwtest.Options; 0: the program ends by itself
	Exit      int // the exit status that is wanted
}

// Run runs a program on a device and returns what it printed. It fails the test where the exit status is another than
// wanted.
func Run(t testing.TB, o Options, path string, args ...string) (*hwtest.Result, string) {
	t.Helper()
	cmd := exec.Command(path, args...)
	cmd.Dir = t.TempDir()
	r, out := emulated.Run(t, hwtest.Options{Device: o.Device, Settings: hwtest.Settings{Scenarios: o.Scenarios,
		Seed: o.Seed}, Cmd: cmd, EndAfter: o.EndAfter})
	if r.Exit != o.Exit {
		t.Fatalf("%s %q exits with %d, want %d:\n%s", path, args, r.Exit, o.Exit, out)
	}
	return r, out
}

// Comparison counts the values of one client on one device that were held against the truth.
type Comparison struct {
	t               testing.TB
	compared, equal int
}

// Compare begins a comparison, which is logged as a row of the table when the test ends. One of no values is a failure.
func Compare(t testing.TB, client, device string) *Comparison {
	c := &Comparison{t: t}
	t.Cleanup(func() {
		if t.Skipped() {
			return
		}
		if c.compared == 0 {
			t.Errorf("nothing of %s on %s was compared", client, device)
		}
		t.Logf("CLIENT | %s | %s | %d | %d", client, device, c.compared, c.equal)
	})
	return c
}

// Equal holds a value that the client printed against what it should be.
func (c *Comparison) Equal(what string, got, want any) {
	c.t.Helper()
	c.count(fmt.Sprint(got) == fmt.Sprint(want), what, got, want)
}

// Within holds a number against one that it may differ from by so much, as by the rounding of what is printed.
func (c *Comparison) Within(what string, got, want, by float64) {
	c.t.Helper()
	c.count(math.Abs(got-want) <= by, what, got, want)
}

func (c *Comparison) count(equal bool, what string, got, want any) {
	c.t.Helper()
	c.compared++
	if equal {
		c.equal++
		return
	}
	c.t.Errorf("%s is %v, want %v", what, got, want)
}
