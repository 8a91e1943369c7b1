//go:build linux

package device

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/hwio"
	"astrolabe/internal/recording"
	"astrolabe/internal/remote/wire"
)

// reserved is the room that a run keeps for saying how it ended, in bytes.
const reserved = 256 << 10

// keep makes the recording of a run, in a process without a terminal.
func keep(args []string) error {
	if len(args) != 1 {
		return errors.New("keep takes the folder of a run")
	}
	signal.Ignore(syscall.SIGHUP) // links and sessions end, the recording goes on
	// An order to stop may come twice, where a link broke in between.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	r := run(args[0])
	var req wire.Request
	if err := r.read("request", &req); err != nil {
		return err
	}
	lock, err := os.OpenFile(r.path("lock"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock the run: %w", err)
	}
	if _, err := fmt.Fprintln(lock, os.Getpid()); err != nil {
		return err
	}
	if err := os.WriteFile(r.path("reserve"), make([]byte, reserved), 0o600); err != nil {
		return fmt.Errorf("there is no room for a recording: %w", err)
	}
	var ended wire.Ended
	if ended.Result, err = r.record(ctx, &req); err != nil {
		ended.Error = err.Error()
	}
	if err := os.Remove(r.path("reserve")); err != nil {
		return err
	}
	return r.write("ended", &ended)
}

// record makes the recording.
func (r run) record(ctx context.Context, req *wire.Request) (*hwio.Result, error) {
	sel, err := req.Selection(ctx, len(req.Command) > 0)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(r.path("out"), 0o700); err != nil {
		return nil, err
	}
	to := &recording.StoreFlags{Out: filepath.Join(r.path("out"), "r"), Split: req.Split, Last: req.Last}
	if req.Split == 0 {
		to.Out += ".arrow"
	}
	name := req.Name(sel)
	if len(req.Command) > 0 {
		name = filepath.Base(req.Command[0])
	}
	st := &recording.Store{Flags: to, Period: req.Period, Warn: warn, Say: say, Wrote: r.saved}
	opt := options(ctx, &req.Flags, sel, st, &req.Marks, req.Command, nil, os.Stderr)
	told := opt
	if told.Command != nil {
		told.Command = &hwio.Command{Args: []string{name}}
	}
	begun := wire.Begun{Name: name, Line: recording.Begun(&told, sel.Names()), Request: *req}
	create := opt.Create
	opt.Create = func(s *schema) (hwio.Sink, error) {
		sink, err := create(s)
		if err != nil {
			return nil, err
		}
		return sink, r.write("begun", &begun)
	}
	start := func() {}
	if req.App != "" {
		x := &app{name: req.App, proc: "/proc", mark: &hwio.Marker{}}
		if err := x.check(ctx); err != nil {
			return nil, err
		}
		opt.Marker = x.mark
		start = func() {
			if err := x.run(ctx); err != nil {
				warn(err.Error())
			}
		}
	}
	var said time.Time
	var once sync.Once
	var started sync.WaitGroup
	defer started.Wait()
	opt.Progress = func(p hwio.Progress) {
		if p.Samples > 0 {
			once.Do(func() { started.Go(start) })
		}
		if time.Since(said) >= time.Second {
			said = time.Now()
			_ = r.write("progress", &p) // it is only looked at
		}
	}
	var alone context.CancelFunc
	ctx, alone = context.WithCancel(ctx)
	defer alone()
	var lonely atomic.Bool
	if req.Duration == 0 && len(req.Command) == 0 {
		go r.watch(ctx, req.Alone, func() { lonely.Store(true); alone() })
	}
	res, err := hwio.Record(ctx, opt)
	if lonely.Load() && res != nil {
		res.Warnings = append(res.Warnings,
			fmt.Sprintf("the recording ended by itself: nobody had followed it for %v", req.Alone))
	}
	return res, err
}

// watch calls end once nobody has followed for a time.
func (r run) watch(ctx context.Context, most time.Duration, end func()) {
	t := time.NewTicker(max(time.Second, min(most/10, time.Minute)))
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if st, err := os.Stat(r.path("seen")); err == nil && time.Since(st.ModTime()) > most {
				end()
				return
			}
		}
	}
}

// saved notes a file of --last that is complete.
func (r run) saved(path string) {
	f, err := os.OpenFile(r.path("saved"), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, filepath.Base(path))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		warn(fmt.Sprintf("%s stays where it is: %v", path, err))
	}
}
