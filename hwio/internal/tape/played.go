package tape

import (
	"errors"
	"fmt"
	"math"
	"slices"
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

// Over says that the clock of a reader showed no more times, but for those that are for the end.
func (p *Player) Over(reader string) bool {
	k := key(Clock, reader)
	p.mu.Lock()
	list, n := p.answers[k], p.next[k]
	p.mu.Unlock()
	return n >= len(list) || p.held(list[n])
}

// Kernel is what is asked that is of no device.
func (p *Player) Kernel() *Played { return p.Made(0) }

// Read delivers what the device delivered next. Where the rest was for the end there is nothing yet, and behind the end
// of the tape the device is gone.
func (d *Played) Read(buf []byte) (int, error) {
	e, err := d.collect(len(buf))
	if err != nil {
		return 0, err
	}
	return copy(buf, e.Data), nil
}

// collect takes what the device delivered next, if that is no more than so many bytes.
func (d *Played) collect(most int) (*Event, error) {
	is := func(e *Event) bool { return e.Kind == Read }
	d.Settle(is)
	e, ok := d.Peek(is)
	switch {
	case !ok:
		return nil, syscall.ENODEV
	case d.player.held(e):
		return nil, syscall.EAGAIN
	case len(e.Data) > most:
		return nil, syscall.ENOSPC
	}
	d.Next(is)
	if e.Errno != 0 {
		return e, syscall.Errno(e.Errno)
	}
	d.player.mu.Lock()
	d.player.fetched = e.Time
	d.player.mu.Unlock()
	return e, nil
}

// Collect is what was taken next out of mapped memory, nothing where the rest was for the end or nothing follows. What
// was taken before something that was not to be understood comes with the error of that.
func (d *Played) Collect() ([]byte, error) {
	e, err := d.collect(math.MaxInt)
	switch {
	case e != nil:
		return e.Data, err
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENODEV):
		return nil, nil
	}
	return nil, err
}

// Map maps memory as it was mapped next.
func (d *Played) Map(bytes int) (*Played, error) {
	is := func(e *Event) bool { return e.Kind == Map && e.Value == int64(bytes) }
	d.Settle(is)
	e, ok := d.Next(is)
	switch {
	case !ok:
		return nil, syscall.EINVAL
	case e.Errno != 0:
		return nil, syscall.Errno(e.Errno)
	}
	return d.player.Made(d.player.made[e]), nil
}

// Call answers a request that has a name in place of a number. What of several answers to a question was done with what
// it made tells which one it is: a program may try once more, or less, before it uses a device.
func (d *Played) Call(code string, in, buf []byte) (e *Event, made *Played, err error) {
	asked := Event{Code: code, In: in, BufIn: buf}
	question := asked.question()
	d.Settle(func(e *Event) bool { return e.Kind == Request && e.question() == question })
	e, n, ok := d.Ask(code, in, buf)
	switch {
	case !ok:
		return nil, nil, syscall.ENOTTY
	case e.Errno != 0:
		return e, nil, syscall.Errno(e.Errno)
	}
	made = d.player.Made(n)
	list := d.player.answers[key(Request, d.place, question)]
	for _, later := range list[slices.Index(list, e)+1:] {
		if n := d.player.made[later]; n != 0 {
			made.rivals = append(made.rivals, n)
		}
	}
	return e, made, nil
}

// Number is that of the device on the tape.
func (d *Played) Number() int { return d.number }

// MadeBy is the number of the device that a request or a mapping made, 0 of none.
func (d *Played) MadeBy(e *Event) int { return d.player.made[e] }

// Settle makes the device another one that the same question made, where one with such an event is not this one.
func (d *Played) Settle(is func(*Event) bool) {
	if len(d.rivals) == 0 || slices.ContainsFunc(d.script.events, is) {
		return
	}
	p := d.player
	for i, n := range d.rivals {
		p.mu.Lock()
		taken := p.bound[n]
		p.mu.Unlock()
		if s := p.events(n); !taken && slices.ContainsFunc(s.events, is) {
			d.place, d.number, d.script, d.rivals = fmt.Sprint(n), n, s, d.rivals[i+1:]
			p.mu.Lock()
			p.bound[n] = true
			p.mu.Unlock()
			return
		}
	}
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
