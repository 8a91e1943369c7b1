package amdgpu

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"astrolabe/capture"
	"astrolabe/hwio/internal/sysroot"
)

// searchEvery is how many refreshes there are per search for new clients.
const searchEvery = 10

// clientWatch follows the programs that use the GPUs through the descriptors that they hold open. A client is counted
// once, however many descriptors and processes share it.
type clientWatch struct {
	root  sysroot.Root
	gpus  []*gpu
	pid   int // 0 for all processes
	self  int // this process, which only watches
	every int // refreshes between two searches for new clients

	family map[int]bool // pid and the processes that descend from it
	files  map[string]*clientFile
	known  map[clientKey]*clientState
	totals []clientTotals // per GPU
	byPID  []processTotals
	age    int
	hidden int // processes whose descriptors may not be read
}

type clientKey struct {
	address string
	id      uint64
}

type clientFile struct {
	file textFile
	pid  int
}

// clientState is what was last seen of a client.
type clientState struct {
	client
	pid    int
	seen   bool // in this refresh
	unseen int  // refreshes since it was seen
}

// clientTotals sums the clients of one GPU. Engine times only grow: what a client used stays counted when it ends.
type clientTotals struct {
	busy      [engineCount]uint64
	clients   uint64
	vram, gtt uint64
}

// processTotals are those of one process that was there at the start.
type processTotals struct {
	pid     int
	gpu     int
	name    string
	busy    [engineCount]uint64
	present bool
}

// maxProcesses bounds the processes with columns of their own.
const maxProcesses = 64

func newClientWatch(root sysroot.Root, gpus []*gpu, pid int) *clientWatch {
	w := &clientWatch{root: root, gpus: gpus, pid: pid, every: searchEvery, family: map[int]bool{},
		files: map[string]*clientFile{}, known: map[clientKey]*clientState{}, totals: make([]clientTotals, len(gpus))}
	if root.Here() {
		w.self = os.Getpid()
	}
	if pid != 0 {
		w.every = 1 // a command's programs may be short
	}
	return w
}

// search finds the descriptors of GPUs.
func (w *clientWatch) search() {
	var pids []int
	for _, name := range w.root.List("/proc") {
		if pid, err := strconv.Atoi(name); err == nil && pid != w.self {
			pids = append(pids, pid)
		}
	}
	if w.pid != 0 {
		pids = w.descendants(pids)
	}
	w.hidden = 0
	found := map[string]bool{}
	for _, pid := range pids {
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		entries, err := os.ReadDir(w.root.Path(dir))
		if errors.Is(err, fs.ErrPermission) {
			w.hidden++
			continue
		}
		for _, e := range entries {
			target, err := os.Readlink(w.root.Path(dir + "/" + e.Name()))
			if err != nil || !strings.HasPrefix(target, "/dev/dri/") {
				continue
			}
			path := fmt.Sprintf("/proc/%d/fdinfo/%s", pid, e.Name())
			found[path] = true
			if w.files[path] == nil {
				w.files[path] = &clientFile{textFile{root: w.root, path: path}, pid}
			}
		}
	}
	for path, f := range w.files {
		if !found[path] {
			_ = f.file.close()
			delete(w.files, path)
		}
	}
}

