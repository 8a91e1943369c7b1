package repl

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// ErrorText is the message of an error in words for people: where it comes from the operating system, without the name
// of the system call.
func ErrorText(err error) string { return systemText(err.Error(), err) }

// systemText replaces in the message of err what it quotes of errors of the operating system. That is done where
// messages are shown, so that no place which opens a file can forget it.
func systemText(message string, err error) string {
	var visit func(error)
	visit = func(err error) {
		switch e := err.(type) {
		case *fs.PathError:
			message = strings.Replace(message, e.Error(), pathText(e), 1)
		case *os.LinkError:
			message = strings.Replace(message, e.Error(), e.Old+" cannot become "+e.New+": "+reason(e.Err), 1)
		}
		switch e := err.(type) {
		case syscall.Errno:
			message = strings.Replace(message, e.Error(), reason(e), 1)
		case interface{ Unwrap() error }:
			if inner := e.Unwrap(); inner != nil {
				visit(inner)
			}
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				visit(inner)
			}
		}
	}
	visit(err)
	return message
}

func pathText(e *fs.PathError) string {
	switch e.Op {
	case "mkdir":
		return "cannot make the folder " + e.Path + ": " + reason(e.Err)
	case "remove", "unlinkat", "rmdir":
		return "cannot remove " + e.Path + ": " + reason(e.Err)
	}
	return e.Path + ": " + reason(e.Err)
}

// reason is an error of the system without what it is about.
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or folder"
	case errors.Is(err, fs.ErrPermission):
		return "this user lacks permission"
	case errors.Is(err, syscall.ENOTDIR):
		return "a part of this path is a file and no folder"
	case errors.Is(err, syscall.EISDIR):
		return "this is a folder and no file"
	}
	return err.Error()
}
