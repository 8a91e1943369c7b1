package remote

import (
	"os/exec"
	"syscall"
)

// createNewProcessGroup is CREATE_NEW_PROCESS_GROUP of Windows.
const createNewProcessGroup = 0x200

// ownGroup keeps Ctrl-C from a program: it ends the recording there, over the link.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: createNewProcessGroup}
}
