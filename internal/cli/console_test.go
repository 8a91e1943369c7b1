//go:build linux

package cli

import (
	"encoding/base64"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// console is the built program on a pseudo-terminal, as a person has it.
type console struct {
	t   *testing.T
	cmd *exec.Cmd
	pty *os.File

	mu   sync.Mutex
	text string // what was shown and the test has not looked at
	grew chan struct{}
}

// openConsole starts a session in dir. answer, if not empty, is what the terminal says when it is asked for its
// attributes.
func openConsole(t *testing.T, exe, dir, answer string, env []string, args ...string) *console {
	t.Helper()
	cmd := exec.Command(exe, args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "KITTY_WINDOW_ID", "TMUX", "STY", "TERM_PROGRAM", "LC_TERMINAL", "KONSOLE_VERSION", "WT_SESSION",
			graphicsVariable:
		default:
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "TERM=xterm", "NO_COLOR=1", "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "TMPDIR="+dir)
	cmd.Env = append(cmd.Env, env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	c := &console{t: t, cmd: cmd, pty: tty, grew: make(chan struct{}, 1)}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := tty.Read(buf)
			c.mu.Lock()
			c.text += string(buf[:n])
			c.mu.Unlock()
			if answer != "" && strings.Contains(string(buf[:n]), "\x1b[c") {
				tty.WriteString(answer)
			}
			select {
			case c.grew <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		tty.Close()
	})
	return c
}

// wait returns what was shown up to the end of a pattern.
func (c *console) wait(pattern string) string {
	c.t.Helper()
	re := regexp.MustCompile(pattern)
	for {
		c.mu.Lock()
		text := c.text
		c.mu.Unlock()
		if at := re.FindStringIndex(text); at != nil {
			c.mu.Lock()
			c.text = c.text[at[1]:]
			c.mu.Unlock()
			return text[:at[1]]
		}
		select {
		case <-c.grew:
		case <-time.After(stuck):
			c.t.Fatalf("%q was not shown; since the last match there was %.3000q", pattern, text)
		}
	}
}

// prompted is the prompt of an empty line.
const prompted = `>>> ( \x08|\x1b\[[0-9;?]*[a-zA-Z])*$`

// enter types a line and returns what came before the next prompt. What was typed is not part of it.
func (c *console) enter(line string) string {
	c.t.Helper()
	c.send(line + "\r")
	c.wait(`\r\n(\x1b\[\?2004l)?`)
	return c.wait(prompted)
}

func (c *console) send(keys string) {
	c.t.Helper()
	if _, err := c.pty.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// A session copies its last table to the clipboard of the terminal, and shows pictures in the look that it is told.
func TestASessionCopiesTablesAndHasATheme(t *testing.T) {
	s := openConsole(t, built(t), t.TempDir(), "", []string{graphicsVariable + "=kitty"})
	s.wait(prompted)
	s.enter(`t = capture.from_columns({"a": [1, 2]}, period = "1ms").summary()`)
	s.enter("t")
	out := s.enter(":copy")
	_, rest, ok := strings.Cut(out, "\x1b]52;c;")
	encoded, _, ended := strings.Cut(rest, "\a")
	text, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || !ended || err != nil || !strings.HasPrefix(string(text), "name,unit,") {
		t.Errorf("%q, %v: %q", out, err, text)
	}
	if !strings.Contains(out, "1 rows as csv") {
		t.Errorf("it says %q", out)
	}
	pixel := func() string {
		t.Helper()
		out := s.enter(`plot.bar({"a": 1}).show(width = 200, height = 150)`)
		_, data, _ := strings.Cut(out, "\x1b_G")
		if data == "" {
			t.Fatalf("no picture: %q", out)
		}
		return data
	}
	light := pixel()
	if out := s.enter(":theme dark"); !strings.Contains(out, "theme = dark") {
		t.Errorf("%q", out)
	}
	if pixel() == light {
		t.Error("the dark picture is the light one")
	}
	s.enter(":theme light")
	if pixel() != light {
		t.Error("it does not come back to the light one")
	}
}
