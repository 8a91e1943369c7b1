package hwtest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/hwtest/uapi"
)

func isFDCall(nr int32) bool {
	return slices.ContainsFunc(fdCalls, func(c struct{ nr, arg uint32 }) bool { return c.nr == uint32(nr) })
}

// fdCall answers a call whose descriptor has a number from firstFD on.
func (c *trapped) fdCall() {
	defer c.proceed() // what nobody answered is the kernel's
	t := c.s.table
	t.reap() // what a process that ended has left open must be closed before another of its number comes
	c.pid = t.tgid(c.tid)
	fd := int(int32(c.args[0]))
	switch c.nr {
	// These change the table itself, so that the file must not be held meanwhile.
	case unix.SYS_CLOSE:
		c.close(fd)
		return
	case unix.SYS_DUP2, unix.SYS_DUP3:
		c.dupTo(fd, int(int32(c.args[1])))
		return
	case unix.SYS_EPOLL_CTL:
		fd = int(int32(c.args[2]))
	case unix.SYS_MMAP:
		fd = int(int32(c.args[4]))
	}
	o := t.acquire(c.pid, fd)
	if o == nil {
		return
	}
	defer t.done(o)
	if o.at != nil && c.nr != unix.SYS_EPOLL_CTL {
		c.namedCall(o)
		return
	}
	switch c.nr {
	case unix.SYS_IOCTL:
		c.ioctl(o)
	case unix.SYS_READ:
		c.read("read", o, []span{{c.args[1], c.args[2]}})
	case unix.SYS_READV:
		if spans, err := c.spans(c.args[1], c.args[2]); err != nil {
			c.finish(0, err)
		} else {
			c.read("readv", o, spans)
		}
	case unix.SYS_WRITE, unix.SYS_WRITEV:
		c.record("write", o.name, 0, unix.EINVAL)
	case unix.SYS_PREAD64:
		p, ok := o.file.(Positioned)
		if !ok {
			c.finish(0, unix.ESPIPE)
			return
		}
		data, err := p.ReadAt(c.call(), int(min(c.args[2], 1<<24)), int64(c.args[3]))
		if err == nil {
			err = c.mem.Write(c.args[1], data)
		}
		c.record("pread", o.name, int64(len(data)), err)
	case unix.SYS_PREADV, unix.SYS_PREADV2, unix.SYS_PWRITE64, unix.SYS_LSEEK:
		c.finish(0, unix.ESPIPE) // the files of drivers have no position
	case unix.SYS_FSTAT:
		c.finish(0, c.putStat(c.args[1], o))
	case unix.SYS_DUP:
		c.dup(o, firstFD, false)
	case unix.SYS_FCNTL:
		// All else works on the open file as it is.
		if cmd := int(int32(c.args[1])); cmd == unix.F_DUPFD || cmd == unix.F_DUPFD_CLOEXEC {
			c.dup(o, int(int32(c.args[2])), cmd == unix.F_DUPFD_CLOEXEC)
		}
	case unix.SYS_MMAP:
		if m, ok := o.file.(Mapper); ok {
			err := m.Map(c.args[1], c.args[5], c.args[2]&unix.PROT_WRITE != 0)
			c.s.log.add(Entry{PID: c.pid, Call: "mmap", What: o.name, Detail: fmt.Sprintf("%d bytes", c.args[1])})
			if err != nil {
				c.finish(0, err)
			}
		}
	case unix.SYS_EPOLL_CTL:
		if o.poll {
			c.epollCtl(o)
		}
	}
}

// Requests that the kernel answers for every file, from asm-generic/ioctls.h.
const fionclex, fioclex, fionbio, fioasync = 0x5450, 0x5451, 0x5421, 0x5452

func (c *trapped) ioctl(o *openFile) {
	request := uint32(c.args[1])
	switch request {
	case fionclex, fioclex, fionbio, fioasync:
		return
	}
	v, err := o.file.Ioctl(c.call(), request, c.args[2])
	c.record("ioctl", uapi.IoctlName(request), v, err)
}

// span is a piece of the program's memory.
type span struct{ addr, n uint64 }

