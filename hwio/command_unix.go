//go:build unix

package hwio

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

var terminateSignal os.Signal = syscall.SIGTERM

var passed = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1,
	syscall.SIGUSR2}

// fromTerminal reports whether the command has got the signal too: a terminal sends Ctrl-C and Ctrl-\ to every
// process in the foreground.
func fromTerminal(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func exitOf(err error, st *os.ProcessState) *Exit {
	if st == nil {
		return &Exit{Code: 125}
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return &Exit{Code: 128 + int(ws.Signal()), Signal: unix.SignalName(ws.Signal())}
	}
	if _, bad := err.(*exec.ExitError); err != nil && !bad && st.ExitCode() == 0 {
		return &Exit{Code: 125} // its output could not be copied
	}
	return &Exit{Code: st.ExitCode()}
}
