//go:build linux

package device

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"astrolabe/hwio"
	"astrolabe/internal/remote/wire"
)

// follower tells somebody what comes of a run.
type follower struct {
	run  run
	last bool // of --last, whose files are told when they are complete
	to   *wire.Writer

	begun    bool
	progress hwio.Progress
	told     int64            // of what the run said
	sent     map[string]int64 // of each file
	ended    bool
}

// follow begins to tell. What the other side has is compared where it wants that.
func follow(r run, o *wire.Order, to *wire.Writer) (*follower, error) {
	var req wire.Request
	if err := r.read("request", &req); err != nil {
		return nil, fmt.Errorf("there is no run %s here (any more)", filepath.Base(string(r)))
	}
	f := &follower{run: r, last: req.Last > 0, to: to, told: o.Told, sent: map[string]int64{}}
	names, err := r.files(f.last)
	if err != nil {
		return nil, err
	}
	for _, have := range o.Have {
		for _, name := range names {
			if name != have.File {
				continue
			}
			if have.SHA256 != "" {
				sum, err := r.sum(name, have.Size)
				if err != nil {
					return nil, err
				}
				if sum.SHA256 != have.SHA256 || sum.Size != have.Size {
					if err := to.Event(&wire.Event{File: name, Differs: true}); err != nil {
						return nil, err
					}
					continue
				}
			}
			f.sent[name] = have.Size
		}
	}
	return f, r.seen()
}

// sum is what the first size bytes of a file are, or all of them where size is negative.
func (r run) sum(name string, size int64) (wire.Part, error) {
	f, err := os.Open(filepath.Join(r.path("out"), name))
	if err != nil {
		return wire.Part{}, err
	}
	defer f.Close()
	var from io.Reader = f
	if size >= 0 {
		from = io.LimitReader(f, size)
	}
	h := sha256.New()
	n, err := io.Copy(h, from)
	return wire.Part{File: name, Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, err
}

// step tells what is new. Once the run has ended it tells that, and nothing more.
func (f *follower) step() error {
	if f.ended {
		return nil
	}
	going, _ := f.run.going() // before what is read below, so that nothing of a run that has ended is left out
	if err := errors.Join(f.stepBegun(), f.stepTalk(), f.stepFiles(), f.stepProgress()); err != nil || going {
		return err
	}
	if _, err := os.Stat(f.run.path("lock")); errors.Is(err, fs.ErrNotExist) {
		return nil // it has not begun
	}
	var e wire.Ended
	if err := f.run.read("ended", &e); err != nil {
		e = wire.Ended{Killed: true}
	}
	names, err := f.run.files(f.last)
	if err != nil {
		return err
	}
	for _, name := range names {
		sum, err := f.run.sum(name, -1)
		if err != nil {
			return err
		}
		e.Files = append(e.Files, sum)
	}
	f.ended = true
	return f.to.Event(&wire.Event{Ended: &e})
}

func (f *follower) stepBegun() error {
	var b wire.Begun
	if f.begun || f.run.read("begun", &b) != nil {
		return nil
	}
	f.begun = true
	return f.to.Event(&wire.Event{Begun: &b})
}

func (f *follower) stepProgress() error {
	var p hwio.Progress
	if f.run.read("progress", &p) != nil || p == f.progress {
		return nil
	}
	f.progress = p
	return f.to.Event(&wire.Event{Progress: &p})
}

func (f *follower) stepTalk() error {
	return each(f.run.path("talk"), &f.told, func(b []byte, at int64, all bool) error {
		return f.to.Event(&wire.Event{Talk: true, At: at, Data: b})
	})
}

func (f *follower) stepFiles() error {
	if !f.begun {
		return nil // nobody knows yet where they go
	}
	names, err := f.run.files(f.last)
	if err != nil {
		return err
	}
	for _, name := range names {
		path, sent := filepath.Join(f.run.path("out"), name), f.sent[name]
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		if st.Size() < sent { // the end of a batch found no room, and its beginning was taken back
			sent = st.Size()
			if err := f.to.Event(&wire.Event{File: name, At: sent, Cut: true}); err != nil {
				return err
			}
		}
		err = each(path, &sent, func(b []byte, at int64, all bool) error {
			return f.to.Event(&wire.Event{File: name, At: at, All: all, Data: b})
		})
		f.sent[name] = sent
		if err != nil {
			return err
		}
	}
	return nil
}

// each hands on what a file has behind a place, in pieces; all is the last of what there is now.
func each(path string, at *int64, piece func(b []byte, at int64, all bool) error) error {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	end := st.Size()
	buf := make([]byte, min(max(0, end-*at), wire.MaxBytes))
	for *at < end {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), end-*at)], *at)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				err = nil // it was cut off meanwhile
			}
			return err
		}
		if err := piece(buf[:n], *at, *at+int64(n) == end); err != nil {
			return err
		}
		*at += int64(n)
	}
	return nil
}
