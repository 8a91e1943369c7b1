package guests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// deviceTree is the tree of QEMU's arm64 machine with further nodes, a text that adds to the root: the tree is written
// out as a text and compiled again with them, by dtc. It returns the path of the new one.
func deviceTree(t testing.TB, nodes string) string {
	t.Helper()
	qemu, err := exec.LookPath("qemu-system-aarch64")
	if err != nil {
		t.Skipf("SKIPPED: %s is not installed (Debian's %s)", "qemu-system-aarch64", "qemu-system-arm")
	}
	dtc, err := exec.LookPath("dtc")
	if err != nil {
		t.Skipf("SKIPPED: %s is not installed (Debian's %s)", "dtc", "device-tree-compiler")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		var problems strings.Builder
		cmd.Stderr = &problems
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, problems.String())
		}
		return string(out)
	}
	plain, source, changed := filepath.Join(dir, "plain.dtb"), filepath.Join(dir, "changed.dts"),
		filepath.Join(dir, "changed.dtb")
	run(qemu, append(arm64Machine("dumpdtb="+plain), "-m", "1024", "-display", "none", "-nodefaults")...)
	text := run(dtc, "-q", "-I", "dtb", "-O", "dts", plain)
	if err := os.WriteFile(source, []byte(text+nodes), 0o600); err != nil {
		t.Fatal(err)
	}
	run(dtc, "-q", "-I", "dts", "-O", "dtb", "-o", changed, source)
	return changed
}
