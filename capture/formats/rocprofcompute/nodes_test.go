package rocprofcompute

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/rocpd/rocpdtest"
)

// tree writes files with folders into a new folder called vcopy.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vcopy")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mustOpenDir(t testing.TB, dir string) *capture.Capture {
	t.Helper()
	c, err := try(dir, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pass is a run of a database with one result for each of two dispatches.
func dbPass(guid string, start int64, results ...rocpdtest.Result) rocpdtest.Run {
	r := rocpdtest.Run{GUID: guid, PID: 7, GPU: "gfx942"}
	for i, x := range results {
		r.Dispatches = append(r.Dispatches, rocpdtest.Dispatch{Number: i + 1, Kernel: "k(a, b)", Start: start + int64(100*i), End: start + int64(100*i+10+i), Counters: []rocpdtest.Result{x}})
	}
	return r
}

func TestAWorkloadOfDatabasesOnlyOpens(t *testing.T) {
	for name, paths := range map[string][2]string{
		"kept by the tool":            {"pmc_perf_0.db", "pmc_perf_SQ_LEVEL_WAVES_ACCUM.db"},
		"as the profiler wrote them":  {"out/pmc_1/host/7_results.db", "out/pmc_2/host/8_results.db"},
		"one folder for each counter": {"out/pmc_perf_0/host/7_results.db", "out/pmc_perf_1/host/8_results.db"},
	} {
		dir := tree(t, map[string]string{"sysinfo.csv": sysinfo, "perfmon/pmc_perf_0.txt": "pmc: A\n", paths[0]: "", paths[1]: ""})
		for i, run := range []rocpdtest.Run{
			dbPass("aaaa", 1000, rocpdtest.Result{Counter: "SQ_WAVES", Value: 5}, rocpdtest.Result{Counter: "SQ_WAVES", Value: 6}),
			dbPass("bbbb", 5000, rocpdtest.Result{Counter: "TCC_HIT[3]", Value: 7}, rocpdtest.Result{Counter: "TCC_HIT[3]", Value: 8.5}),
		} {
			if err := os.Remove(filepath.Join(dir, paths[i])); err != nil {
				t.Fatal(err)
			}
			rocpdtest.Write(t, filepath.Join(dir, paths[i]), run)
		}
		c := mustOpenDir(t, dir)
		waves, hit := c.Counter("SQ_WAVES"), c.Counter("TCC_HIT")
		if waves == nil || hit == nil || len(hit.Instances) != 1 || c.Len() != 2 {
			t.Fatalf("%s: %d samples, %d counters", name, c.Len(), len(c.Counters))
		}
		eq(t, name+": values", []float64{waves.Value(0).Float(), waves.Value(1).Float(), hit.Value(0).Float(), hit.Value(1).Float()}, []float64{5, 6, 7, 8.5})
		eq(t, name+": durations", [][]float64{lengths(waves), lengths(hit.Instances[0])}, [][]float64{{10, 11}, {10, 11}})
		eq(t, name+": gpu and format", []string{c.GPU, c.Format}, []string{"gfx90a", "rocprofcompute"})
		if strings.HasPrefix(paths[0], "pmc_perf") {
			eq(t, "passes", []string{waves.PassID(), hit.Instances[0].PassID()}, []string{"pmc_perf_0", "SQ_LEVEL_WAVES"})
		}
		for label, want := range map[string]string{"kernel": "k(a, b)", "dispatch_id": "2", "grid_size": "1024", "arch_vgpr": "8"} {
			got, _ := c.Label(label).Value(1)
			eq(t, name+": "+label, got, want)
		}
	}
}

func TestFoldersOfNodesOpenTogether(t *testing.T) {
	files := map[string]string{}
	for node, n := range map[string]string{"0": "1", "1": "2", "10": "3"} {
		files[node+"/sysinfo.csv"] = sysinfo
		// Each node has a clock of its own.
		files[node+"/pmc_perf.csv"] = wideHeader + "0,k,0,64,64," + n + ",2,3," + n + "000," + n + "010\n1,k,0,64,64," + n + ",2,3," + n + "100," + n + "120\n"
	}
	dir := tree(t, files)
	c := mustOpenDir(t, dir)
	eq(t, "samples", c.Len(), 6)
	waves := c.Counter("SQ_WAVES")
	sums := map[string]float64{}
	for i := range c.Len() {
		node, _ := c.Label("node").Value(i)
		sums[node] += waves.Value(i).Float()
		if want := []float64{10, 20}[i/3]; waves.Interval(i) != want || c.Axis.Start[i] != int64(i/3*100) {
			t.Errorf("sample %d is %v ns from %d", i, waves.Interval(i), c.Axis.Start[i])
		}
	}
	eq(t, "waves by node", sums, map[string]float64{"0": 2, "1": 4, "10": 6})
	eq(t, "passes", len(c.Passes), 1)
	eq(t, "name and gpu", []string{c.Name, c.GPU}, []string{"vcopy", "gfx90a"})
	wantWarning(t, c, `3 folders of one run \(0 to 10\): the label node tells them apart`)

	files["1/sysinfo.csv"] = strings.Replace(sysinfo, "gfx90a", "gfx942", 1)
	dir = tree(t, files)
	if f, err := formats.NewRegistry(Format{}).Sniff(dir); err == nil {
		t.Errorf("a folder of different runs is taken for one %s", f.Name())
	}
	_, err := try(dir, formats.Options{})
	wantError(t, err, `3 workloads of different runs \(gpu_arch is gfx90a:xnack- in 0 and gfx942:xnack- in 1\): give one of them`)
}

func TestADamagedDatabaseOfAWorkloadIsNamed(t *testing.T) {
	dir := tree(t, map[string]string{"sysinfo.csv": sysinfo, "pmc_perf_0.db": ""})
	path := filepath.Join(dir, "pmc_perf_0.db")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	rocpdtest.Write(t, path, dbPass("aaaa", 1000, rocpdtest.Result{Counter: "SQ_WAVES", Value: 5}))
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw[:len(raw)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = formats.NewRegistry(Format{}).Open(context.Background(), dir, formats.Options{})
	wantError(t, err, `pmc_perf_0.db: .*(truncated|damaged|malformed)`)
}

// TestProcessesOfOneRunFollowEachOther has two ranks in each of two runs. Each counts its dispatches from 1.
func TestProcessesOfOneRunFollowEachOther(t *testing.T) {
	for name, paths := range map[string][4]string{
		"merged by the tool":         {"pmc_perf_0.db", "pmc_perf_0.db", "pmc_perf_1.db", "pmc_perf_1.db"},
		"as the profiler wrote them": {"out/pmc_perf_0/host/7_results.db", "out/pmc_perf_0/host/8_results.db", "out/pmc_perf_1/host/9_results.db", "out/pmc_perf_1/host/10_results.db"},
	} {
		dir := tree(t, map[string]string{"sysinfo.csv": sysinfo})
		for i, run := range []rocpdtest.Run{
			dbPass("0001", 1000, rocpdtest.Result{Counter: "A", Value: 1}, rocpdtest.Result{Counter: "A", Value: 2}),
			dbPass("0002", 1050, rocpdtest.Result{Counter: "A", Value: 3}, rocpdtest.Result{Counter: "A", Value: 4}),
			dbPass("0003", 5000, rocpdtest.Result{Counter: "B", Value: 5}, rocpdtest.Result{Counter: "B", Value: 6}),
			dbPass("0004", 5050, rocpdtest.Result{Counter: "B", Value: 7}, rocpdtest.Result{Counter: "B", Value: 8}),
		} {
			path := filepath.Join(dir, paths[i])
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			rocpdtest.Write(t, path, run)
		}
		c := mustOpenDir(t, dir)
		if c.Len() != 4 || len(c.Counters) != 2 {
			t.Fatalf("%s: %d samples, %d counters, warnings %q", name, c.Len(), len(c.Counters), c.Warnings)
		}
		a, b := c.Counter("A").Col.Data().U, c.Counter("B").Col.Data().U
		for i := range a { // the n-th process of one run is the n-th of the other
			if b[i] != a[i]+4 {
				t.Errorf("%s: A %v, B %v", name, a, b)
				break
			}
		}
		eq(t, name+": passes", []string{c.Counter("A").PassID(), c.Counter("B").PassID()}, []string{"pmc_perf_0", "pmc_perf_1"})
	}
}

func TestAFolderOfWorkloadsNamesSome(t *testing.T) {
	dir := tree(t, map[string]string{"a/MI100/pmc_perf.csv": "x", "a/MI200/pmc_perf.csv": "x", "b/MI100/pmc_perf.csv": "x"})
	_, err := try(dir, formats.Options{})
	wantError(t, err, `workloads are below it, such as a/MI100 and a/MI200: give one of them`)
}
