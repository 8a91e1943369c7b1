package hwtest

import (
	"encoding/binary"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pulse is how often a call that waits looks whether its program was killed or got a signal: neither wakes the
// supervisor.
const pulse = 20 * time.Millisecond

// Errors by which the kernel restarts an interrupted call once a signal is handled; never seen by programs where a
// signal is pending.
const errRestart = unix.Errno(512) // ERESTARTSYS

// wait waits until one of the descriptors is ready or the deadline has come (zero: none), and returns how many are. The
// error is what an interrupted call answers with. restart is for calls that go on by themselves after a handler with
// SA_RESTART.
func (c *trapped) wait(fds []unix.PollFd, deadline time.Time, restart bool) (int, error) {
	for {
		slice := pulse
		if !deadline.IsZero() {
			slice = max(0, min(slice, time.Until(deadline)))
		}
		ts := unix.NsecToTimespec(int64(slice))
		n, err := unix.Ppoll(fds, &ts, nil)
		switch {
		case err != nil && err != unix.EINTR:
			return 0, err
		case n > 0:
			return n, nil
		case !deadline.IsZero() && !time.Now().Before(deadline):
			return 0, nil
		}
		select {
		case <-c.s.stopping:
			return 0, unix.EINTR
		default:
		}
		if !c.s.listener.valid(c.id) {
			return 0, unix.EINTR // nobody waits for the answer
		}
		if st, err := readStatus(c.tid); err == nil && st.pending&^st.blocked != 0 {
			if restart && (st.threads == 1 || st.own&^st.blocked != 0) {
				// Surely this thread handles it, so the kernel turns the number into a restart or EINTR.
				return 0, errRestart
			}
			return 0, unix.EINTR
		}
	}
}

// pollCall looks at a poll or ppoll: nil where the kernel can do it, as no descriptor is one that cannot be polled
// itself.
func (c *trapped) pollCall() func() {
	n := c.args[1]
	if n == 0 || n > openLimit {
		return nil
	}
	b := make([]byte, 8*n)
	if c.mem.Read(c.args[0], b) != nil {
		return nil
	}
	any := false
	for i := range n {
		any = any || int32(binary.LittleEndian.Uint32(b[8*i:])) >= firstFD
	}
	if !any {
		return nil
	}
	return func() {
		defer c.proceed()
		c.poll(b)
	}
}

// poll waits in the program's stead: for its own descriptors by copies of them.
func (c *trapped) poll(b []byte) {
	t := c.s.table
	c.pid = t.tgid(c.tid)
	// Every file is held until the answer is there: another thread may close it meanwhile, and the kernel too lets a
	// poll end on the old file.
	files := make([]*openFile, len(b)/8)
	emulated := false
	for i := range files {
		if o := t.acquire(c.pid, int(int32(binary.LittleEndian.Uint32(b[8*i:])))); o != nil {
			defer t.done(o)
			files[i] = o
			emulated = emulated || o.poll
		}
	}
	if !emulated {
		return // numbers from firstFD on can also be the program's own files
	}
	deadline, err := c.pollDeadline()
	if err != nil {
		c.finish(0, err)
		return
	}
	pidfd, err := unix.PidfdOpen(c.pid, 0)
	if err != nil {
		c.finish(0, err)
		return
	}
	defer unix.Close(pidfd)
	fds, bad := make([]unix.PollFd, len(files)), 0
	for i := range fds {
		fd := int32(binary.LittleEndian.Uint32(b[8*i:]))
		fds[i] = unix.PollFd{Fd: -1, Events: int16(binary.LittleEndian.Uint16(b[8*i+4:]))}
		switch o := files[i]; {
		case fd < 0:
		case o != nil && o.poll:
			fds[i].Fd = int32(o.ready)
			fds[i].Events &= unix.POLLIN | unix.EPOLLRDNORM | unix.POLLPRI // the eventfd could also be written
		default:
			// A copy of the program's own descriptor, so that one wait serves both kinds, as the program asked.
			own, err := unix.PidfdGetfd(pidfd, int(fd), 0)
			if err != nil {
				fds[i].Revents = unix.POLLNVAL
				bad++
				continue
			}
			defer unix.Close(own)
			fds[i].Fd = int32(own)
		}
	}
	if bad > 0 {
		deadline = time.Now() // what is no descriptor is an answer already
	}
	// The wait writes over Revents.
	invalid := make([]bool, len(fds))
	for i := range fds {
		invalid[i] = fds[i].Revents != 0
	}
	n, err := c.wait(fds, deadline, false)
	if err != nil {
		c.finish(0, err)
		return
	}
	for i, o := range files {
		if invalid[i] {
			fds[i].Revents = unix.POLLNVAL
		} else if p, ok := fileOf(o).(Polled); ok && fds[i].Revents != 0 {
			// The eventfd says that something happened; what a poll of the file answers only the file knows.
			data, end := p.Polled()
			if fds[i].Revents = fds[i].Events; !data {
				fds[i].Revents = 0
			}
			if end {
				fds[i].Revents |= unix.POLLHUP
			}
			if fds[i].Revents == 0 {
				n-- // another thread's poll was told
			}
		}
		binary.LittleEndian.PutUint16(b[8*i+6:], uint16(fds[i].Revents))
	}
	c.finish(int64(n+bad), c.mem.Write(c.args[0], b))
}

func fileOf(o *openFile) File {
	if o == nil {
		return nil
	}
	return o.file
}

// pollDeadline reads the timeout of poll (milliseconds) or ppoll (a struct timespec); zero is none.
func (c *trapped) pollDeadline() (time.Time, error) {
	if c.nr == unix.SYS_POLL {
		ms := int32(c.args[2])
		if ms < 0 {
			return time.Time{}, nil
		}
		return time.Now().Add(time.Duration(ms) * time.Millisecond), nil
	}
	if c.args[2] == 0 {
		return time.Time{}, nil
	}
	var b [16]byte
	if err := c.mem.Read(c.args[2], b[:]); err != nil {
		return time.Time{}, err
	}
	sec, nsec := int64(binary.LittleEndian.Uint64(b[:])), int64(binary.LittleEndian.Uint64(b[8:]))
	if sec < 0 || nsec < 0 || nsec >= 1e9 {
		return time.Time{}, unix.EINVAL
	}
	if sec > 1e9 {
		return time.Time{}, nil
	}
	return time.Now().Add(time.Duration(sec)*time.Second + time.Duration(nsec)), nil
}

// epollCtl registers the file's eventfd in the program's epoll set, under the program's event data: the file's own
// memfd cannot be.
func (c *trapped) epollCtl(o *openFile) {
	pidfd, err := unix.PidfdOpen(c.pid, 0)
	if err != nil {
		c.finish(0, err)
		return
	}
	defer unix.Close(pidfd)
	set, err := unix.PidfdGetfd(pidfd, int(int32(c.args[0])), 0)
	if err != nil {
		c.finish(0, err)
		return
	}
	defer unix.Close(set)
	var ev unix.EpollEvent
	if c.args[3] != 0 {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&ev)), unsafe.Sizeof(ev))
		if err := c.mem.Read(c.args[3], b); err != nil {
			c.finish(0, err)
			return
		}
		ev.Events &^= unix.EPOLLOUT | unix.EPOLLWRNORM
	}
	c.finish(0, unix.EpollCtl(set, int(int32(c.args[1])), o.ready, &ev))
}
