package rocprofcompute

import (
	"context"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/delimited"
	"astrolabe/capture/formats/internal/rocpd"
	"astrolabe/capture/memory"
)

// findDatabases lists the rocpd databases of a workload: beside the other files, or where the profiler put them before
// the tool collects them (out/pmc_1/HOST/PID_results.db).
func findDatabases(dir string) (found []string) {
	const most, deepest = 4096, 4 // entries and folders to look at, so that no large tree is searched through
	seen := 0
	// A folder that cannot be read holds nothing for this format.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		top, _, below := strings.Cut(rel, string(filepath.Separator))
		seen++
		switch {
		case seen > most:
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir
		case d.IsDir():
			if rel != "." && (top != "out" && !strings.HasPrefix(top, "pmc_") ||
				strings.Count(rel, string(filepath.Separator)) >= deepest) {
				return fs.SkipDir
			}
		case strings.HasSuffix(path, ".db") && (!below || top == "out" || strings.HasPrefix(top, "pmc_")) &&
			isDatabase(path):
			found = append(found, path)
		}
		return nil
	})
	slices.SortStableFunc(found, byNumber)
	return found
}

func isDatabase(path string) bool {
	f, err := formats.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, formats.HeadSize))
	if err != nil {
		return false
	}
	_, ok := rocpd.Is(head)
	return ok
}

// readDatabase makes a table of each process in a database.
func (w *workload) readDatabase(ctx context.Context, path string) (rows int, err error) {
	trace, err := rocpd.Read(ctx, path)
	if err != nil {
		return 0, err
	}
	if trace.Strays > 0 {
		w.warn("%s: %d results of counters belong to no kernel dispatch and are left out", path, trace.Strays)
	}
	name := databaseRun(w.dir, path)
	byGUID := map[string]*table{}
	var order []string
	for i := range trace.Dispatches {
		d := &trace.Dispatches[i]
		if len(d.Values) == 0 {
			continue // traced, but a filter left it without counters
		}
		t := byGUID[d.GUID]
		if t == nil {
			t = &table{file: path, numbered: "rocpd", process: d.GUID, runs: []*run{{id: name}}}
			byGUID[d.GUID] = t
			order = append(order, d.GUID)
		}
		t.rows = append(t.rows, launchOfDatabase(d))
		rows++
	}
	for _, guid := range order {
		t := byGUID[guid]
		t.columnsOf(trace, guid)
		w.tables = append(w.tables, t)
	}
	return rows, nil
}

// databaseRun names the run that a database is of: by its own name beside the other files, else by its folder below
// out.
func databaseRun(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return runName(path)
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	if parts[0] == "out" && len(parts) > 1 {
		parts = parts[1:]
	}
	if len(parts) == 1 {
		return runName(path)
	}
	return runName(parts[0] + ".db")
}

// numberProcesses numbers the dispatches of the processes of one run one after the other: each process counts from 1.
func numberProcesses(tables []*table) {
	byRun := map[string][]*table{}
	for _, t := range tables {
		if t.numbered == "rocpd" || t.numbered == "native" {
			byRun[t.runs[0].id] = append(byRun[t.runs[0].id], t)
		}
	}
	for _, list := range byRun {
		// GUIDs of rocprofv3 begin with the time at which their process started.
		slices.SortStableFunc(list, func(a, b *table) int { return strings.Compare(a.process, b.process) })
		n := 0
		for _, t := range list {
			for i := range t.rows {
				if n++; len(list) > 1 {
					t.rows[i].id = strconv.Itoa(n)
				}
			}
		}
	}
}

func launchOfDatabase(d *rocpd.Dispatch) launch {
	l := launch{id: d.Number, kernel: d.Kernel, gpu: strings.TrimPrefix(d.Agent, "Agent "), start: noTime, end: noTime,
		ns: math.NaN(), labels: make([]string, len(labels))}
	texts := map[string]string{"Grid_Size": d.Grid, "Workgroup_Size": d.Workgroup, "LDS_Per_Workgroup": d.LDS,
		"Scratch_Per_Workitem": d.Scratch,
		"Arch_VGPR":            d.VGPR, "Accum_VGPR": d.Accum, "SGPR": d.SGPR, "Kernel_ID": d.KernelID}
	for i := range labels {
		l.labels[i] = texts[labels[i].column]
	}
	if d.End != 0 {
		l.start, l.end, l.ns = d.Start, d.End, float64(d.End-d.Start)
	}
	return l
}

// columnsOf makes the columns of one process. Several results of one counter in one dispatch are of its instances,
// which the tool adds up.
func (t *table) columnsOf(trace *rocpd.Trace, guid string) {
	at := make([]*column, len(trace.Counters))
	row := 0
	var tally memory.Tally
	for i := range trace.Dispatches {
		d := &trace.Dispatches[i]
		if d.GUID != guid || len(d.Values) == 0 {
			continue
		}
		for _, v := range d.Values {
			c := at[v.Counter]
			if c == nil {
				tally.Must(4 * uint64(len(t.rows)))
				c = &column{name: trace.Counters[v.Counter].Name, at: make([]int32, len(t.rows))}
				for k := range c.at {
					c.at[k] = -1
				}
				at[v.Counter] = c
				t.runs[0].columns = append(t.runs[0].columns, c)
			}
			if c.at[row] < 0 {
				c.at[row] = int32(len(c.data.F))
				c.data.F = append(c.data.F, 0)
			}
			c.data.F[c.at[row]] += v.V
		}
		row++
	}
	for _, c := range t.runs[0].columns {
		c.data, _ = delimited.Narrow(c.data.F)
	}
}
