package main

import (
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

// built is the program with more data files than the tree has.
func built(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	data := map[string]string{}
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		data["capture/metrics/data/"+name] = at
	}
	return overlaid(t, ".", data)
}

func TestASiblingOfAKnownGPUIsOneDataFile(t *testing.T) {
	bin := built(t, siblings)
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
