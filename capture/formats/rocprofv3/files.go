package rocprofv3

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/rocpd"
)

// Endings of the names of rocprofv3's files. What stands before them tells runs apart: HOST/PID_ unless -o and -d say
// otherwise.
const (
	countersEnd = "counter_collection.csv"
	traceEnd    = "_trace.csv"
	kernelsEnd  = "kernel" + traceEnd
	agentsEnd   = "agent_info.csv"
	databaseEnd = ".db"
)

// fileKind is what a CSV file holds.
type fileKind uint8

const (
	otherFile    fileKind = iota
	countersFile          // a row for each dispatch and counter
	kernelsFile           // a row for each dispatch
	callsFile             // a row for each call of an API and each marker
	copiesFile            // a row for each copy
	memoryFile            // a row for each allocation
)

// kindOf tells the kind of a file by its header, in lower case.
func kindOf(header []string) fileKind {
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(header, n) })
	}
	switch timed := has("start_timestamp", "end_timestamp"); {
	case has("dispatch_id", "kernel_name", "counter_name", "counter_value"):
		return countersFile
	case timed && has("kind", "kernel_name"):
		return kernelsFile
	case timed && has("domain", "function"):
		return callsFile
	case timed && has("kind", "direction"):
		return copiesFile
	case timed && has("kind", "operation"):
		return memoryFile
	}
	return otherFile
}

// lower is a header in lower case: releases differ in SGPR_Count and Sgpr_Count.
func lower(header []string) []string {
	out := make([]string, len(header))
	for i, name := range header {
		out[i] = strings.ToLower(name)
	}
	return out
}

// outputs lists the files of rocprofv3 in a folder and up to three folders below it, in the order of their paths. Where
// a database was written, CSV files of the same run beside it say the same once more, and are left out; so is JSON
// beside anything else. The folder may be a link to one, such as that of the latest run.
func outputs(dir string) (files []string) {
	const most = 20000 // entries to look at, so that a home folder is not searched through
	seen := 0
	databases, tables := map[string]bool{}, map[string]bool{}
	root := dir
	if to, err := filepath.EvalSymlinks(dir); err == nil {
		root = to
	}
	// A folder that cannot be read holds nothing for this format.
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		path = filepath.Join(dir, rel)
		seen++
		switch {
		case seen > most:
			return fs.SkipAll
		case err != nil:
			return fs.SkipDir
		case d.IsDir() && strings.Count(rel, string(filepath.Separator)) >= 3:
			return fs.SkipDir
		case d.IsDir():
		case strings.HasSuffix(path, countersEnd), strings.HasSuffix(path, traceEnd):
			files = append(files, path)
			tables[prefixOf(path)] = true
		case strings.HasSuffix(path, jsonEnd) && holds(path, isJSON):
			files = append(files, path)
		case strings.HasSuffix(path, databaseEnd) && holds(path, isRocpd):
			files = append(files, path)
			databases[prefixOf(path)] = true
		}
		return nil
	})
	files = slices.DeleteFunc(files, func(path string) bool {
		prefix := prefixOf(path)
		return !strings.HasSuffix(path, databaseEnd) && databases[prefix] ||
			strings.HasSuffix(path, jsonEnd) && tables[prefix]
	})
	slices.SortFunc(files, comparePaths)
	return files
}

// isDatabase reports whether a file is an SQLite database, of whatever program.
func isDatabase(path string) bool {
	return holds(path, func(head []byte) bool {
		database, _ := rocpd.Is(head)
		return database
	})
}

func isRocpd(head []byte) bool {
	_, ours := rocpd.Is(head)
	return ours
}

// holds asks about the beginning of a file.
func holds(path string, what func(head []byte) bool) bool {
	f, err := formats.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, formats.HeadSize))
	return err == nil && what(head)
}

// prefixOf is what the files of one run have in common: "HOST/PID" of HOST/PID_hip_api_trace.csv and of
// HOST/PID_results.db.
func prefixOf(path string) string {
	dir, name := filepath.Split(path)
	for _, end := range []string{countersEnd, agentsEnd, "results" + databaseEnd, jsonEnd, databaseEnd} {
		if rest, ok := strings.CutSuffix(name, end); ok {
			return dir + strings.TrimSuffix(rest, "_")
		}
	}
	rest, ok := strings.CutSuffix(name, traceEnd)
	if !ok {
		return dir + name
	}
	rest = strings.TrimSuffix(rest, "_api")
	for _, what := range []string{"memory_copy", "memory_allocation", "scratch_memory", "hip_runtime", "hip_compiler",
		"hip_compile", "hsa_core", "hsa_amd", "hsa_image", "hsa_finalizer"} {
		if short, ok := strings.CutSuffix(rest, what); ok {
			return dir + strings.TrimSuffix(short, "_")
		}
	}
	return dir + strings.TrimSuffix(rest[:strings.LastIndexByte(rest, '_')+1], "_") // kernel, hip, hsa, marker, rccl
}

// comparePaths orders pass_2 before pass_10, and counters before traces, so that runs with counters come first.
func comparePaths(a, b string) int {
	x, y := filepath.Dir(a), filepath.Dir(b)
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	return strings.Compare(a, b)
}

// sizeOf is the size of files together, in bytes.
func sizeOf(files []string) (n int64) {
	for _, path := range files {
		if st, err := os.Stat(path); err == nil {
			n += st.Size()
		}
	}
	return n
}

// headed is the header of a file of which the first bytes are known, in lower case; none if it has no header.
func headed(in *formats.Input) []string {
	if bytes.IndexByte(in.Head, 0) >= 0 {
		return nil
	}
	return lower(headerOf(in))
}
