package guests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/hwio/hwtest/emulated"
)

// gpuKernel is a kernel with panfrost.
type gpuKernel struct {
	name    string
	modules []string // what panfrost needs, in the order of loading
	ending  string   // of modules' files
}

var gpuKernels = []gpuKernel{
	{"arm64-6.1", []string{"drm", "drm_shmem_helper", "scheduler/gpu-sched"}, ".ko"},
	{"arm64-6.12", []string{"drm", "drm_kms_helper", "drm_shmem_helper", "scheduler/gpu-sched"}, ".ko.xz"},
}

// gpuGuest is an arm64 guest with the real driver of a GPU whose registers are made up.
func gpuGuest(t *testing.T, k gpuKernel) (*Machine, *gpu) {
	t.Helper()
	nodes := fmt.Sprintf(`/ {
	reserved-memory {
		#address-cells = <2>; #size-cells = <2>; ranges;
		gpu-registers@%[1]x { reg = <0 %#[1]x 0 %#[2]x>; no-map; };
	};
	gpu_clock: gpu-clock { compatible = "fixed-clock"; #clock-cells = <0>; clock-frequency = <800000000>; };
	gpu@%[1]x {
		compatible = "arm,mali-bifrost";
		reg = <0 %#[1]x 0 %#[2]x>;
		interrupts = <0 %[3]d 1>, <0 %[4]d 1>, <0 %[5]d 1>;
		interrupt-names = "job", "mmu", "gpu";
		clocks = <&gpu_clock>;
	};
};`, uint64(gpuAt), gpuSize, interruptJobs, interruptMMU, interruptGPU)
	tree := deviceTree(t, nodes)
	ram := newMemory(t)
	g := newGPU(ram)
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	q, args := newQtest(t, dir)
	var modules []string
	for _, name := range append(k.modules, "panfrost/panfrost") {
		modules = append(modules, "kernel/drivers/gpu/drm/"+name+k.ending)
	}
	m := Boot(t, Options{Kernel: k.name, Modules: modules, Machine: append(append(ram.machine(), args...), "-dtb", tree)})
	q.accept(t)
	g.run(t, q)
	for _, name := range k.modules {
		m.Ask(LoadModule(filepath.Join("/modules", filepath.Base(name)+k.ending), ""))
	}
	return m, g
}

var panfrost = []string{"--source", "panfrost", "--period", "20ms"}

// holdsWhatWasWritten compares every counter of every unit with what the GPU has written into samples since before, to the unit.
func holdsWhatWasWritten(t *testing.T, table *Table, what string, c *capture.Capture, g *gpu, before, after told) {
	t.Helper()
	table.Equal(what+": samples", c.Len(), after.samples-before.samples)
	var units []emulated.Unit
	for block, p := range g.layout {
		if p.name == "" {
			continue
		}
		u := emulated.Unit{Kind: p.name, Number: int(p.number), Values: make([]uint64, blockValues)}
		for i := range u.Values {
			u.Values[i] = after.totals[block*blockValues+i] - before.totals[block*blockValues+i]
		}
		units = append(units, u)
	}
	compared, equal, _ := emulated.HoldUnits(t, c, units, 4, nil) // the first four are no counters
	table.Equal(what+": counters that hold what was written", equal, compared)
}

// The kernel's own driver measures a GPU that is a page of registers and what a process does when they change.
func TestGuestMeasuresAGPUThroughPanfrost(t *testing.T) {
	for _, k := range gpuKernels {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			measuresAGPU(t, k)
		})
	}
}

