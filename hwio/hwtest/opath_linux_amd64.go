package hwtest

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Descriptors of O_PATH name a file without opening it. The kernel hands none over (SECCOMP_IOCTL_NOTIF_ADDFD gives
// EBADF), so a program that asks for one of the tree gets an ordinary descriptor in its place, at a number whose calls
// are trapped: they are answered as the kernel answers them for O_PATH. libudev and libsystemd walk every path in this
// way, component by component.

// named is the File behind such a descriptor: nothing can be done with it.
type named struct{}

func (named) Ioctl(*Call, uint32, uint64) (int64, error) { return 0, unix.EBADF }
func (named) Read(*Call, int) ([]byte, error)            { return nil, unix.EBADF }
func (named) Close()                                     {}

// openPath gives the program a descriptor that names a place.
func (c *trapped) openPath(p *pathCall, pl place) (int64, error) {
	var st unix.Stat_t
	if err := unix.Lstat(pl.host, &st); err != nil {
		return 0, err
	}
	kind := st.Mode & unix.S_IFMT
	switch {
	case p.flags&unix.O_DIRECTORY != 0 && kind != unix.S_IFDIR:
		return 0, unix.ENOTDIR
	case kind == unix.S_IFLNK && p.follow:
		return 0, unix.ELOOP
	}
	o := &openFile{file: named{}, name: pl.path, node: pl.node, src: -1, ready: -1, at: &pl,
		flags: int(p.flags) & (unix.O_DIRECTORY | unix.O_NOFOLLOW)}
	var err error
	if kind == unix.S_IFDIR || kind == unix.S_IFREG {
		// What a filter cannot trap goes on working: calls of the kernel's own that begin at this folder, and
		// /proc/self/fd.
		o.src, err = unix.Open(pl.host, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	} else {
		o.src, err = unix.MemfdCreate("named", unix.MFD_CLOEXEC)
	}
	if err != nil {
		return 0, err
	}
	fd, err := c.s.table.install(c.s.listener, c.id, c.pid, firstFD, o, p.flags&unix.O_CLOEXEC != 0)
	if err != nil {
		o.release()
		return 0, err
	}
	return int64(fd), nil
}

// namedCall answers a call on a descriptor of O_PATH; what it leaves alone is the kernel's.
func (c *trapped) namedCall(o *openFile) {
	switch c.nr {
	case unix.SYS_FSTAT:
		c.stat(&pathCall{kind: pathStat, buf: c.args[1]}, *o.at)
	case unix.SYS_DUP:
		c.dup(o, firstFD, false)
	case unix.SYS_FCNTL:
		switch cmd := int(int32(c.args[1])); cmd {
		case unix.F_DUPFD, unix.F_DUPFD_CLOEXEC:
			c.dup(o, int(int32(c.args[2])), cmd == unix.F_DUPFD_CLOEXEC)
		case unix.F_GETFD, unix.F_SETFD:
		case unix.F_GETFL:
			c.finish(int64(unix.O_PATH|o.flags), nil)
		default:
			c.finish(0, unix.EBADF)
		}
	default:
		c.finish(0, unix.EBADF)
	}
}

// named is the place that a descriptor of O_PATH names.
func (c *trapped) named(fd int) (place, bool) {
	o := c.s.table.acquire(c.pid, fd)
	if o == nil {
		return place{}, false
	}
	defer c.s.table.done(o)
	if o.at == nil {
		return place{}, false
	}
	return *o.at, true
}

// statfs answers which file system a place is on: the one that Linux mounts there.
func (c *trapped) statfs(p *pathCall, pl place) {
	if pl.err != nil {
		c.finish(0, pl.err)
		return
	}
	var st unix.Statfs_t
	if err := unix.Statfs(pl.host, &st); err != nil {
		c.finish(0, err)
		return
	}
	if pl.in {
		switch topOf(pl.path) {
		case "sys":
			st = unix.Statfs_t{Type: unix.SYSFS_MAGIC, Bsize: 4096, Namelen: 255, Frsize: 4096}
		case "proc":
			st = unix.Statfs_t{Type: unix.PROC_SUPER_MAGIC, Bsize: 4096, Namelen: 255, Frsize: 4096}
		case "dev":
			st.Type = unix.TMPFS_MAGIC // devtmpfs calls itself so
		}
	}
	c.finish(0, c.mem.Write(p.buf, bytesOf(&st)))
}

// ownOf is the file that a descriptor of the program is open on, where that is an ordinary one of the tree.
func (c *trapped) ownOf(fd int) (place, bool) {
	host, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", c.tid, fd))
	if err != nil {
		return place{}, false
	}
	p, ok := c.s.tree.pathOf(host)
	return place{path: p, host: host, in: ok}, ok
}
