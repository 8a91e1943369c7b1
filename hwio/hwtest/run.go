package hwtest

import (
	"os"
	"os/exec"
	"sync"
)

// Unprivileged is a scenario of every device: the program is taken to lack CAP_PERFMON and CAP_SYS_ADMIN, whoever runs
// it.
const Unprivileged = "unprivileged"

// General are the scenarios that every device has, because the machine plays them.
func General() []Scenario {
	return []Scenario{{Unprivileged, "the program has neither CAP_PERFMON nor CAP_SYS_ADMIN, even as root"}}
}

// Options say what to run on which device.
type Options struct {
	Device   Device
	Settings Settings
	// Cmd is the program, not yet started. Run starts it by way of this very executable, so it rewrites Path and Args
	// and adds to Env and ExtraFiles; Process and ProcessState are set as by Start and Wait.
	Cmd *exec.Cmd
	// Signals are passed on to the program. Those of the terminal reach it anyway, as it is of the same process group.
	Signals <-chan os.Signal
	// EndAfter is after how many answers of the device the program gets EndBy; 0 never. What counts as an answer stands
	// at Settings.Answered.
	EndAfter int
	EndBy    os.Signal // SIGINT where nil
	// LogLimit is the most entries of the log of calls that are kept: half of it the first ones, half the last. 0 means
	// 20000.
	LogLimit int
}

// count makes the device's answers end the program. It returns the signals that are due.
func (o *Options) count() <-chan os.Signal {
	if o.EndAfter == 0 {
		return nil
	}
	due, sig := make(chan os.Signal, 1), o.EndBy
	if sig == nil {
		sig = os.Interrupt
	}
	var once sync.Once
	o.Settings.Answered = func(n int) {
		if n >= o.EndAfter {
			once.Do(func() { due <- sig })
		}
	}
	return due
}

// Result is how an emulation went.
type Result struct {
	Exit  int     // exit status of the program, 128+N where signal N ended it
	Calls []Entry // what it asked of the emulated paths and files, in the order of the answers
	Truth any     // of the device
}
