package programs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"sync"
	"time"
)

// keepBytes is how much of what no process uses stays in the store, what was used last: the programs of a few states of
// the sources.
const keepBytes = 600 << 20

// store is a folder with one folder per file that was made. A file ID.lock beside it is locked for writing while
// somebody makes the file, and for reading by everybody who uses it, until their process ends; a file of which nobody
// holds the lock can be removed.
type store struct {
	dir  string
	keep int64 // bytes
}

// openStore makes the user's store, in the folder of temporary files where the user has no folder of caches.
func openStore() (*store, error) {
	base, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(base, 0o700)
	}
	if err == nil {
		s := &store{filepath.Join(base, "astrolabe-test-programs"), keepBytes}
		if err = os.MkdirAll(s.dir, 0o700); err == nil {
			return s, nil
		}
	}
	s := &store{filepath.Join(os.TempDir(), fmt.Sprintf("astrolabe-test-programs-%d", os.Getuid())), keepBytes}
	if merr := os.MkdirAll(s.dir, 0o700); merr != nil {
		return nil, errors.Join(err, merr)
	}
	return s, ours(s.dir)
}

// get returns the path of a file, made now unless it is there. The process holds its lock from now on.
func (s *store) get(id, name string, make func(to string) error) (string, error) {
	path := filepath.Join(s.dir, id, name)
	lock, err := os.OpenFile(s.lockOf(id), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	for {
		if err := lockShared(lock); err != nil {
			return "", errors.Join(fmt.Errorf("wait for who makes %s: %w", path, err), lock.Close())
		}
		if _, err := os.Stat(path); err == nil {
			hold(lock)
			now := time.Now()
			_ = os.Chtimes(filepath.Dir(path), now, now) // else it is only cleaned away earlier
			return path, nil
		}
		// Between the two locks another may make the file or remove it, which both are seen under the second.
		if err := lockExclusive(lock); err != nil {
			return "", errors.Join(err, lock.Close())
		}
		if _, err := os.Stat(path); err != nil {
			if err := s.put(path, make); err != nil {
				return "", errors.Join(err, lock.Close())
			}
			s.clean(id)
		}
	}
}

var (
	heldMu sync.Mutex
	held   []*os.File
)

// hold keeps a lock until the process ends: the garbage collector would close its file.
func hold(lock *os.File) {
	heldMu.Lock()
	defer heldMu.Unlock()
	held = append(held, lock)
}

// put makes a file under another name and then gives it its own, so that one that is half made is never found.
func (s *store) put(path string, make func(to string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	half := fmt.Sprintf("%s.half-%d", path, os.Getpid())
	if err := make(half); err != nil {
		return err
	}
	return os.Rename(half, path)
}

// clean removes what was used longest ago and is used by nobody, until the rest is small enough. What cannot be removed
// stays until the next time. Lock files stay for ever: they are empty, and removing one that another process is about
// to lock would give it a lock that nobody else sees.
func (s *store) clean(but string) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	type made struct {
		id         string
		used, size int64
	}
	var all []made
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() && e.Name() != but {
			all = append(all, made{e.Name(), info.ModTime().UnixNano(), sizeOf(filepath.Join(s.dir, e.Name()))})
		}
	}
	sort.Slice(all, func(i, k int) bool { return all[i].used > all[k].used })
	kept := sizeOf(filepath.Join(s.dir, but))
	for _, m := range all {
		if kept += m.size; kept > s.keep {
			s.remove(m.id)
		}
	}
}

// sizeOf is the sum of the sizes of a folder's files.
func sizeOf(dir string) (sum int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// remove removes a file unless somebody uses it.
func (s *store) remove(id string) {
	lock, err := os.OpenFile(s.lockOf(id), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer lock.Close()
	if tryExclusive(lock) {
		_ = os.RemoveAll(filepath.Join(s.dir, id))
	}
}

func (s *store) lockOf(id string) string { return filepath.Join(s.dir, id+".lock") }
