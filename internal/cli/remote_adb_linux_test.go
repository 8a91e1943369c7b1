package cli

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest/programs"
)

// adbHost is the adbd of a Debian 13 on loopback, and an adb server of this test that knows it.
type adbHost struct {
	t      *testing.T
	dir    string
	serial string
	env    []string
	daemon *exec.Cmd
	root   string
	port   string
}

// startADB starts them, or skips.
func startADB(t *testing.T) *adbHost {
	t.Helper()
	root := os.Getenv("ASTROLABE_ADBD")
	if root == "" {
		t.Skip("SKIPPED: ASTROLABE_ADBD names no Debian 13 with adb and adbd (.ci/extra remote installs one)")
	}
	h := &adbHost{t: t, dir: t.TempDir(), root: root}
	_, h.port, _ = net.SplitHostPort(freeAddress(t))
	_, server, _ := net.SplitHostPort(freeAddress(t))
	h.serial = "127.0.0.1:" + h.port
	h.env = append(os.Environ(), "PATH="+h.dir+":"+os.Getenv("PATH"), "ANDROID_ADB_SERVER_PORT="+server, "HOME="+h.dir)
	// By the loader of that system, so that programs of another one run here, and see this machine.
	script := "#!/bin/sh\nexec " + strings.Join(h.foreign("adb"), " ") + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(h.dir, "adb"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	h.start(filepath.Join(h.dir, "adb"), "nodaemon", "server")
	h.daemon = h.startDaemon()
	waitFor(t, "a device", func() bool {
		_, _ = h.adb("connect", h.serial)
		out, _ := h.adb("devices")
		return strings.Contains(out, h.serial+"\tdevice")
	})
	return h
}

func (h *adbHost) foreign(program string) []string {
	lib := filepath.Join(h.root, "usr/lib/x86_64-linux-gnu")
	return []string{filepath.Join(h.root, "lib64/ld-linux-x86-64.so.2"), "--library-path",
		filepath.Join(h.root, "lib/x86_64-linux-gnu") + ":" + filepath.Join(lib, "android") + ":" + lib,
		filepath.Join(h.root, "usr/lib/android-sdk/platform-tools", program)}
}

func (h *adbHost) start(args ...string) *exec.Cmd {
	h.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(h.env, "ADBD_PORT="+h.port)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if h.t.Failed() {
			h.t.Logf("%s: %.3000s", filepath.Base(args[len(args)-1]), said.String())
		}
	})
	return cmd
}

func (h *adbHost) startDaemon() *exec.Cmd { return h.start(h.foreign("adbd")...) }

func (h *adbHost) adb(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(h.dir, "adb"), args...)
	cmd.Env = h.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (h *adbHost) command(args ...string) *exec.Cmd {
	args = append(args[:1:1], append([]string{"--binary", programs.Path(h.t, "./cmd/astrolabe-record"), "--remote-dir",
		filepath.Join(h.dir, "device it's")}, args[1:]...)...)
	cmd := exec.Command(programs.Path(h.t, "."), args...)
	cmd.Dir, cmd.Env = h.dir, h.env
	return cmd
}

func (h *adbHost) run(args ...string) (out, said string, status int) {
	h.t.Helper()
	cmd := h.command(args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		h.t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

func TestRemoteRecordingByADB(t *testing.T) {
	h := startADB(t)
	for _, which := range [][]string{{"--adb", h.serial}, {"--adb"}} {
		args := append([]string{"record", "--source", "procfs", "--duration", "300ms", "-o", "a.arrow"}, which...)
		out, said, status := h.run(args...)
		if status != 0 || out != "a.arrow\n" || !strings.Contains(said, "on "+h.serial) {
			t.Fatalf("%q: status %d, %q, %s", which, status, out, said)
		}
		if c := seamless(t, filepath.Join(h.dir, "a.arrow")); c.Len() < 3 || c.Axis.Measured() < 3e8 {
			t.Errorf("%q: %d samples over %d ns", which, c.Len(), c.Axis.Measured())
		}
	}
	hostile := "it's \"a\" $(touch pwned) \\ %s ;&|"
	if _, said, status := h.run("record", "--adb", "-o", "c.arrow", "--", "sh", "-c", `printf '<%s>\n' "$@"; exit 3`, "sh", hostile); status != 3 ||
		!strings.Contains(said, "<"+hostile+">\n") || !strings.Contains(said, "ended with status 3") {
		t.Errorf("status %d, %s", status, said)
	}
	if out, said, status := h.run("doctor", "--adb"); status != 0 || !strings.Contains(out, "procfs\n  yes") {
		t.Errorf("doctor: status %d, %s%s", status, out, said)
	}
	for want, args := range map[string][]string{
		"adb sees no device that is called nobody": {"--adb", "nobody"},
		"this device has no am":                    {"--adb", "--app", "com.example.game"},
		"is no package of Android":                 {"--adb", "--app", "com.example;reboot"},
	} {
		args = append([]string{"record", "--source", "procfs", "--duration", "1s"}, args...)
		if out, said, status := h.run(args...); status == 0 || !strings.Contains(said, want) {
			t.Errorf("%q: status %d, %s%s\nwant %s", args, status, out, said, want)
		}
	}
}

// The device goes away and comes back: adbd is killed and started again, as when a cable is pulled.
func TestRemoteADBLosesItsDevice(t *testing.T) {
	h := startADB(t)
	cmd := h.command("record", "--adb", h.serial, "--source", "procfs", "--period", "5ms", "-o", "gone.arrow")
	said, err := os.Create(filepath.Join(h.dir, "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd.Stderr = said
	says := func(what string) func() bool {
		return func() bool {
			text, err := os.ReadFile(said.Name())
			return err == nil && strings.Contains(string(text), what)
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.dir, "gone.arrow")
	size := func(path string) int64 {
		st, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return st.Size()
	}
	waitFor(t, "samples", func() bool { return size(path) > 10_000 })
	_ = h.daemon.Process.Kill()
	_ = h.daemon.Wait()
	waitFor(t, "word of the link", says("broke"))
	before := size(path)
	there := firstOf2(filepath.Glob(filepath.Join(h.dir, "device it's", "runs", "*", "out", "r.arrow")))
	waitFor(t, "samples on the device", func() bool { return size(there) > before+50_000 })
	h.daemon = h.startDaemon()
	waitFor(t, "the device", func() bool {
		_, _ = h.adb("connect", h.serial)
		return says("is back")()
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		text, _ := os.ReadFile(said.Name())
		t.Fatalf("%v: %s", err, text)
	}
	if seamless(t, path); size(path) < before+50_000 {
		t.Errorf("%d bytes, there were %d when the device went", size(path), before)
	}
	if left, err := filepath.Glob(filepath.Join(h.dir, "device it's", "runs", "*")); err != nil || len(left) != 0 {
		t.Errorf("%v, the device keeps %q", err, left)
	}
}
