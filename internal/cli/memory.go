package cli

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"time"

	"astrolabe/capture/memory"
	"astrolabe/internal/script"
)

// fillRate is how many bytes a program can take in a second at most, about: pages that are filled for the first time.
const fillRate = 4 << 30

// watchMemory ends the program when it takes more than it may, whatever it is doing. What knows beforehand how much it will take asks
// memory.Room and ends with an error of its own; this is for everything else. While a script runs its runner watches instead: it can stop
// the script, and lets the collector wait.
func (a *app) watchMemory() {
	limit := uint64(a.limits.maxMemory)
	memory.SetLimit(limit)
	limit = memory.Limit()
	debug.SetMemoryLimit(int64(min(limit-limit/8, math.MaxInt64))) // garbage goes before the limit is near
	words := fmt.Appendf(nil, "astrolabe: %v\n", &memory.LimitError{Limit: limit})
	go func() {
		meter := memory.NewMeter()
		defer meter.Close()
		for {
			_, resident := meter.Read()
			if resident > limit && !script.Watching() {
				a.talk.Write(words)
				a.finish()
				os.Exit(statusFailed)
			}
			left := limit - min(limit, resident)
			time.Sleep(min(max(time.Duration(float64(left)/fillRate*float64(time.Second)), 2*time.Millisecond), time.Second/2))
		}
	}()
}

// finish does what is to be done when the program ends.
func (a *app) finish() {
	for _, f := range a.atEnd {
		f()
	}
}
