package rocprofcompute

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture/formats"
)

// Names of the files of a workload. Newer releases compress those with counters.
const (
	mainFile       = "pmc_perf.csv"
	sysinfoFile    = "sysinfo.csv"
	timestampsFile = "timestamps.csv"
	packed         = ".gz"
)

// layout is the files of a workload that hold counters. Which of them exist depends on the release, its options, and
// how far it came:
//
//	pmc_perf.csv          all runs joined, wide (a row for each dispatch) or long (a row for each run, dispatch and counter)
//	pmc_perf_3.csv        one run, wide; joined and deleted unless --verbose keeps them
//	SQ_LEVEL_WAVES.csv    one run that accumulated a level, wide; newer releases join these too, and keep them
//	results_pmc_perf_3.csv, results_pmc_perf_SQ_LEVEL_WAVES_ACCUM.csv    one run, long
//	counters_pmc_perf_3_PID.csv.gz, dispatch_..., kernel_symbols_...    one run of one process as three tables
//	pmc_perf_3.db         one run as a rocpd database
//	out/pmc_1/HOST/*.db   the same of a run that was interrupted, or of newer releases
type layout struct {
	dir    string
	main   string   // "" if there is none
	parts  []string // wide files of one run
	long   []string // long files of one run
	native []native // in the order of set and process
	stamps string
	node   string // what tells the folder from its siblings, where several are read
}

// layoutOf looks at the names of a folder's files.
func layoutOf(dir string, files []string) layout {
	l := layout{dir: dir}
	for _, file := range files {
		name, plain := strings.CutSuffix(strings.TrimSuffix(file, packed), ".csv")
		path := filepath.Join(dir, file)
		switch {
		case !plain || l.addNative(path):
		case name+".csv" == mainFile:
			if l.main == "" || !strings.HasSuffix(path, packed) {
				l.main = path
			}
		case file == timestampsFile:
			l.stamps = path
		case strings.HasPrefix(name, "results_"):
			l.long = append(l.long, path)
		case strings.HasPrefix(name, "pmc_perf_") && !strings.HasSuffix(name, "_trace"), isLevel(name):
			l.parts = append(l.parts, path)
		}
	}
	slices.SortStableFunc(l.parts, byNumber)
	slices.SortStableFunc(l.long, byNumber)
	slices.SortStableFunc(l.native, func(a, b native) int {
		return cmp.Or(byNumber(a.set+".csv", b.set+".csv"),
			natural(a.pid, b.pid))
	})
	return l
}

// byNumber orders pmc_perf_2 before pmc_perf_10, and files without a number after those with one.
func byNumber(a, b string) int {
	x, y := runName(a), runName(b)
	baseX, n := cutDigits(x)
	baseY, m := cutDigits(y)
	switch {
	case (n > 0 || strings.HasSuffix(x, "_0")) != (m > 0 || strings.HasSuffix(y, "_0")):
		if n > 0 || strings.HasSuffix(x, "_0") {
			return -1
		}
		return 1
	case baseX != baseY:
		return strings.Compare(baseX, baseY)
	}
	return n - m
}

// runName is the name of the run that a file holds: that of the file without its endings, and without what newer
// releases put around it.
func runName(path string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), packed),
		filepath.Ext(strings.TrimSuffix(path, packed)))
	name = strings.TrimPrefix(name, "results_")
	if level, ok := strings.CutSuffix(name, "_ACCUM"); ok {
		name = strings.TrimPrefix(level, "pmc_perf_")
	}
	return name
}

// counters reports whether any file may hold counters.
func (l *layout) counters() bool {
	return l.main != "" || len(l.parts) > 0 || len(l.long) > 0 || len(l.native) > 0
}

// files are all files with counters and times.
func (l *layout) files() []string {
	out := slices.Concat([]string{l.main, l.stamps}, l.parts, l.long)
	for _, n := range l.native {
		out = append(out, n.counters, n.dispatch, n.kernel)
	}
	return slices.DeleteFunc(out, func(path string) bool { return path == "" })
}

// size is that of all files that are read, in bytes.
func (l *layout) size() (n int64) {
	for _, path := range l.files() {
		if st, err := os.Stat(path); err == nil {
			n += st.Size()
		}
	}
	return n
}

// isWorkload says how sure it is that a folder is a workload.
func isWorkload(in *formats.Input) int {
	l := layoutOf(in.Path, in.Files)
	signs := 0
	for _, name := range []string{sysinfoFile, "pmc_dispatch_info.csv", timestampsFile, "perfmon/",
		"profiling_config.yaml", rooflineFile} {
		if in.Has(name) {
			signs++
		}
	}
	switch {
	case l.main != "":
		return 95
	case signs > 0 && (l.counters() || len(findDatabases(in.Path)) > 0):
		return 95
	case in.Has(sysinfoFile) && signs > 1:
		return 60 // Open says what is missing
	}
	// Workloads of different runs side by side are captures of their own.
	if nodes := nodesOf(in); len(nodes) > 1 && sameRun(nodes) == nil {
		return 90
	}
	return 0
}

// nodesOf lists the folders of one run on several machines or ranks: workloads side by side, each in a folder called
// after its machine, or by its number.
func nodesOf(in *formats.Input) (nodes []layout) {
	const most = 4096
	for i, name := range in.Files {
		sub, isDir := strings.CutSuffix(name, "/")
		if !isDir || i > most {
			continue
		}
		below, err := formats.Inspect(in.File(sub))
		if err != nil || !below.Has(sysinfoFile) {
			continue
		}
		if l := layoutOf(below.Path, below.Files); l.counters() || len(findDatabases(below.Path)) > 0 {
			l.node = sub
			nodes = append(nodes, l)
		}
	}
	slices.SortStableFunc(nodes, func(a, b layout) int { return natural(a.node, b.node) })
	return nodes
}

// natural orders "2" before "10".
func natural(a, b string) int {
	if len(a) != len(b) && strings.Trim(a+b, "0123456789") == "" {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}
