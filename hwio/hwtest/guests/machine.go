package guests

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"astrolabe/hwio/hwtest/guests/wire"
	"astrolabe/hwio/hwtest/programs"
)

// Options say what boots.
type Options struct {
	Kernel  string            // the name of a folder of ASTROLABE_GUESTS, which begins with its architecture: arm64 or amd64
	Files   map[string][]byte // further files, by their absolute paths; the program is /bin/astrolabe
	Modules []string          // paths of the kernel's modules below its folder, as kernel/drivers/...: they lie in /modules under their last name
	Machine []string          // further arguments of QEMU
	Boot    string            // further parameters of the kernel
}

// Machine is a guest that has booted.
type Machine struct {
	t       testing.TB
	name    string
	cmd     *exec.Cmd
	console net.Conn
	ctx     context.Context

	mu   sync.Mutex
	next int
	wait map[int]chan wire.Answer
	said []string // lines of the kernel's, the last ones
	dead error
}

// limit is the longest that a guest may take for one answer. It guards against hanging.
const limit = 3 * time.Minute

// Boot boots a kernel, and skips the test where it or QEMU is absent. The guest ends with the test.
func Boot(t testing.TB, o Options) *Machine {
	t.Helper()
	root := os.Getenv("ASTROLABE_GUESTS")
	if root == "" {
		t.Skip("SKIPPED: guests boot only where ASTROLABE_GUESTS names a folder of kernels, as .ci/extra guests does")
	}
	arch, _, _ := strings.Cut(o.Kernel, "-")
	qemu, pkg, base := "qemu-system-aarch64", "qemu-system-arm", arm64Machine("")
	tty := "ttyAMA0"
	if arch == "amd64" {
		// QEMU 7.2 sometimes loses the processor's flags in an instruction (cmpxchg16b) that Linux uses where there is
		// one, and the guest ends in a double fault.
		qemu, pkg, base, tty = "qemu-system-x86_64", "qemu-system-x86",
			[]string{"-machine", "pc", "-cpu", "max,-cx16"}, "ttyS0"
	}
	path, err := exec.LookPath(qemu)
	if err != nil {
		t.Skipf("SKIPPED: %s is not installed (Debian's %s)", qemu, pkg)
	}
	folder := filepath.Join(root, o.Kernel)
	if _, err := os.Stat(filepath.Join(folder, "vmlinuz")); err != nil {
		t.Skipf("SKIPPED: the kernel %s could not be had: %v", o.Kernel, err)
	}
	dir := t.TempDir()
	files := map[string][]byte{}
	put := func(name, from string) {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	put("/init", programs.PathFor(t, "astrolabe/hwio/hwtest/guests/agent", arch))
	put("/bin/astrolabe", programs.PathFor(t, "astrolabe", arch))
	put("/bin/sh", filepath.Join(folder, "busybox"))
	for _, m := range o.Modules {
		put("/modules/"+filepath.Base(m), filepath.Join(folder, "modules", m))
	}
	for name, data := range o.Files {
		files[name] = data
	}
	initrd := filepath.Join(dir, "initrd")
	if err := os.WriteFile(initrd, archive(files), 0o600); err != nil {
		t.Fatal(err)
	}
	// The socket's path must be short, which those of tests are not.
	sockets, err := os.MkdirTemp("", "guest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	socket := filepath.Join(sockets, "console")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	args := append(base, "-m", "1024", "-display", "none", "-nodefaults", "-no-user-config", "-no-reboot",
		"-chardev", "socket,id=console,path="+socket, "-serial", "chardev:console",
		"-kernel", filepath.Join(folder, "vmlinuz"), "-initrd", initrd,
		"-append", "console="+tty+" quiet panic=-1 "+o.Boot)
	args = append(args, o.Machine...)
	ctx, cancel := context.WithCancel(context.Background())
	m := &Machine{t: t, name: o.Kernel, cmd: exec.CommandContext(ctx, path, args...), ctx: ctx,
		wait: map[int]chan wire.Answer{}}
	var problems strings.Builder
	m.cmd.Stdout, m.cmd.Stderr = &problems, &problems
	ready := make(chan wire.Answer, 1)
	m.wait[0] = ready
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = m.cmd.Wait() // that it has ended is what matters: who waits for an answer says so
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if m.console != nil {
			m.console.Close()
		}
		if t.Failed() {
			m.mu.Lock()
			defer m.mu.Unlock()
			t.Logf("the guest's kernel said last:\n%s\n%s", strings.Join(m.said, "\n"), problems.String())
		}
	})
	accepted := make(chan net.Conn, 1)
	go func() {
		if c, err := listener.Accept(); err == nil {
			accepted <- c
		}
	}()
	select {
	case m.console = <-accepted:
	case <-ended:
		t.Fatalf("QEMU ended at once: %s", problems.String())
	}
	go m.listen()
	if a := m.answer(ready); a.Error != "" {
		t.Fatalf("the guest does not start: %s", a.Error)
	}
	m.name += " (" + strings.TrimSpace(m.Text("/proc/sys/kernel/osrelease")) + ")"
	return m
}

// Name is the kernel's, with its version.
func (m *Machine) Name() string { return m.name }

