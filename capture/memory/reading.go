package memory

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// reading is what is being read now, the innermost last. What watches the program's memory from beside cannot know
// whose it is, so it names the file that was begun last, and stops the reading of all.
var reading struct {
	sync.Mutex
	files []*readingFile
}

type readingFile struct {
	path   string
	cancel context.CancelCauseFunc
}

// Reading says that a capture is being read from path until done is called. Its context is cancelled where StopReading
// is called meanwhile; Stopped then has the error.
func Reading(ctx context.Context, path string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	f := &readingFile{path, cancel}
	reading.Lock()
	defer reading.Unlock()
	reading.files = append(reading.files, f)
	return ctx, func() {
		reading.Lock()
		defer reading.Unlock()
		if i := slices.Index(reading.files, f); i >= 0 {
			reading.files = slices.Delete(reading.files, i, i+1)
		}
		cancel(nil)
	}
}

// StopReading cancels the reading of all captures because the program takes more than it may. It returns the path of
// the one that was begun last, "" where none is being read.
func StopReading(why *LimitError) (path string) {
	reading.Lock()
	defer reading.Unlock()
	for _, f := range reading.files {
		f.cancel(why)
		path = f.path
	}
	return path
}

// Stopped is the error of a reading that StopReading has stopped, nil of any other.
func Stopped(ctx context.Context) error {
	if err := context.Cause(ctx); errors.Is(err, ErrLimit) {
		return err
	}
	return nil
}
