package hwtest

import (
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pathCall is a call that names a file.
type pathCall struct {
	name   string
	kind   pathKind
	dir    int // the folder that the path is relative to
	path   string
	follow bool   // the last component too
	empty  bool   // without a path the descriptor itself is meant
	flags  uint64 // of open, at-flags or mode of access
	buf, n uint64 // where the answer goes, and its room; statx: the mask
}

type pathKind int

const (
	pathOpen pathKind = iota
	pathStat
	pathStatx
	pathReadlink
	pathAccess
	pathGetXattr
	pathListXattr
	pathStatfs
)

// pathCall decodes a call that may concern the emulated tree; nil for all others.
func (c *trapped) pathCall() *pathCall {
	a := c.args
	p := &pathCall{dir: unix.AT_FDCWD, follow: true}
	at := 0 // of the path among the arguments
	switch c.nr {
	case unix.SYS_OPEN:
		p.name, p.flags = "open", a[1]
	case unix.SYS_OPENAT:
		p.name, at, p.flags = "openat", 1, a[2]
	case unix.SYS_OPENAT2:
		p.name, at = "openat2", 1
	case unix.SYS_STAT:
		p.name, p.kind, p.buf = "stat", pathStat, a[1]
	case unix.SYS_LSTAT:
		p.name, p.kind, p.buf, p.follow = "lstat", pathStat, a[1], false
	case unix.SYS_NEWFSTATAT:
		p.name, p.kind, at, p.buf, p.flags = "newfstatat", pathStat, 1, a[2], a[3]
	case unix.SYS_STATX:
		p.name, p.kind, at, p.flags, p.n, p.buf = "statx", pathStatx, 1, a[2], a[3], a[4]
	case unix.SYS_READLINK:
		p.name, p.kind, p.buf, p.n, p.follow = "readlink", pathReadlink, a[1], a[2], false
	case unix.SYS_READLINKAT:
		p.name, p.kind, at, p.buf, p.n, p.follow = "readlinkat", pathReadlink, 1, a[2], a[3], false
	case unix.SYS_ACCESS:
		p.name, p.kind, p.flags = "access", pathAccess, a[1]
	case unix.SYS_FACCESSAT:
		p.name, p.kind, at, p.flags = "faccessat", pathAccess, 1, a[2]
	case unix.SYS_FACCESSAT2:
		p.name, p.kind, at, p.flags = "faccessat2", pathAccess, 1, a[2]
		p.follow, p.empty = a[3]&unix.AT_SYMLINK_NOFOLLOW == 0, a[3]&unix.AT_EMPTY_PATH != 0
	case unix.SYS_GETXATTR, unix.SYS_LGETXATTR:
		p.name, p.kind, p.follow = "getxattr", pathGetXattr, c.nr == unix.SYS_GETXATTR
	case unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR:
		p.name, p.kind, p.follow = "listxattr", pathListXattr, c.nr == unix.SYS_LISTXATTR
	case unix.SYS_STATFS:
		p.name, p.kind, p.buf = "statfs", pathStatfs, a[1]
	case unix.SYS_FSTATFS:
		return &pathCall{name: "fstatfs", kind: pathStatfs, dir: int(int32(a[0])), empty: true, buf: a[1]}
	default:
		return nil
	}
	if at == 1 {
		p.dir = int(int32(a[0]))
	}
	var err error
	if p.path, err = c.mem.str(a[at]); err != nil {
		return nil // the kernel finds the same fault
	}
	// Most calls end here: a path that cannot lead into the tree costs the program no walk.
	if strings.HasPrefix(p.path, "/") && !c.s.tree.mayConcern(p.path) {
		return nil
	}
	switch {
	case c.nr == unix.SYS_OPENAT2:
		var how [8]byte
		if c.mem.Read(a[2], how[:]) != nil {
			return nil
		}
		p.flags = binary.LittleEndian.Uint64(how[:])
		p.follow = p.flags&unix.O_NOFOLLOW == 0
	case p.kind == pathOpen:
		p.flags = uint64(uint32(p.flags))
		p.follow = p.flags&unix.O_NOFOLLOW == 0
	case p.kind == pathStat && c.nr == unix.SYS_NEWFSTATAT, p.kind == pathStatx:
		p.follow, p.empty = p.flags&unix.AT_SYMLINK_NOFOLLOW == 0, p.flags&unix.AT_EMPTY_PATH != 0
	}
	return p
}

// path answers a call that names a file, or leaves it to the kernel.
func (c *trapped) path(p *pathCall) {
	defer c.proceed()
	t := c.s.table
	c.pid = t.tgid(c.tid)
	if p.path == "" {
		c.emptyPath(p)
		return
	}
	abs, via := p.path, false
	if !strings.HasPrefix(abs, "/") {
		base, ok := c.base(p.dir)
		if !ok {
			return
		}
		abs, via = base.path+"/"+p.path, base.in
		if !via && !c.s.tree.mayConcern(abs) {
			return
		}
	}
	pl := c.s.tree.resolve(abs, p.follow, c.pid, c.tid)
	if p.kind == pathReadlink && !pl.in && c.readMagic(p, pl.path) {
		return
	}
	if o := c.magicFile(pl.path); o != nil {
		defer t.done(o)
		switch {
		case o.at != nil && p.follow:
			pl = c.s.tree.resolve(o.name, false, c.pid, c.tid)
		case p.kind != pathOpen:
		case o.node != nil:
			// A driver's file opened by way of /proc/PID/fd: a node again, anything else not at all.
			pl = c.s.tree.resolve(o.name, true, c.pid, c.tid)
		default:
			c.record(p.name, o.name, 0, unix.ENXIO)
			return
		}
	}
	if !pl.in && !via {
		return
	}
	if pl.err == nil && pl.host == "" {
		pl.host = pl.path
	}
	c.describe(p, pl)
}

// describe answers for the place that a path leads to.
func (c *trapped) describe(p *pathCall, pl place) {
	switch p.kind {
	case pathOpen:
		c.open(p, pl)
	case pathStat, pathStatx:
		c.stat(p, pl)
	case pathReadlink:
		c.readlink(p, pl)
	case pathAccess:
		c.access(p, pl)
	case pathGetXattr, pathListXattr:
		// Nothing emulated has extended attributes.
		if pl.err == nil && p.kind == pathGetXattr {
			pl.err = unix.ENODATA
		}
		c.finish(0, pl.err)
	case pathStatfs:
		c.statfs(p, pl)
	}
}

// base is a folder that a path is relative to, and whether it is one that the kernel would take for another: of the
// tree.
func (c *trapped) base(dir int) (place, bool) {
	link := fmt.Sprintf("/proc/%d/cwd", c.tid)
	if dir != unix.AT_FDCWD {
		if pl, ok := c.named(dir); ok {
			return place{path: pl.path, in: pl.in && !pl.mix}, true
		}
		link = fmt.Sprintf("/proc/%d/fd/%d", c.tid, dir)
	}
	host, err := os.Readlink(link)
	if err != nil || !strings.HasPrefix(host, "/") {
		return place{}, false
	}
	if p, ok := c.s.tree.pathOf(host); ok {
		return place{path: p, in: true}, true
	}
	return place{path: host}, true
}

// emptyPath answers a call on the descriptor itself.
func (c *trapped) emptyPath(p *pathCall) {
	if pl, ok := c.named(p.dir); ok && (p.empty || p.kind == pathReadlink) && p.kind != pathOpen {
		c.describe(p, pl)
		return
	}
	if p.kind == pathStatfs {
		if pl, ok := c.ownOf(p.dir); ok {
			c.statfs(p, pl)
		}
		return
	}
	if !p.empty || p.kind != pathStat && p.kind != pathStatx {
		return
	}
	o := c.s.table.acquire(c.pid, p.dir)
	if o == nil {
		return
	}
	defer c.s.table.done(o)
	if p.kind == pathStat {
		c.finish(0, c.putStat(p.buf, o))
		return
	}
	c.finish(0, c.putStatx(p, fmt.Sprintf("/proc/self/fd/%d", o.src), o.node, true, true))
}

// magicFile is the emulated file that a path in /proc/PID/fd stands for.
func (c *trapped) magicFile(p string) *openFile {
	if !strings.HasPrefix(p, "/proc/") || !magicLink(p) || path.Base(path.Dir(p)) != "fd" {
		return nil
	}
	pid, fd := number(strings.Split(p, "/")[2]), number(path.Base(p))
	if pid < 0 || fd < firstFD {
		return nil
	}
	return c.s.table.acquire(pid, fd)
}

// readMagic answers readlink on a link in /proc that leads to something emulated.
func (c *trapped) readMagic(p *pathCall, at string) bool {
	if !magicLink(at) {
		return false
	}
	text := ""
	if o := c.magicFile(at); o != nil {
		text = o.name
		if o.node == nil && o.at == nil {
			text = "anon_inode:[" + o.name + "]"
		}
		c.s.table.done(o)
	} else if host, err := os.Readlink(at); err != nil {
		return false
	} else if shown, ok := c.s.tree.pathOf(host); ok {
		text = shown
	} else {
		return false
	}
	c.putText(p, text)
	return true
}

func (c *trapped) putText(p *pathCall, text string) {
	n := int64(min(uint64(len(text)), p.n))
	if int32(p.n) <= 0 {
		c.finish(0, unix.EINVAL)
		return
	}
	c.finish(n, c.mem.Write(p.buf, []byte(text[:n])))
}

// open opens a file of the tree, a node or a mixed folder.
func (c *trapped) open(p *pathCall, pl place) {
	cloexec := p.flags&unix.O_CLOEXEC != 0
	path := p.flags&unix.O_PATH != 0
	// A refusal is the driver's or the permissions', which O_PATH does not ask.
	if pl.fail != 0 && !path {
		c.record(p.name, pl.path, 0, pl.fail)
		return
	}
	if pl.err != nil {
		err := pl.err
		if err == error(unix.ENOENT) && pl.in && p.flags&unix.O_CREAT != 0 {
			err = unix.EACCES // as sysfs says
		}
		if pl.in {
			c.record(p.name, pl.path, 0, err)
		} else {
			c.finish(0, err)
		}
		return
	}
	if path {
		if pl.mix {
			pl.host = pl.path // the machine's own folder; what is below it goes by its path
		}
		fd, err := c.openPath(p, pl)
		c.record(p.name, pl.path, fd, err)
		return
	}
	if pl.node != nil {
		fd, err := c.openNode(p, pl)
		c.record(p.name, pl.path, fd, err)
		return
	}
	if pl.in {
		c.s.tree.opening(pl.path) // a device may write the file anew for each reader, as sysfs does
	}
	// The links are resolved; a new one in their place would lead us where the program was not going.
	host := pl.host
	flags := int(p.flags) | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NOCTTY
	if pl.in {
		switch {
		case p.flags&unix.O_TMPFILE == unix.O_TMPFILE:
			c.record(p.name, pl.path, 0, unix.EOPNOTSUPP)
			return
		case p.flags&(unix.O_CREAT|unix.O_EXCL) == unix.O_CREAT|unix.O_EXCL:
			c.record(p.name, pl.path, 0, unix.EEXIST)
			return
		case p.flags&unix.O_ACCMODE != unix.O_RDONLY && !isDir(host):
			c.record(p.name, pl.path, 0, unix.EACCES) // the tree's text can only be read
			return
		}
		flags &^= unix.O_CREAT | unix.O_TRUNC
	}
	if pl.mix {
		var err error
		if host, err = c.s.tree.merge(pl.path); err != nil {
			c.record(p.name, pl.path, 0, err)
			return
		}
	}
	// The file is ours until the kernel has put a copy of it among the program's descriptors.
	fd := -1
	own, err := unix.Open(host, flags, 0o666)
	if err == nil {
		defer unix.Close(own)
		fd, err = c.s.listener.install(c.id, own, -1, cloexec)
	}
	if pl.in {
		c.record(p.name, pl.path, int64(fd), err)
	} else {
		c.finish(int64(fd), err)
	}
}

func isDir(host string) bool {
	i, err := os.Lstat(host)
	return err == nil && i.IsDir()
}

// openNode asks the driver, as the device node's mode allows.
func (c *trapped) openNode(p *pathCall, pl place) (int64, error) {
	switch {
	case p.flags&unix.O_DIRECTORY != 0:
		return 0, unix.ENOTDIR
	case p.flags&(unix.O_CREAT|unix.O_EXCL) == unix.O_CREAT|unix.O_EXCL:
		return 0, unix.EEXIST
	}
	want := uint32(4)
	switch p.flags & unix.O_ACCMODE {
	case unix.O_WRONLY:
		want = 2
	case unix.O_RDWR:
		want = 6
	}
	if !c.mayUse(pl.node, want) {
		return 0, unix.EACCES
	}
	c.s.table.reap()
	f, err := pl.node.node.Open(c.call(), int(p.flags))
	if err != nil {
		return 0, err
	}
	fd, err := c.install(f, pl.path, pl.node, int(p.flags), p.flags&unix.O_CLOEXEC != 0)
	return int64(fd), err
}

// mayUse checks a node's mode; nodes belong to root.
func (c *trapped) mayUse(n *nodeInfo, want uint32) bool {
	s, err := readStatus(c.tid)
	return err != nil || s.euid == 0 || n.mode&want == want
}

// stat answers the calls that describe a file.
func (c *trapped) stat(p *pathCall, pl place) {
	err := pl.err
	if err == nil {
		if p.kind == pathStatx {
			err = c.putStatx(p, pl.host, pl.node, false, pl.in)
		} else {
			var st unix.Stat_t
			if err = unix.Lstat(pl.host, &st); err == nil {
				if pl.in {
					patchStat(&st, pl.node, false)
				}
				err = c.mem.Write(p.buf, bytesOf(&st))
			}
		}
	}
	c.finish(0, err)
}

// putStatx writes a struct statx. open is for a descriptor's file.
func (c *trapped) putStatx(p *pathCall, host string, node *nodeInfo, open, in bool) error {
	var st unix.Statx_t
	flags := unix.AT_SYMLINK_NOFOLLOW
	if open {
		flags = 0
	}
	if err := unix.Statx(unix.AT_FDCWD, host, flags, int(uint32(p.n)), &st); err != nil {
		return err
	}
	switch {
	case node != nil:
		st.Mode, st.Rdev_major, st.Rdev_minor = uint16(unix.S_IFCHR|node.mode), node.major, node.minor
		st.Size, st.Blocks = 0, 0
	case open:
		st.Mode, st.Size, st.Blocks = 0o600, 0, 0
	}
	if in {
		st.Uid, st.Gid = 0, 0
	}
	return c.mem.Write(p.buf, bytesOf(&st))
}

// bytesOf are the bytes of a structure of the kernel's.
func bytesOf[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

func (c *trapped) readlink(p *pathCall, pl place) {
	if pl.err != nil {
		c.finish(0, pl.err)
		return
	}
	target, err := os.Readlink(pl.host)
	switch {
	case err != nil && p.path == "":
		c.finish(0, unix.ENOENT)
		return
	case err != nil:
		c.finish(0, asErrno(err))
		return
	}
	c.putText(p, target)
}

// access answers for text that can be read, folders that can be entered, and nodes by their mode.
func (c *trapped) access(p *pathCall, pl place) {
	if pl.err != nil || !pl.in {
		err := pl.err
		if err == nil {
			err = unix.Faccessat(unix.AT_FDCWD, pl.host, uint32(p.flags), 0)
		}
		c.finish(0, err)
		return
	}
	mode := uint32(p.flags) & 7
	var err error
	switch {
	case pl.node != nil:
		if mode&unix.X_OK != 0 || !c.mayUse(pl.node, mode) {
			err = unix.EACCES
		}
	case isDir(pl.host):
		if mode&unix.W_OK != 0 {
			err = unix.EACCES
		}
	case mode&(unix.W_OK|unix.X_OK) != 0:
		err = unix.EACCES
	}
	c.finish(0, err)
}
