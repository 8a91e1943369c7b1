package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"astrolabe/internal/script"
	"astrolabe/scripts"
)

// watchInterval is how often files are looked at, and how long they must stay the same before a script is run again:
// editors write in several steps. The kernel's notification of changes is left alone, because network and container
// file systems have none.
const watchInterval = 150 * time.Millisecond

// watchScript runs a script, and again whenever its file or one that it loads changes, until the user ends it. Errors
// of the script are shown and do not end it.
func (a *app) watchScript(path string, args []string) error {
	reader := script.NewReader(scripts.Library)
	if _, err := reader.File(path); err != nil {
		return err
	}
	for {
		seen := lookAt(reader.Closure(path)) // before the run, so that a change during it counts
		err := a.runScript(path, args)
		switch {
		case a.ctx.Err() != nil:
			return errors.Join(errReported, a.ctx.Err())
		case err != nil:
			a.complain(err)
		}
		files := "files"
		if len(seen) == 1 {
			files = "file"
		}
		a.say(fmt.Sprintf("watching %d %s; Ctrl-C ends", len(seen), files))
		if err := waitForChange(a.ctx, reader, path, seen); err != nil {
			return errors.Join(errReported, err)
		}
		a.say("changed: running again")
	}
}

// waitForChange returns when the files of a script are no longer what was seen, and have stayed so for a moment.
func waitForChange(ctx context.Context, reader *script.Reader, path string, seen map[string]fileState) error {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	last := seen
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		now := lookAt(reader.Closure(path))
		if !maps.Equal(now, seen) && maps.Equal(now, last) {
			return nil
		}
		last = now
	}
}

// fileState is what tells that a file was written.
type fileState struct {
	time time.Time
	size int64
	mode fs.FileMode
}

// lookAt notes the state of files; that of one which is not there is the zero state.
func lookAt(paths []string) map[string]fileState {
	out := make(map[string]fileState, len(paths))
	for _, p := range paths {
		var s fileState
		if info, err := os.Stat(p); err == nil {
			s = fileState{info.ModTime(), info.Size(), info.Mode()}
		}
		out[p] = s
	}
	return out
}