func measuresAGPU(t *testing.T, k gpuKernel) {
	m, g := gpuGuest(t, k)
	driver := "/modules/panfrost" + k.ending
	table := Compare(t, m.Name()+", panfrost")
	g.become(gpuSpec{product: 0x7402, l2s: 2, cores: 0b1011, busWidth: 7})
	m.Ask(LoadModule(driver, ""))

	table.Equal("unstable_ioctls=0: doctor says usable", findings(t, m)["panfrost: counters of the Mali-G52"], false)
	refused := m.Run(slices.Concat([]string{"astrolabe", "record", "--duration", "1s", "-o", "/tmp/refused.arrow"}, panfrost)...)
	table.Equal("unstable_ioctls=0: record fails and names the parameter", fmt.Sprint(refused.Exit, strings.Contains(string(refused.Errors), "echo 1 > /sys/module/panfrost/parameters/unstable_ioctls")), "1 true")
	m.Ask(WriteFile("/sys/module/panfrost/parameters/unstable_ioctls", "1"))
	table.Equal("unstable_ioctls=1: doctor says usable", findings(t, m)["panfrost: counters of the Mali-G52"], true)

	during := func(what, duration string, then func(p *Program)) (*capture.Capture, string) {
		t.Helper()
		before := g.told()
		p := m.Start(slices.Concat([]string{"astrolabe", "record", "--duration", duration, "-o", "/tmp/live.arrow"}, panfrost)...)
		then(p)
		a := p.Wait()
		after := g.told()
		if a.Exit != 0 {
			t.Fatalf("%s: exits with %d:\n%s", what, a.Exit, a.Errors)
		}
		c := open(t, m, "/tmp/live.arrow")
		holdsWhatWasWritten(t, table, what, c, g, before, after)
		table.Equal(what+": counters are off afterwards", g.memory.word(gpuAt+regCounters), 0)
		return c, string(a.Errors)
	}
	// sampled waits until the GPU has written so many samples more.
	sampled := func(n int) {
		t.Helper()
		end := time.Now().Add(limit)
		for first := g.told().samples; g.told().samples < first+n; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the program has not asked for a sample for %v", limit)
			}
		}
	}

	during("G52 with a hole in its cores", "1s", func(*Program) {})
	during("answers after 15 ms", "1s", func(*Program) { g.delay.Store(int64(15 * time.Millisecond)) })
	g.delay.Store(0)
	during("two clients", "1h", func(p *Program) {
		sampled(5)
		second := m.Run(slices.Concat([]string{"astrolabe", "record", "--duration", "1s", "-o", "/tmp/second.arrow"}, panfrost)...)
		table.Equal("two clients: the second fails and says why", fmt.Sprint(second.Exit, strings.Contains(string(second.Errors), "another program has the GPU's counters")), "1 true")
		p.Signal(int(syscall.SIGINT))
	})
	during("unloading while recording", "1h", func(p *Program) {
		sampled(5)
		table.Equal("unloading while recording: the kernel refuses", m.Try(RemoveModule("panfrost")), "resource temporarily unavailable")
		sampled(5)
		p.Signal(int(syscall.SIGINT))
	})
	c, said := during("one sample is not answered", "1h", func(p *Program) {
		sampled(5)
		g.silent.Store(1)
		sampled(5)
		p.Signal(int(syscall.SIGINT))
	})
	late := uint64(0)
	for _, gap := range c.Late {
		if strings.Contains(gap.Reason.Text, "did not answer") {
			late += gap.Lost
		}
	}
	table.Equal("one sample is not answered: late, lost, said", fmt.Sprint(late, len(c.Gaps), strings.Contains(said, "did not answer 1 requests")), "1 0 true")
	during("interrupted by Ctrl-C", "1h", func(p *Program) {
		sampled(5)
		p.Signal(int(syscall.SIGINT))
	})
	g.delay.Store(int64(15 * time.Millisecond))
	during("signals to every thread", "1h", func(p *Program) {
		for range 20 {
			sampled(1)
			p.SignalThreads(int(syscall.SIGURG))
		}
		p.Signal(int(syscall.SIGINT))
	})
	g.delay.Store(0)

	// Linux has the older order of blocks for the first three.
	for _, gpu := range []struct {
		name string
		spec gpuSpec
	}{
		{"T600", gpuSpec{product: 0x6956, l2s: 1, cores: 0b1111, busWidth: 7, old: true}},
		{"T620", gpuSpec{product: 0x620, l2s: 1, cores: 0b1101, busWidth: 7, old: true}},
		{"T720", gpuSpec{product: 0x720, l2s: 1, cores: 0b0001, busWidth: 7, old: true}},
		{"T760", gpuSpec{product: 0x750, l2s: 1, cores: 0b0111, busWidth: 7}},
		{"T860", gpuSpec{product: 0x860, l2s: 1, cores: 0b0011, busWidth: 7}},
		{"G57", gpuSpec{product: 0x9091, l2s: 1, cores: 0b1111, busWidth: 7}},
		{"an unknown GPU", gpuSpec{product: 0x5abc, l2s: 2, cores: 0b0110, busWidth: 7}},
	} {
		m.Ask(RemoveModule("panfrost"))
		g.become(gpu.spec)
		m.Ask(LoadModule(driver, "unstable_ioctls=1"))
		during(gpu.name, "200ms", func(*Program) {})
	}
	m.Ask(RemoveModule("panfrost"))
	table.Equal("unloaded: doctor says usable", findings(t, m)["panfrost: counters of Mali GPUs with the mainline driver"], false)
}
