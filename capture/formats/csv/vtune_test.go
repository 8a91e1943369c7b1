package csv

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func openAs(t *testing.T, text, gpu string) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := formats.NewRegistry(Format{}).Open(context.Background(), path, formats.Options{GPU: gpu})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAReportOfVTuneHasTheMetricsOfTheCatalogue has two rows of gpu-hotspots, with titles of newer and of older products.
func TestAReportOfVTuneHasTheMetricsOfTheCatalogue(t *testing.T) {
	for gpu, names := range map[string][6]string{
		"intel-icl":     {"EU", "EuActive", "EuStall", "EuThreadOccupancy", "GtiReadThroughput", "GpuBusy"},
		"intel-acm-gt3": {"XVE", "XveActive", "XveStall", "XveThreadOccupancy", "GtiReadThroughput", "GpuBusy"},
		"intel-lnl":     {"XVE", "XVE_ACTIVE", "XVE_STALL", "XVE_THREADS_OCCUPANCY_ALL", "GPU_MEMORY_BYTE_READ", "GPU_BUSY"},
	} {
		eu := names[0]
		c := openAs(t, "Computing Task\tComputing Task:Total Time\tComputing Task:SIMD Width\t"+eu+" Array:Active(%)\t"+eu+" Array:Stalled(%)\t"+eu+
			" Threads Occupancy(%)\tGPU Memory Bandwidth, GB/sec:Read\tGPU Core Frequency, MHz\nf\t0.5\t32\t60\t30\t80\t12\t1000\ng\t0.25\t16\t40\t50\t70\t24\t1200\n[Outside any task]\t0\t\t0\t0\t0\t0\t300\n", gpu)
		for i, want := range []float64{60, 30, 80, 6e9, 100} {
			ctr := c.Counter(names[i+1])
			if ctr == nil {
				t.Errorf("%s has no %s", gpu, names[i+1])
				continue
			}
			if got := ctr.Col.Data().Float(0); got != want || ctr.Guessed {
				t.Errorf("%s: %s is %g, guessed: %t, want %g", gpu, ctr.Name, got, ctr.Guessed, want)
			}
		}
		eq(t, "clocks", values(t, c, "GpuCoreClocks"), []float64{5e8, 3e8, 0})
		eq(t, "a width adds nothing up", c.Counter("Computing Task:SIMD Width").Kind, capture.Gauge)
	}
	c := openAs(t, "Computing Task,Computing Task:Total Time,XVE Array:Active(%)\nf,0.5,60\n", "")
	eq(t, "whose GPU", c.Device.Vendor, "Intel")
	eq(t, "what nobody knows keeps its name", c.Counter("XVE Array:Active").Kind, capture.Gauge)
}

// vtune -report with -column, as scripts call it, has no clock unless it is asked for. What moves between shaders, L3 and shared local memory is in gigabytes a second.
func TestAReportOfVTuneWithoutAClockIsTakenToRunAtTheHighest(t *testing.T) {
	c := openAs(t, "Computing Task,Computing Task:Total Time,Computing Task:SVM Usage Type,EU Array:Active(%),EU Array:Stalled(%),\"GPU Memory Bandwidth, GB/sec:Read\",\"L3 Shader Bandwidth, GB/sec\",\"Shared Local Memory Bandwidth, GB/sec:Read\",\"Shared Local Memory Bandwidth, GB/sec:Write\"\n"+
		"f,0.5,,60,30,12,100,40,20\ng,0.25,,40,50,24,100,40,20\n", "intel-cfl-gt2")
	eq(t, "clocks", values(t, c, "GpuCoreClocks"), []float64{6e8, 3e8})
	eq(t, "to shared local memory", values(t, c, "SlmBytesRead"), []float64{20e9, 10e9})
	eq(t, "to L3", values(t, c, "L3ShaderThroughput"), []float64{50e9, 25e9})
	if w := strings.Join(c.Warnings, "\n"); !strings.Contains(w, "GPU Core Frequency") {
		t.Errorf("nobody is told: %q", w)
	}
	if c.Counter("Computing Task:SVM Usage Type") != nil {
		t.Error("a kind of memory is a counter")
	}
}
