package cpupmu

import (
	"os"

	"golang.org/x/sys/unix"
)

// onEnd calls f when a process ends, unless the device is stopped before. The end of a thread that leads no process is
// not told of.
func (d *device) onEnd(pid int, f func()) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return
	}
	ends := os.NewFile(uintptr(fd), "pidfd")
	conn, err := ends.SyscallConn()
	if err != nil {
		_ = ends.Close()
		return
	}
	d.waits = append(d.waits, ends)
	d.waiters.Go(func() {
		// It fails where the device is stopped and closes the file.
		if conn.Read(ended) == nil {
			f()
		}
	})
}

// ended reports whether a process that a pidfd stands for has.
func ended(fd uintptr) bool {
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(p, 0)
	return err == nil && n == 1
}