// spans reads an array of struct iovec.
func (c *trapped) spans(addr, n uint64) ([]span, error) {
	if n > 1024 { // UIO_MAXIOV
		return nil, unix.EINVAL
	}
	b := make([]byte, 16*n)
	if err := c.mem.Read(addr, b); err != nil {
		return nil, err
	}
	out := make([]span, n)
	for i := range out {
		out[i] = span{binary.LittleEndian.Uint64(b[16*i:]), binary.LittleEndian.Uint64(b[16*i+8:])}
	}
	return out, nil
}

// maxRead bounds what a single read may ask of a model.
const maxRead = 64 << 20

// read waits for data where the program did not ask for EAGAIN.
func (c *trapped) read(name string, o *openFile, to []span) {
	n := uint64(0)
	for _, s := range to {
		n = min(n+min(s.n, maxRead), maxRead)
	}
	call := c.call()
	for {
		data, err := o.file.Read(call, int(n))
		if err == nil {
			if uint64(len(data)) > n {
				c.s.trouble(fmt.Errorf("the model's %s answered a read of %d bytes with %d", o.name, n, len(data)))
				data = data[:n]
			}
			c.record(name, o.name, int64(len(data)), c.scatter(to, data))
			return
		}
		if !errors.Is(err, unix.EAGAIN) || o.readiness == nil || o.nonblocking() {
			c.record(name, o.name, 0, err)
			return
		}
		if o.readiness.Ready() {
			time.Sleep(time.Millisecond) // it says that there is something and has nothing: do not spin
		}
		_, err = c.wait([]unix.PollFd{{Fd: int32(o.ready), Events: unix.POLLIN}}, time.Time{}, true)
		if err != nil {
			c.finish(0, err)
			return
		}
	}
}

func (c *trapped) scatter(to []span, data []byte) error {
	for _, s := range to {
		k := min(s.n, uint64(len(data)))
		if err := c.mem.Write(s.addr, data[:k]); err != nil {
			return err
		}
		data = data[k:]
	}
	return nil
}

func (c *trapped) close(fd int) {
	o := c.s.table.acquire(c.pid, fd)
	if o == nil {
		return
	}
	c.s.log.add(Entry{PID: c.pid, Call: "close", What: o.name})
	c.s.table.done(o)
	c.s.table.remove(c.pid, fd)
}

// closeRange forgets what the kernel is about to close.
func (c *trapped) closeRange() {
	defer c.proceed()
	const unshare, closeOnExec = 2, 4
	if c.args[2]&(closeOnExec|unshare) != 0 {
		return // the sweep sees what goes
	}
	c.pid = c.s.table.tgid(c.tid)
	first, last := uint32(c.args[0]), uint32(c.args[1])
	c.s.table.mu.Lock()
	var fds []int
	if p := c.s.table.procs[c.pid]; p != nil {
		for fd := range p.fds {
			if uint32(fd) >= first && uint32(fd) <= last {
				fds = append(fds, fd)
			}
		}
	}
	c.s.table.mu.Unlock()
	slices.Sort(fds)
	for _, fd := range fds {
		c.close(fd)
	}
}

// dup gives the program one more descriptor of a file.
func (c *trapped) dup(o *openFile, from int, cloexec bool) {
	if from < 0 {
		c.finish(0, unix.EINVAL)
		return
	}
	fd, err := c.s.table.install(c.s.listener, c.id, c.pid, from, o, cloexec)
	c.record("dup", o.name, int64(fd), err)
}

// dupTo puts a file at a number. Below firstFD its calls would not be seen, so that is refused.
func (c *trapped) dupTo(from, to int) {
	t := c.s.table
	o := t.acquire(c.pid, from)
	if o != nil {
		defer t.done(o)
	}
	if from == to {
		return
	}
	if o != nil && to < firstFD {
		c.call().Note("an emulated descriptor cannot get a number below %d", firstFD)
		c.record("dup2", o.name, 0, unix.EBADF)
		return
	}
	if old := t.acquire(c.pid, to); old != nil {
		t.done(old)
		t.remove(c.pid, to)
	}
	if o == nil {
		return
	}
	t.mu.Lock()
	p, err := t.process(c.pid)
	fd := -1
	if err == nil {
		fd, err = t.installAt(c.s.listener, c.id, p, to, o, c.nr == unix.SYS_DUP3 && c.args[2]&unix.O_CLOEXEC != 0)
	}
	t.mu.Unlock()
	if errors.Is(err, unix.EMFILE) {
		err = unix.EBADF
	}
	c.record("dup2", o.name, int64(fd), err)
}

