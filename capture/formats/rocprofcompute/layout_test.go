package rocprofcompute

import (
	"bytes"
	"compress/gzip"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func mustTry(t testing.TB, files map[string]string) *capture.Capture {
	t.Helper()
	if _, ok := files["sysinfo.csv"]; !ok {
		files["sysinfo.csv"] = sysinfo
	}
	c, err := try(folder(t, files), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func noWarnings(t testing.TB, c *capture.Capture) {
	t.Helper()
	if len(c.Warnings) > 0 {
		t.Errorf("warnings:\n%s", strings.Join(c.Warnings, "\n"))
	}
}

func lengths(c *capture.Counter) []float64 {
	var out []float64
	for i := range c.Len() {
		out = append(out, c.Interval(i))
	}
	return out
}

func kernelsOf(c *capture.Capture) (out []string) {
	for i := range c.Axis.Len() {
		name, _ := c.Label("kernel").Value(i)
		out = append(out, name)
	}
	return out
}

// TestTimesAreThoseOfTheSameRow has the numbering of MI300 workloads: timestamps.csv counts from 1 and pmc_perf.csv from 0.
func TestTimesAreThoseOfTheSameRow(t *testing.T) {
	c := mustTry(t, map[string]string{
		"pmc_perf.csv":   "Dispatch_ID,GPU_ID,Grid_Size,Kernel_Name,SQ_WAVES,Start_Timestamp,End_Timestamp\n0,4,64,k,1,100,110\n1,4,64,k,2,200,220\n2,4,64,k,3,300,330\n",
		"timestamps.csv": "Dispatch_ID,GPU_ID,Grid_Size,Kernel_Name,Start_Timestamp,End_Timestamp\n1,4,64,k,100,110\n2,4,64,k,200,220\n3,4,64,k,300,330\n",
	})
	eq(t, "durations", lengths(c.Counter("SQ_WAVES")), []float64{10, 20, 30})
	eq(t, "starts", c.Axis.Start, []int64{0, 100, 200})
	noWarnings(t, c)
}

func TestNumbersThatFitTwiceJoinNothing(t *testing.T) {
	main := "Dispatch_ID,GPU_ID,Grid_Size,Kernel_Name,SQ_WAVES\n1,4,64,k,1\n"
	c := mustTry(t, map[string]string{
		"pmc_perf.csv":   main,
		"timestamps.csv": "Dispatch_ID,GPU_ID,Grid_Size,Kernel_Name,Start_Timestamp,End_Timestamp\n1,4,64,k,100,110\n2,4,64,k,200,220\n",
	})
	if d := c.Counter("SQ_WAVES").Interval(0); d == d {
		t.Errorf("duration %v of a dispatch whose time nothing proves", d)
	}
	wantWarning(t, c, `pmc_perf.csv and timestamps.csv cannot be joined: nothing proves which dispatch is which: .* shifted by \+0 and \+1 alike: all times are missing`)
	// Where the other table names the kernels they decide.
	c = mustTry(t, map[string]string{
		"pmc_perf.csv":   main,
		"timestamps.csv": "Dispatch_ID,GPU_ID,Grid_Size,Kernel_Name,Start_Timestamp,End_Timestamp\n1,4,64,j,100,110\n2,4,64,k,200,220\n",
	})
	eq(t, "duration", c.Counter("SQ_WAVES").Interval(0), 20.0)
}

func TestALevelFileWhoseNumbersFitTwiceIsLeftOut(t *testing.T) {
	c := mustTry(t, map[string]string{
		"pmc_perf.csv":       wideHeader + "1,k,0,64,64,1,2,3,10,20\n2,k,0,64,64,1,2,3,30,45\n",
		"SQ_LEVEL_WAVES.csv": "Dispatch_ID,Kernel_Name,GPU_ID,Grid_Size,SQ_LEVEL_WAVES\n2,k,0,64,7\n",
	})
	if c.Counter("SQ_LEVEL_WAVES") != nil {
		t.Error("a level was joined that may be that of another dispatch")
	}
	wantWarning(t, c, `SQ_LEVEL_WAVES.csv: its dispatches cannot be joined with those of pmc_perf.csv: .*: its counters are left out`)
}

// TestTimesPastedFromAnotherKernelAreJoinedAnew: older releases put the times of timestamps.csv into every file by row, also where rows differ.
func TestTimesPastedFromAnotherKernelAreJoinedAnew(t *testing.T) {
	c := mustTry(t, map[string]string{
		"pmc_perf.csv":   "Dispatch_ID,Kernel_Name,SQ_WAVES,Start_Timestamp,End_Timestamp\n0,k,1,100,110\n1,j,2,200,220\n",
		"timestamps.csv": "Dispatch_ID,Kernel_Name,Start_Timestamp,End_Timestamp\n1,j,100,110\n0,k,200,220\n",
	})
	waves := c.Counter("SQ_WAVES") // j ran first
	eq(t, "values", waves.Col.Data().U, []uint64{2, 1})
	eq(t, "durations", lengths(waves), []float64{10, 20})
	wantWarning(t, c, `pmc_perf.csv: its times were taken from timestamps.csv row by row, but row 1 is of k here and of j there`)
}

// joined is the file of all runs as releases for MI350 write it: times are means over the runs, and each run has columns of its own.
const joined = "Dispatch_ID,GPU_ID,Grid_Size,Wave_Size,Kernel_Name,Kernel_ID,A,B,Kernel_ID_1,GRBM_COUNT,SQ_ACCUM_PREV_HIRES,Kernel_ID_2,C,GRBM_COUNT_2,Start_Timestamp,End_Timestamp\n" +
	"0,0,64,64,k,13,1.0,4.0,13,7.0,50.0,13,9.0,8.0,1.2482277926173865e+15,1.2482277926391485e+15\n" +
	"1,0,64,64,k,13,2.0,5.0,13,7.5,51.0,13,9.0,8.5,1.2482277932034532e+15,1.248227793220373e+15\n"

func TestTimesThatAreMeansOverJoinedRunsOpen(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": joined})
	eq(t, "durations", lengths(c.Counter("A")), []float64{21762, 16919.75})
	eq(t, "starts", c.Axis.Start, []int64{0, 586067})
	eq(t, "a counter that two runs measured", []float64{c.Counter("GRBM_COUNT").Value(1).Float(), c.Counter("GRBM_COUNT@pmc_perf#2").Value(1).Float()}, []float64{7.5, 8.5})
	wantWarning(t, c, `the times are means over all runs`)
}

func TestRunsThatWereJoinedKeepTheirOwnTimes(t *testing.T) {
	head := "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,Kernel_ID,"
	c := mustTry(t, map[string]string{
		"pmc_perf.csv":       joined,
		"pmc_perf_0.csv":     head + "A,B\n0,0,1,77,77,64,64,k,1000,1010,1,13,1.0,4.0\n1,0,1,77,77,64,64,k,1100,1120,2,13,2.0,5.0\n",
		"SQ_LEVEL_WAVES.csv": head + "GRBM_COUNT,SQ_ACCUM_PREV_HIRES\n0,0,1,78,78,64,64,k,5000,5011,1,13,7.0,50.0\n1,0,1,78,78,64,64,k,5100,5122,2,13,7.5,51.0\n",
		"pmc_perf_1.csv":     head + "C,GRBM_COUNT\n0,0,1,79,79,64,64,k,9000,9012,1,13,9.0,8.0\n1,0,1,79,79,64,64,k,9100,9124,2,13,9.0,8.5\n",
	})
	for name, want := range map[string][]float64{
		"A": {10, 20}, "C": {12, 24}, "SQ_LEVEL_WAVES_ACCUM": {11, 22}, "GRBM_COUNT": {12, 24}, "GRBM_COUNT@SQ_LEVEL_WAVES": {11, 22},
	} {
		if c.Counter(name) == nil {
			t.Fatalf("no counter %s", name)
		}
		eq(t, "durations of "+name, lengths(c.Counter(name)), want)
	}
	eq(t, "counters", len(c.Counters), 6)
	eq(t, "axis", c.Axis, &capture.Axis{Clock: "gpu", Start: []int64{0, 100}, End: []int64{10, 120}})
	if strings.Contains(strings.Join(c.Warnings, "\n"), "means") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

func TestWaveSizeTIDAndXCCIndexAreNoCounters(t *testing.T) {
	c := mustTry(t, map[string]string{
		"pmc_perf.csv": "Dispatch_ID,GPU_ID,Grid_Size,Wave_Size,Kernel_Name,Correlation_ID,SQ_WAVES,Wave_Size_1,Correlation_ID_1,XCC_Index,SQC_DCACHE_REQ_READ_1,XCC_Index_1,Start_Timestamp,End_Timestamp\n" +
			"0,4,64,64,k,0,1,64,0,3,7,0,10,20\n",
		"SQ_LEVEL_WAVES.csv": "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,Correlation_ID,SQ_LEVEL_WAVES\n0,4,1,7,7,64,64,k,30,41,0,5\n",
	})
	var names []string
	for _, ctr := range c.Counters {
		names = append(names, ctr.Name)
	}
	eq(t, "counters", names, []string{"SQ_WAVES", "SQC_DCACHE_REQ_READ_1", "SQ_LEVEL_WAVES"})
	for name, want := range map[string]string{"wave_size": "64", "xcc": "3"} {
		l := c.Label(name)
		if l == nil {
			t.Fatalf("no label %s", name)
		}
		got, _ := l.Value(0)
		eq(t, name, got, want)
	}
	noWarnings(t, c)
}

func pack(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWorkloadsWithoutTheJoinedFileOpen(t *testing.T) {
	wide := func(columns, a, b string) string {
		return "Dispatch_ID,GPU_ID,Grid_Size,Kernel_Name,Start_Timestamp,End_Timestamp," + columns + "\n0,0,64,k," + a + "\n1,0,64,k," + b + "\n"
	}
	one, two := wide("A", "10,20,1", "30,45,2"), wide("B", "110,121,3", "130,146,4")
	long := strings.ReplaceAll(longHeader, "\r", "")
	for name, c := range map[string]struct {
		files  map[string]string
		passes []string
	}{
		"one file for each run":            {map[string]string{"pmc_perf_10.csv": two, "pmc_perf_2.csv": one}, []string{"pmc_perf_2", "pmc_perf_10"}},
		"only levels":                      {map[string]string{"SQ_IFETCH_LEVEL.csv": one, "SQ_LEVEL_WAVES.csv": two}, []string{"SQ_IFETCH_LEVEL", "SQ_LEVEL_WAVES"}},
		"the joined file without rows":     {map[string]string{"pmc_perf.csv": "Dispatch_ID,Kernel_Name\n", "pmc_perf_2.csv": one, "pmc_perf_3.csv": two}, []string{"pmc_perf_2", "pmc_perf_3"}},
		"the joined file of 0 bytes":       {map[string]string{"pmc_perf.csv": "", "pmc_perf_2.csv": one, "pmc_perf_3.csv": two}, []string{"pmc_perf_2", "pmc_perf_3"}},
		"results of databases":             {map[string]string{"results_pmc_perf_0.csv": long + row("g", 0, "k", 10, 20, "A", "1") + row("g", 1, "k", 30, 45, "A", "2"), "results_pmc_perf_SQ_LEVEL_WAVES_ACCUM.csv": long + row("h", 0, "k", 110, 121, "B", "3.0") + row("h", 1, "k", 130, 146, "B", "4")}, []string{"pmc_perf_0", "SQ_LEVEL_WAVES"}},
		"compressed results":               {map[string]string{"results_pmc_perf_0.csv.gz": pack(t, one), "results_pmc_perf_1.csv.gz": pack(t, two)}, []string{"pmc_perf_0", "pmc_perf_1"}},
		"the joined file beside its parts": {map[string]string{"pmc_perf.csv": long + row("g", 0, "k", 10, 20, "A", "1") + row("g", 1, "k", 30, 45, "A", "2") + row("h", 0, "k", 110, 121, "B", "3") + row("h", 1, "k", 130, 146, "B", "4"), "results_pmc_perf_0.csv": "broken"}, []string{"g", "h"}},
		"the joined file compressed":       {map[string]string{"pmc_perf.csv.gz": pack(t, long+row("g", 0, "k", 10, 20, "A", "1")+row("g", 1, "k", 30, 45, "A", "2")+row("h", 0, "k", 110, 121, "B", "3")+row("h", 1, "k", 130, 146, "B", "4"))}, []string{"g", "h"}},
	} {
		t.Run(name, func(t *testing.T) {
			cap := mustTry(t, c.files)
			a, b := cap.Counter("A"), cap.Counter("B")
			if a == nil || b == nil || cap.Len() != 2 {
				t.Fatalf("%d samples, %d counters", cap.Len(), len(cap.Counters))
			}
			eq(t, "values", [][]uint64{a.Col.Data().U, b.Col.Data().U}, [][]uint64{{1, 2}, {3, 4}})
			eq(t, "durations", [][]float64{lengths(a), lengths(b)}, [][]float64{{10, 15}, {11, 16}})
			eq(t, "passes", []string{a.PassID(), b.PassID()}, c.passes)
			eq(t, "starts", cap.Axis.Start, []int64{0, 20})
			eq(t, "gpu", cap.GPU, "gfx90a")
		})
	}
}

func TestAPackedFileOpensAlone(t *testing.T) {
	dir := folder(t, map[string]string{"pmc_perf.csv.gz": pack(t, longHeader+row("g", 0, "k", 10, 20, "A", "1")), "cut.csv.gz": pack(t, strings.Repeat(longHeader, 500))[:60]})
	c, err := try(dir+"/pmc_perf.csv.gz", formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	eq(t, "name", c.Name, "vcopy")
	_, err = try(dir+"/cut.csv.gz", formats.Options{Format: "rocprofcompute"})
	wantError(t, err, `cut.csv.gz: truncated or damaged`)
}

func TestPassesOfOneFileThatCountFrom0And1AreJoinedByTheirNumbers(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": longHeader +
		row("p1", 0, "k", 10, 20, "A", "1") + row("p1", 1, "k", 30, 45, "A", "2") + row("p2", 1, "k", 110, 121, "B", "3") + row("p2", 2, "k", 130, 146, "B", "4")})
	eq(t, "samples", c.Len(), 2)
	eq(t, "B", c.Counter("B").Col.Data().U, []uint64{3, 4})
	wantWarning(t, c, `pmc_perf.csv numbers the dispatches of pmc_perf.csv \+1`)
}

func TestTheOldestSpellingsOpen(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": "\ufeffIndex,KernelName,gpu-id,queue-id,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,SQ_WAVES,DispatchNs,BeginNs,EndNs,CompleteNs\r\n" +
		"0,\"k(a, b)\",2,0,64,32,0,0,8,0,16,64,0x0,0x7f,5,1,10,20,30\r\n"})
	eq(t, "counters", len(c.Counters), 1)
	eq(t, "duration", c.Counter("SQ_WAVES").Interval(0), 10.0)
	for name, want := range map[string]string{"kernel": "k(a, b)", "grid_size": "64", "workgroup_size": "32", "sgpr": "16", "gpu_id": "2"} {
		got, _ := c.Label(name).Value(0)
		eq(t, name, got, want)
	}
	noWarnings(t, c)
}

// TestCountsOfRocprofWithoutTimesOpen has the columns that rocprof writes for an input file with pmc lines, unless it is told --timestamp on.
func TestCountsOfRocprofWithoutTimesOpen(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj," +
		"FETCH_SIZE,LDSBankConflict\n0,\"a\",8,0,0,77,77,64,64,0,0,16,0,32,64,0x0,0x7f4c,6.8125000000,0.0\n1,\"b\",8,0,1,77,77,64,64,0,0,16,0,32,64,0x0,0x7f4c,12.5,33.25\n"})
	eq(t, "dispatches", c.Axis.Len(), 2)
	eq(t, "kernels", kernelsOf(c), []string{"a", "b"})
	eq(t, "fetched by the second", c.Counter("FETCH_SIZE").Floats()[1], 12.5)
	if d := c.Counter("FETCH_SIZE").Interval(1); d == d {
		t.Errorf("duration %v of a dispatch without times", d)
	}
	eq(t, "length of a dispatch without times", c.Axis.End[1]-c.Axis.Start[1], int64(0))
	eq(t, "total of a share", c.Counter("LDSBankConflict").Total().Float(), 33.25/2)
	wantWarning(t, c, `pmc_perf.csv: it has no times, and there is no timestamps.csv beside it`)
}

