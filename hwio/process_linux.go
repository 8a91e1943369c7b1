//go:build linux

package hwio

import (
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// watchProcess calls exited when the process ends. The returned function stops watching.
func watchProcess(pid int, exited func()) (stop func(), err error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil, fmt.Errorf("there is no process %d", pid)
	}
	alive := func() bool { return unix.Kill(pid, 0) != unix.ESRCH }
	if err != nil {
		// Linux before 5.3 has no such descriptor.
		if fd = -1; !alive() {
			return nil, fmt.Errorf("there is no process %d", pid)
		}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if fd >= 0 {
			defer unix.Close(fd)
		}
		for {
			select {
			case <-done:
				return
			default:
			}
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(fds, 100)
			if (err == nil && n > 0) || (fd < 0 && !alive()) {
				exited()
				return
			}
		}
	})
	var once sync.Once
	return func() { once.Do(func() { close(done); wg.Wait() }) }, nil
}
