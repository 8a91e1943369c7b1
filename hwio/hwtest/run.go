package hwtest

import (
	"os"
	"os/exec"
)

// Unprivileged is a scenario of every device: the program is taken to lack CAP_PERFMON and CAP_SYS_ADMIN, whoever runs it.
const Unprivileged = "unprivileged"

// General are the scenarios that every device has, because the machine plays them.
func General() []Scenario {
	return []Scenario{{Unprivileged, "the program has neither CAP_PERFMON nor CAP_SYS_ADMIN, even as root"}}
}

// Options say what to run on which device.
type Options struct {
	Device   Device
	Settings Settings
	// Cmd is the program, not yet started. Run starts it by way of this very executable, so it rewrites Path and Args and adds to Env
	// and ExtraFiles; Process and ProcessState are set as by Start and Wait.
	Cmd *exec.Cmd
	// Signals are passed on to the program. Those of the terminal reach it anyway, as it is of the same process group.
	Signals <-chan os.Signal
	// LogLimit is the most entries of the log of calls that are kept: half of it the first ones, half the last. 0 means 20000.
	LogLimit int
}

// Result is how an emulation went.
type Result struct {
	Exit  int     // exit status of the program, 128+N where signal N ended it
	Calls []Entry // what it asked of the emulated paths and files, in the order of the answers
	Truth any     // of the device
}