// TestTimesOfRocprofWithoutCountersOpen has the columns that rocprof --stats writes.
func TestTimesOfRocprofWithoutCountersOpen(t *testing.T) {
	dir := folder(t, map[string]string{"results.csv": `"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr","arch_vgpr","accum_vgpr",` +
		`"sgpr","wave_size","sig","obj","DispatchNs","BeginNs","EndNs","CompleteNs","DurationNs"` + "\n" +
		`0,"a",8,0,0,77,77,64,64,0,0,16,0,32,64,"0x0","0x7f4c",90,100,110,120,10` + "\n" + `1,"b",8,0,1,77,77,64,64,0,0,16,0,32,64,"0x0","0x7f4c",190,200,230,240,30` + "\n"})
	c, err := try(filepath.Join(dir, "results.csv"), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	eq(t, "counters", len(c.Counters), 0)
	eq(t, "starts", c.Axis.Start, []int64{0, 100})
	eq(t, "ends", c.Axis.End, []int64{10, 130})
	eq(t, "kernels", kernelsOf(c), []string{"a", "b"})
}

func TestDurationsOfNoTimeAreMissing(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": wideHeader + "0,k,0,64,64,1,2,3,10,10\n1,k,0,64,64,1,2,3,30,30\n"})
	if d := c.Counter("SQ_WAVES").Interval(0); d == d {
		t.Errorf("a kernel took %v ns", d)
	}
	wantWarning(t, c, `runs pmc_perf: 2 of 2 dispatches end when they start: the files do not have their durations, and rates are missing`)
}

// TestTheOrderOfColumnsAndLineEndsDoNotMatter shuffles the columns of a file, with and without a byte order mark and carriage returns.
func TestTheOrderOfColumnsAndLineEndsDoNotMatter(t *testing.T) {
	header := strings.Split("Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,Kernel_Name,SQ_WAVES,TCC_HIT[0],TCC_HIT[1],note,Start_Timestamp,End_Timestamp", ",")
	rows := [][]string{strings.Split("0,4,64,32,k,1,2,3,x,10,20", ","), strings.Split("1,4,64,32,j,4,5,6,y,30,45", ",")}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		order := r.Perm(len(header))
		eol := []string{"\n", "\r\n"}[seed%2]
		text := []string{"", "\ufeff"}[seed/2%2]
		for _, cells := range append([][]string{header}, rows...) {
			var line []string
			for _, i := range order {
				line = append(line, cells[i])
			}
			text += strings.Join(line, ",") + eol
		}
		c := mustTry(t, map[string]string{"pmc_perf.csv": text})
		if waves, hit := c.Counter("SQ_WAVES"), c.Counter("TCC_HIT"); waves == nil || hit == nil || waves.Value(1).Float() != 4 || hit.Value(1).Float() != 11 || waves.Interval(1) != 15 {
			t.Fatalf("seed %d: %s", seed, text)
		}
	}
}

