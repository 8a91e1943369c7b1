package fleet

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Task is a capture for a worker.
type Task struct {
	Capture string `json:"capture"`
	Hash    bool   `json:"hash,omitempty"`  // say the hash of its content
	Known   string `json:"known,omitempty"` // where this is the hash, nothing is to be done
}

// Work does a task. What it is to say meanwhile goes to talk, line by line.
type Work func(t Task, talk func(line string)) Outcome

// Serve is a worker: it reads tasks from in and writes their outcomes to out, until in ends. begin is told the setup of
// the pool. gone is called where in ends during a task: nobody waits for the outcome.
func Serve(in io.Reader, out io.Writer, begin func(setup json.RawMessage) (Work, error), gone func()) error {
	var mu sync.Mutex
	send := func(kind byte, v any) error {
		mu.Lock()
		defer mu.Unlock()
		return writeFrame(out, kind, v)
	}
	frames := make(chan []byte)
	failed := make(chan error, 1)
	kinds := []byte{frameSetup, frameTask}
	go func() {
		r := bufio.NewReaderSize(in, 1<<16)
		for n := 0; ; n++ {
			kind, body, err := readFrame(r)
			if err == nil && kind != kinds[min(n, 1)] {
				err = fmt.Errorf("%w: a frame of type %q, which is not its turn", errFrame, kind)
			}
			if err != nil {
				failed <- err
				close(frames)
				gone()
				return
			}
			frames <- body
		}
	}()
	var work Work
	for body := range frames {
		if work == nil {
			var err error
			if work, err = begin(body); err != nil {
				return err
			}
			if err := send(frameReady, struct{}{}); err != nil {
				return err
			}
			continue
		}
		var t Task
		if err := decode(body, &t); err != nil {
			return err
		}
		o := work(t, func(line string) { _ = send(frameTalk, line) }) // the outcome finds out too
		err := send(frameOutcome, o)
		if errors.Is(err, errTooLong) {
			err = send(frameOutcome, Outcome{Capture: o.Capture, Hash: o.Hash, Status: Failed,
				Error: fmt.Sprintf("its %d rows take %v: give fewer or smaller rows", len(o.Rows), err)})
		}
		if err != nil {
			return err
		}
	}
	if err := <-failed; !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
