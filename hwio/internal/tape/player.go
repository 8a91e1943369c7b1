package tape

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// Player answers from a tape. What is asked more often than it was while the tape ran has the last answer again; what
// never was asked is not there. It is safe for concurrent use.
type Player struct {
	mu       sync.Mutex
	answers  map[string][]*Event // by kind, path, device and question
	next     map[string]int
	devices  map[int]*script
	path     map[int]string // of the devices that were opened by path
	last     *Event         // that was taken
	upcoming *Event         // on the same device
	left     int            // samples that were not taken
	order    map[*Event]int // place on the tape
	finish   int            // place at which the end was asked for; behind the last event where that is not on the tape
	finished bool           // it was asked for again
	taken    map[*Event]bool
	made     map[*Event]int // device that a request or a mapping made
	bound    map[int]bool   // devices that others have become
	fetched  int64          // when what was read last was there, in ns since the tape began
}

// script is what happened on one device.
type script struct {
	events []*Event
	at     int
}

// NewPlayer plays events, which it keeps.
func NewPlayer(events []Event) *Player {
	p := &Player{answers: map[string][]*Event{}, next: map[string]int{}, devices: map[int]*script{},
		path: map[int]string{}, order: map[*Event]int{}, finish: len(events),
		taken: map[*Event]bool{}, made: map[*Event]int{}, bound: map[int]bool{}}
	for i := range events {
		e := &events[i]
		p.order[e] = i
		switch e.Kind {
		case Clock:
			k := key(Clock, e.Code)
			p.answers[k] = append(p.answers[k], e)
			continue
		case File, Again, Names, Link, Exists:
			k := key(e.Kind, e.Path)
			p.answers[k] = append(p.answers[k], e)
			continue
		case Phase:
			if e.Path == PhaseFinish {
				p.finish = min(p.finish, i)
			}
			continue
		}
		p.left += btoi(p.waited(e))
		if e.Kind == Open && e.Path != "" {
			k := key(Open, e.Path)
			p.answers[k] = append(p.answers[k], e)
			if e.Errno == 0 {
				p.path[e.Device] = e.Path
			}
			continue
		}
		if e.Kind == Request {
			k := key(Request, p.place(e.Device), e.question())
			p.answers[k] = append(p.answers[k], e)
		}
		s := p.devices[e.Device]
		if s == nil {
			s = &script{}
			p.devices[e.Device] = s
		}
		// The device that a request or a mapping made is noted right behind it.
		if n := len(s.events); e.Kind == Open && n > 0 && (s.events[n-1].Kind == Request || s.events[n-1].Kind == Map) {
			p.made[s.events[n-1]] = e.New
		}
		s.events = append(s.events, e)
	}
	return p
}

func key(parts ...string) string { return fmt.Sprintf("%q", parts) }

// isSample says that the event brings what a device counted, or tells of itself.
func (e *Event) isSample() bool { return len(e.Pieces) > 0 || len(e.BufOut) > 0 }

// waited says that a recording is not over before an event was asked for.
func (p *Player) waited(e *Event) bool {
	return (e.Kind == Read || e.Kind == Request && e.isSample()) && p.order[e] < p.finish
}

// Left is how many samples and reads were not asked for yet, but for those that are held back.
func (p *Player) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

// Around are the times at which the next event of the device that was asked last begins, and at which the last one
// ended, in ns since the tape began.
func (p *Player) Around() (next, last int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil {
		last = p.last.Time
	}
	next = last
	if p.upcoming != nil {
		next = p.upcoming.Time - p.upcoming.Took
	}
	return next, last
}

// place is a device's path: all openings of one device are alike. A device that a request made is one by itself.
func (p *Player) place(device int) string {
	if path, ok := p.path[device]; ok {
		return path
	}
	return fmt.Sprint(device)
}

// question is what a request asks.
func (e *Event) question() string {
	return e.Code + " " + hex.EncodeToString(e.In) + " " + hex.EncodeToString(e.BufIn)
}

// answer is the next one to a question.
func (p *Player) answer(k string) (*Event, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.answers[k]
	if len(list) == 0 {
		return nil, false
	}
	n := p.next[k]
	for n < len(list)-1 && p.bound[p.made[list[n]]] {
		n++
	}
	p.next[k] = n + 1
	return list[min(n, len(list)-1)], true
}