func TestTablesOfTheNativeToolOpen(t *testing.T) {
	files := map[string]string{}
	for set, n := range map[string]string{"pmc_perf_0": "1", "pmc_perf_SQ_LEVEL_WAVES_ACCUM": "2"} {
		counter := map[string]string{"1": "SQ_WAVES", "2": "SQ_LEVEL_WAVES_ACCUM"}[n]
		files["counters_"+set+"_77.csv.gz"] = pack(t, "dispatch_id,gpu_id,kernel_id,lds_per_workgroup,counter_id,counter_name,counter_value\n"+
			"1,0,7,0,5,"+counter+",4\n1,0,7,0,5,"+counter+",0.5\n3,0,8,0,5,"+counter+",6\n")
		files["dispatch_"+set+"_77.csv.gz"] = pack(t, "dispatch_id,gpu_id,kernel_id,grid_size,workgroup_size,lds_per_workgroup,scratch_per_workitem,start_timestamp,end_timestamp,correlation_id\n"+
			"1,0,7,256,64,0,0,"+n+"000,"+n+"010,501\n2,0,7,256,64,0,0,"+n+"100,"+n+"150,502\n3,0,8,512,64,0,0,"+n+"200,"+n+"220,503\n")
		files["kernel_symbols_"+set+"_77.csv.gz"] = pack(t, "kernel_id,kernel_name,kernel_short_name,arch_vgpr,accum_vgpr,sgpr\n7,\"k(a, b)\",k,8,0,16\n8,j,j,12,0,16\n")
	}
	c := mustTry(t, files)
	waves, level := c.Counter("SQ_WAVES"), c.Counter("SQ_LEVEL_WAVES_ACCUM")
	if c.Len() != 2 || waves == nil || level == nil {
		t.Fatalf("%d samples, %d counters", c.Len(), len(c.Counters))
	}
	eq(t, "values", []float64{waves.Value(0).Float(), waves.Value(1).Float(), level.Value(0).Float()}, []float64{4.5, 6, 4.5})
	eq(t, "durations", [][]float64{lengths(waves), lengths(level)}, [][]float64{{10, 20}, {10, 20}})
	eq(t, "passes", []string{waves.PassID(), level.PassID()}, []string{"pmc_perf_0", "SQ_LEVEL_WAVES"})
	for name, want := range map[string]string{"kernel": "j", "dispatch_id": "3", "grid_size": "512", "arch_vgpr": "12"} {
		got, _ := c.Label(name).Value(1)
		eq(t, name, got, want)
	}
	noWarnings(t, c)

	files["dispatch_pmc_perf_0_77.csv.gz"] = pack(t, "dispatch_id,kernel_id,start_timestamp,end_timestamp\n1,7,10,20\n3,7,30,40\n")
	_, err := try(folder(t, files), formats.Options{})
	wantError(t, err, `counters_pmc_perf_0_77.csv.gz:4: dispatch 3 of kernel 8 is not in .*dispatch_pmc_perf_0_77.csv.gz`)
	delete(files, "dispatch_pmc_perf_0_77.csv.gz")
	c = mustTry(t, files)
	wantWarning(t, c, `dispatch_pmc_perf_0_77.csv is missing, so that nothing says what process 77 counted in the run pmc_perf_0: it is left out`)
}

