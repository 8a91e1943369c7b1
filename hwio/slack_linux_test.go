package hwio

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestTimersAreRelaxedUntilTheyAreRestored(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	slack := func() string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/timerslack_ns", unix.Gettid()))
		if err != nil {
			t.Skipf("SKIPPED: this kernel does not tell timer slack: %v", err)
		}
		return strings.TrimSpace(string(text))
	}
	before := slack()
	for tick, want := range map[time.Duration]string{20 * time.Millisecond: "1000000", 200 * time.Millisecond: "5000000", time.Hour: "5000000"} {
		restore := relaxTimers(tick)
		if got := slack(); got != want {
			t.Errorf("%s ns for ticks of %v, want %s", got, tick, want)
		}
		restore()
	}
	if got := slack(); got != before {
		t.Errorf("%s ns after it, want %s", got, before)
	}
}
