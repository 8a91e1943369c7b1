package hwio

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// relaxed is how much later than asked for the kernel may wake a thread that times ticks. Go's own monitor sleeps for
// 20 us at a time as long as anything runs here, and its wake-ups were a fifth of the cost of a recording that empties
// rings.
func relaxed(tick time.Duration) time.Duration {
	return min(max(tick/40, time.Millisecond), 5*time.Millisecond)
}

// relaxTimers lets the kernel wake all threads of this process later, where it may (other threads than one's own take
// CAP_SYS_NICE), until the returned function is called. Threads that begin meanwhile are as those that made them.
func relaxTimers(tick time.Duration) (restore func()) {
	usual, err := os.ReadFile("/proc/self/timerslack_ns")
	if err != nil {
		return func() {}
	}
	setSlack(strconv.FormatInt(relaxed(tick).Nanoseconds(), 10))
	return func() { setSlack(strings.TrimSpace(string(usual))) }
}

// setSlack sets the timer slack of all threads. That it may not is no fault of the recording.
func setSlack(ns string) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range threads {
		_ = os.WriteFile(fmt.Sprintf("/proc/%s/timerslack_ns", t.Name()), []byte(ns), 0)
	}
}