// putStat writes the struct stat of an open file.
func (c *trapped) putStat(addr uint64, o *openFile) error {
	var st unix.Stat_t
	if err := unix.Fstat(o.src, &st); err != nil {
		return err
	}
	patchStat(&st, o.node, true)
	return c.mem.Write(addr, bytesOf(&st))
}

// patchStat makes what the kernel says of the stand-in what it would say of the device. open is for an open file, which
// without a node is an anonymous inode as drivers make them.
func patchStat(st *unix.Stat_t, node *nodeInfo, open bool) {
	switch {
	case node != nil:
		st.Mode, st.Rdev = unix.S_IFCHR|node.mode, unix.Mkdev(node.major, node.minor)
		st.Size, st.Blocks = 0, 0
	case open:
		st.Mode, st.Size, st.Blocks = 0o600, 0, 0
	}
	st.Uid, st.Gid = 0, 0
}

// exec tells the device, unless the program is plainly not there: a search along PATH tries many.
func (c *trapped) exec(w ExecWatcher) {
	defer c.proceed()
	c.pid = c.s.table.tgid(c.tid)
	dir, at := unix.AT_FDCWD, 0
	if c.nr == unix.SYS_EXECVEAT {
		dir, at = int(int32(c.args[0])), 1
	}
	name, err := c.mem.str(c.args[at])
	if err != nil {
		return
	}
	if name != "" && !strings.HasPrefix(name, "/") {
		base, ok := c.base(dir)
		if !ok {
			return
		}
		name = base.path + "/" + name
	}
	if name == "" || unix.Access(name, unix.X_OK) == nil {
		w.Exec(c.pid, name)
	}
}

// perfEventOpen asks the device, and the kernel where the event is none of the device's.
func (c *trapped) perfEventOpen() {
	defer c.proceed()
	c.s.table.reap()
	c.pid = c.s.table.tgid(c.tid)
	attr, err := c.perfAttr(c.args[0])
	if err != nil {
		return // the kernel finds the same fault
	}
	var group File
	if g := int(int32(c.args[3])); g >= 0 {
		if o := c.s.table.acquire(c.pid, g); o != nil {
			defer c.s.table.done(o)
			group = o.file
		}
	}
	flags := c.args[4]
	call := c.call()
	f, err := c.s.dev.(PerfOpener).PerfEventOpen(call, attr, int(int32(c.args[1])), int(int32(c.args[2])), group, flags)
	if f == nil && err == nil {
		return
	}
	if f != nil && group == nil && int32(c.args[3]) >= 0 {
		// Its leader is the real kernel's, which knows nothing of this event.
		f.Close()
		f, err = nil, unix.EBADF
	}
	fd := -1
	if err == nil {
		fd, err = c.install(f, fileName(f), nil, unix.O_RDWR, flags&unix.PERF_FLAG_FD_CLOEXEC != 0)
	}
	c.record("perf_event_open", fmt.Sprintf("pid %d, cpu %d", int32(c.args[1]), int32(c.args[2])), int64(fd), err)
}

// clockResolution asks the device, and the kernel where that has none.
func (c *trapped) clockResolution() {
	defer c.proceed()
	ns := c.s.dev.(ClockResolver).ClockResolution(int(int32(c.args[0])))
	if ns == 0 {
		return
	}
	c.pid = c.s.table.tgid(c.tid)
	b := binary.LittleEndian.AppendUint64(nil, uint64(ns/1e9))
	err := c.mem.Write(c.args[1], binary.LittleEndian.AppendUint64(b, uint64(ns%1e9)))
	c.record("clock_getres", fmt.Sprintf("clock %d", int32(c.args[0])), 0, err)
}

// perfAttr reads a struct perf_event_attr of the size that it says, 64 bytes (the first version) where it says none.
func (c *trapped) perfAttr(addr uint64) ([]byte, error) {
	head := make([]byte, 8)
	if err := c.mem.Read(addr, head); err != nil {
		return nil, err
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if size == 0 {
		size = 64
	}
	if size < 64 || size > 4096 {
		return nil, unix.E2BIG
	}
	attr := make([]byte, size)
	return attr, c.mem.Read(addr, attr)
}