// LoadModule loads a module with parameters.
func LoadModule(path, options string) wire.Request {
	return wire.Request{Module: path, Options: options}
}

// RemoveModule unloads a module that nobody uses.
func RemoveModule(name string) wire.Request { return wire.Request{Remove: name} }

// WriteFile writes to a file that is there, such as a setting of the kernel's.
func WriteFile(path, text string) wire.Request { return wire.Request{Write: path, Text: text} }

// arm64Machine is QEMU's arguments for an arm64 guest, with further properties of the machine.
func arm64Machine(properties string) []string {
	return []string{"-machine", strings.TrimSuffix("virt,gic-version=3,"+properties, ","), "-cpu", "cortex-a57"}
}

// listen takes in what comes over the console until it ends.
func (m *Machine) listen() {
	in := bufio.NewReaderSize(m.console, 1<<20)
	for {
		line, err := in.ReadString('\n')
		m.mu.Lock()
		if at := strings.Index(line, wire.Mark); at >= 0 {
			var a wire.Answer
			if jerr := json.Unmarshal([]byte(line[at+len(wire.Mark):]), &a); jerr != nil {
				m.said = append(m.said, fmt.Sprintf("not an answer (%v): %s", jerr, line))
			} else if c := m.wait[a.ID]; c != nil {
				delete(m.wait, a.ID)
				c <- a
			}
		} else if line = strings.TrimSpace(line); line != "" {
			if m.said = append(m.said, line); len(m.said) > 200 {
				m.said = m.said[100:]
			}
		}
		if err != nil {
			if m.dead = err; errors.Is(err, io.EOF) {
				m.dead = errors.New("the guest has ended")
			}
			for id, c := range m.wait {
				delete(m.wait, id)
				c <- wire.Answer{Error: m.dead.Error()}
			}
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
	}
}

func (m *Machine) answer(c chan wire.Answer) wire.Answer {
	m.t.Helper()
	select {
	case a := <-c:
		return a
	case <-time.After(limit):
		m.t.Fatalf("the guest has not answered for %v", limit)
		return wire.Answer{}
	}
}

// send writes a request and returns where its answer will come.
func (m *Machine) send(r wire.Request) (int, chan wire.Answer) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	r.ID = m.next
	c := make(chan wire.Answer, 1)
	m.wait[r.ID] = c
	line, err := json.Marshal(r)
	if err == nil && m.dead == nil {
		_, err = m.console.Write(append(line, '\n'))
	}
	if err = errors.Join(err, m.dead); err != nil {
		m.t.Fatalf("ask the guest: %v", err)
	}
	return r.ID, c
}

// Ask sends a request that must succeed.
func (m *Machine) Ask(r wire.Request) wire.Answer {
	m.t.Helper()
	_, c := m.send(r)
	a := m.answer(c)
	if a.Error != "" {
		r.Text = ""
		m.t.Fatalf("%+v: %s", r, a.Error)
	}
	return a
}

// Program is one that runs in the guest.
type Program struct {
	m    *Machine
	id   int
	c    chan wire.Answer
	args []string
}

// Start starts a program.
func (m *Machine) Start(args ...string) *Program {
	m.t.Helper()
	id, c := m.send(wire.Request{Start: args})
	return &Program{m, id, c, args}
}

// Signal sends it a signal.
func (p *Program) Signal(number int) {
	p.m.t.Helper()
	p.m.Ask(wire.Request{Signal: number, To: p.id})
}

// SignalThreads sends a signal to each of its threads.
func (p *Program) SignalThreads(number int) {
	p.m.t.Helper()
	p.m.Ask(wire.Request{Signal: number, To: p.id, Threads: true})
}

// Try sends a request that may fail, and returns the error.
func (m *Machine) Try(r wire.Request) string {
	m.t.Helper()
	_, c := m.send(r)
	return m.answer(c).Error
}

// Wait waits for its end.
func (p *Program) Wait() wire.Answer {
	p.m.t.Helper()
	a := p.m.answer(p.c)
	if a.Error != "" {
		p.m.t.Fatalf("%q: %s", p.args, a.Error)
	}
	return a
}

// Run runs a program to its end, with any status.
func (m *Machine) Run(args ...string) wire.Answer {
	m.t.Helper()
	return m.Start(args...).Wait()
}

// Must is Run of a program that must succeed; it returns its standard output.
func (m *Machine) Must(args ...string) string {
	m.t.Helper()
	a := m.Run(args...)
	if a.Exit != 0 {
		m.t.Fatalf("%q exits with %d:\n%s%s", args, a.Exit, a.Output, a.Errors)
	}
	return string(a.Output)
}

// Text is what a file of the guest's holds.
func (m *Machine) Text(name string) string {
	m.t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(m.Ask(wire.Request{Read: name}).Data))
	if err != nil {
		m.t.Fatalf("%s: %v", name, err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		m.t.Fatalf("%s: %v", name, err)
	}
	return string(data)
}

// Fetch copies a file of the guest's to a file of this machine's and returns its path.
func (m *Machine) Fetch(name string) string {
	m.t.Helper()
	to := filepath.Join(m.t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(to, []byte(m.Text(name)), 0o600); err != nil {
		m.t.Fatal(err)
	}
	return to
}
