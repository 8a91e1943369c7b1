package hwtest

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// openFile is a model's file with the open file of the kernel that stands for it in programs.
type openFile struct {
	file  File
	name  string    // for the log
	node  *nodeInfo // nil for a file that is no device node
	src   int       // our descriptor of the open file that programs have
	ready int       // an eventfd, readable when the file is; -1 if it is not Pollable
	poll  bool      // src cannot be polled itself: it can be mapped

	at    *place // what a descriptor of O_PATH names; nil for a file that is open
	flags int    // of such a one's open that fcntl(F_GETFL) shows

	readiness *Readiness

	// Under the table's lock.
	refs int // descriptors in programs
	busy int // calls under way
	gone bool
}

// access modes and status flags that a program's open passes on to its file.
const statusFlags = unix.O_ACCMODE | unix.O_NONBLOCK | unix.O_APPEND

// newOpenFile makes the open file: an eventfd where the kernel's own poll is enough, else a memfd.
func newOpenFile(f File, name string, node *nodeInfo, flags int) (o *openFile, err error) {
	o = &openFile{file: f, name: name, node: node, src: -1, ready: -1}
	defer func() {
		if err != nil {
			o.release()
		}
	}()
	p, pollable := f.(Pollable)
	m, mappable := f.(Mappable)
	size := 0
	if mappable {
		size = m.Mapping()
	}
	if pollable && size == 0 {
		if o.ready, err = unix.Eventfd(0, unix.EFD_CLOEXEC|flags&unix.O_NONBLOCK); err != nil {
			return nil, err
		}
		o.src = o.ready
	} else {
		mem, err := unix.MemfdCreate("emulated", unix.MFD_CLOEXEC)
		if err != nil {
			return nil, err
		}
		defer unix.Close(mem)
		if size > 0 {
			if err := unix.Ftruncate(mem, int64(size)); err != nil {
				return nil, err
			}
			// It stays mapped to the end: a model may still write there when the program has closed its descriptor.
			shared, err := unix.Mmap(mem, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			if err != nil {
				return nil, err
			}
			m.SetMapping(shared)
		}
		// Opened again it has the flags that the program asked for.
		if o.src, err = unix.Open(fmt.Sprintf("/proc/self/fd/%d", mem), flags&statusFlags|unix.O_CLOEXEC,
			0); err != nil {
			return nil, err
		}
		if pollable {
			o.poll = true
			if o.ready, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
				return nil, err
			}
		}
	}
	if pollable {
		o.readiness = NewReadiness(o.flip)
		p.Attach(o.readiness)
	}
	return o, nil
}

// flip keeps the eventfd's counter at 1 while the file is ready. Programs never read it themselves: their reads are
// trapped.
func (o *openFile) flip(ready bool) {
	var b [8]byte
	if ready {
		b[0] = 1
		_, _ = unix.Write(o.ready, b[:])
	} else {
		_, _ = unix.Read(o.ready, b[:])
	}
}

// release closes our side.
func (o *openFile) release() {
	if r := o.readiness; r != nil {
		r.mu.Lock()
		r.flip = nil
		r.mu.Unlock()
	}
	if o.ready >= 0 && o.ready != o.src {
		_ = unix.Close(o.ready)
	}
	if o.src >= 0 {
		_ = unix.Close(o.src)
	}
}

// nonblocking reports whether the program asked for EAGAIN.
func (o *openFile) nonblocking() bool {
	fl, err := unix.FcntlInt(uintptr(o.src), unix.F_GETFL, 0)
	return err == nil && fl&unix.O_NONBLOCK != 0
}

// process is one that has, or may have, emulated descriptors.
type process struct {
	pid, pidfd int
	fds        map[int]*openFile
}

