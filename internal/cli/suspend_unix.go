//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// suspend stops the program and what it began, as Ctrl-Z does, until the shell lets it go on. Where no shell would, the
// kernel ignores the signal, and it goes on at once.
func suspend() {
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select { // the signal may reach the program a little later than kill returns
	case <-resumed:
	case <-time.After(time.Second):
	}
}
