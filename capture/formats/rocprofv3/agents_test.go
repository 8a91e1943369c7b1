package rocprofv3

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/internal/rocpd/rocpdtest"
	"astrolabe/capture/formats/rocprofcompute"
	"astrolabe/internal/testfiles"
)

// Rows of agent_info.csv as rocprofv3 of ROCm 6.2 and 6.4 wrote them on real machines: a processor and two GPUs of a
// node of MI300A (amd/HPCTrainingExamples, Rocprofv3), two MI300X (an issue of ROCm/rocm-systems), and a Vega 10 (AMD's
// documentation).
const (
	agentHeader = `"Node_Id","Logical_Node_Id","Agent_Type","Cpu_Cores_Count","Simd_Count","Cpu_Core_Id_Base",` +
		`"Simd_Id_Base","Max_Waves_Per_Simd","Lds_Size_In_Kb","Gds_Size_In_Kb","Num_Gws","Wave_Front_Size","Num_Xcc",` +
		`"Cu_Count","Array_Count","Num_Shader_Banks","Simd_Arrays_Per_Engine","Cu_Per_Simd_Array","Simd_Per_Cu",` +
		`"Max_Slots_Scratch_Cu","Gfx_Target_Version","Vendor_Id","Device_Id","Location_Id","Domain","Drm_Render_Minor",` +
		`"Num_Sdma_Engines","Num_Sdma_Xgmi_Engines","Num_Sdma_Queues_Per_Engine","Num_Cp_Queues",` +
		`"Max_Engine_Clk_Ccompute","Max_Engine_Clk_Fcompute","Sdma_Fw_Version","Fw_Version","Capability",` +
		`"Cu_Per_Engine","Max_Waves_Per_Cu","Family_Id","Workgroup_Max_Size","Grid_Max_Size","Local_Mem_Size",` +
		`"Hive_Id","Gpu_Id","Workgroup_Max_Dim_X","Workgroup_Max_Dim_Y","Workgroup_Max_Dim_Z","Grid_Max_Dim_X",` +
		`"Grid_Max_Dim_Y","Grid_Max_Dim_Z","Name","Vendor_Name","Product_Name","Model_Name"` + "\n"
	mi300aHost = `0,0,"CPU",48,0,0,0,0,0,0,0,0,1,48,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,3700,0,0,0,0,0,0,25,0,0,0,` +
		`1763021218530103933,0,0,0,0,0,0,0,"AMD Instinct MI300A Accelerator","CPU",` +
		`"AMD Instinct MI300A Accelerator",""` + "\n"
	mi300a = `4,4,"GPU",0,912,0,2147487744,8,64,0,64,64,6,228,24,24,1,10,4,32,90402,4098,29856,256,0,128,2,10,8,24,` +
		`3700,2100,19,150,1013424768,9,32,141,1024,4294967295,0,1763021218530103933,53730,1024,1024,1024,4294967295,` +
		`4294967295,4294967295,"gfx942","AMD","AMD Instinct MI300A","ip discovery"` + "\n" +
		`5,5,"GPU",0,912,0,2147487784,8,64,0,64,64,6,228,24,24,1,10,4,32,90402,4098,29856,256,1,136,2,10,8,24,` +
		`3700,2100,19,150,1013424768,9,32,141,1024,4294967295,0,1763021218530103933,17599,1024,1024,1024,4294967295,` +
		`4294967295,4294967295,"gfx942","AMD","AMD Instinct MI300A","ip discovery"` + "\n"
	mi300x = `2,2,"GPU",0,1216,0,2147487744,8,64,0,64,64,8,304,32,32,1,10,4,32,90402,4098,29857,4352,0,128,2,14,8,24,` +
		`3800,2100,22,166,746037888,9,32,141,1024,4294967295,0,11786967012253712646,32700,1024,1024,1024,4294967295,` +
		`4294967295,4294967295,"gfx942","AMD","AMD Instinct MI300X","ip discovery"` + "\n" +
		`3,3,"GPU",0,1216,0,2147487784,8,64,0,64,64,8,304,32,32,1,10,4,32,90402,4098,29857,12032,0,136,2,14,8,24,` +
		`3800,2100,22,166,746037888,9,32,141,1024,4294967295,0,11786967012253712646,3884,1024,1024,1024,4294967295,` +
		`4294967295,4294967295,"gfx942","AMD","AMD Instinct MI300X","ip discovery"` + "\n"
	vega = `1,1,"GPU",0,256,0,2147487744,10,64,0,64,64,1,64,4,4,1,16,4,32,90000,4098,26751,12032,0,128,2,0,2,24,` +
		`3800,1630,432,440,138420864,16,40,141,1024,4294967295,0,0,64700,1024,1024,1024,4294967295,4294967295,` +
		`4294967295,"gfx900","AMD","Radeon RX Vega","vega10"` + "\n"
)

