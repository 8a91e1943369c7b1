package memory

import (
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// LargePages has the kernel back the next n bytes of the heap with large pages, where it does so for whoever asks.
// What fills tens of megabytes for the first time and then ends spends a sixth of its time on having them backed, one
// page of 4 KiB after the other. The Go runtime does not ask, and gives no way to: so an area is taken from it whole,
// the kernel is told, and a collection gives it back, to be handed out first from then on.
func LargePages(n int) {
	how, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || !strings.Contains(string(how), "[madvise]") {
		return
	}
	area := make([]byte, n)
	if unix.Madvise(area, unix.MADV_HUGEPAGE) != nil {
		return
	}
	runtime.GC() // nothing uses the area any more
}