// TestATotalOfSomeChannelsIsMissing has two of the three L2 channels that sysinfo.csv names, as MI350 workloads lack some.
func TestATotalOfSomeChannelsIsMissing(t *testing.T) {
	info := strings.Replace(strings.Replace(sysinfo, "vbios", "total_l2_chan,vbios", 1), "113-A", "3,113-A", 1)
	c := mustTry(t, map[string]string{"sysinfo.csv": info, "pmc_perf.csv": wideHeader + "0,k,0,64,64,1,2,3,10,20\n"})
	hit := c.Counter("TCC_HIT")
	if !hit.Value(0).Missing() || !hit.Total().Missing() || len(hit.Instances) != 2 || hit.Instances[1].Value(0).Float() != 3 {
		t.Errorf("TCC_HIT is %v of %d channels", hit.Value(0), len(hit.Instances))
	}
	r, _ := hit.Why(0)
	eq(t, "why", r.Text, "only 2 of 3 L2 channels of TCC_HIT were measured")
	wantWarning(t, c, `TCC_HIT: not all of the 3 L2 channels were measured`)
}

func TestRunsWithTheTimesOfOneRunAreTold(t *testing.T) {
	for end, want := range map[string]bool{"20": true, "21": false} {
		c := mustTry(t, map[string]string{
			"pmc_perf.csv":       "Dispatch_ID,Kernel_Name,GPU_ID,SQ_WAVES,Start_Timestamp,End_Timestamp\n0,k,0,1,10,20\n1,k,0,1,30,40\n",
			"SQ_LEVEL_WAVES.csv": "Dispatch_ID,Kernel_Name,GPU_ID,SQ_LEVEL_WAVES,Start_Timestamp,End_Timestamp\n0,k,0,5,10," + end + "\n1,k,0,5,30,40\n",
		})
		if want {
			wantWarning(t, c, `2 runs have the same times to the nanosecond: .* rates divide counts of one run by times of another`)
		} else {
			noWarnings(t, c)
		}
	}
}

