package cli

import (
	"syscall"
	"testing"
	"time"

	"astrolabe/internal/recording"
)

func TestTheSignalHasTheLastSamplesWritten(t *testing.T) {
	s := newStoring(t, &storeFlags{StoreFlags: recording.StoreFlags{Out: "r.arrow", Last: time.Second}})
	s.write(100, "")
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	for len(s.written()) == 0 {
		s.write(1, "")
		time.Sleep(time.Millisecond)
	}
	s.close()
	c := s.check("r-0002.arrow", max(0, s.at-1000), s.at)
	if because(c) != "the recording ended" || len(s.written()) != 2 {
		t.Errorf("%q, saved because of %q", s.written(), because(c))
	}
}
