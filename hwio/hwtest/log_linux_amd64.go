package hwtest

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// callLog keeps the first and the last calls, so that both how a program began and what it released can be seen.
type callLog struct {
	mu    sync.Mutex
	half  int
	first []Entry
	last  []Entry // a ring once it is full
	next  int
	left  int // entries that fell out of the ring
	began time.Time
}

func newCallLog(limit int) *callLog {
	if limit <= 0 {
		limit = 20000
	}
	return &callLog{half: max(1, limit/2), began: time.Now()}
}

// add puts an entry at the end, or counts it as a repeat of the one before.
func (l *callLog) add(e Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Time = time.Since(l.began)
	if p := l.latest(); p != nil && p.PID == e.PID && p.Call == e.Call && p.What == e.What && p.Detail == e.Detail &&
		p.Result == e.Result {
		p.Count = max(p.Count, 1) + 1
		return
	}
	switch {
	case len(l.first) < l.half:
		l.first = append(l.first, e)
	case len(l.last) < l.half:
		l.last = append(l.last, e)
	default:
		l.left++
		l.last[l.next] = e
		l.next = (l.next + 1) % l.half
	}
}

func (l *callLog) latest() *Entry {
	switch {
	case len(l.last) > 0:
		return &l.last[(l.next+len(l.last)-1)%len(l.last)]
	case len(l.first) > 0:
		return &l.first[len(l.first)-1]
	}
	return nil
}

// entries is the whole log. Where something fell out an entry of its own says how much.
func (l *callLog) entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := slices.Clone(l.first)
	if l.left > 0 {
		out = append(out, Entry{Call: "(left out)", What: fmt.Sprintf("%d entries of the log are left out here",
			l.left), Count: l.left})
	}
	out = append(out, l.last[l.next:]...)
	return append(out, l.last[:l.next]...)
}
