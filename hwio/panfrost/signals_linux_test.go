package panfrost

import (
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/hwio/internal/mali"
)

// signalled is a device whose requests for a sample a signal would interrupt: it looks whether the thread takes any.
type signalled struct {
	mali.Device
	taken atomic.Int64 // requests on a thread that takes SIGURG
	asked atomic.Int64
}

func takes(s syscall.Signal) (bool, error) {
	var set unix.Sigset_t
	err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &set)
	return set.Val[0]>>(int(s)-1)&1 == 0, err
}

func (d *signalled) RequestWith(uint32, []byte, int, []byte) (int, error) {
	d.asked.Add(1)
	urgent, err := takes(syscall.SIGURG)
	if fault, ferr := takes(syscall.SIGSEGV); err != nil || ferr != nil || !fault {
		return 0, errors.New("a fault of the program is held, too")
	}
	if urgent {
		d.taken.Add(1)
	}
	return 0, nil
}

// The driver begins a request anew that a signal interrupted, and the counts of the first one are lost (seen with Linux 6.1: hwio/hwtest/guests).
func TestNoSignalInterruptsARequestForASample(t *testing.T) {
	d := &signalled{}
	var now atomic.Int64
	dumps := startDumper(d, 256, time.Millisecond, func() (int64, int64, int64) { n := now.Add(1000); return n, n, n }, 0)
	for range 20 {
		got := <-dumps.full
		if got.err != nil {
			t.Fatal(got.err)
		}
		dumps.free <- got.data
	}
	if !dumps.stop(time.Minute) || d.asked.Load() < 20 || d.taken.Load() != 0 {
		t.Errorf("%d of %d requests were made on a thread that takes signals", d.taken.Load(), d.asked.Load())
	}
}
