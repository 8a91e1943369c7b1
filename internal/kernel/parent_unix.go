//go:build !windows

package kernel

import (
	"os"
	"time"
)

// Parent is closed when the program that started this one is gone, which it named in JPY_PARENT_PID; nil where nobody
// did. The system tells by giving the orphan another parent.
func Parent() <-chan struct{} {
	first := os.Getppid()
	if os.Getenv(parentVariable) == "" || first == 1 { // the first process of a container takes all with it
		return nil
	}
	gone := make(chan struct{})
	go func() {
		for os.Getppid() == first {
			time.Sleep(time.Second)
		}
		close(gone)
	}()
	return gone
}