// table says which descriptors of which processes are which files. What it holds is checked with the kernel at every
// use, as descriptors also come and go unseen: by fork, by exec, over sockets.
type table struct {
	mu    sync.Mutex
	procs map[int]*process
	tgids map[int]int // of threads
	opens map[*openFile]bool
	ends  int // an epoll of the processes' pidfds

	forked   time.Time // when a process was last made, which may hold descriptors of its parent; zero: never
	filtered []int     // the processes under the filter
	listed   time.Time // when filtered was
}

func newTable() (*table, error) {
	ends, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll_create1: %w", err)
	}
	return &table{procs: map[int]*process{}, tgids: map[int]int{}, opens: map[*openFile]bool{}, ends: ends}, nil
}

// tgid is the process of a thread.
func (t *table) tgid(tid int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if pid, ok := t.tgids[tid]; ok {
		return pid
	}
	s, err := readStatus(tid)
	if err != nil {
		return tid
	}
	// Only of processes whose end will be seen, as numbers come again.
	if t.procs[s.tgid] != nil {
		t.tgids[tid] = s.tgid
	}
	return s.tgid
}

// process finds or makes the entry of a process. The lock is held.
func (t *table) process(pid int) (*process, error) {
	if p := t.procs[pid]; p != nil {
		return p, nil
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.EpollCtl(t.ends, unix.EPOLL_CTL_ADD, fd,
		&unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(pid)}); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	p := &process{pid: pid, pidfd: fd, fds: map[int]*openFile{}}
	t.procs[pid] = p
	return p, nil
}

// acquire finds the file of a descriptor and marks it busy until done is called; nil where the descriptor is none of
// ours.
func (t *table) acquire(pid, fd int) *openFile {
	if fd < firstFD {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	o := t.find(pid, fd)
	if o != nil {
		o.busy++
	}
	return o
}

func (t *table) find(pid, fd int) *openFile {
	if p := t.procs[pid]; p != nil {
		if o := p.fds[fd]; o != nil && !o.gone && sameFile(pid, fd, o.src) {
			return o
		}
	}
	for o := range t.opens {
		if sameFile(pid, fd, o.src) {
			p, err := t.process(pid)
			if err != nil {
				return nil
			}
			t.put(p, fd, o)
			return o
		}
	}
	return nil
}

// put notes a descriptor. The lock is held.
func (t *table) put(p *process, fd int, o *openFile) {
	t.take(p, fd)
	p.fds[fd] = o
	o.refs++
}

// take forgets a descriptor. The lock is held; the caller calls settle afterwards.
func (t *table) take(p *process, fd int) {
	if o := p.fds[fd]; o != nil {
		delete(p.fds, fd)
		o.refs--
	}
}

// done ends what acquire began.
func (t *table) done(o *openFile) {
	t.mu.Lock()
	o.busy--
	idle := o.busy == 0 && o.refs == 0
	t.mu.Unlock()
	if idle {
		t.settle(-1, -1)
	}
}

// remove notes that a descriptor is about to be closed. The file is closed by the time it returns, if that was the last
// one.
func (t *table) remove(pid, fd int) {
	t.mu.Lock()
	if p := t.procs[pid]; p != nil {
		t.take(p, fd)
	}
	t.mu.Unlock()
	t.settle(pid, fd)
}

// settle closes the files that nobody has any more. Descriptor fd of process pid is about to go and does not count.
func (t *table) settle(pid, fd int) {
	t.mu.Lock()
	var idle []*openFile
	for o := range t.opens {
		if o.refs == 0 && o.busy == 0 && (t.forked.IsZero() || !t.heldUnseen(o, pid, fd)) {
			o.gone = true
			delete(t.opens, o)
			idle = append(idle, o)
		}
	}
	t.mu.Unlock()
	for _, o := range idle {
		o.file.Close()
		o.release()
	}
}

// noteFork is called before a process is made.
func (t *table) noteFork() {
	t.mu.Lock()
	t.forked = time.Now()
	t.mu.Unlock()
}

// underFilter lists the processes that may have emulated descriptors. The list is good until another process is made,
// which takes a moment from when it was noted.
func (t *table) underFilter() []int {
	if t.listed.After(t.forked.Add(100 * time.Millisecond)) {
		return t.filtered
	}
	t.listed, t.filtered = time.Now(), nil
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, n := range names {
		if pid := number(n.Name()); pid > 0 {
			if s, err := readStatus(pid); err == nil && s.filtered {
				t.filtered = append(t.filtered, pid)
			}
		}
	}
	return t.filtered
}

// heldUnseen looks through the processes under the filter for descriptors that came by fork or over a socket, and notes
// them.
func (t *table) heldUnseen(o *openFile, exceptPID, exceptFD int) bool {
	held := false
	for _, pid := range t.underFilter() {
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			continue
		}
		for _, e := range fds {
			fd := number(e.Name())
			if fd < firstFD || pid == exceptPID && fd == exceptFD || !sameFile(pid, fd, o.src) {
				continue
			}
			if p, err := t.process(pid); err == nil {
				t.put(p, fd, o)
				held = true
			}
		}
	}
	return held
}

