package hwtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisor answers the trapped calls of a program and its children.
type supervisor struct {
	listener listener
	dev      Device
	settings *Settings
	tree     *tree
	table    *table
	log      *callLog
	stop     int // an eventfd, readable when the emulation ends
	stopping chan struct{}
	calls    sync.WaitGroup
	bad      sync.Once
	problem  error // of the machinery, not of the program
}

// Run starts a program on an emulated device and returns when it has ended. The program's own children that outlive it
// lose the emulated device: their calls fail. ctx ends the program. The error is ErrUnsupported where the system
// forbids emulation, and otherwise of the program's start, of the device's or of the context; a program that fails is
// no error.
func Run(ctx context.Context, o Options) (*Result, error) {
	if o.Cmd == nil || o.Device == nil {
		return nil, errors.New("an emulation needs a device and a program")
	}
	if o.Cmd.Err != nil {
		return nil, o.Cmd.Err
	}
	due := o.count()
	s := &supervisor{dev: o.Device, settings: &o.Settings, log: newCallLog(o.LogLimit), stopping: make(chan struct{})}
	var err error
	if s.tree, err = newTree(&o.Settings); err != nil {
		return nil, fmt.Errorf("make the emulated tree: %w", err)
	}
	defer func() { _ = s.tree.close() }()
	if err := o.Device.Start(s.tree); err != nil {
		return nil, fmt.Errorf("start the device: %w", err)
	}
	defer o.Device.Stop()
	// Devices put files into the tree in Start and cannot fail there: what went wrong is told by the tree.
	if err := s.tree.problem(); err != nil {
		return nil, err
	}
	if s.table, err = newTable(); err != nil {
		return nil, err
	}
	defer unix.Close(s.table.ends)
	defer s.table.closeAll()
	if s.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, err
	}
	defer unix.Close(s.stop)

	sock, err := s.start(o)
	if err != nil {
		return nil, err
	}
	defer unix.Close(int(s.listener))
	var loops sync.WaitGroup
	// Calls must be answered before we wait for the stage to become the program: its exec is a call under the filter
	// already.
	loops.Go(s.serve)
	loops.Go(s.sweepNowAndThen)
	execErr := readRest(sock)
	undo := context.AfterFunc(ctx, func() { _ = o.Cmd.Process.Kill() })
	ended := make(chan struct{})
	for _, signals := range []<-chan os.Signal{o.Signals, due} {
		if signals == nil {
			continue
		}
		loops.Go(func() {
			for {
				select {
				case sig, ok := <-signals:
					if !ok {
						return
					}
					_ = o.Cmd.Process.Signal(sig)
				case <-ended:
					return
				}
			}
		})
	}
	waitErr := o.Cmd.Wait()
	undo()
	close(ended)
	// First nobody takes new calls, then those in the model come back, and only then are the program's files closed, so
	// that no model is told of the end of a file that it works for. The truth is asked for last, when nothing changes
	// it any more.
	close(s.stopping)
	_, _ = unix.Write(s.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // wakes serve, which waits in poll
	loops.Wait()
	s.waitForModel()
	s.table.closeAll()

	r := &Result{Calls: s.log.entries(), Truth: o.Device.Truth()}
	st, ok := o.Cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case execErr != "":
		return nil, fmt.Errorf("start %s: %s", o.Cmd.Args[1], execErr)
	case ok && st.Signaled():
		r.Exit = 128 + int(st.Signal())
	default:
		r.Exit = o.Cmd.ProcessState.ExitCode()
	}
	var exit interface{ ExitCode() int }
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return r, waitErr
	}
	return r, errors.Join(ctx.Err(), s.problem, s.tree.problem())
}

// waitForModel waits until every call has left the model, but not for ever.
func (s *supervisor) waitForModel() {
	left := make(chan struct{})
	go func() {
		s.calls.Wait()
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(2 * time.Minute):
		s.trouble(errors.New("the model still holds a call two minutes after the program has ended"))
	}
}

