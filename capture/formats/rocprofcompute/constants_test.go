package rocprofcompute

import (
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/internal/testfiles"
)

const oneDispatch = "Dispatch_ID,GPU_ID,Grid_Size,Kernel_Name,SQ_WAVES,Start_Timestamp,End_Timestamp\n0,4,64,k,1,100,110\n"

func constantsOf(c *capture.Capture) map[string]float64 {
	out := map[string]float64{}
	for _, p := range c.Properties {
		if !p.IsText {
			out[p.Name] = p.Number
		}
	}
	return out
}

// TestOldReleasesHaveTheConstantsOfNewOnes has the columns of Omniperf 1.x, and of releases before num_hbm_channels.
func TestOldReleasesHaveTheConstantsOfNewOnes(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": oneDispatch, "sysinfo.csv": "workload_name,command,host_name,host_cpu,host_distro,host_kernel,host_rocmver," +
		"date,gpu_soc,numSE,numCU,numSIMD,waveSize,maxWavesPerCU,maxWorkgroupSize,L1,L2,sclk,mclk,cur_sclk,cur_mclk,L2Banks,LDSBanks,name,numSQC,hbmBW,ip_blocks\n" +
		"w,\"./a.out\",n1,EPYC,Ubuntu,5.4,5.3.0,Thu 21 Mar 2024 04:16:46 PM  (CDT),gfx90a,8,104,4,64,32,1024,16,8192,1700,1600,800,1600,32,32,mi200,56,1638.4,SQ\n"})
	eq(t, "gpu", c.GPU, "gfx90a")
	eq(t, "device", c.Device.Name, "mi200")
	eq(t, "start", c.StartTime.UTC().Format("2006-01-02 15:04"), "2024-03-21 21:16")
	got := constantsOf(c)
	for name, want := range map[string]float64{"cu_per_gpu": 104, "simd_per_cu": 4, "se_per_gpu": 8, "wave_size": 64, "max_waves_per_cu": 32, "max_sclk": 1700,
		"max_mclk": 1600, "total_l2_chan": 32, "lds_banks_per_cu": 32, "sqc_per_gpu": 56, "num_xcd": 1, "num_hbm_channels": 32} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for _, old := range []string{"numCU", "L2Banks", "sclk"} {
		if _, ok := got[old]; ok {
			t.Errorf("the constant %s is still there", old)
		}
	}
}

// A name that is old for one thing stays where the file has the new one too.
func TestNewNamesOfConstantsAreLeftAlone(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": oneDispatch, "sysinfo.csv": "name,gpu_model,gpu_arch,sclk,max_sclk\nvcopy,MI200,gfx90a,5,1700\n"})
	eq(t, "device", c.Device.Name, "MI200")
	eq(t, "max_sclk", constantsOf(c)["max_sclk"], 1700.0)
	eq(t, "sclk", constantsOf(c)["sclk"], 5.0)
}

// The same constants where one release wrote them and another did not: of the workloads of testdata, those of January 2025 lack num_hbm_channels.
func TestConstantsThatFollowAreThoseThatNewerReleasesWrite(t *testing.T) {
	for folder, want := range map[string]float64{"device_filter-mi300a": 96, "dispatch_0_1-mi200": 32, "vcopy-mi300x": 128, "dispatch_2-mi100": 32, "ipblocks_TCC-mi300a": 96} {
		c := openPath(t, testfiles.Path(t, "workloads", folder), formats.Options{})
		eq(t, folder, constantsOf(c)["num_hbm_channels"], want)
	}
	for partition, want := range map[string]float64{"NPS1": 128, "nps4": 32, "NPS8": 16} {
		c := mustTry(t, map[string]string{"pmc_perf.csv": oneDispatch,
			"sysinfo.csv": "gpu_arch,num_xcd,cu_per_gpu,se_per_gpu,memory_partition\ngfx942,8,304,32," + partition + "\n"})
		got := constantsOf(c)
		eq(t, partition, []float64{got["total_l2_chan"], got["sqc_per_gpu"], got["num_hbm_channels"]}, []float64{128, 160, want})
	}
}

func TestAProductThatTheReleaseDidNotKnowIsDoubted(t *testing.T) {
	c := mustTry(t, map[string]string{"pmc_perf.csv": oneDispatch,
		"sysinfo.csv": "gpu_model,gpu_arch,num_xcd,total_l2_chan,se_per_gpu,compute_partition,memory_partition\nMI300,gfx942,1,16,32,SPX,NPS1\n"})
	wantWarning(t, c, `sysinfo.csv says num_xcd 1, but 32 shader engines are 8 XCDs: the release did not know this MI300`)
	if _, ok := constantsOf(c)["num_hbm_channels"]; ok {
		t.Error("a constant was computed from one that is wrong")
	}
	c = mustTry(t, map[string]string{"pmc_perf.csv": oneDispatch,
		"sysinfo.csv": "gpu_model,gpu_arch,num_xcd,total_l2_chan,se_per_gpu,compute_partition\nMI300X_A1,gfx942,1,16,4,CPX\n"})
	if strings.Contains(strings.Join(c.Warnings, "\n"), "num_xcd") {
		t.Errorf("a partition of one die is doubted: %q", c.Warnings)
	}
}
