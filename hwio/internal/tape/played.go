package tape

import (
	"syscall"
)

// Finish lets through what was answered to the end of the recording.
func (p *Player) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
}

// held says that an event is for the end, which nobody asked for yet.
func (p *Player) held(e *Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.finished && p.order[e] >= p.finish
}

// Fetched is when what was read last was there, in ns since the tape began; 0 where nothing was.
func (p *Player) Fetched() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetched
}

// Clock is what a reader saw next on CLOCK_MONOTONIC. The clock stands still where it is asked more often.
func (p *Player) Clock(reader string) int64 {
	k := key(Clock, reader)
	p.mu.Lock()
	list, n := p.answers[k], p.next[k]
	p.mu.Unlock()
	switch {
	case len(list) == 0:
		return 0
	case n > 0 && (n >= len(list) || p.held(list[n])):
		return list[n-1].Value
	}
	p.mu.Lock()
	p.next[k] = n + 1
	p.mu.Unlock()
	return list[n].Value
}

// Read delivers what the device delivered next. Where the rest was for the end there is nothing yet, and behind the end
// of the tape the device is gone.
func (d *Played) Read(buf []byte) (int, error) {
	is := func(e *Event) bool { return e.Kind == Read }
	e, ok := d.Peek(is)
	switch {
	case !ok:
		return 0, syscall.ENODEV
	case d.player.held(e):
		return 0, syscall.EAGAIN
	case len(e.Data) > len(buf):
		return 0, syscall.ENOSPC
	}
	d.Next(is)
	if e.Errno != 0 {
		return 0, syscall.Errno(e.Errno)
	}
	d.player.mu.Lock()
	d.player.fetched = e.Time
	d.player.mu.Unlock()
	return copy(buf, e.Data), nil
}

// take notes that an answer was given that counts as a sample.
func (p *Player) take(e *Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waited(e) && !p.taken[e] {
		p.taken[e] = true
		p.left--
	}
}

// Request answers a request of a device: its next answer to that question.
func (d *Played) Request(code uint32, in, buf []byte) (e *Event, made *Played, err error) {
	e, n, ok := d.Ask(Code(code), in, buf)
	if !ok {
		return nil, nil, syscall.ENOTTY
	}
	d.player.take(e)
	if e.Errno != 0 {
		return e, nil, syscall.Errno(e.Errno)
	}
	return e, d.player.Made(n), nil
}

// Reads are all reads of the device that delivered something.
func (d *Played) Reads() []*Event {
	var out []*Event
	for _, e := range d.script.events {
		if e.Kind == Read && len(e.Data) > 0 {
			out = append(out, e)
		}
	}
	return out
}
