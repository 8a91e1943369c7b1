package cpupmu

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"astrolabe/hwio/hwtest/uapi"
)

// mapping is a piece of a process's memory that can be executed.
type mapping struct {
	start, size, offset uint64
	major, minor, inode uint64
	file                string
}

// image is the program that a process is.
type image struct {
	exe  string
	maps []mapping
}

// task is a process whose events sample.
type task struct {
	pid     int
	text    mapping // of the program itself, where samples in user space lie
	pending bool    // it is becoming another program
	before  string  // the program that it was then
	became  string
	since   int64
}

// patience is how long the becoming of another program may take. What is sampled after that and before it is known lies
// nowhere.
const patience = int64(100 * time.Millisecond)

// prot of what can be read and executed, and MAP_PRIVATE, from mman.h.
const protReadExec, mapPrivate = 5, 2

// look finds out what a task has become and reports whether there is nothing to wait for.
func (t *task) look(d *device) bool {
	if !t.pending {
		return true
	}
	now, im := d.now(), d.image(t.pid)
	if len(im.maps) == 0 || im.exe == t.before && im.exe != t.became {
		if now-t.since < patience {
			return false
		}
		t.pending = false
		return true
	}
	t.pending = false
	t.load(im)
	// The maps are told of with the time of the exec: the task has done nothing in this program before.
	for _, m := range im.maps {
		d.tell(t.pid, t.since, func(e *event) (string, uint64, []byte) {
			return mapRecord(e.attr, t.pid, m)
		})
	}
	return true
}

func (t *task) load(im image) {
	t.text = mapping{}
	for _, m := range im.maps {
		if m.file == im.exe && m.size > t.text.size {
			t.text = m
		}
	}
}

// mapRecord is a PERF_RECORD_MMAP2, or the older form where the event asks for that.
func mapRecord(a *attr, pid int, m mapping) (string, uint64, []byte) {
	if !a.mmap {
		return "", 0, nil
	}
	le := binary.LittleEndian
	b := le.AppendUint64(nil, pair(pid, pid))
	for _, v := range []uint64{m.start, m.size, m.offset} {
		b = le.AppendUint64(b, v)
	}
	kind := "PERF_RECORD_MMAP"
	if a.mmap2 {
		kind = "PERF_RECORD_MMAP2"
		b = le.AppendUint64(b, m.major|m.minor<<32)
		b = le.AppendUint64(b, m.inode)
		b = le.AppendUint64(b, 0) // the generation of the inode
		b = le.AppendUint64(b, protReadExec|mapPrivate<<32)
	}
	return kind, uint64(uapi.Const("PERF_RECORD_MISC_USER")), append(b, padded(m.file)...)
}

// padded is a text with its zero, filled up to 8 bytes.
func padded(s string) []byte {
	b := append([]byte(s), 0)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

// tell writes a record to every ring whose event asks for it: those of the task on the processor where it is, and those
// of that processor.
func (d *device) tell(pid int, now int64, record func(*event) (kind string, misc uint64, body []byte)) {
	cpu := d.cpuOf(pid, now)
	for _, x := range d.rosters {
		if x.pid >= 0 && x.pid != pid || x.cpu >= 0 && x.cpu != cpu {
			continue
		}
		for _, l := range x.groups {
			for _, e := range l.members {
				if !e.on || e.file == nil || e.file.out == nil || e.file.out.Size == 0 {
					continue
				}
				if kind, misc, body := record(e); kind != "" {
					e.file.out.put(e, e.record(kind, misc, body, whereabouts{pid, pid, cpu, now}), false)
				}
			}
		}
	}
}

// Exec enables the events that wait for a task to become another program, and says which.
func (d *device) Exec(pid int, program string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now() // the record of the exec is no later than what happens after it
	for _, x := range d.rosters {
		if x.pid != pid {
			continue
		}
		x.advanceTo(d, now)
		for _, l := range x.groups {
			for _, e := range l.members {
				if e.attr.onExec {
					e.on, e.attr.onExec = true, false
				}
			}
		}
	}
	d.flush()
	t := d.tasks[pid]
	if t == nil {
		return
	}
	t.pending, t.since, t.before, t.became = true, now, d.image(pid).exe, program
	d.tell(pid, t.since, func(e *event) (string, uint64, []byte) {
		if !e.attr.comm {
			return "", 0, nil
		}
		name := path.Base(program)
		name = name[:min(len(name), 15)]
		misc := uint64(0)
		if e.attr.commExec {
			misc = uint64(uapi.Const("PERF_RECORD_MISC_COMM_EXEC"))
		}
		return "PERF_RECORD_COMM", misc, append(binary.LittleEndian.AppendUint64(nil, pair(pid, pid)), padded(name)...)
	})
}

// Exit ends what a task counts, before its parent hears of it.
func (d *device) Exit(pid int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.end(pid)
}

// end writes the last records of a task, once. The lock is held.
func (d *device) end(pid int) {
	if t := d.tasks[pid]; t != nil {
		t.look(d)
	}
	now, first := d.now(), false
	for _, x := range d.rosters {
		if x.pid == pid {
			x.advanceTo(d, now)
			first, x.over = first || !x.over, true
		}
	}
	d.endAt(pid, now)
	d.flush()
	if !first {
		return
	}
	d.tell(pid, now, func(e *event) (string, uint64, []byte) {
		if !e.attr.task {
			return "", 0, nil
		}
		parent := parentOf(pid)
		b := binary.LittleEndian.AppendUint64(nil, pair(pid, parent))
		b = binary.LittleEndian.AppendUint64(b, pair(pid, parent))
		return "PERF_RECORD_EXIT", 0, binary.LittleEndian.AppendUint64(b, uint64(now))
	})
	for _, x := range d.rosters {
		if x.pid != pid {
			continue
		}
		for _, l := range x.groups {
			for _, e := range l.members {
				if e.file != nil {
					e.file.ended = true
					e.file.ready.Set(true)
				}
			}
		}
	}
	delete(d.tasks, pid)
}

// parentOf is the parent of a process, 0 where it is gone.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(f[1])
	return n
}

// imageOf reads what a process executes.
func imageOf(pid int) (im image) {
	im.exe, _ = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return im
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var m mapping
		var end uint64
		var prot string
		n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %x %x:%x %d", &m.start, &end, &prot, &m.offset, &m.major,
			&m.minor, &m.inode)
		if f := strings.Fields(lines.Text()); n == 7 && len(f) > 5 && len(prot) == 4 && prot[2] == 'x' &&
			end > m.start && f[5] != "[vsyscall]" {
			m.size, m.file = end-m.start, strings.Join(f[5:], " ")
			im.maps = append(im.maps, m)
		}
	}
	return im
}
