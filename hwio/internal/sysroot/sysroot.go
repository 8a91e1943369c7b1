// Package sysroot reads the kernel's text files (/proc, /sys, /dev) below a root folder, so that tests and remote trees
// can stand in for the machine's own. It knows no file's meaning. What is read can be written down on a tape, and is then
// only what the tape's list allows.
package sysroot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"astrolabe/hwio/internal/tape"
)

// Root is the folder that stands for "/". The zero Root is the machine's own.
type Root struct {
	dir    string
	tape   *tape.Tape   // nil: nothing is written down
	player *tape.Player // answers in place of files, if any
}

// At is the root below a folder, "" for the machine's own.
func At(dir string) Root {
	if dir == "/" {
		dir = ""
	}
	return Root{dir: dir}
}

// Taped is the same root with everything that is read of it written down.
func (r Root) Taped(t *tape.Tape) Root {
	r.tape = t
	return r
}

// OnTape reports whether what is read is written down, so that what is said about it may name nobody.
func (r Root) OnTape() bool { return r.tape != nil }

// Played is the root of a machine that was written down.
func Played(p *tape.Player) Root { return Root{player: p} }

// Here reports whether it is the machine's own.
func (r Root) Here() bool { return r.dir == "" && r.player == nil }

// maxFile bounds what is read of one file: a kernel text file is far smaller, and a fixture tree may hold anything.
const maxFile = 16 << 20

// Path is the real path of an absolute kernel path such as "/proc/stat".
func (r Root) Path(path string) string {
	path = r.tape.Real(path)
	if r.dir == "" {
		return path
	}
	return filepath.Join(r.dir, filepath.FromSlash(path))
}

// Read returns the whole file.
func (r Root) Read(path string) ([]byte, error) {
	switch {
	case r.player != nil:
		return r.player.Content(path, false)
	case r.tape == nil:
		return r.read(path)
	}
	return r.tape.Content(path, false, func() ([]byte, error) { return r.read(path) })
}

func (r Root) read(path string) ([]byte, error) {
	f, err := os.Open(r.Path(path))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Positioned reads never wait for a descriptor to become readable: a sensor that answers "try again" would
	// otherwise hold up the caller for ever.
	data, err := io.ReadAll(io.NewSectionReader(f, 0, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: longer than %d bytes", path, maxFile)
	}
	return data, nil
}

// String returns the file's text without surrounding white space.
func (r Root) String(path string) (string, error) {
	data, err := r.Read(path)
	return string(bytes.TrimSpace(data)), err
}

// Uint returns the whole number in the file, decimal or with 0x.
func (r Root) Uint(path string) (uint64, error) {
	s, err := r.String(path)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is no whole number", path, clip(s))
	}
	return v, nil
}

// Int returns the signed whole number in the file.
func (r Root) Int(path string) (int64, error) {
	s, err := r.String(path)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is no whole number", path, clip(s))
	}
	return v, nil
}

// Exists reports whether the path is there.
func (r Root) Exists(path string) bool {
	if r.player != nil {
		return r.player.There(path) != 0
	}
	_, err := os.Stat(r.Path(path))
	if r.tape != nil {
		return r.tape.There(path, err == nil)
	}
	return err == nil
}

// List returns the sorted names in a folder, nil where there is none.
func (r Root) List(path string) []string {
	if r.player != nil {
		return r.player.Names(path)
	}
	entries, err := os.ReadDir(r.Path(path))
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.SortFunc(names, Natural)
	if r.tape != nil {
		return r.tape.Folder(path, names)
	}
	return names
}

// LinkName is the last element of the symbolic link's target, "" where path is no link.
func (r Root) LinkName(path string) string {
	if r.player != nil {
		return r.player.Target(path)
	}
	target, err := os.Readlink(r.Path(path))
	if err != nil {
		return ""
	}
	if r.tape != nil {
		return r.tape.Target(path, target)
	}
	return filepath.Base(target)
}

// Natural compares two names with their numbers by value, so that cpu10 comes after cpu9.
func Natural(a, b string) int {
	for a != "" && b != "" {
		if digit(a[0]) && digit(b[0]) {
			na, nb := number(a), number(b)
			ta, tb := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
			if len(ta) != len(tb) {
				return len(ta) - len(tb)
			}
			if c := strings.Compare(ta, tb); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func number(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// maxCPUs bounds a CPU list: more than any kernel is built for.
const maxCPUs = 1 << 16

var errList = errors.New("is no list such as 0-3,8")

// parseList reads the kernel's list form of a set of numbers, such as "0-3,8,10-11".
func parseList(s string) ([]int, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil, nil
	}
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		lo, hi, ranged := strings.Cut(strings.TrimSpace(part), "-")
		a, err := strconv.Atoi(lo)
		if err != nil {
			return nil, fmt.Errorf("%q %w", clip(s), errList)
		}
		b := a
		if ranged {
			if b, err = strconv.Atoi(hi); err != nil {
				return nil, fmt.Errorf("%q %w", clip(s), errList)
			}
		}
		if a < 0 || b < a || b >= maxCPUs {
			return nil, fmt.Errorf("%q %w", clip(s), errList)
		}
		for i := a; i <= b; i++ {
			out = append(out, i)
		}
		if len(out) > maxCPUs {
			return nil, fmt.Errorf("%q %w", clip(s), errList)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// CPUs reads a file that holds a list of CPUs.
func (r Root) CPUs(path string) ([]int, error) {
	s, err := r.String(path)
	if err != nil {
		return nil, err
	}
	list, err := parseList(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}
