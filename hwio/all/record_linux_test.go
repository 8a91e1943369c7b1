//go:build linux

package all

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
)

// cpu selects the sources of this machine that -source cpu means, or skips.
func cpu(t testing.TB, process bool) *hwio.Selection {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: recording needs Linux")
	}
	sel, err := hwio.Select(t.Context(), Sources(""), []string{"cpu"}, process)
	if err != nil {
		t.Fatal(err)
	}
	return sel
}

func inMemory(t testing.TB, o hwio.Options) (*hwio.Result, *capture.Capture) {
	t.Helper()
	var mem *hwio.Memory
	o.Create = func(s *capture.Schema) (hwio.Sink, error) {
		mem = hwio.NewMemory(s, 256<<20)
		return mem, nil
	}
	res, err := hwio.Record(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := mem.Capture()
	if err != nil {
		t.Fatal(err)
	}
	return res, c
}

func TestThisMachineIsRecordedFromBothSourcesIntoAFile(t *testing.T) {
	sel := cpu(t, false)
	path := filepath.Join(t.TempDir(), "t.arrow")
	start := time.Now()
	res, err := hwio.Record(t.Context(), hwio.Options{
		Sources: sel.Sources, Warnings: sel.Warnings, Period: 5 * time.Millisecond, Duration: 200 * time.Millisecond,
		Create: func(s *capture.Schema) (hwio.Sink, error) { return arrow.Create(path, *s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	most := float64(time.Since(start).Nanoseconds())
	c, err := formats.NewRegistry(arrow.Format{}).Open(t.Context(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// Every tick of the time until the last read was sampled or is among those that late spans tell of; that read itself
	// came between two. Where a busy machine keeps a tick waiting, counters are read meanwhile: two short rows for one.
	var lost uint64
	for _, g := range c.Late {
		lost += g.Lost
	}
	var short uint64
	for i := range c.Len() {
		if c.Axis.End[i]-c.Axis.Start[i] < (4 * time.Millisecond).Nanoseconds() {
			short++
		}
	}
	due := uint64(res.Duration / (5 * time.Millisecond))
	if ticks := res.Samples + lost; uint64(c.Len()) != res.Samples || res.Duration < 200*time.Millisecond || ticks < due || ticks > due+2+short {
		t.Errorf("%d samples in the file (%d of them short), %d recorded, %d lost; %d ticks were due in %v", c.Len(),
			short, res.Samples, lost, due, res.Duration)
	}
	if c.GPU != "cpu" || c.StartTime.IsZero() || c.Device.Name == "" {
		t.Errorf("gpu %q, start %v, device %+v", c.GPU, c.StartTime, c.Device)
	}
	if p, ok := c.Property("cpus_online"); !ok || int(p.Number) < 1 {
		t.Errorf("cpus_online = %+v", p)
	}
	user := c.Counter("cpu_user")
	if user == nil || len(user.Instances) < 1 || user.Unit != "ns" {
		t.Fatalf("cpu_user = %+v", user)
	}
	if slices.Contains(res.Sources, "perfevent") {
		clock := c.Counter("cpu_clock")
		// Each processor's clock advances by the time of the recording; a test of perfevent holds it against the clock from both sides.
		for _, in := range clock.Instances {
			total := in.Total().Float()
			if total <= 0 || total > 1.01*most+4e6 {
				t.Errorf("cpu_clock[%s] is %v ns, the recording took %v ns", in.Meta.Instance, total, most)
			}
		}
	}
	if lost < res.Missed+res.Dropped {
		t.Errorf("the late spans account for %d ticks, the recorder missed %d", lost, res.Missed+res.Dropped)
	}
}

// command records a shell command's own counters and returns what became of it. ready is called when the command has printed "ready", which is left
// out of its output, and at least five samples have been taken.
func command(t *testing.T, ctx context.Context, script string, o hwio.Options, ready func()) (*hwio.Result, *capture.Capture, string) {
	t.Helper()
	sel := cpu(t, true)
	out := &readiness{}
	var mem *hwio.Memory
	var once sync.Once
	o.Sources = sel.Sources
	o.Period = 2 * time.Millisecond
	o.Progress = func(p hwio.Progress) {
		if ready != nil && p.Samples >= 5 && out.ready() {
			once.Do(ready)
		}
	}
	given := o.Command
	if given == nil {
		given = &hwio.Command{}
	}
	o.Command = &hwio.Command{Args: []string{"sh", "-c", script}, Stdout: out, Stderr: out, Grace: given.Grace, PassSignals: given.PassSignals}
	o.Create = func(s *capture.Schema) (hwio.Sink, error) {
		mem = hwio.NewMemory(s, 64<<20)
		return mem, nil
	}
	res, err := hwio.Record(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := mem.Capture()
	if err != nil {
		t.Fatal(err)
	}
	return res, c, strings.TrimPrefix(out.String(), "ready\n")
}

// readiness is what a command has printed.
type readiness struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *readiness) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *readiness) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *readiness) ready() bool { return strings.HasPrefix(r.String(), "ready\n") }

func TestCommandIsRecordedFromItsFirstInstructionToItsExit(t *testing.T) {
	res, c, out := command(t, t.Context(), "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ls / >/dev/null; echo done; exit 3", hwio.Options{}, nil)
	if res.Exit == nil || res.Exit.Code != 3 || res.Exit.Signal != "" || out != "done\n" {
		t.Fatalf("exit = %+v, output %q", res.Exit, out)
	}
	if c.Len() < 1 || res.Interrupted {
		t.Fatalf("%d samples, interrupted = %v", c.Len(), res.Interrupted)
	}
	clock := c.Counter("task_clock")
	if clock == nil {
		t.Skip("SKIPPED: processes cannot be measured here")
	}
	if total := clock.Total().Float(); total < 1e6 || total > float64(c.Axis.Measured())*1.5 {
		t.Errorf("the command used %v ns of %v ns", total, c.Axis.Measured())
	}
	if f := c.Counter("page_faults").Total().Float(); f < 50 {
		t.Errorf("page_faults = %v, starting a program takes more", f)
	}
}

func TestCommandKilledByASignalReportsIt(t *testing.T) {
	res, _, _ := command(t, t.Context(), "kill -KILL $$", hwio.Options{}, nil)
	if res.Exit.Code != 137 || res.Exit.Signal != "SIGKILL" {
		t.Errorf("exit = %+v", res.Exit)
	}
}

func TestCancelEndsTheCommandAndRecordsItsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, c, out := command(t, ctx, "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.02; done",
		hwio.Options{Command: &hwio.Command{Grace: time.Hour}}, cancel) // however late the command gets the processor
	if !res.Interrupted || res.Exit.Code != 7 || out != "bye\n" || c.Len() < 5 {
		t.Errorf("interrupted %v, exit %+v, output %q, %d samples", res.Interrupted, res.Exit, out, c.Len())
	}
}

func TestCommandThatIgnoresItsEndIsKilled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, _, _ := command(t, ctx, "trap '' TERM; echo ready; while :; do sleep 0.02; done",
		hwio.Options{Command: &hwio.Command{Grace: 100 * time.Millisecond}}, cancel)
	if res.Exit.Signal != "SIGKILL" {
		t.Errorf("exit = %+v", res.Exit)
	}
}

func TestSignalsReachTheCommand(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	signal := func() { _ = self.Signal(syscall.SIGUSR1) }
	res, _, out := command(t, t.Context(), "trap 'echo got; exit 9' USR1; echo ready; while :; do sleep 0.02; done", hwio.Options{Command: &hwio.Command{PassSignals: true}}, signal)
	if res.Exit.Code != 9 || out != "got\n" {
		t.Errorf("exit = %+v", res.Exit)
	}
}

func TestCommandThatDoesNotExistIsAnErrorBeforeAnythingIsWritten(t *testing.T) {
	sel := cpu(t, true)
	created := false
	_, err := hwio.Record(t.Context(), hwio.Options{
		Sources: sel.Sources, Command: &hwio.Command{Args: []string{"no-such-command-anywhere"}},
		Create: func(*capture.Schema) (hwio.Sink, error) { created = true; return nil, io.ErrClosedPipe },
	})
	if err == nil || !strings.Contains(err.Error(), "no-such-command-anywhere") || created {
		t.Errorf("err = %v, created = %v", err, created)
	}
}

func TestFailureToCreateTheFileEndsTheWaitingCommand(t *testing.T) {
	sel := cpu(t, true)
	marker := filepath.Join(t.TempDir(), "ran")
	_, err := hwio.Record(t.Context(), hwio.Options{
		Sources: sel.Sources, Command: &hwio.Command{Args: []string{"touch", marker}},
		Create: func(*capture.Schema) (hwio.Sink, error) { return nil, os.ErrPermission },
	})
	if err == nil || !strings.Contains(err.Error(), "permission") {
		t.Errorf("err = %v", err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran although nothing was recorded")
	}
}

func TestRecordingOfAProcessEndsWithIt(t *testing.T) {
	sel := cpu(t, true)
	cmd := exec.Command("cat") // it ends with its input
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	res, c := inMemory(t, hwio.Options{Sources: sel.Sources, Period: 10 * time.Millisecond, PID: cmd.Process.Pid, Progress: func(p hwio.Progress) {
		if p.Samples >= 3 {
			once.Do(func() {
				_ = in.Close()
				go func() { _ = cmd.Wait() }()
			})
		}
	}})
	if c.Len() < 3 || res.Exit != nil {
		t.Errorf("%d samples, exit %v", c.Len(), res.Exit)
	}
	_, err = hwio.Record(t.Context(), hwio.Options{Sources: sel.Sources, PID: cmd.Process.Pid, Create: func(s *capture.Schema) (hwio.Sink, error) { return hwio.NewMemory(s, 1<<20), nil }})
	// Either the recorder finds no such process, or the kernel says so when the events are opened.
	if err == nil || !strings.Contains(err.Error(), "no process") && !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("err = %v", err)
	}
}

func TestSelectExplainsItsChoices(t *testing.T) {
	if _, err := hwio.Select(t.Context(), Sources(""), []string{"prcofs"}, false); err == nil || !strings.Contains(err.Error(), "procfs") && runtime.GOOS == "linux" {
		t.Errorf("err = %v", err)
	}
	// An empty tree has nothing to read.
	if _, err := hwio.Select(t.Context(), Sources(t.TempDir()), []string{"procfs"}, false); err == nil || !strings.Contains(err.Error(), "/proc/stat") {
		t.Errorf("err = %v", err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	best, err := hwio.Best(t.Context(), Sources(""))
	if err != nil || !slices.Contains(best.Names(), "procfs") {
		t.Errorf("best = %v, %v", best, err)
	}
}

func TestDoctorNamesGPUsWithoutAReader(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for card, d := range map[string][3]string{"card0": {"0x8086", "0x5916", "i915"}, "card1": {"0x10de", "0x2204", "nouveau"}, "card2": {"0x1234", "0x1111", "bochs"}} {
		write("sys/class/drm/"+card+"/device/vendor", d[0]+"\n")
		write("sys/class/drm/"+card+"/device/device", d[1]+"\n")
		write("sys/bus/pci/drivers/"+d[2]+"/x", "")
		if err := os.Symlink(filepath.Join(dir, "sys/bus/pci/drivers", d[2]), filepath.Join(dir, "sys/class/drm", card, "device/driver")); err != nil {
			t.Fatal(err)
		}
	}
	write("sys/class/drm/card0-HDMI-A-1/status", "connected")
	write("dev/mali0", "")
	write("dev/kfd", "")
	gpus := hwio.GPUs(sysroot.At(dir))
	if len(gpus) != 5 {
		t.Fatalf("GPUs = %+v", gpus)
	}
	text := ""
	for _, f := range Doctor(t.Context(), dir) {
		if f.Usable {
			t.Errorf("an empty tree cannot measure %+v", f)
		}
		if f.Reason == "" {
			t.Errorf("no reason: %+v", f)
		}
		text += f.Source + ": " + f.What + ": " + f.Reason + "\n"
	}
	for _, want := range []string{"i915: counters of Intel Kaby Lake GT2: card0 (8086:5916) has no folder", "NVIDIA GPU (10de:2204, driver nouveau): astrolabe has no reader",
		"graphics device (1234:1111, driver bochs)", "kbase: counters of Mali GPUs with Arm's driver: ", "mali0 exists but is no character device", "panfrost: counters of Mali GPUs with the mainline driver: no graphics card", "rocprofiler: hardware counters of AMD GPUs (ROCm): "} {
		if !strings.Contains(text, want) {
			t.Errorf("the doctor does not say %q:\n%s", want, text)
		}
	}
}

// BenchmarkRecordAllAtOneKilohertz records every software counter of this machine for a while and reports what it costs and how
// even the samples are.
func BenchmarkRecordAllAtOneKilohertz(b *testing.B) {
	sel := cpu(b, false)
	for b.Loop() {
		res, c := inMemory(b, hwio.Options{Sources: sel.Sources, Period: time.Millisecond, Duration: 3 * time.Second})
		b.ReportMetric(100*res.CPU.Seconds()/res.Duration.Seconds(), "%core")
		b.ReportMetric(float64(res.IntervalMedian.Microseconds()), "median-µs")
		b.ReportMetric(float64(res.IntervalP99.Microseconds()), "p99-µs")
		b.ReportMetric(float64(res.Missed), "missed")
		b.ReportMetric(float64(res.ReadMean.Nanoseconds())/1000, "read-µs")
		b.ReportMetric(float64(res.Columns), "columns")
		if c.Len() == 0 {
			b.Fatal("no samples")
		}
	}
}
