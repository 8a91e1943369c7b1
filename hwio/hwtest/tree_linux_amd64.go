package hwtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// nodeInfo is a device node of the tree.
type nodeInfo struct {
	node         Node
	major, minor uint32
	mode         uint32
}

// tree is the emulated part of the file system. Its files, links and folders are real ones below root, its nodes are
// empty files there.
type tree struct {
	settings *Settings
	temp     string // removed at the end
	root     string // stands for "/"
	merged   string // folders that show the machine's own names together with the tree's

	mu      sync.RWMutex
	owned   []string
	tops    map[string]bool // first components of everything emulated
	nodes   map[string]*nodeInfo
	fails   map[string]unix.Errno
	watches map[string]func()
	made    map[string]bool   // folders made by Dir, which hide the machine's own
	mixed   map[string]string // host folder below merged: the path it shows
	counter int
	err     error // the first that a method met
}

var _ Machine = (*tree)(nil)

func newTree(s *Settings) (*tree, error) {
	temp, err := os.MkdirTemp("", "hwtest-")
	if err != nil {
		return nil, err
	}
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	t := &tree{
		settings: s, temp: temp, root: temp + "/root", merged: temp + "/merged", tops: map[string]bool{},
		nodes: map[string]*nodeInfo{},
		fails: map[string]unix.Errno{}, watches: map[string]func(){}, made: map[string]bool{},
		mixed: map[string]string{},
	}
	// The program may be another user's.
	if err := errors.Join(os.Chmod(temp, 0o755), os.Mkdir(t.root, 0o755), os.Mkdir(t.merged, 0o755)); err != nil {
		_ = os.RemoveAll(temp)
		return nil, err
	}
	return t, nil
}

func (t *tree) close() error { return os.RemoveAll(t.temp) }

// change runs f on a cleaned path under the lock and keeps its error.
func (t *tree) change(p string, f func(p, host string) error) {
	p = path.Clean("/" + p)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tops[topOf(p)] = true
	if err := f(p, t.root+p); err != nil && t.err == nil {
		t.err = fmt.Errorf("emulated tree: %s: %w", p, err)
	}
}

// problem is the first error of a method, which cannot return it.
func (t *tree) problem() error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.err
}

// topOf is the first component of a cleaned absolute path.
func topOf(p string) string {
	top, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	return top
}

func parents(host string) error { return os.MkdirAll(filepath.Dir(host), 0o755) }

// Settings are the user's.
func (t *tree) Settings() *Settings { return t.settings }

// Own takes a prefix.
func (t *tree) Own(prefix string) {
	t.change(prefix, func(p, _ string) error {
		t.owned = append(t.owned, p)
		return nil
	})
}

// File writes in place: whoever has the file open reads the new content.
func (t *tree) File(p, content string) {
	t.change(p, func(p, host string) error {
		if t.nodes[p] != nil {
			return errors.New("is a device node already")
		}
		if err := parents(host); err != nil {
			return err
		}
		f, err := os.OpenFile(host, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte(content), 0)
		return errors.Join(err, f.Truncate(int64(len(content))), f.Close())
	})
}

// Dir makes a folder.
func (t *tree) Dir(p string) {
	t.change(p, func(p, host string) error {
		t.made[p] = true
		return os.MkdirAll(host, 0o755)
	})
}

// Link makes a symbolic link, or turns an old one.
func (t *tree) Link(p, target string) {
	t.change(p, func(_, host string) error {
		if err := parents(host); err != nil {
			return err
		}
		if err := os.Remove(host); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return os.Symlink(target, host)
	})
}

// Node makes a device node.
func (t *tree) Node(p string, major, minor uint32, mode uint32, n Node) {
	t.change(p, func(p, host string) error {
		if err := parents(host); err != nil {
			return err
		}
		t.nodes[p] = &nodeInfo{n, major, minor, mode & 0o7777}
		return os.WriteFile(host, nil, 0o644)
	})
}

// Fail makes opens fail.
func (t *tree) Fail(p string, errno error) {
	t.change(p, func(p, _ string) error {
		if e := asErrno(errno); errno == nil || e == 0 {
			delete(t.fails, p)
		} else {
			t.fails[p] = e
		}
		return nil
	})
}

// Watch sets who is told of opens.
func (t *tree) Watch(p string, opened func()) {
	t.change(p, func(p, _ string) error {
		t.watches[p] = opened
		return nil
	})
}

// opening tells who watches a path that it is about to be opened.
func (t *tree) opening(p string) {
	t.mu.RLock()
	opened := t.watches[p]
	t.mu.RUnlock()
	if opened != nil {
		opened()
	}
}

// Remove takes a path away with all below it. Files that are open stay so.
func (t *tree) Remove(p string) {
	t.change(p, func(p, host string) error {
		for q := range t.nodes {
			if below(q, p) {
				delete(t.nodes, q)
			}
		}
		for q := range t.made {
			if below(q, p) {
				delete(t.made, q)
			}
		}
		return os.RemoveAll(host)
	})
}

// below reports whether p is prefix or lies under it.
func below(p, prefix string) bool {
	return p == prefix || prefix == "/" || strings.HasPrefix(p, prefix) && p[len(prefix)] == '/'
}

// isOwned reports whether a path that is not in the tree does not exist.
func (t *tree) isOwned(p string) bool {
	for _, o := range t.owned {
		if below(p, o) {
			return true
		}
	}
	return false
}

// pathOf is shown where the tree is not locked.
func (t *tree) pathOf(host string) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.shown(host)
}

// shown is the path that the program knows a host path by: of the tree, or of a merged folder. The tree is locked.
func (t *tree) shown(host string) (string, bool) {
	if host == t.root {
		return "/", true
	}
	if rest, ok := strings.CutPrefix(host, t.root+"/"); ok {
		return "/" + rest, true
	}
	if rest, ok := strings.CutPrefix(host, t.merged+"/"); ok {
		name, sub, _ := strings.Cut(rest, "/")
		if p, ok := t.mixed[t.merged+"/"+name]; ok {
			return path.Join(p, sub), true
		}
	}
	return "", false
}

// merge makes a folder with the machine's own names of a folder and the tree's, for a program to list. The entries are
// of the right kind and otherwise empty: whatever the program does with one goes by its path, not by the entry.
func (t *tree) merge(p string) (string, error) {
	own, err := os.ReadDir(p)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counter++
	dir := fmt.Sprintf("%s/%d", t.merged, t.counter)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	t.mixed[dir] = p
	emulated, err := os.ReadDir(t.root + p)
	if err != nil {
		return "", err
	}
	for _, e := range append(emulated, own...) {
		to := dir + "/" + e.Name()
		if _, err := os.Lstat(to); err == nil {
			continue // the tree's entry hides the machine's
		}
		from := p + "/" + e.Name()
		switch {
		case t.isOwned(from) && !t.exists(from):
			continue
		case e.IsDir():
			err = os.Mkdir(to, 0o755)
		case e.Type()&fs.ModeSymlink != 0:
			target, lerr := os.Readlink(from)
			if t.exists(from) {
				target, lerr = os.Readlink(t.root + from)
			}
			if lerr != nil {
				continue // it has just gone
			}
			err = os.Symlink(target, to)
		default:
			err = os.WriteFile(to, nil, 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	return dir, nil
}

func (t *tree) exists(p string) bool {
	_, err := os.Lstat(t.root + p)
	return err == nil
}