// start runs the stage and takes the listener from it. It returns the socket over which the stage tells when it cannot
// become the program.
func (s *supervisor) start(o Options) (int, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("socketpair: %w", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "stage")
	self, err := os.Executable()
	if err != nil {
		_ = unix.Close(pair[0])
		_ = theirs.Close()
		return -1, err
	}
	cmd := o.Cmd
	env := cmd.Env
	if env == nil {
		env = os.Environ()
	}
	args := cmd.Args
	if len(args) == 0 {
		args = []string{cmd.Path}
	}
	// The program's own path and arguments stand behind ours. This very executable is the stage, because a filter can
	// only be installed by the process that it then binds: any other program would have to be built and found first.
	cmd.Args = append([]string{self, cmd.Path}, args...)
	cmd.Path = self
	number := 3 + len(cmd.ExtraFiles) // descriptors of a child begin with the three standard ones, and ours comes last
	if s.settings.Has(Unprivileged) {
		number = -number
	}
	value := fmt.Sprint(number)
	if _, ok := s.dev.(ExitWatcher); ok {
		value += trapExits
	}
	cmd.Env = append(env[:len(env):len(env)], stageVariable+"="+value)
	cmd.ExtraFiles = append(cmd.ExtraFiles[:len(cmd.ExtraFiles):len(cmd.ExtraFiles)], theirs)
	err = cmd.Start()
	// Ours of their end must be closed, or a stage that dies without a word would leave us waiting for one.
	_ = theirs.Close()
	if err != nil {
		_ = unix.Close(pair[0])
		return -1, err
	}
	fd, why, err := receiveListener(pair[0])
	if fd < 0 {
		_ = unix.Close(pair[0])
		_ = cmd.Wait()
		switch {
		case why != "":
			return -1, fmt.Errorf("%w: %s", ErrUnsupported, why)
		case err != nil:
			return -1, fmt.Errorf("receive the listener: %w", err)
		}
		return -1, fmt.Errorf("the stage before the program ended early: %v", cmd.ProcessState)
	}
	s.listener = listener(fd)
	return pair[0], nil
}

// receiveListener waits for the stage's message: a descriptor, or the reason why there is none.
func receiveListener(sock int) (fd int, why string, err error) {
	b, oob := make([]byte, 1024), make([]byte, unix.CmsgSpace(4))
	var n, on int
	for {
		n, on, _, _, err = unix.Recvmsg(sock, b, oob, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil || on == 0 {
		return -1, string(b[:max(n, 0)]), err
	}
	msgs, err := unix.ParseSocketControlMessage(oob[:on])
	if err != nil || len(msgs) == 0 {
		return -1, "", err
	}
	fds, err := unix.ParseUnixRights(&msgs[0])
	if err != nil || len(fds) == 0 {
		return -1, "", err
	}
	return fds[0], "", nil
}

// readRest waits until the stage has become the program, and returns why it did not.
func readRest(sock int) string {
	f := os.NewFile(uintptr(sock), "stage")
	defer f.Close()
	var out strings.Builder
	b := make([]byte, 1024)
	for {
		n, err := f.Read(b)
		out.Write(b[:max(n, 0)])
		if err != nil {
			return out.String()
		}
	}
}

// serve takes calls until the program has ended.
func (s *supervisor) serve() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	fds := []unix.PollFd{{Fd: int32(s.listener), Events: unix.POLLIN}, {Fd: int32(s.stop), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(fds, -1); err == unix.EINTR {
			continue
		} else if err != nil {
			s.trouble(fmt.Errorf("poll the listener: %w", err))
			return
		}
		switch r := fds[0].Revents; {
		case fds[1].Revents != 0:
			return
		case r&unix.POLLIN != 0:
		case r&unix.POLLHUP != 0:
			return // nobody is left under the filter
		case r&unix.POLLNVAL != 0:
			s.trouble(errors.New("poll the listener: its descriptor is closed"))
			return
		default:
			// POLLERR alone is no end: the kernel says so too where a signal, such as one of Go's own, comes while the
			// poll waits for the filter's lock. Whoever took it for the end left the program waiting for ever.
			continue
		}
		n := new(notification)
		if err := s.listener.receive(n); err != nil {
			if errors.Is(err, unix.ENOENT) {
				continue // the caller was killed, or interrupted, between the poll and the receiving
			}
			s.trouble(fmt.Errorf("receive a call: %w", err))
			return
		}
		s.dispatch(n)
	}
}

// sweepNowAndThen finds descriptors that went unseen.
func (s *supervisor) sweepNowAndThen() {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.table.sweep()
		case <-s.stopping:
			return
		}
	}
}

// trouble keeps the first error of the machinery.
func (s *supervisor) trouble(err error) { s.bad.Do(func() { s.problem = err }) }
