package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// siblings are data files of GPUs that do not exist. Each is all that a sibling of a GPU takes which is known already.
var siblings = map[string]string{
	"mali-g999.metrics": `catalogue mali-g999
like mali-g720
title Arm Mali-G999
architecture 6th Generation
match name mali-g999
without scissor_test_cull_percentage

metric pixels
	expr $MaliGPUTasksMainPhaseTasks * 16384

metric tile_waits
	title Waits of tiles
	group GPU usage
	ref 3.1.9
	unit cycles
	block fe
	doc Cycles in which a tile waited.
	high Tiles wait.
	low Tiles do not wait.
	source nobody
	expr $MaliGPUCyclesTileWaits

counter MaliGPUCyclesTileWaits
	title Tile Waits
	group GPU Cycles
	block fe
	index 61
	unit cycles
	doc Cycles in which a tile waited.
	high Tiles wait.
	low Tiles do not wait.
	source nobody
`,
	"gfx1999.metrics": `catalogue gfx1999
like gfx1151
title AMD RDNA 9 (gfx1999)
architecture RDNA 9
match name radeon 9999*
`,
}

// renamed is a GPU whose queues and units, and the counters of these, have names that nobody else's have. All that its file says of them beside their
// formulas is what roles they play.
const renamed = `catalogue mali-g998
like mali-g720
title Arm Mali-G998
architecture 6th Generation
without binning_phase_queue_utilization
without main_phase_queue_utilization
without compute_queue_utilization
without arithmetic_unit_utilization
without varying_unit_utilization
without texture_unit_utilization
without load_store_unit_utilization
without ray_tracing_unit_utilization
without MaliGPUQueuedCyclesBinningPhaseQueued
without MaliGPUQueuedCyclesMainPhaseQueued
without MaliGPUQueuedCyclesComputeQueued
without MaliTextureUnitCyclesTextureFilteringActive
without MaliALUInstructionsFMAPipeInstructions

default source nobody
default unit percent
default group Load

metric load_of_sorting
	role queue binning
	ref 3.2.1
	expr 100 * $SortingCycles / $MaliGPUCyclesGPUActive

metric load_of_painting
	role queue fragment
	ref 3.2.2
	expr 100 * $PaintingCycles / $MaliGPUCyclesGPUActive

metric load_of_reckoning
	role queue compute
	ref 3.2.3
	expr 100 * $ReckoningCycles / $MaliGPUCyclesGPUActive

metric load_of_sums
	role unit arithmetic
	ref 6.1.1
	expr 100 * $SumCycles / $MaliShaderCoreCyclesExecutionCoreActive

metric load_of_slopes
	role unit varying
	ref 6.1.2
	expr 100 * $SlopeCycles / $MaliShaderCoreCyclesExecutionCoreActive

metric load_of_pictures
	role unit texture
	ref 6.1.3
	expr 100 * $PictureCycles / $MaliShaderCoreCyclesExecutionCoreActive

metric load_of_lists
	role unit load_store
	ref 6.1.4
	expr 100 * $ListCycles / $MaliShaderCoreCyclesExecutionCoreActive

metric load_of_rays
	role unit ray_tracing
	ref 6.1.5
	expr 100 * $RayCycles / $MaliShaderCoreCyclesExecutionCoreActive

default unit cycles
default block core

counter SortingCycles
	index 71
counter PaintingCycles
	index 72
counter ReckoningCycles
	index 73
counter SumCycles
	index 74
counter SlopeCycles
	index 75
counter PictureCycles
	index 76
counter ListCycles
	index 77
counter RayCycles
	index 78
`

// built is the program with more data files than the tree has.
func built(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("capture/metrics/data")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "run", "./capture/metrics/pack", "-data", dir).CombinedOutput(); err != nil {
		t.Fatalf("pack: %v\n%s", err, out)
	}
	return overlaid(t, ".", map[string]string{"capture/metrics/data/catalogues.zip": filepath.Join(dir, "catalogues.zip")})
}

// All GPUs that do not exist are in one program: what is above the catalogues is compiled once for them.
func TestAGPUIsOneDataFile(t *testing.T) {
	files := maps.Clone(siblings)
	files["mali-g998.metrics"] = renamed
	bin := built(t, files)
	t.Run("a sibling of a known one", func(t *testing.T) { judgeSibling(t, bin) })
	t.Run("rules judge it by its roles alone", func(t *testing.T) { judgeRoles(t, bin) })
}

