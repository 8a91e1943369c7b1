// Package rocpdtest writes small databases in the layout of rocprofiler-sdk's schema, for tests of the formats that
// read them. It shares no code with the reader, only the names of tables and columns.
package rocpdtest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Run is what one process measured.
type Run struct {
	GUID       string
	PID        int
	GPU        string // such as gfx942
	Agent      string // what else is known of it, as an object in JSON
	Dispatches []Dispatch
	Calls      []Span // of APIs and of markers: rows with a Message are markers
	Copies     []Span
	Allocs     []Span
	Older      bool // the layout in which times and agents are in tables of their own
}

// Dispatch is a launch of a kernel. Counters are by name; NAME#5 is the result of instance 5.
type Dispatch struct {
	Number     int
	Kernel     string
	Start, End int64
	Counters   []Result
}

// Result is one result of a counter.
type Result struct {
	Counter  string
	Instance int
	Value    float64
}

// Span is a stretch of time on a thread.
type Span struct {
	Kind, Name, Message string
	Thread              int
	Start, End          int64
}

// Write writes the runs into one database.
func Write(t testing.TB, path string, runs ...Run) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	w := &writer{t: t, db: db}
	w.do("BEGIN")
	for _, r := range runs {
		w.run(r)
	}
	w.do("COMMIT")
	// A view that never ends must not be asked.
	w.do(`CREATE VIEW IF NOT EXISTS rocpd_kernel_dispatch AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n`)
}

type writer struct {
	t       testing.TB
	db      *sql.DB
	suffix  string
	guid    string
	strings map[string]int
	pmc     map[string]int
	event   int
}

func (w *writer) do(query string, args ...any) {
	w.t.Helper()
	if _, err := w.db.Exec(query, args...); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
}

func (w *writer) create(table, columns string) {
	w.do(`CREATE TABLE "` + table + w.suffix + `" (id INTEGER PRIMARY KEY, guid TEXT DEFAULT '` + w.guid + `', ` +
		columns + `)`)
}

func (w *writer) insert(table, columns string, args ...any) {
	w.do(`INSERT INTO "`+table+w.suffix+`" (`+columns+`) VALUES (`+strings.TrimSuffix(strings.Repeat("?, ", len(args)),
		", ")+`)`, args...)
}

func (w *writer) text(s string) int {
	id, ok := w.strings[s]
	if !ok {
		id = len(w.strings) + 1
		w.strings[s] = id
		w.insert("rocpd_string", "id, string", id, s)
	}
	return id
}

func (w *writer) addEvent(kind, message string) int {
	w.event++
	extra := "{}"
	if message != "" {
		extra = fmt.Sprintf(`{"message": %q}`, message)
	}
	w.insert("rocpd_event", "id, category_id, extdata", w.event, w.text(kind), extra)
	return w.event
}

func (w *writer) run(r Run) {
	w.guid, w.suffix = r.GUID, "_"+strings.ReplaceAll(r.GUID, "-", "_")
	w.strings, w.pmc, w.event = map[string]int{}, map[string]int{}, 99
	w.create("rocpd_string", "string TEXT")
	w.create("rocpd_event", "category_id INTEGER, extdata TEXT")
	w.create("rocpd_info_process", "pid INTEGER")
	w.create("rocpd_info_thread", "pid INTEGER, tid INTEGER")
	w.create("rocpd_info_kernel_symbol", "kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER, sgpr_count INTEGER")
	w.create("rocpd_info_agent", "type TEXT, absolute_index INTEGER, name TEXT, product_name TEXT, extdata JSONB")
	w.create("rocpd_info_pmc", "name TEXT, symbol TEXT, block TEXT, description TEXT, units TEXT, instance_id INTEGER")
	w.create("rocpd_pmc_event", "event_id INTEGER, pmc_id INTEGER, value REAL")
	w.create("rocpd_region", `pid INTEGER, tid INTEGER, start BIGINT, "end" BIGINT, name_id INTEGER, event_id INTEGER`)
	w.create("rocpd_sample", "track_id INTEGER, timestamp BIGINT, event_id INTEGER")
	w.create("rocpd_memory_copy", `pid INTEGER, tid INTEGER, start BIGINT, "end" BIGINT, name_id INTEGER, size INTEGER, event_id INTEGER`)
	w.create("rocpd_memory_allocate", `pid INTEGER, tid INTEGER, type TEXT, level TEXT, start BIGINT, "end" BIGINT, size INTEGER, event_id INTEGER`)
	// Ids of processes and threads in the tables are those of the system in rocprofv3's databases, and need not be.
	w.insert("rocpd_info_process", "id, pid", 1, r.PID)
	w.insert("rocpd_info_agent", "id, type, absolute_index, name, product_name", 1, "CPU", 0, "cpu", "CPU")
	w.insert("rocpd_info_agent", "id, type, absolute_index, name, product_name, extdata", 2, "GPU", 1, r.GPU,
		"Radeon", r.Agent)
	w.dispatches(r)
	w.spans(r)
}

