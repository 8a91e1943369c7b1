// Package remote brings the program that records to a device, has it record there, and fetches what it recorded while
// it does. Links are the user's own ssh and adb.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Link is a way to a device. Scripts are for any sh, the oldest of Android among them: they use no program but those
// that such a system has.
type Link interface {
	// Name is what people call the device.
	Name() string
	// Folders are where the program may go, best first, as words of a script.
	Folders() []Folder
	// Run runs a script and returns what it said.
	Run(ctx context.Context, script string) (string, error)
	// Push puts a file of this machine onto the device.
	Push(ctx context.Context, file, to string) error
	// Open runs a script whose input and output are the stream.
	Open(ctx context.Context, script string) (Stream, error)
	// Close ends what the link kept open.
	Close()
}

// Stream is a program on the device.
type Stream interface {
	io.ReadWriteCloser
	// Why is what else was said by whatever broke off, "" for nothing.
	Why() string
}

// Folder is a place on the device.
type Folder struct {
	Words  string // a word of a script, in quotes where it needs them
	Shared bool   // others may write there, so that it must be found to be ours
	Below  string // a folder that must be there already, "" for none
}

// quote makes a text one word of a script.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

var statusMark = regexp.MustCompile(`(?s)^(.*)@@([0-9]+)@@\s*$`)

// marked makes a script say how it ended, which not every link tells.
func marked(script string) string { return "(\n" + script + "\n) 2>&1 </dev/null; echo \"@@$?@@\"" }

// unmark takes apart what a marked script said.
func unmark(out string) (said string, status int, err error) {
	m := statusMark.FindStringSubmatch(out)
	if m == nil {
		return out, 0, fmt.Errorf("the device's shell broke off: %.300q", out)
	}
	status, err = strconv.Atoi(m[2])
	return strings.TrimSpace(strings.ReplaceAll(m[1], "\r\n", "\n")), status, err
}

// scriptError is a script that ended with a status other than 0.
type scriptError struct {
	status int
	said   string
}

func (e *scriptError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("status %d", e.status)
	}
	return e.said
}

// outcome is what Run returns for what a marked script said.
func outcome(out string) (string, error) {
	said, status, err := unmark(out)
	if err == nil && status != 0 {
		err = &scriptError{status, said}
	}
	return said, err
}

// brokenError says that the device cannot be reached now.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

func broken(format string, args ...any) error { return &brokenError{fmt.Errorf(format, args...)} }

// isBroken reports whether trying again may help.
func isBroken(err error) bool {
	var b *brokenError
	return errors.As(err, &b)
}