// FuzzNative gives the three tables of a run to two processes, so that their dispatches are merged too.
func FuzzNative(f *testing.F) {
	const counters = "dispatch_id,kernel_id,counter_name,counter_value\n"
	const dispatches = "dispatch_id,kernel_id,start_timestamp,end_timestamp\n"
	const kernels = "kernel_id,kernel_name\n"
	f.Add(counters+"1,7,A,4\n1,7,A,0.5\n", dispatches+"1,7,10,20\n", kernels+"7,k\n")
	f.Add(counters+"1,7,A,4\n2,8,A,5\n", dispatches+"1,7,10,20\n2,8,5,4\n", kernels+"7,k\n8,j\n")
	f.Add(counters+"1,8,A,nan\n", dispatches+"1,8,,\n1,8,5,4\n", kernels+"7,k\n8,\n")
	f.Fuzz(func(t *testing.T, counters, dispatches, kernels string) {
		files := map[string]string{"sysinfo.csv": sysinfo}
		for _, pid := range []string{"7", "8"} {
			files["counters_pmc_perf_0_"+pid+".csv"] = counters
			files["dispatch_pmc_perf_0_"+pid+".csv"] = dispatches
			files["kernel_symbols_pmc_perf_0_"+pid+".csv"] = kernels
		}
		if c, err := try(folder(t, files), formats.Options{}); err == nil {
			wantSound(t, c)
		}
	})
}

// AMD's engine reads every SQ*.csv as the run of a level, that of the scalar cache among them.
func TestTheLevelOfTheScalarCacheIsARunOfItsOwn(t *testing.T) {
	head := "Dispatch_ID,GPU_ID,Queue_ID,PID,TID,Grid_Size,Wave_Size,Kernel_Name,Start_Timestamp,End_Timestamp,"
	c := openPath(t, folder(t, map[string]string{
		"pmc_perf.csv":                  head + "SQC_DCACHE_REQ\n0,4,1,7,7,64,64,k,30,41,8\n",
		"SQC_DCACHE_INFLIGHT_LEVEL.csv": head + "SQC_DCACHE_REQ,SQ_ACCUM_PREV_HIRES\n0,4,1,7,7,64,64,k,30,41,10,450\n",
	}), formats.Options{})
	eq(t, "level", total(t, c, "SQC_DCACHE_INFLIGHT_LEVEL_ACCUM"), 450.0)
	eq(t, "requests of its run", total(t, c, "SQC_DCACHE_REQ@SQC_DCACHE_INFLIGHT_LEVEL"), 10.0)
}
