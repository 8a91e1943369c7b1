package vendorproc

import (
	"strings"
	"sync"
)

// keepWords is how much of what a program says on its standard error is kept. The Go runtime's account of a crash fits.
const keepWords = 64 << 10

// words keeps the end of what a program, or a library in it, says.
type words struct {
	mu   sync.Mutex
	tail []byte
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tail = append(w.tail, b...)
	if n := len(w.tail) - keepWords; n > 0 {
		w.tail = append(w.tail[:0], w.tail[n:]...)
	}
	return len(b), nil
}

// last is the last few lines as one. Of a crash it is what led there and its name, without the stacks and registers
// behind.
func (w *words) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	crashed := false
	for line := range strings.Lines(string(w.tail)) {
		line = strings.TrimSpace(line)
		if crashed && !strings.HasPrefix(line, "[signal") {
			break
		}
		if line != "" {
			lines = append(lines, line)
		}
		crashed = crashed || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "panic: ") ||
			strings.HasPrefix(line, "SIG")
	}
	const most = 4
	return strings.ToValidUTF8(strings.Join(lines[max(0, len(lines)-most):], " | "), "?")
}