// descendants keeps the process to be measured and those that descend from it, also after their parents have ended.
func (w *clientWatch) descendants(pids []int) []int {
	parent := map[int]int{}
	for _, pid := range pids {
		stat, err := w.root.Read(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		parent[pid] = parentOf(stat)
	}
	w.family[w.pid] = true
	for grown := true; grown; {
		grown = false
		for pid, up := range parent {
			if w.family[up] && !w.family[pid] {
				w.family[pid], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(pids, func(pid int) bool { return !w.family[pid] })
}

// parentOf reads the parent's number from a process's stat line, 0 where there is none. The name in brackets may hold
// anything.
func parentOf(stat []byte) int {
	_, rest, ok := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(" "))
	if !ok {
		return 0
	}
	words := bytes.Fields(rest)
	if len(words) < 2 {
		return 0
	}
	pid, err := strconv.Atoi(string(words[1]))
	if err != nil {
		return 0
	}
	return pid
}

// refresh reads all clients and adds what they used since the last refresh. The first one is the baseline.
func (w *clientWatch) refresh() {
	first := w.age == 0
	if w.age%w.every == 0 {
		w.search()
	}
	w.age++
	for _, s := range w.known {
		s.seen = false
	}
	for i := range w.totals {
		w.totals[i].clients, w.totals[i].vram, w.totals[i].gtt = 0, 0, 0
	}
	for i := range w.byPID {
		w.byPID[i].present = false
	}
	for path, f := range w.files {
		data, err := f.file.contents()
		if err != nil {
			_ = f.file.close()
			delete(w.files, path)
			continue
		}
		c := parseClient(data)
		gpu := slices.IndexFunc(w.gpus, func(g *gpu) bool { return g.card.Address == c.address })
		if c.driver != "amdgpu" || gpu < 0 || !c.hasID {
			continue
		}
		key := clientKey{c.address, c.id}
		s := w.known[key]
		switch {
		case s == nil:
			s = &clientState{pid: f.pid}
			w.known[key] = s
			if first {
				s.client = c
			}
		case s.seen:
			continue // another descriptor of the same client
		}
		s.seen, s.unseen = true, 0
		w.add(gpu, s, &c)
	}
	// A client whose descriptor was closed may have another one, which the next search finds: what it used before then
	// is not new.
	for key, s := range w.known {
		if s.seen {
			continue
		}
		if s.unseen++; s.unseen > 2*w.every {
			delete(w.known, key)
		}
	}
}

// add counts one client.
func (w *clientWatch) add(gpu int, s *clientState, c *client) {
	t := &w.totals[gpu]
	t.clients++
	t.vram += c.vram
	t.gtt += c.gtt
	p := slices.IndexFunc(w.byPID, func(p processTotals) bool { return p.pid == s.pid && p.gpu == gpu })
	if p >= 0 {
		w.byPID[p].present = true
	}
	for e := range engines {
		// The driver's estimate of a running job may go back a little.
		if used := c.busy[e]; used > s.busy[e] {
			t.busy[e] += used - s.busy[e]
			if p >= 0 {
				w.byPID[p].busy[e] += used - s.busy[e]
			}
		} else {
			c.busy[e] = s.busy[e]
		}
	}
	s.client = *c
}

// processes gives each process that uses a GPU now a place of its own, and says how many found none.
func (w *clientWatch) processes() (left int) {
	for _, s := range w.known {
		gpu := slices.IndexFunc(w.gpus, func(g *gpu) bool { return g.card.Address == s.address })
		if slices.ContainsFunc(w.byPID, func(p processTotals) bool { return p.pid == s.pid && p.gpu == gpu }) {
			continue
		}
		if len(w.byPID) == maxProcesses {
			left++
			continue
		}
		name, err := w.root.String(fmt.Sprintf("/proc/%d/comm", s.pid))
		if err != nil {
			name = "?"
		}
		w.byPID = append(w.byPID, processTotals{pid: s.pid, gpu: gpu, name: name})
	}
	slices.SortFunc(w.byPID, func(a, b processTotals) int { return (a.pid-b.pid)*8 + a.gpu - b.gpu })
	return left
}

func (w *clientWatch) close() error {
	for _, f := range w.files {
		_ = f.file.close() // they were only read
	}
	return nil
}

var processEnded = capture.Reason{Code: capture.NotCollected, Text: "the process no longer used the GPU"}

// addClients offers engine times and memory of the GPU's users: all of them, or those of the process that is measured.
func (b *builder) addClients(w *clientWatch, to *readings, perProcess bool) (warnings []string) {
	who := "all programs together"
	if w.pid != 0 {
		who = "the measured process and those it starts"
	}
	w.refresh()
	t := task{close: w.close}
	var fill []func(*value)
	offer := func(gpu int, m capture.Meta, integer bool, get func(*value)) {
		b.card = w.gpus[gpu].card.Name
		if b.wants(&m, false) {
			t.cols = append(t.cols, column{meta: m, slot: t.size, integer: integer})
			fill = append(fill, get)
			t.size++
		}
	}
	for i := range w.gpus {
		for e, name := range engines {
			offer(i, capture.Meta{Name: "engine_" + name, Title: "Engine time " + name, Unit: "ns", Block: "engines",
				Doc: "Time that engines of this kind worked for " +
					who + ", as the driver counts it per client; engine_" +
					name + "_busy makes a share of it. Each client counts once."},
				true, func(v *value) { v.setWhole(w.totals[i].busy[e]) })
		}
		offer(i, capture.Meta{Name: "clients", Title: "Clients", Unit: "clients", Block: "engines", Kind: capture.Gauge,
			Doc: "Open connections to the GPU of " + who + "; the recorder's own is not one of them."},
			true, func(v *value) { v.setWhole(w.totals[i].clients) })
		offer(i, capture.Meta{Name: "clients_vram", Title: "Video memory of clients", Unit: "bytes", Block: "engines",
			Kind: capture.Gauge, Doc: "Video memory that buffers of " + who + " take; shared buffers count for each."},
			true, func(v *value) { v.setWhole(w.totals[i].vram) })
		offer(i, capture.Meta{Name: "clients_gtt", Title: "Main memory of clients", Unit: "bytes", Block: "engines",
			Kind: capture.Gauge, Doc: "Main memory that GPU buffers of " +
				who + " take; shared buffers count for each."},
			true, func(v *value) { v.setWhole(w.totals[i].gtt) })
	}
	if perProcess {
		if left := w.processes(); left > 0 {
			warnings = append(warnings, fmt.Sprintf("amdgpu: %d processes use the GPU beyond the first %d and have no columns of their own", left, maxProcesses))
		}
		for i := range w.byPID {
			for e, name := range engines {
				offer(w.byPID[i].gpu, capture.Meta{Name: "process_engine_" + name, Title: "Engine time " +
					name + " per process", Unit: "ns", Block: "engines",
					Instance: fmt.Sprintf("%d %s", w.byPID[i].pid, w.byPID[i].name),
					Doc:      "Time that engines of this kind worked for one process that used the GPU when the recording began."},
					true, func(v *value) {
						if p := &w.byPID[i]; p.present {
							v.setWhole(p.busy[e])
						} else {
							v.miss(&processEnded)
						}
					})
			}
		}
	}
	t.read = func(out []value) {
		w.refresh()
		for i := range out {
			fill[i](&out[i])
		}
	}
	if t.size > 0 && w.hidden > 0 {
		warnings = append(warnings, fmt.Sprintf("amdgpu: %d processes of other users hide which clients they are: engine times are those of the others; run as root to see all (%v)", w.hidden, syscall.EACCES))
	}
	b.keep(t, to)
	return warnings
}
