package hwio

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

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
	restore := relaxTimers()
	if got := slack(); got != fmt.Sprint(relaxed) {
		t.Errorf("%s ns, want %d", got, relaxed)
	}
	restore()
	if got := slack(); got != before {
		t.Errorf("%s ns after it, want %s", got, before)
	}
}
