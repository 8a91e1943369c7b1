package cli

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest/programs"
)

// sshHost is an OpenSSH server of this test on loopback, and a proxy before it that can cut its connections.
type sshHost struct {
	t     *testing.T
	dir   string
	cache string // XDG_CACHE_HOME there
	path  string // PATH with an ssh that has the configuration

	mu     sync.Mutex
	cut    bool
	conns  map[net.Conn]bool
	target string
}

// startSSH starts a server, or skips.
func startSSH(t *testing.T) *sshHost {
	t.Helper()
	sshd, err := exec.LookPath("sshd")
	if err != nil {
		if sshd = "/usr/sbin/sshd"; !isFile(sshd) {
			t.Skip("SKIPPED: sshd is not installed (Debian's openssh-server)")
		}
	}
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("SKIPPED: ssh is not installed (Debian's openssh-client)")
	}
	h := &sshHost{t: t, dir: t.TempDir(), conns: map[net.Conn]bool{}}
	h.cache = filepath.Join(h.dir, "cache")
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", h.file(key)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // which sshd wants of root
			t.Fatal(err)
		}
	}
	h.target = freeAddress(t)
	_, port, _ := net.SplitHostPort(h.target)
	h.write("sshd_config", fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\n"+
		"PermitRootLogin yes\nPidFile none\nUsePAM no\nPasswordAuthentication no\nSetEnv XDG_CACHE_HOME=%s\n",
		port, h.file("host"), h.file("user.pub"), h.cache))
	server := exec.Command(sshd, "-D", "-e", "-f", h.file("sshd_config"))
	var said bytes.Buffer
	server.Stdout, server.Stderr = &said, &said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", said.String())
		}
	})
	proxy := h.proxy()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(proxy)
	h.write("config", fmt.Sprintf("Host board\nHostName 127.0.0.1\nPort %s\nUser %s\nIdentityFile %s\nIdentitiesOnly yes\n"+
		"StrictHostKeyChecking no\nUserKnownHostsFile %s\nLogLevel ERROR\n", port, me.Username, h.file("user"), h.file("known")))
	h.write("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", ssh, h.file("config")))
	if err := os.Chmod(h.file("bin/ssh"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.path = h.file("bin") + ":" + os.Getenv("PATH")
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", h.target)
		if err == nil {
			c.Close()
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("sshd does not answer: %v: %s", err, said.String())
		}
	}
	return h
}

func isFile(path string) bool { st, err := os.Stat(path); return err == nil && st.Mode().IsRegular() }

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (h *sshHost) file(name string) string { return filepath.Join(h.dir, name) }

func (h *sshHost) write(name, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.file(name)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.file(name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// proxy hands connections on to the server, unless the link is cut.
func (h *sshHost) proxy() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { l.Close(); h.setCut(true) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", h.target)
			if err != nil {
				c.Close()
				continue
			}
			h.mu.Lock()
			if h.cut {
				c.Close()
				to.Close()
			} else {
				h.conns[c], h.conns[to] = true, true
			}
			h.mu.Unlock()
			for _, p := range [][2]net.Conn{{c, to}, {to, c}} {
				go func() {
					_, _ = io.Copy(p[0], p[1])
					p[0].Close()
					p[1].Close()
				}()
			}
		}
	}()
	return l.Addr().String()
}

// setCut cuts all connections, and new ones, or lets new ones through.
func (h *sshHost) setCut(cut bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cut = cut
	if cut {
		for c := range h.conns {
			c.Close()
		}
		clear(h.conns)
	}
}

// command is astrolabe with an ssh that knows the host board.
func (h *sshHost) command(args ...string) *exec.Cmd {
	record := programs.Path(h.t, "./cmd/astrolabe-record")
	for i, arg := range args {
		if arg == "--ssh" && !slices.Contains(args, "--binary") {
			args = append(args[:i:i], append([]string{"--binary", record}, args[i:]...)...)
			break
		}
	}
	cmd := exec.Command(programs.Path(h.t, "."), args...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "PATH="+h.path)
	return cmd
}

