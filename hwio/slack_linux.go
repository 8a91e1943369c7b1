package hwio

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// relaxed is how much later than asked for the threads of a recording may be woken, in ns, that the kernel times. Go's
// own monitor sleeps for 20 us at a time as long as anything runs here, and its wake-ups were a fifth of the cost of a
// recording that empties rings.
const relaxed = 1_000_000

// relaxTimers lets the kernel wake all threads of this process later, where it may (other threads than one's own take
// CAP_SYS_NICE), until the returned function is called. Threads that begin meanwhile are as those that made them.
func relaxTimers() (restore func()) {
	usual, err := os.ReadFile("/proc/self/timerslack_ns")
	if err != nil {
		return func() {}
	}
	setSlack(strconv.Itoa(relaxed))
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
