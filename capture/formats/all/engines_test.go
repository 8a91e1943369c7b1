package all

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"astrolabe/capture/formats"
)

var foreignDir string // what foreignFiles has made

// foreignFiles makes a folder of what testdata/foreign.py writes.
var foreignFiles = sync.OnceValue(func() (err error) {
	exe := os.Getenv("ASTROLABE_LAKE_PYTHON")
	if exe == "" {
		exe = "python3"
	}
	if foreignDir, err = os.MkdirTemp("", "astrolabe-foreign-"); err != nil {
		return err
	}
	return exec.Command(exe, "testdata/foreign.py", foreignDir).Run()
})

func TestMain(m *testing.M) {
	status := m.Run()
	if foreignDir != "" {
		os.RemoveAll(foreignDir)
	}
	os.Exit(status)
}

func foreign(t *testing.T) (dir string) {
	t.Helper()
	if foreignFiles() != nil {
		t.Skip("SKIPPED: pyarrow, polars or duckdb is not installed for Python (.ci/extra lake installs it)")
	}
	return foreignDir
}

// Files that pandas, pyarrow, polars and DuckDB write are elsewhere what they are here.
func TestEnginesFilesElsewhere(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(foreign(t), "*.*"))
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		same(t, f)
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		s := &server{data: data}
		c, err := afar(t, s, f)
		if err != nil {
			continue // as here
		}
		opened := s.served
		c.Counters[len(c.Counters)-1].Total()
		t.Logf("ENGINE | elsewhere: %s, %d of %d bytes to open it | %d for one counter of %d | 1", filepath.Base(f), opened,
			len(data), s.served-opened, len(c.Counters))
	}
}

// What a format recognises in a folder it can read; folders KEY=VALUE of other things are no captures.
func TestEnginesFoldersAreRecognised(t *testing.T) {
	dir := filepath.Join(foreign(t), "sets")
	folders, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(folders) < 11 {
		t.Fatal(folders, err)
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		f, err := Registry().Sniff(folder)
		if yes := strings.HasPrefix(name, "yes-"); yes != (err == nil) {
			t.Errorf("%s: recognised as %v, %v", name, f, err)
		} else if !yes {
			continue
		}
		c, err := Registry().Open(t.Context(), folder, formats.Options{})
		if err != nil || c.Len() != 500 {
			t.Errorf("%s is recognised and not read: %v", name, err)
		}
	}
	t.Logf("ENGINE | folders KEY=VALUE of pandas, pyarrow and DuckDB | recognised or not | %d", len(folders))
}