const sizes = "workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER"

func (w *writer) dispatches(r Run) {
	if r.Older {
		w.create("rocpd_track", "agent_id INTEGER, queue_id INTEGER, stream_id INTEGER")
		w.create("rocpd_timestamp", "value BIGINT")
		w.create("rocpd_kernel_dispatch", "track_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, start_id INTEGER, end_id INTEGER, "+sizes)
		w.insert("rocpd_track", "id, agent_id, queue_id", 9, 2, 3)
	} else {
		w.create("rocpd_track", "pid INTEGER, tid INTEGER, name_id INTEGER")
		w.create("rocpd_kernel_dispatch", `agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, "end" BIGINT, `+sizes)
		w.insert("rocpd_track", "id, pid, tid", 9, 1, 1)
	}
	kernels := map[string]int{}
	for i, d := range r.Dispatches {
		if kernels[d.Kernel] == 0 {
			kernels[d.Kernel] = 5 + len(kernels)
			w.insert("rocpd_info_kernel_symbol", "id, kernel_name, display_name, arch_vgpr_count", kernels[d.Kernel],
				d.Kernel+".kd", d.Kernel, 8)
		}
		e := w.addEvent("KERNEL_DISPATCH", "")
		const last = "workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id"
		if r.Older {
			w.insert("rocpd_timestamp", "id, value", 2*i+1, d.Start)
			w.insert("rocpd_timestamp", "id, value", 2*i+2, d.End)
			w.insert("rocpd_kernel_dispatch", "track_id, kernel_id, dispatch_id, start_id, end_id, "+last, 9,
				kernels[d.Kernel], d.Number, 2*i+1, 2*i+2, 64, 1, 1, 64, 16, 1, e)
		} else {
			w.insert("rocpd_kernel_dispatch", `agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, "end", `+
				last, 2, kernels[d.Kernel], d.Number, 3, 1, d.Start, d.End, 64, 1, 1, 64, 16, 1, e)
		}
		for _, c := range d.Counters {
			key := fmt.Sprint(c.Counter, "#", c.Instance)
			if w.pmc[key] == 0 {
				w.pmc[key] = 1 + len(w.pmc)
				block, _, _ := strings.Cut(c.Counter, "_")
				w.insert("rocpd_info_pmc", "id, name, symbol, block, description, instance_id", w.pmc[key], c.Counter,
					c.Counter, block, "Counts.", c.Instance)
			}
			w.insert("rocpd_pmc_event", "event_id, pmc_id, value", e, w.pmc[key], c.Value)
		}
	}
	if len(w.pmc) > 0 { // a result of the whole device, which belongs to no dispatch
		w.insert("rocpd_pmc_event", "event_id, pmc_id, value", 9999, 1, 1.0)
	}
}

func (w *writer) spans(r Run) {
	threads := map[int]bool{}
	thread := func(n int) int {
		if !threads[n] {
			threads[n] = true
			w.insert("rocpd_info_thread", "id, pid, tid", n-1000, 1, n)
		}
		return n - 1000
	}
	for _, s := range r.Calls {
		e := w.addEvent(s.Kind, s.Message)
		if s.Start == s.End {
			w.insert("rocpd_sample", "track_id, timestamp, event_id", 9, s.Start, e)
			continue
		}
		w.insert("rocpd_region", `pid, tid, start, "end", name_id, event_id`, 1, thread(s.Thread), s.Start, s.End,
			w.text(s.Name), e)
	}
	for _, s := range r.Copies {
		w.insert("rocpd_memory_copy", `pid, tid, start, "end", name_id, size, event_id`, 1, thread(s.Thread), s.Start,
			s.End, w.text(s.Name), 64, w.addEvent("MEMORY_COPY", ""))
	}
	for _, s := range r.Allocs {
		w.insert("rocpd_memory_allocate", `pid, tid, type, level, start, "end", size, event_id`, 1, thread(s.Thread),
			s.Name, s.Kind, s.Start, s.End, 64, w.addEvent("MEMORY_ALLOCATION", ""))
	}
}
