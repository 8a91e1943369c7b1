package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"astrolabe/builtins"
)

// busyLine tells a person what a session is at, once that has taken half a second: what it is and for how long, in a line of a terminal
// that is cleared at the end. How far it is cannot be told: formats read their files in an order of their own.
type busyLine struct {
	w     io.Writer
	width func() int // cells of a line of the terminal, 0 if that is not known
}

// begin is Env.Busy.
func (l busyLine) begin(what string) (done func()) {
	begun := time.Now()
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		wait := time.NewTimer(progressDelay)
		defer wait.Stop()
		for shown := 0; ; {
			select {
			case <-stop:
				if shown > 0 {
					io.WriteString(l.w, "\r"+strings.Repeat(" ", shown)+"\r")
				}
				return
			case <-wait.C:
				text := busyText(what, time.Since(begun), l.width())
				n := builtins.TextCells(text)
				io.WriteString(l.w, "\r"+text+strings.Repeat(" ", max(0, shown-n)))
				shown = n
				wait.Reset(100 * time.Millisecond)
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-gone
	})
}

// busyCells is how long the line may be at most. One that wraps could not be cleared.
const busyCells = 80

// busyText is the line; the middle of what does not fit is left out.
func busyText(what string, since time.Duration, width int) string {
	if width <= 0 || width > busyCells {
		width = busyCells
	}
	what = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, what)
	end := fmt.Sprintf(": %.1f s, Ctrl-C stops it", since.Seconds())
	room := width - 1 - len(end)
	if room < 1 {
		return ""
	}
	if builtins.TextCells(what) <= room {
		return what + end
	}
	head := []rune(what)
	head = head[:min(len(head), room/3)]
	tail := []rune(what)[len(head):]
	for len(tail) > 0 && builtins.TextCells(string(head)+"…"+string(tail)) > room {
		tail = tail[1:]
	}
	return string(head) + "…" + string(tail) + end
}