func judgeSibling(t *testing.T, bin string) {
	dir := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("astrolabe %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	holds := func(out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("the output lacks %q:\n%s", want, out)
			}
		}
	}
	holds(run("metrics"), "mali-g999", "Arm Mali-G999", "gfx1999")
	holds(run("metrics", "mali-g999", "tile_waits"), "Waits of tiles", "MaliGPUCyclesTileWaits")
	holds(run("metrics", "gfx1999", "hit rate"), "gfx1999")
	holds(run("__complete", "metrics", "mali-"), "mali-g999")

	// A device that is called so is one, and the family's script judges it.
	capture := "t_ns,MaliGPUCyclesGPUActive,MaliGPUCyclesTileWaits,MaliGPUTasksMainPhaseTasks\n"
	for _, row := range []string{"0,0,0,0", "1000000,900000,400,10", "2000000,900000,500,10", "3000000,900000,600,20", "4000000,900000,500,10"} {
		capture += row + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte(capture), 0o666); err != nil {
		t.Fatal(err)
	}
	holds(run("-c", `c = capture.open("a.csv", gpu="mali-g999"); print(c.total("tile_waits"), c.total("pixels"), "scissor_test_cull_percentage" in c)`), "2000.0 819200.0 False")
	holds(run("report", "a.csv", "--gpu", "mali-g999", "-o", "a.json"), "a.json")
	page, err := os.ReadFile(filepath.Join(dir, "a.json"))
	if err != nil {
		t.Fatal(err)
	}
	holds(string(page), "triage/mali.star", "mali-g999")
}

// judgeRenamed judges captures of the GPU with other names, in each of which one unit or queue does all that it can.
const judgeRenamed = `
load("@astrolabe//lib/rules.star", "bottleneck", "title")
load("@astrolabe//triage/mali.star", "accounted", "analyze", "verdicts")

CYCLES = 8000000
WORK = CYCLES * 7

def judge(**changes):
    data = {m.name: 0 for m in metrics.list("mali-g998") if m.kind == "delta"}
    data.update({
        "MaliGPUCyclesGPUActive": CYCLES,
        "PaintingCycles": CYCLES * 75 // 100,
        "SortingCycles": CYCLES * 40 // 100,
        "MaliShaderCoreCyclesAnyWorkloadActive": CYCLES * 9,
        "MaliShaderCoreCyclesMainPhaseActive": WORK,
        "MaliShaderCoreCyclesFragmentFPKBufferActive": CYCLES * 6,
        "MaliShaderCoreCyclesExecutionCoreActive": WORK,
        "MaliExternalBusBeatsReadBeats": 1000000,
        "MaliExternalBusReadLatency0127Cycles": 900000,
    })
    data.update(changes)
    cap = capture.from_columns(
        {n: [v] * 20 for n, v in data.items()},
        period = "10ms",
        gpu = "mali-g998",
        properties = {"MaliConstantsShaderCoreCount": 10, "MaliConstantsL2SliceCount": 4, "MaliConstantsBusWidthBits": 256, "mali_max_clock_hz": 800000000},
    )
    acc = accounted(cap)
    found = bottleneck(verdicts(cap))
    r = report.new("test", capture = cap)
    analyze(cap, r)
    print(found["id"] if found else None, acc.parts[0].part, [m.name for m in found["metrics"]] if found else [], cap.roles("queue"), "unit:texture" in cap)

judge(MaliShaderCoreCyclesAnyWorkloadActive = CYCLES * 10, MaliShaderCoreCyclesExecutionCoreActive = CYCLES * 10, PictureCycles = CYCLES * 95 // 10, PaintingCycles = CYCLES)
judge(MaliShaderCoreCyclesAnyWorkloadActive = CYCLES * 10, MaliShaderCoreCyclesExecutionCoreActive = CYCLES * 10, ListCycles = CYCLES * 95 // 10, PaintingCycles = CYCLES)
judge(MaliShaderCoreCyclesAnyWorkloadActive = CYCLES * 2, MaliShaderCoreCyclesExecutionCoreActive = CYCLES, SortingCycles = CYCLES * 99 // 100, PaintingCycles = CYCLES // 5)
`

func judgeRoles(t *testing.T, bin string) {
	file := filepath.Join(t.TempDir(), "a.star")
	if err := os.WriteFile(file, []byte(judgeRenamed), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bin, "run", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const roles = ` ["queue:binning", "queue:fragment", "queue:compute"] True` + "\n"
	want := `texture_bound texture ["load_of_pictures"]` + roles +
		`load_store_bound load_store ["load_of_lists"]` + roles +
		`binning_bound tiler ["load_of_sorting"]` + roles
	if string(out) != want {
		t.Errorf("the rules found\n%s\nwant\n%s", out, want)
	}
}
