//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C from a program: it ends the recording there, over the link.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