// Content is that of a file, as it was at the next time it was read.
func (p *Player) Content(path string, again bool) ([]byte, error) {
	path = filepath.Clean(path)
	kind := File
	if again {
		kind = Again
	}
	e, ok := p.answer(key(kind, path))
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOENT}
	case e.Errno != 0:
		return nil, &fs.PathError{Op: "read", Path: path, Err: syscall.Errno(e.Errno)}
	}
	return e.Content(), nil
}

// Content is that of a file.
func (e *Event) Content() []byte {
	if e.Data != nil {
		return e.Data
	}
	return []byte(e.Text)
}

// Kept reports whether a file was read that was kept open.
func (p *Player) Kept(path string) bool { return len(p.answers[key(Again, filepath.Clean(path))]) > 0 }

// Names are those in a folder.
func (p *Player) Names(path string) []string {
	if e, ok := p.answer(key(Names, filepath.Clean(path))); ok {
		return slices.Clone(e.Names)
	}
	return nil
}

// Target is what a link leads to.
func (p *Player) Target(path string) string {
	if e, ok := p.answer(key(Link, filepath.Clean(path))); ok {
		return e.Text
	}
	return ""
}

// There is whether something is at a path: 2 for a device.
func (p *Player) There(path string) int64 {
	path = filepath.Clean(path)
	if e, ok := p.answer(key(Exists, path)); ok {
		return e.Value
	}
	for _, kind := range []string{File, Again, Names, Link, Open} {
		if len(p.answers[key(kind, path)]) > 0 {
			return 1
		}
	}
	return 0
}

// Played is an open device of a player.
type Played struct {
	player *Player
	place  string
	number int
	script script
	rivals []int // devices that later answers to the same question made
}

// Open opens a device by its path.
func (p *Player) Open(path string) (*Played, error) {
	e, ok := p.answer(key(Open, path))
	switch {
	case !ok:
		return nil, syscall.ENOENT
	case e.Errno != 0:
		return nil, syscall.Errno(e.Errno)
	}
	return &Played{player: p, place: path, number: e.Device, script: p.events(e.Device)}, nil
}

func (p *Player) events(device int) script {
	if s := p.devices[device]; s != nil {
		return script{events: s.events}
	}
	return script{}
}

// Made opens the device that a request made.
func (p *Player) Made(number int) *Played {
	return &Played{player: p, place: fmt.Sprint(number), number: number, script: p.events(number)}
}

// Ask answers a request that a structure and a buffer belong to. It also says what device the request made, 0 if none.
func (d *Played) Ask(code string, in, buf []byte) (e *Event, made int, ok bool) {
	asked := Event{Code: code, In: in, BufIn: buf}
	e, ok = d.player.answer(key(Request, d.place, asked.question()))
	if !ok {
		return nil, 0, false
	}
	return e, d.player.made[e], true
}

// Next is the next event of the device of certain kinds and codes, which it takes. Events before it are passed over.
func (d *Played) Next(want func(*Event) bool) (*Event, bool) {
	e, ok := d.Peek(want)
	if !ok {
		return nil, false
	}
	d.script.at = slices.Index(d.script.events, e) + 1
	p := d.player
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left -= btoi(p.waited(e))
	p.last, p.upcoming = e, nil
	for _, x := range d.script.events[d.script.at:] {
		if x.Kind == Request {
			p.upcoming = x
			break
		}
	}
	return e, true
}

// Spent says that there was such an event and it was taken.
func (d *Played) Spent(want func(*Event) bool) bool {
	return slices.ContainsFunc(d.script.events[:d.script.at], want)
}

// Peek is Next without taking the event.
func (d *Played) Peek(want func(*Event) bool) (*Event, bool) {
	for _, e := range d.script.events[d.script.at:] {
		if want(e) {
			return e, true
		}
	}
	return nil, false
}

// Upcoming is the next event of the device, whatever it is.
func (d *Played) Upcoming() (*Event, bool) { return d.Peek(func(*Event) bool { return true }) }

// Mapping is how much of the device was mapped.
func (d *Played) Mapping() int64 {
	for _, e := range d.script.events {
		if e.Kind == Map && e.Errno == 0 {
			return e.Value
		}
	}
	return 0
}

// Position is where an event stands among those of the device, -1 where it is another's.
func (d *Played) Position(e *Event) int { return slices.Index(d.script.events, e) }

// After is the position of the first event behind another that is wanted.
func (d *Played) After(at int, want func(*Event) bool) (int, bool) {
	for i := max(at+1, 0); i < len(d.script.events); i++ {
		if want(d.script.events[i]) {
			return i, true
		}
	}
	return 0, false
}
