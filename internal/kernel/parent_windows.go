package kernel

import (
	"os"
	"strconv"

	"golang.org/x/sys/windows"
)

// Parent is closed when the program that started this one is gone, whose handle it gave in JPY_PARENT_PID; nil where
// nobody did.
func Parent() <-chan struct{} {
	handle, err := strconv.ParseUint(os.Getenv(parentVariable), 10, 64)
	if err != nil || handle == 0 {
		return nil
	}
	gone := make(chan struct{})
	go func() {
		if _, err := windows.WaitForSingleObject(windows.Handle(handle), windows.INFINITE); err == nil {
			close(gone)
		}
	}()
	return gone
}
