package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/all"
	formatsall "astrolabe/capture/formats/all"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/internal/cli"
)

// asProgram makes the test's own binary one of the programs, whose workers are the same binary again.
const asProgram = "ASTROLABE_BEAM_TEST_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "astrolabe":
		os.Exit(cli.Main(os.Args[1:]))
	case "astrolabe-beam":
		main()
	}
	os.Exit(m.Run())
}

// program is astrolabe or astrolabe-beam, in a folder.
func program(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Dir = dir
	temp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(temp, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), asProgram+"="+name, "TMPDIR="+temp)
	return cmd
}

// nothingLeft wants no files of programs in the folder for temporary ones.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp", "*")); len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v", left)
	}
}

// finished runs a program to its end, and wants an exit status; it returns what was said and written.
func finished(t *testing.T, status int, cmd *exec.Cmd) (out, talk string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("%q: %v, want exit status %d\n%s%s", cmd.Args[1:], err, status, stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String()
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// farmScript is what captures of a farm are asked. Some of them are trouble, by their names.
const farmScript = `
load("names.star", "named")

def map(cap):
    if named(cap, "prints"):
        print("a line of it")
    if named(cap, "hang"):
        for i in range(1 << 50):
            pass
    if named(cap, "kills"):
        capture.record("procfs", ["cpu_*"], command=["sh", "-c", "kill -9 $PPID"])
    names = list(cap.counters)
    first = cap[names[0]]
    return [{"gpu": cap.gpu, "samples": cap.samples, "seconds": cap.duration, "counters": len(names)},
            {"first": names[0], "total": first.total(), "max": cap[names[-1]].max(), "peak": None}]
`

// recording is what astrolabe records on an emulated device.
type recording struct {
	device string
	data   []byte
}

var recorded []recording

// recordings are those of all devices that are emulated and that astrolabe reads, made once; none where this system
// cannot emulate.
func recordings(t *testing.T) []recording {
	t.Helper()
	sources := map[string]string{"cpu-pmu": "perfevent", "kbl": "i915", "gfx": "amdgpu", "mali": "kbase", "panfrost": "panfrost"}
	if recorded != nil {
		return recorded
	}
	for _, m := range devices.All() {
		source := ""
		for begin, s := range sources {
			if strings.HasPrefix(m.Name, begin) {
				source = s
			}
		}
		if source == "" {
			continue
		}
		dir := t.TempDir()
		cmd := program(t, dir, "astrolabe", "record", "--source", source, "--period", "5ms", "--duration", "200ms", "-o", "live.arrow")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		res, err := hwtest.Run(t.Context(), hwtest.Options{Device: m.New(), Settings: hwtest.Settings{Seed: 1}, Cmd: cmd})
		if errors.Is(err, hwtest.ErrUnsupported) {
			t.Logf("no recordings of emulated devices among the captures: %v", err)
			return nil
		}
		if err != nil || res.Exit != 0 {
			t.Fatalf("%s: %v\n%s", m.Name, err, said.String())
		}
		recorded = append(recorded, recording{m.Name, []byte(content(t, dir, "live.arrow"))})
	}
	return recorded
}

// farm writes captures of modelled GPUs, so many of each (0 is one of each model), recordings of emulated ones, and trouble: damaged ones, one that
// never ends, one that is large, one that kills its worker, and a folder that is a capture.
func farm(t *testing.T, of int) (dir string, captures int) {
	t.Helper()
	dir = t.TempDir()
	put := func(name string, data []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var last []byte
	save := func(name string, c *capture.Capture) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := formatsall.Registry().Save(t.Context(), path, "arrow", c); err != nil {
			t.Fatal(err)
		}
		var err error
		if last, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		captures++
	}
	for _, m := range all.Models() {
		device := strings.ReplaceAll(m.Name(), " ", "_")
		for i, p := range m.Plants() {
			for seed := range max(of, 1) {
				if of == 0 && i > 0 {
					break
				}
				c, err := m.Generate(capturetest.Case{Plant: p.ID, Load: 0.5, Seed: uint64(seed), Samples: 120 << (seed % 3)})
				if err != nil {
					t.Fatal(err)
				}
				save(fmt.Sprintf("farm/build=%d/device=%s/%s-%d.arrow", captures%3, device, p.ID, seed), c)
			}
		}
	}
	damaged := 20
	if of == 0 {
		damaged = 4
	}
	for i := range damaged {
		data := bytes.Clone(last)
		switch i % 4 {
		case 0:
			data = data[:len(data)*(i+1)/(damaged+2)]
		case 1:
			for k := range 40 {
				data[(k*7919+i*104729)%len(data)] ^= 0xff
			}
		case 2:
			data = nil
		case 3:
			clear(data[len(data)/2 : len(data)/2+4096])
		}
		put(fmt.Sprintf("farm/build=9/device=odd/damaged%02d.arrow", i), data)
	}
	for _, name := range []string{"hang", "kills", "prints"} {
		put("farm/build=9/device=odd/"+name+".arrow", last)
	}
	for i, r := range recordings(t) { // and, of some, what a killed recorder or a bad disk leaves
		put("farm/build=8/device="+r.device+"/live.arrow", r.data)
		captures++
		if of > 0 || i%6 == 0 {
			put("farm/build=8/device="+r.device+"/killed.arrow", r.data[:len(r.data)*3/5])
			bad := bytes.Clone(r.data)
			for k := range 30 {
				bad[(k*7919+i*104729)%len(bad)] ^= 0xff
			}
			put("farm/build=8/device="+r.device+"/bad.arrow", bad)
			captures += 2
		}
	}
	var huge bytes.Buffer
	huge.WriteString("time,a,b\n")
	for i := range 200_000 {
		fmt.Fprintf(&huge, "%d.%03d,%d,%d\n", i/1000, i%1000, i%977, i)
	}
	put("farm/build=9/device=odd/huge.csv", huge.Bytes())
	put("fleet.star", []byte(farmScript))
	put("names.star", []byte("def named(cap, what):\n    return cap.path.split(\"/\")[-1].startswith(what)\n"))
	vcopy := os.DirFS("../testdata/captures/gfx1151-vcopy")
	if err := os.CopyFS(filepath.Join(dir, "farm/real/vcopy"), vcopy); err != nil {
		t.Fatal(err)
	}
	return dir, captures + damaged + 5
}

// onFarm are the arguments of map over a farm.
func onFarm(args ...string) []string {
	return append([]string{"--max-steps=20000000", "--max-memory=400MiB", "--allow-exec", "map", "fleet.star", "farm"}, args...)
}
