package fleet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// process is a running worker.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	messages chan message // closed where it has ended
	quit     chan struct{}
	words    *lastWords
}

type message struct {
	kind byte
	body []byte
}

// startTime is how long a worker may take until it is ready: no measure, only the end of a wait that would never end.
const startTime = 5 * time.Minute

var errKilled = errors.New("a signal ended it")

// start starts a worker and waits until it is ready.
func start(ctx context.Context, p *Pool) (*process, error) {
	proc := &process{cmd: p.Command(), messages: make(chan message), quit: make(chan struct{}), words: &lastWords{}}
	proc.cmd.Stderr = proc.words
	proc.cmd.WaitDelay = time.Second // a command that a script left running may hold the pipe
	var err error
	if proc.in, err = proc.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := proc.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := proc.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	go proc.receive(out)
	err = proc.send(frameSetup, p.Setup)
	if err == nil {
		err = proc.ready(ctx)
	}
	if err != nil {
		status, words := proc.end()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if status < 0 {
			err = errKilled
		}
		return nil, fmt.Errorf("a worker did not start (exit status %d): %w: %s", status, err, strings.TrimSpace(words))
	}
	return proc, nil
}

// receive hands on what the worker writes.
func (p *process) receive(out io.Reader) {
	defer close(p.messages)
	r := bufio.NewReaderSize(out, 1<<16)
	for {
		kind, body, err := readFrame(r)
		if err != nil {
			return // the outcome is told by how the process has ended
		}
		select {
		case p.messages <- message{kind, body}:
		case <-p.quit:
			return
		}
	}
}

func (p *process) ready(ctx context.Context) error {
	timer := time.NewTimer(startTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return errors.New("it said nothing")
	case m, ok := <-p.messages:
		if !ok || m.kind != frameReady {
			return errFrame
		}
		return nil
	}
}

func (p *process) send(kind byte, v any) error { return writeFrame(p.in, kind, v) }

// endGrace is how long a worker that has nothing to do, or has ended already, may take to be gone.
const endGrace = 500 * time.Millisecond

// end ends the process: by the end of its input where it only waits, at once where it does not.
func (p *process) end() (status int, words string) {
	close(p.quit)
	p.in.Close()
	kill := time.AfterFunc(endGrace, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	for range p.messages {
		continue // until its output is closed, which Wait would do too early
	}
	err := p.cmd.Wait()
	if state := p.cmd.ProcessState; state != nil {
		status = state.ExitCode()
		if err != nil && !state.Exited() {
			p.words.Write([]byte("\n" + state.String() + "\n"))
		}
	}
	return status, p.words.String()
}

// lastWords keeps the beginning of what a worker writes to standard error during a capture: of a crash that is the
// reason, before the stacks of all goroutines. What comes after that is counted by nobody but its last line.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// maxWords is how much is kept of them, in bytes.
const maxWords = 16 << 10

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if room := maxWords - len(w.text); room > 0 {
		w.text = append(w.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (w *lastWords) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = w.text[:0]
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}
