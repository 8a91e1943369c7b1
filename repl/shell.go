package repl

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
)

// isShell reports whether an entry is a command of the shell.
func isShell(entry string) bool { return strings.HasPrefix(strings.TrimSpace(entry), "!") }

// shell runs a line behind ! in the user's shell, with the terminal where there is one. What it prints is no part of
// what :save writes.
func (s *Session) shell(line string) error {
	switch {
	case !s.cfg.Shell:
		return errors.New("! runs a command of the shell, where the session was started as astrolabe --allow-exec; the opposite of x is not x")
	case isBlank(line):
		return errors.New("! needs a command, such as !ls")
	}
	cmd := shellCommand(line)
	if c := s.console; c != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, c.talk
	} else {
		cmd.Stdout, cmd.Stderr = s.cfg.Out, s.cfg.Talk
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() < 0:
		_, err = fmt.Fprintf(s.cfg.Talk, "%v\n", exit)
	case errors.As(err, &exit):
		_, err = fmt.Fprintf(s.cfg.Talk, "exit status %d\n", exit.ExitCode())
	case err != nil:
		err = fmt.Errorf("!%s: %w", line, err)
	}
	return err
}

func shellCommand(line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.Command("cmd", "/C", line)
	}
	return exec.Command("/bin/sh", "-c", line)
}

// inColor writes what write writes in a style, where the session's terminal shows colours.
func (s *Session) inColor(look style, write func() error) error {
	if s.console == nil || !s.look.colors.Load() {
		return write()
	}
	io.WriteString(s.console.talk, look.on())
	defer io.WriteString(s.console.talk, styleOff)
	return write()
}
