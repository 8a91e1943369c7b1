package rocprofv3

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	// The driver registers itself as "sqlite". It is SQLite in Go, so the program stays static.
	_ "modernc.org/sqlite"

	"astrolabe/capture/progress"
)

// database is an open rocpd file, read only.
type database struct {
	db     *sql.DB
	path   string
	tables map[string][]string // columns, by table
}

// readDatabase reads a rocpd database. Its tables are called rocpd_NAME and a suffix, one set of tables for each process that was measured.
func (w *work) readDatabase(ctx context.Context, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	uri := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath(), RawQuery: "mode=ro&immutable=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	d := &database{db: db, path: path, tables: map[string][]string{}}
	if err := d.list(ctx); err != nil {
		return fmt.Errorf("%s: the database cannot be read, it may be truncated or damaged: %w", path, err)
	}
	const dispatches = "rocpd_kernel_dispatch"
	var suffixes []string
	for name := range d.tables {
		if rest, ok := strings.CutPrefix(name, dispatches); ok {
			suffixes = append(suffixes, rest)
		}
	}
	slices.Sort(suffixes)
	if len(suffixes) == 0 {
		return fmt.Errorf("%s: an SQLite database without a table %s: this is no output of rocprofv3, or it traced no kernel (use --kernel-trace or --pmc)", path, dispatches)
	}
	for _, suffix := range suffixes {
		if err := w.readTables(ctx, d, suffix); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// list finds the tables and their columns. Names that rocpd does not use are left out, so that none needs quoting.
func (d *database) list(ctx context.Context) error {
	names, err := d.query(ctx, "SELECT name FROM sqlite_master WHERE type = 'table'", 1)
	if err != nil {
		return err
	}
	for _, row := range names {
		name := row[0].text()
		if !strings.HasPrefix(name, "rocpd_") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			continue
		}
		cols, err := d.query(ctx, `SELECT name FROM pragma_table_info("`+name+`")`, 1)
		if err != nil {
			return err
		}
		d.tables[name] = []string{}
		for _, c := range cols {
			d.tables[name] = append(d.tables[name], c[0].text())
		}
	}
	return nil
}

// cell is one value of a row.
type cell struct{ v any }

func (c cell) text() string {
	switch v := c.v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return fmt.Sprint(c.v)
}

func (c cell) number() (int64, bool) {
	v, ok := c.v.(int64)
	return v, ok
}

func (c cell) float() (float64, bool) {
	switch v := c.v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

func (d *database) query(ctx context.Context, text string, n int) (out [][]cell, err error) {
	rows, err := d.db.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	meter := progress.From(ctx)
	meter.Begin(0, progress.Rows) // to count the rows first would take as long as reading them
	for rows.Next() {
		if len(out)%1024 == 0 {
			meter.Set(int64(len(out)))
		}
		row := make([]cell, n)
		to := make([]any, n)
		for i := range row {
			to[i] = &row[i].v
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// rows reads columns of a table. Of several names with | between them the first that the table has is read; a column that it lacks is empty.
func (d *database) rows(ctx context.Context, table string, columns ...string) ([][]cell, error) {
	have, ok := d.tables[table]
	if !ok {
		return nil, nil
	}
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = "NULL"
		for name := range strings.SplitSeq(c, "|") {
			if slices.Contains(have, name) {
				list[i] = `"` + name + `"`
				break
			}
		}
	}
	out, err := d.query(ctx, "SELECT "+strings.Join(list, ", ")+` FROM "`+table+`"`, len(columns))
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", table, err)
	}
	return out, nil
}

// ref addresses a row of another table.
type ref struct{ guid, id string }

// lookup maps the ids of a table to its rows, without guid and id.
func (d *database) lookup(ctx context.Context, table string, columns ...string) (map[ref][]cell, error) {
	rows, err := d.rows(ctx, table, append([]string{"guid", "id"}, columns...)...)
	if err != nil {
		return nil, err
	}
	out := make(map[ref][]cell, len(rows))
	for _, r := range rows {
		out[ref{r[0].text(), r[1].text()}] = r[2:]
	}
	return out, nil
}

// readTables reads the set of tables of one suffix.
func (w *work) readTables(ctx context.Context, d *database, suffix string) error {
	var errs []error
	get := func(table string, columns ...string) map[ref][]cell {
		m, err := d.lookup(ctx, table+suffix, columns...)
		errs = append(errs, err)
		return m
	}
	kernels := get("rocpd_info_kernel_symbol", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count")
	agents := get("rocpd_info_agent", "type", "name", "product_name", "absolute_index")
	counters := get("rocpd_info_pmc", "name|symbol", "block", "description", "units", "instance_id")
	tracks := get("rocpd_track", "agent_id", "queue_id", "stream_id")
	stamps := get("rocpd_timestamp", "value")
	list, err := d.rows(ctx, "rocpd_kernel_dispatch"+suffix, "guid", "dispatch_id", "kernel_id", "agent_id", "queue_id", "stream_id", "start", "end", "start_id", "end_id", "track_id",
		"event_id", "grid_size_x", "grid_size_y", "grid_size_z", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z", "group_segment_size", "private_segment_size")
	errs = append(errs, err)
	events, err := d.rows(ctx, "rocpd_pmc_event"+suffix, "guid", "event_id", "pmc_id", "value")
	if err := errors.Join(append(errs, err)...); err != nil {
		return err
	}
	byEvent := map[ref]*dispatch{}
	for _, r := range list {
		guid := r[0].text()
		at := func(i int) ref { return ref{guid, r[i].text()} }
		agent, queue, stream := r[3], r[4], r[5]
		if t := tracks[at(10)]; t != nil { // older layout
			agent, queue, stream = t[0], t[1], t[2]
		}
		var kernel [5]cell
		copy(kernel[:], kernels[at(2)])
		name := kernel[0].text()
		if name == "" {
			name = kernel[1].text()
		}
		if name == "" {
			return fmt.Errorf("table rocpd_kernel_dispatch%s: dispatch %s names kernel %s, which is not in the database", suffix, r[1].text(), r[2].text())
		}
		agentName := agent.text()
		if a := agents[ref{guid, agent.text()}]; a != nil {
			if a[0].text() == "GPU" {
				w.foundAgent(a[1].text(), a[2].text())
			}
			if a[3].text() != "" {
				agentName = "Agent " + a[3].text()
			}
		}
		k := key{r[1].text(), name, agentName, volume(r[12:15]), volume(r[15:18])}
		dsp := w.run("guid "+guid, len(events) == 0).dispatch(k, func() []string {
			// In the order of labelNames.
			return []string{name, k.dispatch, agentName, queue.text(), stream.text(), r[2].text(), k.grid, k.workgroup, r[18].text(), r[19].text(),
				kernel[2].text(), kernel[3].text(), kernel[4].text()}
		})
		start, ok := r[6].number()
		end, ok2 := r[7].number()
		if s, e := stamps[at(8)], stamps[at(9)]; s != nil && e != nil {
			start, ok = s[0].number()
			end, ok2 = e[0].number()
		}
		if ok && ok2 {
			dsp.start, dsp.end = start, end
			w.checkTimes("rocpd_kernel_dispatch"+suffix, dsp)
		}
		byEvent[at(11)] = dsp
	}
	return w.readEvents(suffix, events, counters, byEvent)
}

// readEvents puts the results of counters to their dispatches.
func (w *work) readEvents(suffix string, events [][]cell, counters map[ref][]cell, byEvent map[ref]*dispatch) error {
	lost := 0
	for _, e := range events {
		guid := e[0].text()
		d := byEvent[ref{guid, e[1].text()}]
		if d == nil {
			lost++ // of no kernel, such as a counter of the whole device
			continue
		}
		info := counters[ref{guid, e[2].text()}]
		if info == nil || info[0].text() == "" {
			return fmt.Errorf("table rocpd_pmc_event%s: a result names counter %s, which is not in the database", suffix, e[2].text())
		}
		v, ok := e[3].float()
		if !ok {
			return fmt.Errorf("table rocpd_pmc_event%s: %q is no value of %s", suffix, e[3].text(), info[0].text())
		}
		i := w.counter(info[0].text())
		c := &w.counters[i]
		c.block, c.doc, c.unit = info[1].text(), info[2].text(), info[3].text()
		d.values[i] = append(d.values[i], value{v, info[4].text()})
	}
	if lost > 0 {
		w.warnings = append(w.warnings, fmt.Sprintf("%d results of counters belong to no kernel dispatch and are left out", lost))
	}
	return nil
}

// volume multiplies the sizes of three dimensions; "" where one is not known.
func volume(dims []cell) string {
	n := int64(1)
	for _, c := range dims {
		v, ok := c.number()
		if !ok || v < 0 || v > 1<<31 || n > 1<<40 {
			return ""
		}
		n *= v
	}
	return strconv.FormatInt(n, 10)
}
