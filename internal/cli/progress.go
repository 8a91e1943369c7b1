package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"astrolabe/hwio"
)

// progressBar shows how far a recording is: a line that is drawn over on a terminal, once the work has taken half a
// second; elsewhere nothing.
type progressBar struct {
	w       io.Writer
	live    bool // w is a terminal
	mu      sync.Mutex
	drawn   int // cells on the line
	begun   time.Time
	started bool
}

const (
	progressDelay = 500 * time.Millisecond
	progressCells = 24
)

// update draws the bar.
func (p *progressBar) update(s hwio.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.started {
		p.started, p.begun = true, time.Now()
	}
	if !p.live || time.Since(p.begun) < progressDelay {
		return
	}
	p.line(progressText(s))
}

// line draws text over what stands there.
func (p *progressBar) line(text string) {
	n := len([]rune(text))
	fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", max(0, p.drawn-n)))
	p.drawn = n
}

// done clears the line.
func (p *progressBar) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// erase clears the line for who holds the lock.
func (p *progressBar) erase() {
	if p.drawn > 0 {
		p.line("")
		io.WriteString(p.w, "\r")
		p.drawn = 0
	}
}

func progressText(s hwio.Progress) string {
	var b strings.Builder
	elapsed := s.Elapsed.Seconds()
	if s.Duration > 0 {
		share := min(1, elapsed/s.Duration.Seconds())
		full := int(share * progressCells)
		fmt.Fprintf(&b, "recording [%s%s] %3.0f %%, %.0f s left", strings.Repeat("#", full),
			strings.Repeat(".", progressCells-full),
			100*share, max(0, s.Duration.Seconds()-elapsed))
	} else {
		fmt.Fprintf(&b, "recording %.0f s, Ctrl-C ends it", elapsed)
	}
	fmt.Fprintf(&b, ", %d samples", s.Samples)
	if elapsed > 0 {
		fmt.Fprintf(&b, " (%.0f/s)", float64(s.Samples)/elapsed)
	}
	if s.Missed > 0 {
		fmt.Fprintf(&b, ", %d missed", s.Missed)
	}
	if s.Dropped > 0 {
		fmt.Fprintf(&b, ", %d dropped", s.Dropped)
	}
	return b.String()
}
