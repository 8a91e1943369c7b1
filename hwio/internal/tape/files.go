package tape

import (
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Content is what a reader is given of a file: what read returned, as far as the list allows it. again says that the
// file was open already.
func (t *Tape) Content(p string, again bool, read func() ([]byte, error)) ([]byte, error) {
	p = path.Clean(p)
	r, ok := allowed(File, p)
	if !ok {
		t.Leave(p, "not on the list of files")
		return nil, absent(p)
	}
	e := Event{Kind: File, Path: p}
	if again {
		e.Kind = Again
	}
	data, err := read()
	if err != nil {
		e.Errno = Errno(err)
		t.Add(e)
		return nil, err
	}
	kept, ok := shape(r, data)
	if !ok {
		t.Leave(p, "not in the form of the list ("+r.shape+")")
		return nil, absent(p)
	}
	if utf8.Valid(kept) && !strings.ContainsRune(string(kept), 0) {
		e.Text = string(kept)
	} else {
		e.Data = kept
	}
	t.Add(e)
	return kept, nil
}

// May says whether a file may be opened at all.
func (t *Tape) May(p string) error {
	p = path.Clean(p)
	if _, ok := allowed(File, p); !ok {
		t.Leave(p, "not on the list of files")
		return absent(p)
	}
	return nil
}

// Folder is what a reader is given of the names in a folder.
func (t *Tape) Folder(p string, names []string) []string {
	p = path.Clean(p)
	r, ok := allowed(Names, p)
	if !ok {
		t.Leave(p, "not on the list of folders")
		return nil
	}
	kept := make([]string, 0, len(names))
	for _, n := range names {
		if nameFits(n, r.shape) || r.shape == "guid" && t.isPublic(n) {
			kept = append(kept, t.Alias(n))
		} else {
			t.Leave(p, "names that are not of the forms of the list")
		}
	}
	t.Add(Event{Kind: Names, Path: p, Names: kept})
	return kept
}

// Target is what a reader is given of the last element of a link's target, "" of none.
func (t *Tape) Target(p, target string) string {
	p = path.Clean(p)
	r, ok := allowed(Link, p)
	if !ok || target == "" {
		if !ok {
			t.Leave(p, "not on the list of links")
		}
		return ""
	}
	kept := filepath.Base(target)
	switch {
	case r.shape == "address" && busAddress().FindString(kept) == kept:
		kept = t.Alias(kept)
	case !knownName(kept):
		t.Leave(p, "leads to a name that is not of the form of the list")
		return ""
	}
	t.Add(Event{Kind: Link, Path: p, Text: kept})
	return kept
}

// There is whether a reader is told that something is at a path. What it may read, list or open it may ask for too.
func (t *Tape) There(p string, is bool) bool {
	p = path.Clean(p)
	for _, kind := range []string{Exists, File, Names, Link} {
		if _, ok := allowed(kind, p); ok {
			t.Add(Event{Kind: Exists, Path: p, Value: int64(btoi(is))})
			return is
		}
	}
	t.Leave(p, "not on the list of what may be there")
	return false
}

// node says whether a path is that of a device that readers open: its name is one of the kernel's.
func node(p string) bool {
	dir, name := path.Split(p)
	switch dir {
	case "/dev/":
		return nameFits(name, "mali#")
	case "/dev/dri/":
		return nameFits(name, "card# renderD#")
	}
	return false
}

// Node writes down that there is a device, and whether it is one of characters.
func (t *Tape) Node(p string, character bool) {
	if node(p) {
		t.Add(Event{Kind: Exists, Path: p, Value: int64(1 + btoi(character))})
	}
}

// Device writes down the opening of a device and returns its number.
func (t *Tape) Device(p string, err error) (int, error) {
	if !node(p) {
		t.Leave("a device", "not on the list of devices")
		return 0, syscall.ENOENT
	}
	e := Event{Kind: Open, Path: p, Errno: Errno(err)}
	if err == nil {
		e.Device = t.NewDevice()
	}
	t.Add(e)
	return e.Device, err
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
