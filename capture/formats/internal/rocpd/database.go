package rocpd

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
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"astrolabe/capture/memory"
	"astrolabe/capture/progress"
)

// database is an open file, read only.
type database struct {
	db     *sql.DB
	conn   *sql.Conn           // the only one, because limits are a connection's
	tables map[string][]string // columns, by table
	rows   int64               // read so far
	tally  memory.Tally        // of what the rows take
}

// longest is the size up to which a row is read, in bytes. A chain of pages that runs in a circle makes a row of any
// size out of a small file.
const longest = 64 << 20

func open(ctx context.Context, path string) (*database, error) {
	if err := checkSchema(path); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	uri := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(abs)}).EscapedPath(),
		RawQuery: "mode=ro&immutable=1&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=query_only(1)"}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	d := &database{db: db, tables: map[string][]string{}}
	if d.conn, err = db.Conn(ctx); err == nil {
		_, err = sqlite.Limit(d.conn, sqlite3.SQLITE_LIMIT_LENGTH, int(min(longest, memory.Limit()/8)))
	}
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *database) close() {
	if d.conn != nil {
		d.conn.Close()
	}
	d.db.Close()
}

// limited says of an error of SQLite which limit it is.
func limited(err error) error {
	var of *sqlite.Error
	if !errors.As(err, &of) {
		return err
	}
	if of.Code()&0xff == sqlite3.SQLITE_TOOBIG {
		return fmt.Errorf("a row is longer than %s: %w", memory.Text(min(longest, memory.Limit()/8)),
			&memory.LimitError{Limit: memory.Limit()})
	}
	return err
}

// list finds the tables and their columns. Names that rocpd does not use are left out, so that none needs quoting.
func (d *database) list(ctx context.Context) error {
	var names []string
	err := d.query(ctx, "SELECT name FROM sqlite_master WHERE type = 'table'", 1, func(row []cell) error {
		name := row[0].text()
		if strings.HasPrefix(name, "rocpd_") && strings.Trim(name,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" {
			names = append(names, name)
		}
		return nil
	})
	for _, name := range names {
		if err != nil {
			return err
		}
		d.tables[name] = []string{}
		err = d.query(ctx, `SELECT name FROM pragma_table_info("`+name+`")`, 1, func(row []cell) error {
			d.tables[name] = append(d.tables[name], row[0].text())
			return nil
		})
	}
	return err
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

// room is what the value takes, in bytes: most of what is read is kept.
func (c cell) room() uint64 {
	const of = 24
	switch v := c.v.(type) {
	case string:
		return of + uint64(len(v))
	case []byte:
		return of + uint64(len(v))
	}
	return of
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

// query hands on the rows of a query one by one. The slice is used again for the next row.
func (d *database) query(ctx context.Context, text string, n int, each func(row []cell) error) error {
	rows, err := d.conn.QueryContext(ctx, text)
	if err != nil {
		return limited(err)
	}
	defer rows.Close()
	meter := progress.From(ctx)
	row := make([]cell, n)
	to := make([]any, n)
	for i := range row {
		to[i] = &row[i].v
	}
	for ; rows.Next(); d.rows++ {
		if d.rows%1024 == 0 {
			meter.Set(d.rows)
		}
		if err := rows.Scan(to...); err != nil {
			return err
		}
		for _, c := range row {
			if err := d.tally.Add(c.room()); err != nil {
				return err
			}
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return limited(rows.Err())
}

// each hands on columns of a table. Of several names with | between them the first that the table has is read; a column
// that it lacks is empty, and so are tables.
func (d *database) each(ctx context.Context, table string, columns []string, each func(row []cell) error) error {
	have, ok := d.tables[table]
	if !ok {
		return nil
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
	if err := d.query(ctx, "SELECT "+strings.Join(list, ", ")+` FROM "`+table+`"`, len(columns), each); err != nil {
		return fmt.Errorf("table %s: %w", table, err)
	}
	return nil
}

// ref addresses a row of another table.
type ref struct{ guid, id string }

// lookup maps the ids of a table to its rows, without guid and id.
func (d *database) lookup(ctx context.Context, table string, columns ...string) (map[ref][]cell, error) {
	out := map[ref][]cell{}
	err := d.each(ctx, table, append([]string{"guid", "id"}, columns...), func(row []cell) error {
		out[ref{row[0].text(), row[1].text()}] = slices.Clone(row[2:])
		return nil
	})
	return out, err
}