// run runs astrolabe and returns what it printed, and said.
func (h *sshHost) run(args ...string) (out, said string, status int) {
	h.t.Helper()
	cmd := h.command(args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		h.t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// runs are the recordings that the host has.
func (h *sshHost) runs() []string {
	h.t.Helper()
	list, err := filepath.Glob(filepath.Join(h.cache, "astrolabe", "runs", "*"))
	if err != nil {
		h.t.Fatal(err)
	}
	return list
}

// seamless opens a capture, in which every sample begins where the one before it ends.
func seamless(t *testing.T, path string) *capture.Capture {
	t.Helper()
	c, err := all.Registry().Open(t.Context(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < c.Len(); i++ {
		if c.Axis.Start[i] != c.Axis.End[i-1] {
			t.Errorf("%s: sample %d begins at %d, the one before it ends at %d", path, i, c.Axis.Start[i], c.Axis.End[i-1])
			break
		}
	}
	return c
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	for began := time.Now(); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 3*time.Minute {
			t.Fatalf("in vain for three minutes: %s", what)
		}
	}
}

func TestRemoteRecordingBySSH(t *testing.T) {
	h := startSSH(t)
	for _, round := range []string{"the program is copied", "the program is there"} {
		out, said, status := h.run("record", "--ssh", "board", "--source", "procfs", "--duration", "300ms", "-o", "a.arrow")
		if status != 0 || out != "a.arrow\n" || !strings.Contains(said, "on board") {
			t.Fatalf("%s: status %d, %q, %s", round, status, out, said)
		}
		if c := seamless(t, h.file("a.arrow")); c.Len() < 3 || c.Axis.Measured() < 3e8 || c.Counter("cpu_user") == nil {
			t.Errorf("%s: %d samples over %d ns", round, c.Len(), c.Axis.Measured())
		}
	}
	if left := h.runs(); len(left) != 0 {
		t.Errorf("the host keeps %q", left)
	}
	program, err := os.ReadFile(programs.Path(t, "./cmd/astrolabe-record"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(program)
	there, err := filepath.Glob(filepath.Join(h.cache, "astrolabe", "bin", "*"))
	if err != nil || len(there) != 1 || filepath.Base(there[0]) != "astrolabe-record-"+hex.EncodeToString(sum[:8]) {
		t.Errorf("%v, the host has the programs %q", err, there)
	}

	// A program that was damaged there is copied once more.
	h.write("damaged", string(append(program, 0)))
	if err := errors.Join(os.Chmod(h.file("damaged"), 0o700), os.Rename(h.file("damaged"), there[0])); err != nil {
		t.Fatal(err)
	}
	if out, said, status := h.run("doctor", "--ssh", "board"); status != 0 || !strings.Contains(out, "procfs\n  yes") {
		t.Errorf("doctor: status %d, %s%s", status, out, said)
	}
	if now, err := os.ReadFile(there[0]); err != nil || !bytes.Equal(now, program) {
		t.Errorf("%v, the damaged program is there still", err)
	}
}

func TestRemoteWordsStayWords(t *testing.T) {
	h := startSSH(t)
	hostile := "it's \"a\" $(touch pwned) `touch pwned` \\ %s ;&|<>*? #~ ünï"
	dir := filepath.Join(h.dir, hostile)
	_, said, status := h.run("record", "--ssh", "board", "--remote-dir", dir, "-o", "c.arrow", "--", "sh", "-c",
		`printf '<%s>\n' "$@"; exit 3`, "sh", hostile, "", "-x", "two\nlines")
	want := "<" + hostile + ">\n<>\n<-x>\n<two\nlines>\n"
	if status != 3 || !strings.Contains(said, want) || !strings.Contains(said, "ended with status 3") {
		t.Errorf("status %d, %s\nwant %s", status, said, want)
	}
	if c := seamless(t, h.file("c.arrow")); c.Len() == 0 {
		t.Error("no samples")
	}
	if !isFile(filepath.Join(dir, "bin", filepath.Base(firstOf2(filepath.Glob(filepath.Join(h.dir, "it*", "bin", "*")))))) {
		t.Error("the program is not where it was to go")
	}
	home, _ := os.UserHomeDir()
	for _, at := range []string{h.dir, home} {
		if isFile(filepath.Join(at, "pwned")) {
			t.Errorf("a name was run, in %s", at)
		}
	}
	for _, host := range []string{"-oProxyCommand=touch pwned", "-V", "a\nb"} {
		if out, said, status := h.run("record", "--ssh="+host, "--duration", "1s"); status != 1 || !strings.Contains(said, "is no host") {
			t.Errorf("%q: status %d, %s%s", host, status, out, said)
		}
	}
}

func firstOf2(list []string, err error) string {
	if err != nil || len(list) == 0 {
		return ""
	}
	return list[0]
}

func TestRemoteCtrlCEndsTheRecordingThere(t *testing.T) {
	h := startSSH(t)
	cmd := h.command("record", "--ssh", "board", "--source", "procfs", "--split", "1s", "-o", "parts")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the second part", func() bool { return isFile(h.file("parts/part-0002.arrow")) })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, said.String())
	}
	if c := seamless(t, h.file("parts")); c.Len() < 100 || len(h.runs()) != 0 {
		t.Errorf("%d samples; the host keeps %q", c.Len(), h.runs())
	}
	if said, err := repairing(t, h.file("parts")); err != nil || strings.Contains(said, "gets its") {
		t.Errorf("%v, the parts are not complete: %s", err, said)
	}
}

func TestRemoteFaultsSayWhatToDo(t *testing.T) {
	h := startSSH(t)
	program, err := os.ReadFile(programs.Path(t, "./cmd/astrolabe-record"))
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint16(program[18:], uint16(elf.EM_RISCV)) // e_machine
	h.write("wrong", string(program))
	for want, args := range map[string][]string{
		"and the device is " + runtime.GOARCH: {"--ssh", "board", "--binary", h.file("wrong")},
		"no folder that takes the program":    {"--ssh", "board", "--remote-dir", "/proc/self"},
		"Could not resolve hostname":          {"--ssh", "no-such-host.invalid"},
		"give --ssh HOST or --adb too":        {"--resume"},
		"no source is called \"nothing\"":     {"--ssh", "board", "--source", "nothing"},
		"judge on this machine only":          {"--ssh", "board", "--last", "2s", "--limit", "a < 1"},
	} {
		args = append([]string{"record", "--duration", "1s"}, args...)
		if out, said, status := h.run(args...); status == 0 || !strings.Contains(said, want) {
			t.Errorf("%q: status %d, %s%s\nwant %s", args, status, out, said, want)
		}
	}
	if left := h.runs(); len(left) != 0 {
		t.Errorf("the host keeps %q", left)
	}
}

// A link that is cut, silently for who records, costs no sample: recording goes on there, and what was missed comes
// afterwards.
func TestRemoteLinkIsCut(t *testing.T) {
	h := startSSH(t)
	cmd := h.command("record", "--ssh", "board", "--source", "procfs", "--period", "5ms", "-o", "cut.arrow")
	said, err := os.Create(h.file("said"))
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
	size := func() int64 {
		st, err := os.Stat(h.file("cut.arrow"))
		if err != nil {
			return 0
		}
		return st.Size()
	}
	waitFor(t, "samples", func() bool { return size() > 10_000 })
	h.setCut(true)
	waitFor(t, "word of the link", says("the link to board broke"))
	before := size()
	// The file of the host grows while the link is cut.
	waitFor(t, "samples on the host", func() bool {
		st, err := os.Stat(filepath.Join(firstOf2(h.runs(), nil), "out", "r.arrow"))
		return err == nil && st.Size() > before+100_000
	})
	if size() != before {
		t.Error("the file here grew though the link is cut")
	}
	h.setCut(false)
	waitFor(t, "the link's return", says("the link to board is back"))
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		text, _ := os.ReadFile(said.Name())
		t.Fatalf("%v: %s", err, text)
	}
	if c := seamless(t, h.file("cut.arrow")); size() < before+100_000 || len(h.runs()) != 0 || c.Len() == 0 {
		t.Errorf("%d bytes here, the host keeps %q", size(), h.runs())
	}
}

// Who records is killed: its file opens, the host records on, and --resume fetches all of it.
func TestRemoteRecordingOutlivesWhoAskedForIt(t *testing.T) {
	h := startSSH(t)
	cmd := h.command("record", "--ssh", "board", "--source", "procfs", "--duration", "8s", "-o", "k.arrow")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "samples", func() bool {
		st, err := os.Stat(h.file("k.arrow"))
		return err == nil && st.Size() > 20_000
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	part := seamless(t, h.file("k.arrow"))
	// A file that is somebody else's is not written to.
	if err := os.WriteFile(h.file("other.arrow"), []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said, status := h.run("record", "--ssh", "board", "--resume", "-o", "other.arrow"); status == 0 || !strings.Contains(said, "is not what board recorded") {
		t.Errorf("status %d, %s", status, said)
	}
	out, said, status := h.run("record", "--ssh", "board", "--resume")
	if status != 0 || !strings.Contains(out, "k.arrow") {
		t.Fatalf("status %d, %s%s", status, out, said)
	}
	whole := seamless(t, h.file("k.arrow"))
	if whole.Axis.Measured() < 8e9 || whole.Len() <= part.Len() || len(h.runs()) != 0 {
		t.Errorf("%d samples over %d ns, %d when it was killed; the host keeps %q", whole.Len(), whole.Axis.Measured(), part.Len(), h.runs())
	}
	if said, err := repairing(t, h.file("k.arrow")); err != nil || !strings.Contains(said, "is whole") {
		t.Errorf("%v, %s", err, said)
	}
	if _, said, status := h.run("record", "--ssh", "board", "--resume"); status != 0 || !strings.Contains(said, "no recording is left") {
		t.Errorf("status %d, %s", status, said)
	}
}

// The recorder on the host is killed: what it had written is all here, and repair completes it.
func TestRemoteRecorderIsKilled(t *testing.T) {
	h := startSSH(t)
	cmd := h.command("record", "--ssh", "board", "--source", "procfs", "--duration", "10m", "-o", "dead.arrow")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "samples", func() bool {
		st, err := os.Stat(h.file("dead.arrow"))
		return err == nil && st.Size() > 20_000
	})
	run := firstOf2(h.runs(), nil)
	text, err := os.ReadFile(filepath.Join(run, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.Open(filepath.Join(run, "out", "r.arrow")) // before it is removed
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil || pid <= 1 {
		t.Fatalf("the recorder is process %q", text)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(said.String(), "was killed") {
		t.Errorf("%v: %s", err, said.String())
	}
	want, err := io.ReadAll(there)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(h.file("dead.arrow")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v: %d bytes here, the host had %d", err, len(got), len(want))
	}
	if said, err := repairing(t, h.file("dead.arrow")); err != nil || !strings.Contains(said, "gets its footer") {
		t.Errorf("%v, %s", err, said)
	}
}

// Nobody comes back: a recording without an end of its own ends by itself, and says so.
func TestRemoteRecordingThatNobodyFollowsEnds(t *testing.T) {
	h := startSSH(t)
	cmd := h.command("record", "--ssh", "board", "--source", "procfs", "--reconnect", "2s", "-o", "lone.arrow")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "samples", func() bool { return isFile(h.file("lone.arrow")) })
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	waitFor(t, "its end", func() bool { return isFile(filepath.Join(firstOf2(h.runs(), nil), "ended")) })
	if out, said, status := h.run("record", "--ssh", "board", "--resume"); status != 0 || !strings.Contains(said, "nobody had followed it for 2s") {
		t.Errorf("status %d, %s%s", status, out, said)
	}
}
