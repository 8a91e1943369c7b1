package memory

import (
	"sync"
	"weak"
)

// spares are what can be dropped because it can be made again. It is dropped where there is no room for something else,
// all at once: what is needed is made again soon, and nobody knows what will be.
var spares struct {
	sync.Mutex
	list  []func(drop bool) (alive bool)
	alive int // of the list, when it was last looked through
}

// lookThrough drops what can be dropped, or forgets only what is no more. The lock must be held.
func lookThrough(drop bool) {
	kept := spares.list[:0]
	for _, spare := range spares.list {
		if spare(drop) && !drop {
			kept = append(kept, spare)
		}
	}
	clear(spares.list[len(kept):])
	spares.list, spares.alive = kept, len(kept)
}

// Spare says that what v holds can be made again: drop lets go of it where memory is short, from any goroutine. v
// itself is collected as ever.
func Spare[T any](v *T, drop func(*T)) {
	w := weak.Make(v)
	spare := func(really bool) bool {
		v := w.Value()
		if v != nil && really {
			drop(v)
		}
		return v != nil
	}
	spares.Lock()
	defer spares.Unlock()
	if len(spares.list) >= 2*spares.alive+1000 {
		lookThrough(false)
	}
	spares.list = append(spares.list, spare)
}

// Shed drops all that can be made again. What was dropped is garbage afterwards, where nobody uses it.
func Shed() {
	spares.Lock()
	defer spares.Unlock()
	lookThrough(true)
}