// number reads a file name of digits, -1 for any other.
func number(s string) int {
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || n > 1<<30 {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	if s == "" {
		return -1
	}
	return n
}

// reap forgets the processes that have ended, and with them their descriptors.
func (t *table) reap() {
	var ev [32]unix.EpollEvent
	n, err := unix.EpollWait(t.ends, ev[:], 0)
	if err != nil || n == 0 {
		return
	}
	t.mu.Lock()
	for _, e := range ev[:n] {
		p := t.procs[int(e.Fd)]
		if p == nil {
			continue
		}
		for fd := range p.fds {
			t.take(p, fd)
		}
		_ = unix.Close(p.pidfd)
		delete(t.procs, p.pid)
		for tid, pid := range t.tgids {
			if pid == p.pid {
				delete(t.tgids, tid)
			}
		}
	}
	t.mu.Unlock()
	t.settle(-1, -1)
}

// sweep forgets the descriptors that were closed unseen, as by exec.
func (t *table) sweep() {
	t.reap()
	t.mu.Lock()
	changed := false
	for _, p := range t.procs {
		for fd, o := range p.fds {
			if o.busy == 0 && !sameFile(p.pid, fd, o.src) {
				t.take(p, fd)
				changed = true
			}
		}
	}
	t.mu.Unlock()
	if changed {
		t.settle(-1, -1)
	}
}

// closeAll closes every file, when the program has ended.
func (t *table) closeAll() {
	t.mu.Lock()
	var all []*openFile
	for o := range t.opens {
		o.gone = true
		all = append(all, o)
	}
	clear(t.opens)
	for _, p := range t.procs {
		_ = unix.Close(p.pidfd)
	}
	clear(t.procs)
	t.mu.Unlock()
	for _, o := range all {
		o.file.Close()
		o.release()
	}
}

// install gives a program a descriptor for a file, at the lowest free number that is at least from.
func (t *table) install(l listener, id uint64, pid, from int, o *openFile, cloexec bool) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, err := t.process(pid)
	if err != nil {
		return -1, asErrno(err)
	}
	fd := max(from, firstFD)
	for ; ; fd++ {
		if old := p.fds[fd]; old != nil && sameFile(pid, fd, old.src) {
			continue
		}
		if _, err := os.Lstat(fmt.Sprintf("/proc/%d/fd/%d", pid, fd)); err != nil {
			break
		}
	}
	return t.installAt(l, id, p, fd, o, cloexec)
}

// installAt is install at a number whose present file is closed. The lock is held.
func (t *table) installAt(l listener, id uint64, p *process, fd int, o *openFile, cloexec bool) (int, error) {
	got, err := l.install(id, o.src, fd, cloexec)
	if err != nil {
		if asErrno(err) == unix.EBADF {
			return -1, unix.EMFILE // the number is beyond the program's limit
		}
		return -1, asErrno(err)
	}
	t.opens[o] = true
	t.put(p, got, o)
	return got, nil
}
