//go:build unix

package repl

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// TestAnInterruptAtTheEndOfAStatementEndsNoSession sends the signal as the statement returns: it is neither this one's second interrupt nor
// one of the next. A session that took it so ended this program with status 130.
func TestAnInterruptAtTheEndOfAStatementEndsNoSession(t *testing.T) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt)
	defer signal.Stop(came)
	var talk bytes.Buffer
	for range 2000 {
		err := interruptible(context.Background(), &talk, func(context.Context) error {
			return syscall.Kill(os.Getpid(), syscall.SIGINT)
		})
		if err != nil {
			t.Fatal(err)
		}
		<-came
	}
	if talk.Len() > 0 {
		t.Errorf("it says %q", talk.String())
	}
}
