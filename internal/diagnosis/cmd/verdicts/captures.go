package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// real is a capture of a real program.
type real struct {
	name string
	path string   // below testdata, or below the folder of others
	args []string // of the program, behind the path
	with string   // another capture to compare with, "" to report
	// convert makes the capture of what testdata has, in a folder, and returns its path.
	convert func(dir string) (string, error)
	// origin is the repository, its commit and the folder that a public capture is taken from, "" where testdata has
	// it. It is not in testdata because it is not ours to pass on.
	origin string
}

var captures = []real{
	{name: "gfx1151-vcopy", path: "captures/gfx1151-vcopy"},
	{name: "gfx1151-llama-decode", path: "gfx1151-llama/decode_stall_counter_collection.csv",
		args: []string{"--gpu=gfx1151"}, origin: llama},
	{name: "gfx1151-llama-prefill", path: "gfx1151-llama/prefill_stall_counter_collection.csv",
		args: []string{"--gpu=gfx1151"}, origin: llama},
	{name: "mi100-vcopy", path: "captures/mi100-vcopy"},
	{name: "mi100-copy", path: "mi100-transpose/metrics_copy.csv", args: []string{"--gpu=amd-gpa"}, origin: transpose},
	{name: "mi100-transpose", path: "mi100-transpose/metrics_naive.csv", args: []string{"--gpu=amd-gpa"},
		origin: transpose},
	{name: "mi100-transpose-lds", path: "mi100-transpose/metrics_lds.csv", args: []string{"--gpu=amd-gpa"},
		origin: transpose},
	{name: "mi200-vcopy", path: "captures/mi200-vcopy"},
	{name: "mi300x-vcopy", path: "captures/mi300x-vcopy-long"},
	{name: "mi300a-vcopy", path: "mi300a-vcopy", origin: workloads + "no_roof/MI300A_A1"},
	{name: "mi300x-untimed", path: "mi300x-untimed", origin: workloads + "vcopy/MI300X_A1"},
	{name: "mi350-vcopy", path: "mi350-vcopy",
		origin: "ROCm/rocm-systems 1b1610fc projects/rocprofiler-compute/tests/workloads/no_roof/MI350"},
	{name: "mi200-tcc", path: "mi200-tcc", origin: workloads + "ipblocks_TCC/MI200"},
	{name: "mi250x-laplacian-times", path: "mi250x-laplacian/kernel1/results.csv", origin: laplacian},
	{name: "mi250x-laplacian-bytes", path: "mi250x-laplacian/kernel1/data_movement.csv",
		with:   "mi250x-laplacian/kernel3/data_movement.csv",
		args:   []string{"--by=kernel", "--metrics=FETCH_SIZE,WRITE_SIZE,TCP_TOTAL_CACHE_ACCESSES_sum"},
		origin: laplacian},
	{name: "mi300a-stencil", path: "mi300a-stencil",
		origin: "amd/HPCTrainingExamples 4a6bd827 .OmniperfExamples-OpenMP/Fortran/collapse_excercise/2-openMPGPU_collapse/workloads/problem/MI300A_A1"},
	{name: "mi325x-gemm", path: "mi325x-gemm/no_swizzle", with: "mi325x-gemm/swizzle",
		args:   []string{"--by=kernel", "--metrics=TCC_MISS_sum,TCC_EA0_RDREQ_sum,SQ_INSTS_SALU,duration"},
		origin: "thebard85kigz/hipkittens 447d056d kernels/TK/gemm/bf16fp32/mi325x/4096_256_256_64_16/workloads, MI300 of each"},
	{name: "mi325x-gemm-pace", path: "mi325x-gemm/no_swizzle",
		origin: "thebard85kigz/hipkittens 447d056d kernels/TK/gemm/bf16fp32/mi325x/4096_256_256_64_16/workloads, MI300 of the first"},
	{name: "mi350x-lds", path: "mi350x-lds/lds_conflict_counter_collection.csv",
		origin: "thebard85kigz/hipkittens 756a4dd5 analysis/paper_experiments/phases/ds_read_b64/out"},
	{name: "gen9-gemm", args: []string{"--gpu=intel-kbl-gt2"}, convert: func(dir string) (string, error) {
		return oneprof(dir, "Raw Metrics", "")
	}},
	{name: "gen9-copy", args: []string{"--gpu=intel-kbl-gt2"}, convert: func(dir string) (string, error) {
		return oneprof(dir, "", "MemoryCopy|WriteBuffer")
	}},
	{name: "kbl-desktop", args: []string{"--gpu=intel-kbl-gt2"}, convert: gputop},
	{name: "cpu-pipe", path: "captures/cpu-programs/pipe.arrow"},
	{name: "cpu-faults", path: "captures/cpu-programs/faults.csv"},
	{name: "cpu-branches", path: "perf/ex_branches.txt",
		origin: "the first output of perf stat in a README about ex_branches; the repository is unknown"},
	{name: "cpu-two-sum", path: "perf/two_sum-map.txt",
		origin: "grahamking/two_sum 16e7cd27 perf_stat.txt, the second output"},
	{name: "cpu-sorting-networks", path: "perf/sortnetsat.txt", origin: "MattyMuir/SortNetSAT fbd0333f perf_stat.txt"},
}

