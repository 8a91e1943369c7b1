package rocpd

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture/memory"
)

// written makes a database by statements.
func written(t *testing.T, statements ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, text := range statements {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return path
}

// A view can have rows without end, and the list of a file's tables may call it a table.
func TestAViewThatCallsItselfATableIsNotRead(t *testing.T) {
	path := written(t,
		`CREATE VIEW rocpd_kernel_dispatch AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'g' AS guid FROM n`,
		`PRAGMA writable_schema = 1`, `UPDATE sqlite_master SET type = 'table'`)
	if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), "malformed database schema") {
		t.Errorf("got %v", err)
	}
}

func TestTheDescriptionsOfTablesAreMeasuredFirst(t *testing.T) {
	path := written(t, `CREATE TABLE rocpd_kernel_dispatch (id INTEGER PRIMARY KEY, guid TEXT)`, `PRAGMA writable_schema = 1`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO sqlite_master SELECT 'table', 't' || i, 't' || i, 2, 'CREATE TABLE t' || i || ' (a, b, c)' FROM n`)
	if err := checkSchema(path); err != nil {
		t.Fatal(err)
	}
	memory.SetLimit(16 << 20)
	defer memory.SetLimit(0)
	if _, err := Read(t.Context(), path); !errors.Is(err, memory.ErrLimit) || !strings.Contains(err.Error(), "descriptions of its tables") {
		t.Errorf("got %v", err)
	}
}

func FuzzCheckSchema(f *testing.F) {
	page := make([]byte, 1024)
	copy(page, magic)
	page[16], page[17], page[100], page[104] = 2, 0, interiorPage, 3
	f.Add(page)
	path := filepath.Join(f.TempDir(), fmt.Sprint(os.Getpid()))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_ = checkSchema(path)
	})
}
