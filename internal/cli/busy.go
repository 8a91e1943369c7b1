package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"
	"time"
	"unicode"

	"astrolabe/builtins/notation"
	"astrolabe/capture/progress"
)

// busyLine tells a person what is being done, once that has taken half a second, in a line of a terminal that is
// cleared at the end: what it is and how far, how fast and how long it will still take; where nobody knows how much
// there is to do, for how long it has gone on.
type busyLine struct {
	w     io.Writer
	width func() int // cells of a line of the terminal, 0 if that is not known

	mu    sync.Mutex
	shown int // cells on the line
}

// busy is the line of the terminal that the program talks on; where that is none, work goes on untold.
func (a *app) busy(ctx context.Context, what string) (under context.Context, done func()) {
	if a.line == nil || a.quiet {
		return ctx, func() {}
	}
	return a.line.begin(ctx, what)
}

// begin is Env.Busy.
func (l *busyLine) begin(ctx context.Context, what string) (under context.Context, done func()) {
	meter := &progress.Meter{}
	begun := time.Now()
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		wait := time.NewTimer(progressDelay)
		defer wait.Stop()
		for {
			select {
			case <-stop:
				l.clear()
				return
			case <-wait.C:
				l.draw(busyText(what, meter.State(), begun, time.Now(), l.width()))
				wait.Reset(100 * time.Millisecond)
			}
		}
	}()
	return progress.With(ctx, meter), sync.OnceFunc(func() {
		close(stop)
		<-gone
	})
}

// draw puts text over what stands on the line.
func (l *busyLine) draw(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := notation.TextCells(text)
	io.WriteString(l.w, "\r"+text+strings.Repeat(" ", max(0, l.shown-n)))
	l.shown = n
}

// clear empties the line, for whoever writes next.
func (l *busyLine) clear() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown > 0 {
		io.WriteString(l.w, "\r"+strings.Repeat(" ", l.shown)+"\r")
		l.shown = 0
	}
}

// busyCells is how long the line may be at most. One that wraps could not be cleared.
const busyCells = 80

// busyText is the line; the middle of a name that does not fit is left out, and the bar where there is no room for it.
func busyText(what string, s progress.State, begun, now time.Time, width int) string {
	if width <= 0 || width > busyCells {
		width = busyCells
	}
	what = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, what)
	var text string
	for _, end := range busyEnds(s, begun, now) {
		room := width - 1 - len(end)
		if room < 1 {
			continue
		}
		if notation.TextCells(what) <= room {
			return what + end
		}
		if text == "" || notation.TextCells(text) < notation.TextCells(what) && room >= busyName {
			text = notation.Shortened(what, room, "…") + end
		}
		if room >= busyName {
			break
		}
	}
	return text
}

// busyName is how much of the name has to be seen before there is a bar beside it, in cells.
const busyName = 24

// busyEnds is what stands behind the name, the most telling first.
func busyEnds(s progress.State, begun, now time.Time) []string {
	elapsed := fmt.Sprintf(": %.1f s", now.Sub(begun).Seconds())
	stop := elapsed + ", Ctrl-C stops it"
	took := now.Sub(s.Begun).Seconds()
	if s.Done <= 0 || !(took > 0) || s.Total > 0 && s.Done >= s.Total {
		return []string{stop, elapsed}
	}
	perSecond := float64(s.Done) / took
	rate := rateText(perSecond, s.Unit)
	if s.Total <= 0 {
		return []string{elapsed + rate + ", Ctrl-C stops it", stop, elapsed}
	}
	share := float64(s.Done) / float64(s.Total)
	left := math.Ceil(float64(s.Total-s.Done) / perSecond)
	percent := fmt.Sprintf(" %2.0f %%", math.Floor(100*share))
	lasts := ", " + leftText(left) + " left"
	full := int(share * busyBar)
	bar := " [" + strings.Repeat("#", full) + strings.Repeat(".", busyBar-full) + "]"
	return []string{":" + bar + percent + rate + lasts, ":" + percent + rate + lasts,
		":" + percent + lasts, ":" + percent}
}

const busyBar = 16 // cells

// rateText is a speed, with the comma before it; "" for work without a unit.
func rateText(perSecond float64, unit progress.Unit) string {
	switch unit {
	case progress.Share:
		return ""
	case progress.Bytes:
		return ", " + threeDigits(perSecond/1e6) + " MB/s"
	}
	scale := ""
	switch {
	case perSecond >= 1e6:
		perSecond, scale = perSecond/1e6, "M "
	case perSecond >= 1e4:
		perSecond, scale = perSecond/1e3, "k "
	}
	return ", " + threeDigits(perSecond) + " " + scale + string(unit) + "/s"
}

func threeDigits(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// leftText is a time in s that is not told finer than a person can use.
func leftText(s float64) string {
	switch {
	case s < 100:
		return fmt.Sprintf("%.0f s", s)
	case s < 100*60:
		return fmt.Sprintf("%.0f min", math.Ceil(s/60))
	}
	return fmt.Sprintf("%.0f h", math.Ceil(s/3600))
}
