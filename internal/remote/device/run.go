//go:build linux

package device

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/internal/remote/wire"
)

// run is the folder of a recording:
//
//	request   what was asked for
//	lock      locked by the recorder, which writes its process number into it
//	out/      the capture: r.arrow, parts in r, or the files of --last
//	saved     the files of --last that are complete, a line each
//	talk      what the recorder and the command said
//	begun     what is known once it goes on
//	progress  how far it is
//	seen      its time is when somebody followed last
//	reserve   room for the next file where the disk is full
//	ended     how it ended
type run string

var runID = regexp.MustCompile(`^[0-9a-z]{8,40}$`)

// runAt is the folder of a run below base.
func runAt(base, id string) (run, error) {
	if !runID.MatchString(id) {
		return "", fmt.Errorf("%q is no name of a run", id)
	}
	return run(filepath.Join(base, "runs", id)), nil
}

func (r run) path(name string) string { return filepath.Join(string(r), name) }

// read fills what from a file of the run.
func (r run) read(name string, what any) error {
	text, err := os.ReadFile(r.path(name))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, what)
}

// write replaces a file of the run.
func (r run) write(name string, what any) error {
	text, err := json.Marshal(what)
	if err != nil {
		return err
	}
	part := r.path(name + ".part")
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return err
	}
	return os.Rename(part, r.path(name))
}

// going reports whether the recorder lives, and its process number.
func (r run) going() (bool, int) {
	f, err := os.Open(r.path("lock"))
	if err != nil {
		return false, 0
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		return false, 0
	}
	var pid int
	if _, err := fmt.Fscan(f, &pid); err != nil || pid <= 1 {
		return true, 0
	}
	return true, pid
}

// signal tells a recorder that lives.
func (r run) signal(s syscall.Signal) error {
	going, pid := r.going()
	if !going {
		return nil // it has ended by itself
	}
	if pid == 0 {
		return errors.New("the recording has only just begun: try again")
	}
	return syscall.Kill(pid, s)
}

// files are those of the capture that can be fetched, by their names below out.
func (r run) files(last bool) ([]string, error) {
	if last {
		text, err := os.ReadFile(r.path("saved"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return strings.Fields(string(text)), err
	}
	var out []string
	err := filepath.WalkDir(r.path("out"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Type().IsRegular() && !strings.HasPrefix(d.Name(), "."):
			name, err := filepath.Rel(r.path("out"), path)
			out = append(out, name)
			return err
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the recorder has not come that far
	}
	slices.Sort(out)
	return out, err
}

// list tells the runs below base, oldest first.
func list(base string) ([]wire.Run, error) {
	entries, err := os.ReadDir(filepath.Join(base, "runs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := []wire.Run{}
	for _, e := range entries {
		r, err := runAt(base, e.Name())
		if err != nil {
			continue
		}
		var req wire.Request
		st, err := os.Stat(r.path("request"))
		if err != nil || r.read("request", &req) != nil {
			continue
		}
		x := wire.Run{ID: e.Name(), Began: st.ModTime(), Output: req.Output, Command: req.Command}
		x.Going, _ = r.going()
		names, err := r.files(req.Last > 0)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if st, err := os.Stat(filepath.Join(r.path("out"), name)); err == nil {
				x.Bytes += st.Size()
			}
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b wire.Run) int { return a.Began.Compare(b.Began) })
	return out, nil
}

// seen notes that somebody follows.
func (r run) seen() error {
	now := time.Now()
	err := os.Chtimes(r.path("seen"), now, now)
	if errors.Is(err, fs.ErrNotExist) {
		return os.WriteFile(r.path("seen"), nil, 0o600)
	}
	return err
}
