package csv

import (
	"strings"
	"testing"
)

// TestRowsOfOneprofBeginAndEndWhenTheySay has the columns of Intel's oneprof in both of its spellings: with units, and as the metrics
// library calls them.
func TestRowsOfOneprofBeginAndEndWhenTheySay(t *testing.T) {
	for _, header := range []string{
		"SubDeviceId,GpuTime,EuActive,QueryBeginTime,ReportReason,ContextId",
		"SubDeviceId,GpuTime[ns],EuActive[%],QueryBeginTime[ns],ReportReason,ContextId",
	} {
		c := mustOpen(t, header+"\n0,300,40,66413568000,32,7\n0,100,80,66413569000,32,8\n", nil)
		eq(t, "starts", c.Axis.Start, []int64{66413568000, 66413569000})
		eq(t, "ends", c.Axis.End, []int64{66413568300, 66413569100})
		eq(t, "lengths as a counter", values(t, c, "GpuTime"), []float64{300, 100})
		eq(t, "counters", len(c.Counters), 2)
		for _, name := range []string{"SubDeviceId", "ReportReason", "context"} {
			if c.Label(name) == nil {
				t.Errorf("%s: %s is no label", header, name)
			}
		}
	}
	c := mustOpen(t, "start_us,duration_ms,a\n5,1,1\n2000,,2\n", nil)
	eq(t, "ends of other programs' rows", c.Axis.End, []int64{1005000, 2000000})
	_, err := open(t, "x.csv", "start_us,duration_ms,a\n5,-1,1\n", nil)
	wantError(t, err, `x\.csv:2: column "duration_ms": -1 is no length of a row`)
}

func TestAUnitBehindACommaIsOne(t *testing.T) {
	c := mustOpen(t, "\"GPU Time Elapsed, ns\",\"EU Active, %\",\"Reads, writes\"\n300,40,1\n100,80,2\n", nil)
	eq(t, "ends", c.Axis.End, []int64{300, 400})
	eq(t, "a share", c.Counter("EU Active").Unit, "%")
	eq(t, "two names", values(t, c, "Reads, writes"), []float64{1, 2})
	c = mustOpen(t, "\"GPU Time Elapsed, ns\",\"GPU Core Clocks, cycles\",\"Memory Bandwidth, GB/sec:Read\"\n300,40,1.5\n", nil)
	eq(t, "clocks", c.Counter("GPU Core Clocks").Unit, "cycles")
	eq(t, "a part", c.Counter("Memory Bandwidth:Read").Unit, "GB/sec")
	c = mustOpen(t, "time,\"Loads, requests\"\n1,40\n", nil)
	eq(t, "no title", values(t, c, "Loads, requests"), []float64{40})
}

func TestTitlesOfTimesNeedNoUnit(t *testing.T) {
	c := mustOpen(t, "GPU Time Elapsed,EU Active\n300,40\n100,80\n", nil)
	eq(t, "nanoseconds", c.Axis.End, []int64{300, 400})
	c = mustOpen(t, "Computing Task,Work Size:Global,Computing Task:Total Time,XVE Array:Active(%)\nf,64 x 64,1.5,40\ng,4096,1,80\n", nil)
	eq(t, "seconds", c.Axis.End, []int64{15e8, 25e8})
	eq(t, "a share", c.Counter("XVE Array:Active").Unit, "%")
}

func TestATableMayHaveATitle(t *testing.T) {
	c := mustOpen(t, "=== Device #0 Metrics ===\n\nKernel, GlobalInstanceId, GpuTime[ns], CoreFrequencyMHz, EuActive[%]\n\"f\", 1, 300, 1150, 40\n", nil)
	eq(t, "ends", c.Axis.End, []int64{300})
	if c.Label("GlobalInstanceId") == nil || c.Label("Kernel") == nil || len(c.Counters) != 2 {
		t.Errorf("numbers of kernels are no labels among %d counters", len(c.Counters))
	}
	if f := c.Counter("CoreFrequencyMHz"); f.Unit != "MHz" || f.Guessed {
		t.Errorf("the frequency is in %q, guessed: %t", f.Unit, f.Guessed)
	}
	c = mustOpen(t, "=== Device #0 Metrics ===\n\ntime,a\n1,2\n2,3\n\n=== Device #1 Metrics ===\n\ntime,a\n1,5\n", nil)
	eq(t, "rows of the first table", c.Len(), 2)
	if len(c.Warnings) == 0 || !strings.Contains(strings.Join(c.Warnings, " "), "several tables") {
		t.Errorf("the second table is left out without a word: %q", c.Warnings)
	}
}
