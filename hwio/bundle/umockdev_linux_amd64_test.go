package bundle_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/devices"
)

// described makes a bundle on a model machine and returns the path of its file for umockdev-run, and its text.
func described(t *testing.T, device string) (path, text string) {
	t.Helper()
	m, err := devices.Find(device)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(archived(t, hwtest.Options{Device: m.New()}, "--duration", "50ms"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	in, err := z.Open("sysfs.umockdev")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "sysfs.umockdev")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path, string(data)
}

// mock runs a program that sees only the devices of the file.
func mock(t *testing.T, path string, args ...string) string {
	t.Helper()
	var complaints bytes.Buffer
	cmd := exec.Command("umockdev-run", append([]string{"--device", path, "--"}, args...)...)
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, complaints.Bytes())
	}
	return string(out)
}

func needs(t *testing.T, program, debian string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("SKIPPED: %s is not installed (Debian's %s)", program, debian)
	}
}

var (
	cards         = []string{"gfx1151", "gfx942", "lnl", "tgl", "lnl-and-bmg"}
	mockedDevices = append([]string{"mali-g720", "panfrost"}, cards...)
)

func TestUdevadmSeesTheBundlesDevices(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	needs(t, "umockdev-run", "umockdev")
	needs(t, "udevadm", "udev")
	for _, name := range mockedDevices {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, text := described(t, name)
			seen := 0
			for device := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
				lines := strings.Split(device, "\n")
				place := strings.TrimPrefix(lines[0], "P: ")
				own, _, _ := strings.Cut(mock(t, path, "udevadm", "info", "--attribute-walk", "--path", "/sys"+place), "looking at parent")
				said := mock(t, path, "udevadm", "info", "--query=property", "--path", "/sys"+place)
				for _, line := range lines[1:] {
					kind, rest, _ := strings.Cut(line, ": ")
					name, value, _ := strings.Cut(rest, "=")
					switch kind {
					case "A":
						value = strings.TrimSuffix(value, `\n`)
						if strings.Contains(value, `\n`) {
							continue // udevadm prints no values of several lines
						}
						if want := fmt.Sprintf("ATTR{%s}==%q", name, value); !strings.Contains(own, want) {
							t.Errorf("%s: no %s in\n%s", place, want, own)
						}
						seen++
					case "E":
						if !strings.Contains(said, rest+"\n") {
							t.Errorf("%s: no %s in\n%s", place, rest, said)
						}
						seen++
					}
				}
			}
			if seen < 8 {
				t.Errorf("udevadm shows %d facts", seen)
			}
		})
	}
}

func TestLspciSeesTheBundlesCards(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations run in real time")
	}
	needs(t, "umockdev-run", "umockdev")
	needs(t, "lspci", "pciutils")
	hex := func(t *testing.T, text, name string) string {
		m := regexp.MustCompile(`(?m)^A: ` + name + `=0x([0-9a-f]+)\\n$`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s in\n%s", name, text)
		}
		return m[1]
	}
	for _, name := range cards {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, text := described(t, name)
			said := mock(t, path, "lspci", "-n", "-vmm")
			got := strings.Split(strings.TrimSpace(said), "\n\n")
			n := 0
			for device := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
				if !strings.Contains(device, "\nE: SUBSYSTEM=pci\n") {
					continue
				}
				want := []string{"Class:\t" + hex(t, device, "class")[:4], "Vendor:\t" + hex(t, device, "vendor"), "Device:\t" + hex(t, device, "device"),
					"SVendor:\t" + hex(t, device, "subsystem_vendor"), "SDevice:\t" + hex(t, device, "subsystem_device")}
				if r := hex(t, device, "revision"); r != "00" { // which lspci leaves out
					want = append(want, "Rev:\t"+r)
				}
				for _, w := range want {
					if n >= len(got) || !strings.Contains(got[n]+"\n", w+"\n") {
						t.Errorf("card %d: no %q in\n%s", n, w, said)
					}
				}
				n++
			}
			if n == 0 || n != len(got) {
				t.Errorf("%d cards, lspci says\n%s", n, said)
			}
		})
	}
}
