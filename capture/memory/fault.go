package memory

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"
)

// Pages of a mapped file that another program has cut off raise a fault where they are read, which ends a Go program
// unless the goroutine asked for a panic instead (FaultsPanic). Such a panic, and that of what finds no room where it
// can return no error, becomes an error in Caught.

// FaultsPanic makes a fault in this goroutine a panic. The function that it returns undoes that.
func FaultsPanic() (undo func()) {
	old := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(old) }
}

// mapped are the mapped files.
var mapped struct {
	sync.Mutex
	files []mappedFile
}

type mappedFile struct {
	begin, end uintptr
	path       string
}

// Mapped says that data are the pages of a file, so that a fault in them can name it. The function that it returns
// takes that back.
func Mapped(path string, data []byte) (forget func()) {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	f := mappedFile{begin, begin + uintptr(len(data)), path}
	mapped.Lock()
	defer mapped.Unlock()
	mapped.files = append(mapped.files, f)
	return func() {
		mapped.Lock()
		defer mapped.Unlock()
		if i := slices.Index(mapped.files, f); i >= 0 {
			mapped.files = slices.Delete(mapped.files, i, i+1)
		}
	}
}

// ErrFault is what the error of a fault in a mapped file is.
var ErrFault = errors.New("cut off while it was read")

// ErrAgain is what the error of something is that was dropped (see Spare) and then could not be read again.
var ErrAgain = errors.New("it was left out of memory, where there was no room, and cannot be read again")

// Caught is the error of a panic that this package knows, nil for any other.
func Caught(p any) error {
	err, ok := p.(error)
	if !ok {
		return nil
	}
	if errors.Is(err, ErrLimit) || errors.Is(err, ErrFault) || errors.Is(err, ErrAgain) {
		return err
	}
	fault, ok := p.(interface{ Addr() uintptr })
	if !ok {
		return nil
	}
	mapped.Lock()
	defer mapped.Unlock()
	for _, f := range mapped.files {
		if at := fault.Addr(); at >= f.begin && at < f.end {
			return fmt.Errorf(
				"%s: %w at byte %d: another program made it shorter; write a new file and rename it instead, and open this one again",
				f.path, ErrFault, at-f.begin)
		}
	}
	return nil
}
