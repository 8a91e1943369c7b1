package hwtest

import (
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// trapped is one call under way.
type trapped struct {
	*notification
	s    *supervisor
	mem  programMemory
	pid  int
	tid  int
	once sync.Once
	note strings.Builder
}

// dispatch answers a call, or starts a goroutine that will. What the program may do as ever is let go at once.
func (s *supervisor) dispatch(n *notification) {
	c := &trapped{notification: n, s: s, tid: int(n.tid), mem: programMemory{s.listener, n.id, int(n.tid)}}
	var f func()
	switch n.nr {
	case unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_CLONE, unix.SYS_CLONE3:
		s.table.noteFork()
	case unix.SYS_EXECVE, unix.SYS_EXECVEAT:
		if w, ok := s.dev.(ExecWatcher); ok {
			f = func() { c.exec(w) }
		}
	case unix.SYS_EXIT_GROUP:
		if w, ok := s.dev.(ExitWatcher); ok {
			f = func() {
				defer c.proceed()
				w.Exit(s.table.tgid(c.tid))
			}
		}
	case unix.SYS_POLL, unix.SYS_PPOLL:
		f = c.pollCall()
	case unix.SYS_PERF_EVENT_OPEN:
		if _, ok := s.dev.(PerfOpener); ok {
			f = c.perfEventOpen
		}
	case unix.SYS_CLOCK_GETRES:
		if _, ok := s.dev.(ClockResolver); ok {
			f = c.clockResolution
		}
	case unix.SYS_CLOSE_RANGE:
		f = c.closeRange
	default:
		if pc := c.pathCall(); pc != nil {
			f = func() { c.path(pc) }
		} else if isFDCall(n.nr) {
			f = c.fdCall
		}
	}
	if f == nil {
		c.proceed()
		return
	}
	s.calls.Go(f)
}

// answer ends the call. Only the first of answer, fail and proceed counts.
func (c *trapped) answer(r response) {
	c.once.Do(func() {
		r.id = c.id
		if err := c.s.listener.send(&r); err != nil {
			c.s.trouble(fmt.Errorf("answer a call: %w", err))
		}
	})
}

// proceed lets the kernel do the call.
func (c *trapped) proceed() { c.answer(response{flags: respContinue}) }

// finish answers with a value or an error.
func (c *trapped) finish(v int64, err error) {
	if err != nil {
		c.answer(response{errno: -int32(asErrno(err))})
		return
	}
	c.answer(response{val: v})
}

// record puts the call into the log and then answers it, so that the log's order is that of cause and effect.
func (c *trapped) record(call, what string, v int64, err error) {
	e := Entry{PID: c.pid, Call: call, What: what, Detail: c.note.String(), Result: v}
	if err != nil {
		errno := asErrno(err)
		e.Result, e.Errno = -int64(errno), unix.ErrnoName(errno)
	}
	c.s.log.add(e)
	c.finish(v, err)
}

// call is the trapped call as models see it.
func (c *trapped) call() *Call {
	return &Call{
		PID: c.pid, TID: c.tid, Memory: c.mem,
		Privileged: !c.s.settings.Has(Unprivileged) && privileged(c.tid),
		Note: func(format string, args ...any) {
			if c.note.Len() > 0 {
				c.note.WriteString(" ")
			}
			fmt.Fprintf(&c.note, format, args...)
		},
		File: func(fd int) File {
			o := c.s.table.acquire(c.pid, fd)
			if o == nil {
				return nil
			}
			defer c.s.table.done(o)
			return o.file
		},
		Install: func(f File, cloexec, nonblock bool) (int64, error) {
			flags := unix.O_RDONLY
			if nonblock {
				flags |= unix.O_NONBLOCK
			}
			fd, err := c.install(f, fileName(f), nil, flags, cloexec)
			return int64(fd), err
		},
	}
}

// install makes the open file of a model's file and gives it to the program.
func (c *trapped) install(f File, name string, node *nodeInfo, flags int, cloexec bool) (int, error) {
	o, err := newOpenFile(f, name, node, flags)
	if err != nil {
		f.Close()
		return -1, asErrno(err)
	}
	fd, err := c.s.table.install(c.s.listener, c.id, c.pid, firstFD, o, cloexec)
	if err != nil {
		f.Close()
		o.release()
	}
	return fd, err
}

// fileName is what the log calls a file that is no device node: what it says of itself, else its type.
func fileName(f File) string {
	if s, ok := f.(fmt.Stringer); ok {
		return s.String()
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", f), "*")
}