// on opens one dispatch that ran on an agent of a machine.
func on(t *testing.T, agent, machine string) *capture.Capture {
	t.Helper()
	rows := strings.ReplaceAll(counterRows, `"Agent 4"`, agent)
	return mustOpen(t, filepath.Join(folder(t, map[string]string{"312_counter_collection.csv": rows,
		"312_agent_info.csv": machine}), "312_counter_collection.csv"))
}

// has are the numbers that a capture says of its hardware.
func has(c *capture.Capture) map[string]float64 {
	out := map[string]float64{}
	for _, p := range c.Properties {
		if !p.IsText {
			out[p.Name] = p.Number
		}
	}
	return out
}

func TestAgentsSayTheSameOfAProductAsSysinfo(t *testing.T) {
	for _, c := range []struct{ agent, machine, product, workload string }{
		{`"Agent 4"`, agentHeader + mi300aHost + mi300a, "AMD Instinct MI300A", "device_filter-mi300a"},
		{`2`, agentHeader + mi300x, "AMD Instinct MI300X", "vcopy-mi300x"},
	} {
		got := on(t, c.agent, c.machine)
		if got.GPU != "gfx942" || got.Device.Name != c.product {
			t.Errorf("%s: the GPU is %s, %s", c.product, got.GPU, got.Device.Name)
		}
		real, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(),
			testfiles.Path(t, "workloads", c.workload), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := has(got), has(real)
		checked := 0
		for name, x := range ours {
			if name == "sa_per_se" {
				continue // the profiler does not tell it
			}
			if checked++; theirs[name] != x {
				t.Errorf("%s: %s is %v, sysinfo.csv says %v", c.product, name, x, theirs[name])
			}
		}
		if checked != 8 {
			t.Errorf("%s: %d constants are in both: %v", c.product, checked, ours)
		}
	}
}

func TestWhatGPUsDisagreeOnIsNotSaid(t *testing.T) {
	small := strings.Replace(strings.Replace(mi300x, ",8,304,32,", ",4,152,16,", 1), "2,2,", "1,1,", 1)
	got := has(on(t, `""`, agentHeader+small+mi300x))
	for _, name := range []string{"cu_per_gpu", "num_xcd", "se_per_gpu"} {
		if x, ok := got[name]; ok {
			t.Errorf("%s is %v of two GPUs that differ, and no dispatch says which ran", name, x)
		}
	}
	if got["wave_size"] != 64 || got["max_sclk"] != 2100 {
		t.Errorf("what both have is lost: %v", got)
	}
}

func TestTheGPUIsTheOneThatDispatchesRanOn(t *testing.T) {
	machine := agentHeader + vega + mi300x
	for agent, want := range map[string]string{`"Agent 1"`: "gfx900", `"Agent 3"`: "gfx942", `1`: "gfx900", `""`: "gfx900"} {
		c := on(t, agent, machine)
		if c.GPU != want || want == "gfx900" && has(c)["cu_per_gpu"] != 64 || want == "gfx942" && has(c)["cu_per_gpu"] != 304 {
			t.Errorf("a dispatch on %s is of %s with %v compute units", agent, c.GPU, has(c)["cu_per_gpu"])
		}
	}
}

func TestAgentsOfDatabasesSayTheSame(t *testing.T) {
	want := has(on(t, `2`, agentHeader+mi300x))
	// The profiler writes the same columns as an object.
	names := strings.Split(strings.ReplaceAll(strings.TrimSpace(agentHeader), `"`, ""), ",")
	row, _, _ := strings.Cut(mi300x, "\n")
	var object []string
	for i, cell := range strings.Split(row, ",") {
		object = append(object, strconv.Quote(strings.ToLower(names[i]))+": "+cell)
	}
	r := rocpdtest.Run{GUID: "aa-bb", PID: 7, GPU: "gfx942", Agent: "{" + strings.Join(object, ", ") + "}",
		Dispatches: []rocpdtest.Dispatch{{Number: 1, Kernel: "k", Start: 1, End: 5,
			Counters: []rocpdtest.Result{{Counter: "SQ_WAVES", Value: 4}}}}}
	path := filepath.Join(t.TempDir(), "1_results.db")
	rocpdtest.Write(t, path, r)
	got := has(mustOpen(t, path))
	if !maps.Equal(got, want) {
		t.Errorf("a database says %v, agent_info.csv %v", got, want)
	}
	r.Agent = `[1, "no object`
	path = filepath.Join(t.TempDir(), "1_results.db")
	rocpdtest.Write(t, path, r)
	if got := slices.Sorted(maps.Keys(has(mustOpen(t, path)))); len(got) > 0 {
		t.Errorf("of no object there are %v", got)
	}
}
