package repl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"go.starlark.net/starlark"
)

func TestErrorsOfTheSystemAreToldWithoutItsCalls(t *testing.T) {
	_, stat := os.Stat("absent/x")
	_, lstat := os.Lstat("absent")
	_, open := os.Open("absent.csv")
	for _, c := range []struct {
		err  error
		want string
	}{
		{stat, "absent/x: no such file or folder"},
		{fmt.Errorf("read budget: %w", lstat), "read budget: absent: no such file or folder"},
		{errors.Join(errors.New("first"), fmt.Errorf("a: %w", open)), "first\na: absent.csv: no such file or folder"},
		{&fs.PathError{Op: "mkdir", Path: "/proc/x", Err: syscall.EACCES},
			"cannot make the folder /proc/x: this user lacks permission"},
		{&fs.PathError{Op: "open", Path: "a/b", Err: syscall.ENOTDIR},
			"a/b: a part of this path is a file and no folder"},
		{fmt.Errorf("x: %w", syscall.EISDIR), "x: this is a folder and no file"},
		{&os.LinkError{Op: "rename", Old: "a.tmp", New: "a", Err: syscall.EACCES},
			"a.tmp cannot become a: this user lacks permission"},
		{&fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC}, "f: no space left on device"},
		{errors.New("open stays where no call is quoted"), "open stays where no call is quoted"},
	} {
		if got := ErrorText(c.err); got != c.want {
			t.Errorf("%v is told as %q, want %q", c.err, got, c.want)
		}
	}
	thread := new(starlark.Thread)
	b := starlark.NewBuiltin("read",
		func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
			return nil, open
		})
	_, err := starlark.Call(thread, b, nil, nil)
	if got := FormatError(err, nil); !strings.HasSuffix(got, "error: absent.csv: no such file or folder\n") {
		t.Errorf("a builtin's error: %q", got)
	}
}
