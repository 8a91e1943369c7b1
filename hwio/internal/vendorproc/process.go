package vendorproc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// How long the second program may take.
const (
	helloTimeout = 15 * time.Second
	// callTimeout is how long a library may take to answer: setting up a GPU's runtime takes seconds on machines with
	// many.
	callTimeout = 60 * time.Second
	exitTimeout = 3 * time.Second
)

// room is how many samples wait at most; a reader that is slower makes the other program wait.
const room = 256

// Process is the second program, running. Its methods are for one goroutine at a time.
type Process struct {
	path    string
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	words   *words
	replies chan reply
	samples chan *Sample
	free    chan *Sample
	quit    chan struct{} // closed by Close
	done    chan struct{} // closed when the program has ended and all it said was read
	problem error         // valid once done is closed: what ended the conversation, nil for a plain end
	ended   chan error    // one value: why no more samples will come
	backlog []*Sample     // that came while an answer was awaited
	timeout time.Duration // of a call
	exit    time.Duration // how long Close waits before it kills

	once     sync.Once
	closeErr error
}

// Start starts the second program and waits for its greeting.
func Start(ctx context.Context) (*Process, error) {
	path, err := find()
	if err != nil {
		return nil, err
	}
	return startProgram(ctx, path)
}

func startProgram(ctx context.Context, path string) (*Process, error) {
	cmd := exec.Command(path)
	p := &Process{
		path: path, cmd: cmd, words: new(words), replies: make(chan reply, 1), samples: make(chan *Sample, room),
		free: make(chan *Sample, room+2), quit: make(chan struct{}), done: make(chan struct{}),
		ended:   make(chan error, 1),
		timeout: callTimeout, exit: exitTimeout,
	}
	cmd.Stderr = p.words
	cmd.WaitDelay = exitTimeout
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	greeting := make(chan hello, 1)
	go p.listen(out, greeting)
	t := time.NewTimer(helloTimeout)
	defer t.Stop()
	select {
	case h := <-greeting:
		if h.Protocol == protocol {
			return p, nil
		}
		p.kill()
		return nil, fmt.Errorf("%s is of another version: it speaks protocol %d and this astrolabe %d; %s", path,
			h.Protocol, protocol, BuildHint)
	case <-p.done:
		err = fmt.Errorf("%s ended before it said what it is%s: is it the program of that name? %s", path,
			p.lastWords(), BuildHint)
		if errors.Is(p.problem, errFrame) {
			err = fmt.Errorf("%s is not %s, or one of a version with another protocol: %w; %s", path, Program,
				p.problem, BuildHint)
		}
		p.kill()
		return nil, err
	case <-t.C:
		p.kill()
		return nil, fmt.Errorf("%s did not say what it is within %v; %s", path, helloTimeout, BuildHint)
	case <-ctx.Done():
		p.kill()
		return nil, ctx.Err()
	}
}

// listen reads what the program says until it ends.
func (p *Process) listen(out io.Reader, greeting chan<- hello) {
	p.problem = p.hear(bufio.NewReaderSize(out, 64<<10), greeting)
	if p.problem != nil {
		_ = p.cmd.Process.Kill() // what it says cannot be understood any more
	}
	if err := p.cmd.Wait(); err != nil && p.problem == nil {
		p.problem = err
	}
	close(p.done)
}

