package lsp

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"astrolabe/capture/formats"
	"astrolabe/capture/metrics"
)

// Bounds of what is looked at for the GPU that a script is for.
const (
	maxLooked  = 200             // entries of a folder
	firstWait  = 3 * time.Second // for the first look at a folder: answers without it are right, and poorer
	lookFolder = time.Minute     // in all
)

// folders know what GPUs the captures beside scripts are of. Looking is done beside the server, because the file system
// may be slow; what is not known yet is nothing.
type folders struct {
	ctx context.Context                               // ends with the server
	gpu func(ctx context.Context, path string) string // of a capture; nil looks at none

	mu    sync.Mutex
	known map[string]*folder
}

// folder is one folder of captures.
type folder struct {
	looking bool
	again   bool          // something may have changed while it was being looked at
	first   chan struct{} // closed when it has been looked at once
	files   map[string]looked
}

// looked is what is known of a file or folder with captures.
type looked struct {
	size int64
	time time.Time
	gpu  string
}

func newFolders(ctx context.Context, registry *formats.Registry) *folders {
	f := &folders{ctx: ctx, known: map[string]*folder{}}
	if registry != nil {
		f.gpu = func(ctx context.Context, path string) string { return gpuOf(ctx, registry, path) }
	}
	return f
}

// look begins to look at the folder of a script, and does not wait.
func (f *folders) look(script string) {
	if f.gpu == nil {
		return
	}
	dir := filepath.Dir(script)
	f.mu.Lock()
	defer f.mu.Unlock()
	here := f.known[dir]
	if here == nil {
		here = &folder{first: make(chan struct{})}
		f.known[dir] = here
	}
	if here.again = here.looking; here.looking {
		return
	}
	here.looking = true
	go f.keepLooking(dir, here)
}

func (f *folders) keepLooking(dir string, here *folder) {
	for {
		f.mu.Lock()
		before := here.files
		f.mu.Unlock()
		files := f.lookAt(dir, before)
		f.mu.Lock()
		here.files = files
		if before == nil {
			close(here.first)
		}
		again := here.again && f.ctx.Err() == nil
		here.again, here.looking = false, again
		f.mu.Unlock()
		if !again {
			return
		}
	}
}

// lookAt looks at the entries of a folder; before is what was known of them, of which the same need not be read again.
func (f *folders) lookAt(dir string, before map[string]looked) map[string]looked {
	ctx, cancel := context.WithTimeout(f.ctx, lookFolder)
	defer cancel()
	files := map[string]looked{}
	d, err := os.Open(dir)
	if err != nil {
		return files
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxLooked) // what could be read counts
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		name := e.Name()
		if ctx.Err() != nil || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".star") {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		now := looked{size: info.Size(), time: info.ModTime()}
		if old, ok := before[name]; ok && old.size == now.size && old.time.Equal(now.time) {
			now.gpu = old.gpu
		} else {
			now.gpu = f.gpu(ctx, filepath.Join(dir, name))
		}
		files[name] = now
	}
	return files
}

// beside are the captures of each GPU that are in the folder of a script, by their names. It waits a moment where the
// folder has never been looked at.
func (f *folders) beside(script string) map[string][]string {
	f.mu.Lock()
	here := f.known[filepath.Dir(script)]
	f.mu.Unlock()
	if here == nil {
		return nil
	}
	select {
	case <-here.first:
	case <-f.ctx.Done():
	case <-time.After(firstWait):
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	out := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(here.files)) {
		if gpu := here.files[name].gpu; gpu != "" {
			out[gpu] = append(out[gpu], name)
		}
	}
	return out
}

// cpuOnly is the catalogue of captures without a GPU.
const cpuOnly = "cpu"

// only is the GPU that all captures beside a script are of; "" where there are none, or of several.
func (f *folders) only(script string) string {
	found := f.beside(script)
	if len(found) > 1 {
		delete(found, cpuOnly)
	}
	if len(found) != 1 {
		return ""
	}
	for gpu := range found {
		if _, err := metrics.Get(gpu); err == nil {
			return gpu
		}
	}
	return ""
}