const (
	workloads = "ROCm/rocprofiler-compute tests/workloads/"
	llama     = "jimw567/rocprof-unified-viewer b384fc29 tests/fixtures"
	transpose = "the files that a README about the transposition of matrices on the MI100 shows (copy, naive, LDS); the repository is unknown"
	laplacian = "amd/HPCTrainingExamples 83f341a8 rocm-blogs-codes/finite-difference/examples/.xr, the folder of each kernel"
)

// open returns the path of the capture, and of the one that it is compared with.
func (c *real) open(dir, others string) (path, with string, err error) {
	if c.convert != nil {
		path, err = c.convert(dir)
		return path, "", err
	}
	base := "testdata"
	if c.origin != "" {
		base = others
	}
	if path = filepath.Join(base, c.path); c.with != "" {
		with = filepath.Join(base, c.with)
	}
	return path, with, nil
}

// says lets the program judge the capture, or compare it with another.
func (c *real) says(ctx context.Context, program, dir, others string) (string, error) {
	path, with, err := c.open(dir, others)
	if err != nil {
		return "", err
	}
	if with != "" {
		return comparison(ctx, program, append([]string{path, with}, c.args...))
	}
	return verdict(ctx, program, filepath.Join(dir, c.name+".json"), append([]string{path}, c.args...))
}

// oneprof writes rows that Intel's tool printed as it prints them: without the columns of whoever collected them, and
// with the unit of the time. Rows are those of one kind of output, and of kernels that a pattern matches.
func oneprof(dir, mode, kernel string) (string, error) {
	f, err := os.Open("testdata/intel-rows/oneprof_gen9_rows.csv")
	if err != nil {
		return "", err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return "", err
	}
	header := rows[0]
	at := func(name string) int { return slices.Index(header, name) }
	of := regexp.MustCompile(kernel)
	out := [][]string{}
	revision := ""
	for _, row := range rows[1:] {
		if mode != "" && row[at("mode")] != mode || kernel != "" && !of.MatchString(row[at("Kernel")]) ||
			row[at("GpuTime")] == "" {
			continue
		}
		if mode != "" && revision != "" && row[at("rev")] != revision {
			break
		}
		revision = row[at("rev")]
		out = append(out, row)
	}
	kept := slices.DeleteFunc(slices.Collect(indices(header)), func(i int) bool {
		empty := !slices.ContainsFunc(out, func(row []string) bool { return row[i] != "" })
		return empty || slices.Contains([]string{"rev", "mode", "SubDeviceId", "QueryBeginTime", "ReportReason",
			"StreamMarker"}, header[i])
	})
	table := [][]string{nil}
	for _, i := range kept {
		name := header[i]
		if name == "GpuTime" {
			name += "[ns]"
		}
		table[0] = append(table[0], name)
	}
	for _, row := range out {
		var cells []string
		for _, i := range kept {
			cells = append(cells, row[i])
		}
		table = append(table, cells)
	}
	return write(filepath.Join(dir, "oneprof"+kernel+".csv"), table)
}

func indices(of []string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range of {
			if !yield(i) {
				return
			}
		}
	}
}

// gputop writes the rows of that tool, in which every cell has a number, a prefix and a unit, as a table.
func gputop(dir string) (string, error) {
	text, err := os.ReadFile("testdata/intel-rows/gputop_kblgt2_renderbasic.txt")
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	names := strings.Fields(lines[0])
	names[0] += " (ns)"
	for i, name := range names {
		if name == "EuActive" || name == "EuFpuBothActive" {
			names[i] += " (%)"
		}
	}
	prefixes := map[string]string{"k": "e3", "M": "e6", "G": "e9"}
	table := [][]string{names}
	for _, line := range lines[2:] {
		var cells []string
		for _, cell := range strings.Split(line, ",") {
			words := strings.Fields(cell)
			switch {
			case len(words) == 0:
				continue
			case len(words) > 2:
				words[0] += prefixes[words[1]]
			case len(words) == 2 && strings.HasSuffix(words[1], "iB"):
				words[0] = fmt.Sprintf("%s%s", words[0],
					map[string]string{"KiB": "e3", "MiB": "e6", "GiB": "e9"}[words[1]])
			}
			cells = append(cells, words[0])
		}
		table = append(table, cells)
	}
	return write(filepath.Join(dir, "gputop.csv"), table)
}

func write(path string, table [][]string) (_ string, err error) {
	path = strings.ReplaceAll(path, "|", "-")
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	if err := csv.NewWriter(f).WriteAll(table); err != nil {
		return "", err
	}
	return path, f.Close()
}
