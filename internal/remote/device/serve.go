//go:build linux

package device

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"astrolabe/capture"
	"astrolabe/internal/remote/wire"
	"astrolabe/internal/version"
)

type schema = capture.Schema

// self is this program, also after its file was replaced.
const self = "/proc/self/exe"

// look is how often a run is looked at for something new.
const look = 100 * time.Millisecond

// serve carries out the orders of who is at the other end of a link, until they say nothing any more.
func serve(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("serve takes the folder of this program")
	}
	s := &server{base: args[0], out: wire.NewWriter(out)}
	sum, err := ownSum()
	if err != nil {
		return err
	}
	if err := s.out.Greet(wire.Greeting{Version: version.String(), SHA256: sum}); err != nil {
		return err
	}
	orders, failed := make(chan *wire.Order), make(chan error, 1)
	go func() {
		r := wire.NewReader(in)
		for {
			o, err := r.NextOrder()
			if err != nil {
				failed <- err
				return
			}
			orders <- o
		}
	}()
	t := time.NewTicker(look)
	defer t.Stop()
	silent := time.NewTimer(wire.Silence)
	defer silent.Stop()
	for {
		select {
		case o := <-orders:
			silent.Reset(wire.Silence)
			if err := s.do(o); err != nil {
				if err = s.out.Event(&wire.Event{Error: err.Error()}); err != nil {
					return err
				}
			}
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case <-silent.C:
			return errors.New("the other end of the link says nothing any more")
		case <-t.C:
			if s.follows == nil {
				continue
			}
			if err := s.follows.step(); err != nil {
				return err
			}
		}
	}
}

func ownSum() (string, error) {
	f, err := os.Open(self)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

type server struct {
	base    string
	out     *wire.Writer
	follows *follower // nil where nothing is followed
}

// do carries out an order. Its error is for the other end.
func (s *server) do(o *wire.Order) error {
	switch o.Do {
	case wire.Here:
		if s.follows != nil {
			return s.follows.run.seen()
		}
		return nil
	case wire.List:
		runs, err := list(s.base)
		if err != nil {
			return err
		}
		return s.out.Event(&wire.Event{Runs: &runs})
	case wire.Doctor:
		return s.out.Event(&wire.Event{Findings: findings(context.Background(), o.Deep)})
	case wire.Stop, wire.Save:
		if s.follows == nil {
			return fmt.Errorf("%s: no run is followed", o.Do)
		}
		if o.Do == wire.Save {
			return s.follows.run.signal(syscall.SIGUSR1)
		}
		return s.follows.run.signal(syscall.SIGTERM)
	}
	r, err := runAt(s.base, o.Run)
	if err != nil {
		return err
	}
	switch o.Do {
	case wire.Begin:
		if err := begin(r, o.Request); err != nil {
			return err
		}
		s.follows, err = follow(r, o, s.out)
		return err
	case wire.Follow:
		s.follows, err = follow(r, o, s.out)
		return err
	case wire.Remove:
		if going, _ := r.going(); going {
			return errors.New("the recording goes on: it is not removed")
		}
		if err := os.RemoveAll(string(r)); err != nil {
			return err
		}
		s.follows = nil
		return s.out.Event(&wire.Event{Done: true})
	}
	return fmt.Errorf("this version cannot %q", o.Do)
}

// begin starts the recorder of a run, unless that was done already: the answer to who asked first may have been lost.
func begin(r run, req *wire.Request) error {
	if _, err := os.Stat(r.path("request")); err == nil {
		return nil
	}
	if req == nil {
		return errors.New("begin needs a request")
	}
	if err := errors.Join(req.Check(), os.MkdirAll(string(r), 0o700)); err != nil {
		return err
	}
	err := r.write("request", req)
	if err == nil {
		err = r.seen()
	}
	if err == nil {
		err = start(r)
	}
	if err != nil {
		// Nothing was recorded; who asks again begins anew.
		return errors.Join(err, os.RemoveAll(string(r)))
	}
	return nil
}

// start starts the recorder, which belongs to no terminal and no link, and waits until it has the run.
func start(r run) error {
	talk, err := os.OpenFile(r.path("talk"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer talk.Close()
	cmd := exec.Command(self, "keep", string(r))
	cmd.Stdout, cmd.Stderr = talk, talk
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if home, err := os.UserHomeDir(); err == nil {
		cmd.Dir = home // where a shell of the user would be
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the recorder: %w", err)
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if going, pid := r.going(); going && pid != 0 {
				return nil
			}
		case err := <-gone:
			if _, e := os.Stat(r.path("ended")); e == nil {
				return nil // it was quick
			}
			said, e := os.ReadFile(r.path("talk"))
			if e != nil && !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
			return fmt.Errorf("the recorder did not start (%v): %.2000s", err, said)
		}
	}
}
