package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// SSH is a link by the user's ssh program, with its configuration, keys, agents and hosts in between.
type SSH struct {
	host    string
	control string // folder of the connection that several commands share, "" where that does not work
}

// NewSSH returns a link to a host, as ssh takes it. Nothing is tried yet.
func NewSSH(host string) (*SSH, error) {
	switch {
	case host == "" || strings.HasPrefix(host, "-") || strings.ContainsAny(host, "\x00\n\r"):
		return nil, fmt.Errorf("%q is no host: ssh would take it for something else", host)
	}
	if _, err := exec.LookPath("ssh"); err != nil {
		return nil, fmt.Errorf("no ssh program is found (%w): install OpenSSH's client", err)
	}
	s := &SSH{host: host}
	if runtime.GOOS != "windows" {
		// Paths of sockets are short: not below the user's own folders.
		if dir, err := os.MkdirTemp("", "astrolabe-ssh-"); err == nil && len(dir) < 60 {
			s.control = dir
		}
	}
	return s, nil
}

// Name is the host.
func (s *SSH) Name() string { return s.host }

// Folders are the user's folder of caches, and then what everybody may write to.
func (s *SSH) Folders() []Folder {
	return []Folder{{Words: `"${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/astrolabe"`},
		{Words: `/tmp/astrolabe-"$(id -u)"`, Shared: true}, {Words: `/var/tmp/astrolabe-"$(id -u)"`, Shared: true},
		{Words: `/dev/shm/astrolabe-"$(id -u)"`, Shared: true}}
}

// command is ssh with a script for the host's sh. Shells of users differ (fish, csh): what they see are letters, digits
// and backslashes between single quotes, which mean the same to all of them.
func (s *SSH) command(ctx context.Context, script string) *exec.Cmd {
	var octal strings.Builder
	for i := range len(script) {
		if script[i] == '%' {
			octal.WriteString("%%")
		} else {
			fmt.Fprintf(&octal, `\%03o`, script[i])
		}
	}
	args := append(s.options(), "-T", "--", s.host, `sh -c 'eval "$(printf "`+octal.String()+`")"'`)
	cmd := exec.CommandContext(ctx, "ssh", args...)
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// options find out within 15 s that nobody answers any more, and let commands share a connection.
func (s *SSH) options() []string {
	o := []string{"-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3"}
	if s.control != "" {
		o = append(o, "-o", "ControlMaster=auto", "-o", "ControlPersist=60",
			"-o", "ControlPath="+filepath.Join(s.control, "%C"))
	}
	return o
}

// failed words how ssh ended. 255 is ssh's own status.
func (s *SSH) failed(err error, said string) error {
	said = strings.TrimSpace(said)
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 255 || exit.ExitCode() < 0) {
		if said == "" {
			said = "the connection broke off"
		}
		return broken("ssh %s: %s", s.host, said)
	}
	if said != "" {
		return fmt.Errorf("ssh %s: %s", s.host, said)
	}
	return fmt.Errorf("ssh %s: %w", s.host, err)
}

// Run runs a script. It comes before Push and Open, and may ask for a password, which programs in the background cannot.
func (s *SSH) Run(ctx context.Context, script string) (string, error) {
	cmd := s.command(ctx, marked(script))
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil {
		return "", s.failed(err, words.String())
	}
	return outcome(out.String())
}

// Push copies a file through the shell: not every host has what scp wants.
func (s *SSH) Push(ctx context.Context, file, to string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := s.command(ctx, "exec 2>&1; cat >"+quote(to))
	ownGroup(cmd)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = f, &said, &said
	if err := cmd.Run(); err != nil {
		return s.failed(err, said.String())
	}
	return nil
}

// Open runs a script as a stream.
func (s *SSH) Open(ctx context.Context, script string) (Stream, error) {
	cmd := s.command(ctx, script)
	ownGroup(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	st := &sshStream{s: s, Reader: out, WriteCloser: in, cmd: cmd}
	cmd.Stderr = &st.words
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return st, nil
}

// Close ends the shared connection.
func (s *SSH) Close() {
	if s.control == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, "ssh", append(s.options(), "-O", "exit", "--", s.host)...)
	ownGroup(cmd)
	_ = cmd.Run() // there may be none
	os.RemoveAll(s.control)
}

type sshStream struct {
	s *SSH
	io.Reader
	io.WriteCloser
	cmd   *exec.Cmd
	words tail
	once  sync.Once
}

// Close ends ssh, and with it the program on the host.
func (st *sshStream) Close() error {
	st.once.Do(func() {
		st.WriteCloser.Close()
		_ = st.cmd.Process.Kill()
		_ = st.cmd.Wait()
	})
	return nil
}

// Why is what ssh said last.
func (st *sshStream) Why() string { return st.words.String() }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 2000

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if more := len(t.text) - tailBytes; more > 0 {
		t.text = append(t.text[:0], t.text[more:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