func (p *Process) hear(in io.Reader, greeting chan<- hello) error {
	var buf []byte
	for first := true; ; first = false {
		kind, body, err := readFrame(in, buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		buf = body
		if kind == frameSample {
			if first {
				return fmt.Errorf("%w: a sample comes first", errFrame)
			}
			if !p.deliver(body) {
				return nil
			}
			continue
		}
		if first {
			var h hello
			if err := json.Unmarshal(body, &h); err != nil || h.Program != Program {
				return fmt.Errorf("%w: its first message is not a greeting", errFrame)
			}
			greeting <- h
			continue
		}
		var r reply
		if err := json.Unmarshal(body, &r); err != nil {
			return fmt.Errorf("%w: %w", errFrame, err)
		}
		if r.Event == eventEnded {
			p.end(r.Error)
			continue
		}
		select {
		case p.replies <- r:
		case <-p.quit:
		}
	}
}

// deliver puts a sample where Next finds it; it waits while nobody takes any.
func (p *Process) deliver(body []byte) bool {
	var s *Sample
	select {
	case s = <-p.free:
	default:
		s = new(Sample)
	}
	if err := decodeSample(body, s); err != nil {
		p.end(&Error{Kind: LibraryFailed, Text: err.Error()})
		return false
	}
	select {
	case p.samples <- s:
		return true
	case <-p.quit:
		return true // what still comes is read and forgotten, so that the program can end
	}
}

func (p *Process) end(why *Error) {
	var err error = io.EOF
	if why != nil {
		err = why
	}
	select {
	case p.ended <- err:
	default:
	}
}

// Call sends a request and waits for its answer, which it decodes into reply. An error of the library is a *Error.
// After any other the program has been ended.
func (p *Process) Call(ctx context.Context, op string, body, reply any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	msg, err := json.Marshal(request{op, b})
	if err != nil {
		return err
	}
	if err := writeFrame(p.stdin, frameMessage, msg); err != nil {
		p.waitEnd()
		return p.gone("was asked for " + op)
	}
	t := time.NewTimer(p.timeout)
	defer t.Stop()
	for {
		select {
		case r := <-p.replies:
			return decodeReply(r, reply)
		case s := <-p.samples:
			// The answer stands behind the samples that came before it.
			p.backlog = append(p.backlog, s)
		case <-p.done:
			select {
			case r := <-p.replies:
				return decodeReply(r, reply)
			default:
			}
			return p.gone("was asked for " + op)
		case <-t.C:
			p.kill()
			return fmt.Errorf("the vendor's library did not answer %s within %v%s: it hangs, and %s was ended", op,
				p.timeout, p.lastWords(), Program)
		case <-ctx.Done():
			p.kill()
			return ctx.Err()
		}
	}
}

func decodeReply(r reply, to any) error {
	if r.Error != nil {
		return r.Error
	}
	if to == nil {
		return nil
	}
	if err := json.Unmarshal(r.Body, to); err != nil {
		return fmt.Errorf("an answer of %s: %w", Program, err)
	}
	return nil
}

// Next returns the oldest sample that was not taken yet, and nil where there is none now. It never waits. The error
// says why none will come any more.
func (p *Process) Next() (*Sample, error) {
	if len(p.backlog) > 0 {
		s := p.backlog[0]
		p.backlog = p.backlog[1:]
		return s, nil
	}
	select {
	case s := <-p.samples:
		return s, nil
	default:
	}
	select {
	case err := <-p.ended:
		p.keep(err)
		return p.lastOr(err)
	case <-p.done:
		return p.lastOr(p.gone("was counting"))
	default:
		return nil, nil
	}
}

// keep keeps the reason for the next call.
func (p *Process) keep(err error) {
	select {
	case p.ended <- err:
	default:
	}
}

func (p *Process) lastOr(err error) (*Sample, error) {
	select {
	case s := <-p.samples:
		return s, nil
	default:
		return nil, err
	}
}

// Recycle gives a sample's memory back.
func (p *Process) Recycle(s *Sample) {
	select {
	case p.free <- s:
	default:
	}
}

// waitEnd waits for a program that seems to be ending.
func (p *Process) waitEnd() {
	t := time.NewTimer(p.exit)
	defer t.Stop()
	select {
	case <-p.done:
	case <-t.C:
		p.kill()
	}
}

// gone says how the program ended.
func (p *Process) gone(doing string) error {
	select {
	case <-p.done:
	default:
		return fmt.Errorf("%s closed its input while it %s%s", Program, doing, p.lastWords())
	}
	how := "ended"
	if p.problem != nil {
		how = fmt.Sprintf("ended (%v)", p.problem)
	}
	return fmt.Errorf("%s %s while it %s: the vendor's library crashed or ended it%s", Program, how, doing,
		p.lastWords())
}

func (p *Process) lastWords() string {
	if w := p.words.last(); w != "" {
		return "; it last said: " + w
	}
	return ""
}

// kill ends the program at once.
func (p *Process) kill() {
	p.once.Do(func() {
		close(p.quit)
		_ = p.stdin.Close()
		_ = p.cmd.Process.Kill()
		<-p.done
	})
}

// Close ends the program: first by closing its input, then, where it does not go, by force. A second Close does
// nothing.
func (p *Process) Close() error {
	p.once.Do(func() {
		close(p.quit)
		_ = p.stdin.Close() // that it is closed already is as well
		t := time.NewTimer(p.exit)
		defer t.Stop()
		select {
		case <-p.done:
		case <-t.C:
			_ = p.cmd.Process.Kill()
			<-p.done
			p.closeErr = fmt.Errorf("%s did not end within %v and was killed", Program, p.exit)
		}
	})
	return p.closeErr
}

// Kill ends the program at once, as after a library that hangs.
func (p *Process) Kill() { p.kill() }
