package memory

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

func TestWhatIsMadeAfterwardsLiesWhereTheKernelMayUseLargePages(t *testing.T) {
	how, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil || !strings.Contains(string(how), "[madvise]") {
		t.Skipf("SKIPPED: this kernel does not use large pages for whoever asks: %s", how)
	}
	LargePages(32 << 20)
	b := make([]byte, 16<<20)
	at := uintptr(unsafe.Pointer(&b[len(b)/2]))
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	here := false
	for s := bufio.NewScanner(f); s.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x ", &from, &to); n == 2 {
			here = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(s.Text(), "VmFlags:"); here && ok {
			if !strings.Contains(flags+" ", " hg ") {
				t.Errorf("what was made lies in memory with the flags%s", flags)
			}
			runtime.KeepAlive(b)
			return
		}
	}
	t.Error("what was made lies in no mapping")
}
