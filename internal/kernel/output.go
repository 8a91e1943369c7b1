package kernel

import (
	"encoding/json"
	"io"
	"sync"
	"time"
	"unicode/utf8"
)

// publisher publishes what a cell prints and shows, in order. What is printed is collected, because a message for each
// line would keep clients busy for longer than the cell.
type publisher struct {
	k *Kernel

	mu     sync.Mutex
	parent json.RawMessage // the request whose output it is
	silent bool            // nobody is told
	stream string          // that text was printed to: stdout or stderr
	text   []byte          // printed and not published yet
	timer  *time.Timer     // publishes it; nil while nothing waits
}

// Text is published once there is so much of it, or after this time.
const (
	streamBytes = 256 << 10
	streamTime  = 50 * time.Millisecond
)

// begin takes the request whose output comes from now on.
func (p *publisher) begin(parent json.RawMessage, silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parent, p.silent = parent, silent
}

// write takes what was printed.
func (p *publisher) write(stream string, text []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent || len(text) == 0 {
		return
	}
	if p.stream != stream {
		p.release(true)
		p.stream = stream
	}
	for len(text) > 0 { // in pieces: what one print holds can be as large as memory
		n := min(len(text), streamBytes)
		p.text = append(p.text, text[:n]...)
		text = text[n:]
		if len(p.text) >= streamBytes {
			p.release(false)
		}
	}
	if p.timer == nil && len(p.text) > 0 {
		p.timer = time.AfterFunc(streamTime, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.timer = nil
			p.release(false)
		})
	}
}

// release publishes the text that waits. Of a character that is not all there the beginning waits for its end, unless
// none can come.
func (p *publisher) release(all bool) {
	text := p.text
	if !all {
		for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
			if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
				if !utf8.FullRune(tail) {
					text = text[:len(text)-i]
				}
				break
			}
		}
	}
	if len(text) > 0 {
		p.k.publish("stream", p.parent, map[string]any{"name": p.stream, "text": string(text)})
	}
	p.text = append(p.text[:0], p.text[len(text):]...)
	if cap(p.text) > 2*streamBytes {
		p.text = nil
	}
}

// flush publishes what was printed so far.
func (p *publisher) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.release(true)
}

// send publishes a message behind what was printed before it.
func (p *publisher) send(kind string, content any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent {
		return
	}
	p.release(true)
	p.k.publish(kind, p.parent, content)
}

// stream is an output of a cell.
type stream struct {
	to   *publisher
	name string
}

func (s stream) Write(p []byte) (int, error) {
	s.to.write(s.name, p)
	return len(p), nil
}

// Stdout takes what cells print.
func (k *Kernel) Stdout() io.Writer { return stream{&k.out, "stdout"} }

// Stderr takes what is said about the work of cells.
func (k *Kernel) Stderr() io.Writer { return stream{&k.out, "stderr"} }

// Clear empties what the running cell shows.
func (k *Kernel) Clear() { k.out.send("clear_output", map[string]any{"wait": false}) }

// Page takes a text that explains something, which clients show apart from the cells.
func (k *Kernel) Page(text string) { k.pages = append(k.pages, text) }
