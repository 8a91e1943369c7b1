//go:build linux

// Command agent is the first program of a guest. It mounts what programs expect and then does what the host asks over
// the console, a line of JSON each way (see package guests).
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/hwtest/guests/wire"
)

func main() {
	for _, m := range [][2]string{{"devtmpfs", "/dev"}, {"proc", "/proc"}, {"sysfs", "/sys"},
		{"tracefs", "/sys/kernel/tracing"}} {
		if err := unix.Mount(m[0], m[1], m[0], 0, ""); err != nil {
			fmt.Println("mount", m[1], err)
		}
	}
	_ = os.Setenv("PATH", "/bin") // cannot fail
	console, err := os.OpenFile("/dev/console", os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	raw(console)
	// Only what ends the kernel may come between the agent's lines.
	_ = os.WriteFile("/proc/sys/kernel/printk", []byte("1 4 1 1"), 0)
	a := &agent{out: console, running: map[int]*exec.Cmd{}}
	a.answer(wire.Answer{})
	in := bufio.NewReader(console)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			panic(err)
		}
		var r wire.Request
		if err := json.Unmarshal(line, &r); err != nil {
			a.answer(wire.Answer{ID: -1, Error: fmt.Sprintf("%v: %q", err, line)})
			continue
		}
		go a.do(r)
	}
}

// raw makes the console hand on bytes as they are: no echo, no limit of a line.
func raw(console *os.File) {
	t, err := unix.IoctlGetTermios(int(console.Fd()), unix.TCGETS)
	if err != nil {
		return
	}
	t.Iflag, t.Oflag, t.Lflag = 0, 0, 0
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	_ = unix.IoctlSetTermios(int(console.Fd()), unix.TCSETS, t)
}

type agent struct {
	mu      sync.Mutex
	out     io.Writer
	running map[int]*exec.Cmd
}

func (a *agent) answer(r wire.Answer) {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintf(a.out, "\n%s%s\n", wire.Mark, line)
}

func (a *agent) do(r wire.Request) {
	out := wire.Answer{ID: r.ID}
	var err error
	switch {
	case len(r.Start) > 0:
		if err = a.start(r); err == nil {
			return // its end is the answer
		}
	case r.Signal != 0:
		a.mu.Lock()
		cmd := a.running[r.To]
		a.mu.Unlock()
		switch {
		case cmd == nil:
			err = fmt.Errorf("program %d does not run", r.To)
		case r.Threads:
			err = signalThreads(cmd.Process.Pid, syscall.Signal(r.Signal))
		default:
			err = cmd.Process.Signal(syscall.Signal(r.Signal))
		}
	case r.Read != "":
		out.Data, err = compressed(r.Read)
	case r.Write != "":
		err = os.WriteFile(r.Write, []byte(r.Text), 0o600)
	case r.Module != "":
		err = load(r.Module, r.Options)
	case r.Remove != "":
		err = unix.DeleteModule(r.Remove, unix.O_NONBLOCK)
	default:
		err = fmt.Errorf("nothing is asked for")
	}
	if err != nil {
		out.Error = err.Error()
	}
	a.answer(out)
}

func compressed(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func signalThreads(pid int, signal syscall.Signal) error {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return err
	}
	for _, t := range threads {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			return err
		}
		if err := unix.Tgkill(pid, tid, signal); err != nil && err != syscall.ESRCH { // it has just ended
			return err
		}
	}
	return nil
}

func (a *agent) start(r wire.Request) error {
	cmd := exec.Command(r.Start[0], r.Start[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir = &stdout, &stderr, "/tmp"
	cmd.Env = append([]string{"PATH=/bin", "HOME=/tmp", "TMPDIR=/tmp"}, r.Env...)
	if err := cmd.Start(); err != nil {
		return err
	}
	a.mu.Lock()
	a.running[r.ID] = cmd
	a.mu.Unlock()
	go func() {
		_ = cmd.Wait() // the status says it
		a.mu.Lock()
		delete(a.running, r.ID)
		a.mu.Unlock()
		a.answer(wire.Answer{ID: r.ID, Ended: true, Exit: cmd.ProcessState.ExitCode(), Output: stdout.Bytes(),
			Errors: stderr.Bytes()})
	}()
	return nil
}

// load loads a module that may be compressed as Debian's are.
func load(path, options string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	flags := 0
	if filepath.Ext(path) != ".ko" {
		flags = unix.MODULE_INIT_COMPRESSED_FILE
	}
	return unix.FinitModule(int(f.Fd()), options, flags)
}
