package cli

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"astrolabe/capture/memory"
	"astrolabe/internal/script"
)

// fillRate is how many bytes a program can take in a second at most, about: pages that are filled for the first time.
const fillRate = 4 << 30

// stopGrace is how long the reading of a file may take to stop, while the program is no tenth above its limit.
const stopGrace = 5 * time.Second

// watchMemory ends the program when it takes more than it may, whatever it is doing. What knows beforehand how much it
// will take asks memory.Room and ends with an error of its own; this is for everything else. What is being read is
// stopped first, and ends with an error too. While a script runs its runner watches instead: it can stop the script,
// and lets the collector wait.
func (a *app) watchMemory(cmd *cobra.Command) {
	limit := uint64(a.limits.maxMemory)
	memory.SetLimit(limit)
	limit = memory.Limit()
	debug.SetMemoryLimit(int64(min(limit-limit/8, math.MaxInt64))) // garbage goes before the limit is near
	// A list of ten million lists in each other takes as deep a stack. Go ends a program whose stack is larger than
	// this, so memory is what ends first.
	debug.SetMaxStack(int(min(4*limit, math.MaxInt/2)))
	collectLate(cmd.Annotations[fillsHeap] != "" && limit > 1<<30)
	go func() {
		meter := memory.NewMeter()
		defer meter.Close()
		var stopped time.Time // when what was being read was told to stop
		for {
			_, resident := meter.Read()
			if resident > limit && !script.Watching() {
				why := &memory.LimitError{Limit: limit, Used: resident}
				why.File = memory.StopReading(why)
				if stopped.IsZero() {
					stopped = time.Now()
				}
				hopeless := resident > limit+limit/10
				if !hopeless && (why.File == "" || time.Since(stopped) > stopGrace) {
					memory.Shed()
					debug.FreeOSMemory() // some of it may be garbage, such as what was read before it was stopped
					_, resident = meter.Read()
					hopeless = resident > limit
				}
				if hopeless {
					a.talk.Write(fmt.Appendf(nil, "astrolabe: %v\n", why))
					a.finish()
					os.Exit(a.memoryStatus)
				}
			} else {
				stopped = time.Time{}
			}
			left := limit - min(limit, resident)
			time.Sleep(min(max(time.Duration(float64(left)/fillRate*float64(time.Second)), 2*time.Millisecond),
				2*time.Second))
		}
	}()
}

// collectLate lets the heap reach 32 MiB before it is collected for the first time. Go would begin at 4 MiB, and a
// command that opens a small capture spends a fifth of its time on collections that find next to nothing. One that fills
// the heap gets large pages for it.
func collectLate(fills bool) {
	if os.Getenv("GOGC") != "" {
		return
	}
	firstCollection.Do(func() {
		usual := debug.SetGCPercent(-1)
		late := func() {
			debug.SetGCPercent(800) // of 4 MiB
			sign := new([64]byte)   // gone after the first collection
			runtime.AddCleanup(sign, func(percent int) { debug.SetGCPercent(percent) }, usual)
		}
		if !fills {
			late()
			return
		}
		go func() { // beside what is done first, which needs little memory
			memory.LargePages(44 << 20) // a report of a few hundred samples takes that much
			late()
		}()
	})
}

var firstCollection sync.Once // of the process

// fillsHeap annotates the commands that are over sooner with large pages, which cost 2 ms to get.
const fillsHeap = "fills the heap"

// finish does what is to be done when the program ends.
func (a *app) finish() {
	for _, f := range a.atEnd {
		f()
	}
}
