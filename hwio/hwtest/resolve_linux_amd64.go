package hwtest

import (
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// place is what a path leads to.
type place struct {
	path string // as the program knows it, links resolved
	host string // where it really is
	in   bool   // in the tree, or absent from an owned prefix
	mix  bool   // a folder of both the tree and the machine
	node *nodeInfo
	fail unix.Errno // what opening it gives
	err  error      // it cannot be reached: ENOENT, ENOTDIR, ELOOP
}

// mayConcern is a quick look at an absolute path: whether any emulated one begins like it.
func (t *tree) mayConcern(p string) bool {
	if strings.Contains(p, "..") || strings.Contains(p, "//") || strings.Contains(p, "/./") {
		p = path.Clean(p)
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.tops[topOf(p)]
}

// resolve walks an absolute path as the kernel would for a thread: through links of the tree and of the machine, in
// either direction.
func (t *tree) resolve(p string, follow bool, pid, tid int) place {
	if len(p) > 1 && strings.HasSuffix(p, "/") {
		follow = true
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	// One name after the other, because a link of the machine may lead into the tree and one of the tree out of it: no
	// call of the kernel's follows both.
	pending := strings.Split(p, "/")
	cur := ""
	for links := 0; len(pending) > 0; {
		c := pending[0]
		pending = pending[1:]
		switch c {
		case "", ".":
			continue
		case "..":
			cur = cur[:max(strings.LastIndexByte(cur, '/'), 0)]
			continue
		}
		next := cur + "/" + c
		// For us these links would lead to the supervisor.
		switch next {
		case "/proc/self":
			next = fmt.Sprintf("/proc/%d", pid)
		case "/proc/thread-self":
			next = fmt.Sprintf("/proc/%d/task/%d", pid, tid)
		}
		// "a/b/" and "a/b/." end with b: whether the last link is followed depends on it.
		last := true
		for _, r := range pending {
			last = last && (r == "" || r == ".")
		}
		target, kind := t.look(next)
		if kind == absent {
			return place{path: next + joined(pending), in: t.isOwned(next), err: unix.ENOENT}
		}
		if kind == file && !last {
			return place{path: next + joined(pending), in: t.exists(next), err: unix.ENOTDIR}
		}
		if kind == link && (!last || follow) {
			if links++; links > 40 { // MAXSYMLINKS of Linux
				return place{path: next, in: t.exists(next), err: unix.ELOOP}
			}
			if strings.HasPrefix(target, "/") {
				cur = ""
			}
			pending = append(strings.Split(target, "/"), pending...)
			continue
		}
		cur = next
	}
	return t.at(cur)
}

// joined is the rest of a path.
func joined(pending []string) string {
	if len(pending) == 0 {
		return ""
	}
	return "/" + strings.Join(pending, "/")
}

// at describes a path that exists.
func (t *tree) at(p string) place {
	if p == "" {
		p = "/"
	}
	if !t.exists(p) || p == "/" {
		return place{path: p, host: p, fail: t.fails[p], in: t.fails[p] != 0}
	}
	pl := place{path: p, host: t.root + p, in: true, node: t.nodes[p], fail: t.fails[p]}
	if pl.node != nil || t.made[p] || t.isOwned(p) {
		return pl
	}
	if i, err := os.Lstat(pl.host); err == nil && i.IsDir() {
		if own, err := os.Stat(p); err == nil && own.IsDir() {
			pl.mix = true
		}
	}
	return pl
}

type kind int

const (
	absent kind = iota
	file
	folder
	link
)

// look says what one path is, in the tree or else on the machine, without following it, and where a link leads.
func (t *tree) look(p string) (target string, k kind) {
	host := t.root + p
	i, err := os.Lstat(host)
	if err != nil {
		if t.isOwned(p) {
			return "", absent
		}
		host = p
		if i, err = os.Lstat(host); err != nil {
			return "", absent
		}
		if magicLink(p) {
			// Its text is no path; but that of an emulated folder or file is.
			target, _ := os.Readlink(host)
			if shown, ok := t.shown(target); ok {
				return shown, link
			}
			return "", file
		}
	}
	switch {
	case i.IsDir():
		return "", folder
	case i.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(host)
		if err != nil {
			return "", absent
		}
		return target, link
	}
	return "", file
}

// magicLink reports whether a path is one of the links in /proc that lead straight to a file.
func magicLink(p string) bool {
	rest, ok := strings.CutPrefix(p, "/proc/")
	if !ok {
		return false
	}
	parts := strings.Split(rest, "/")
	if len(parts) > 2 && parts[1] == "task" {
		parts = parts[2:]
	}
	switch {
	case len(parts) == 2:
		return parts[1] == "cwd" || parts[1] == "root" || parts[1] == "exe"
	case len(parts) == 3:
		return parts[1] == "fd" || parts[1] == "map_files" || parts[1] == "ns"
	}
	return false
}
