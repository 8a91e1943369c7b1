package memory

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTheHeapGetsMemoryThatTheKernelMayBackWithLargePages(t *testing.T) {
	how, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || !strings.Contains(string(how), "[madvise]") {
		t.Skipf("SKIPPED: this kernel does not use large pages for whoever asks: %s", strings.TrimSpace(string(how)))
	}
	const n = 32 << 20
	LargePages(n)
	if got := large(t); got < n-4096 {
		t.Errorf("large pages may be used for %d bytes", got)
	}
}

// large is the size of what may lie in large pages, in bytes.
func large(t *testing.T) (total uint64) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := uint64(0)
	s := bufio.NewScanner(f)
	for s.Scan() {
		var from, to uint64
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x ", &from, &to); n == 2 {
			size = to - from
		}
		if flags, ok := strings.CutPrefix(s.Text(), "VmFlags:"); ok && strings.Contains(flags+" ", " hg ") {
			total += size
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return total
}
