package bundle_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"astrolabe/hwio/bundle"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/devices"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/programs"
	"astrolabe/hwio/hwtest/uapi"
)

// canary begins every canary; four digits that tell them apart follow.
const canary = "kAnaRie"

// cage is a device of which everything that a program can read has a canary in it: files that its readers want, files
// that nobody should want, and the parts of answers to device requests that mean nothing.
type cage struct {
	hwtest.Device
	harsh bool // also in files that hold a number alone, which readers then cannot read

	mu      sync.Mutex
	names   []string // of what has a canary
	answers int      // device answers that have one
}

func (c *cage) Start(m hwtest.Machine) error {
	return c.Device.Start(&cageMachine{m, c})
}

var (
	_ hwtest.PerfOpener  = (*cage)(nil)
	_ hwtest.ExecWatcher = (*cage)(nil)
	_ hwtest.ExitWatcher = (*cage)(nil)
)

// PerfEventOpen implements hwtest.PerfOpener.
func (c *cage) PerfEventOpen(call *hwtest.Call, attr []byte, pid, cpu int, group hwtest.File, flags uint64) (hwtest.File, error) {
	d, ok := c.Device.(hwtest.PerfOpener)
	if !ok {
		return nil, nil
	}
	f, err := d.PerfEventOpen(call, attr, pid, cpu, uncaged(group), flags)
	switch r := f.(type) {
	case nil:
		return nil, err
	case cagedRing:
		return &cageRing{cagePerf{f}, r, c}, nil
	}
	return &cagePerf{f}, nil
}

// Exec implements hwtest.ExecWatcher.
func (c *cage) Exec(pid int, path string) {
	if w, ok := c.Device.(hwtest.ExecWatcher); ok {
		w.Exec(pid, path)
	}
}

// Exit implements hwtest.ExitWatcher.
func (c *cage) Exit(pid int) {
	if w, ok := c.Device.(hwtest.ExitWatcher); ok {
		w.Exit(pid)
	}
}

// cagePerf is an open perf event. What a read tells has no room for anything.
type cagePerf struct{ hwtest.File }

// uncaged is the model's file of an event.
func uncaged(f hwtest.File) hwtest.File {
	switch f := f.(type) {
	case *cagePerf:
		return f.File
	case *cageRing:
		return f.File
	}
	return f
}

func (p *cagePerf) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	own := *c
	own.File = func(fd int) hwtest.File { return uncaged(c.File(fd)) }
	return p.File.Ioctl(&own, request, arg)
}

type cagedRing interface {
	hwtest.Mapper
	hwtest.Polled
}

// cageRing is one that samples, whose memory has a canary where the kernel's structure has nothing.
type cageRing struct {
	cagePerf
	ring cagedRing
	cage *cage
}

func (r *cageRing) Attach(ready *hwtest.Readiness)         { r.ring.Attach(ready) }
func (r *cageRing) Polled() (data, end bool)               { return r.ring.Polled() }
func (r *cageRing) Mapping() int                           { return r.ring.Mapping() }
func (r *cageRing) Map(n, offset uint64, write bool) error { return r.ring.Map(n, offset, write) }
func (r *cageRing) SetMapping(shared []byte) {
	const nothing = 512 // of struct perf_event_mmap_page, between its first numbers and those of the ring
	copy(shared[nothing:], r.cage.mark("memory of a perf event"))
	r.cage.mu.Lock()
	r.cage.answers++
	r.cage.mu.Unlock()
	r.ring.SetMapping(shared)
}

// mark is the canary of something.
func (c *cage) mark(of string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.Index(c.names, of)
	if at < 0 {
		at = len(c.names)
		c.names = append(c.names, of)
	}
	return fmt.Sprintf("%s%04d", canary, at)
}

type cageMachine struct {
	hwtest.Machine
	cage *cage
}

func (m *cageMachine) File(path, content string) {
	// A number and its unit alone leave no room for a canary that a reader survives.
	if m.cage.harsh || strings.ContainsAny(strings.TrimLeft(content, "0x"), "ghijklmnopqrstuvwyzGHIJKLMNOPQRSTUVWYZ:") {
		content = strings.TrimSuffix(content, "\n") + "\n" + m.cage.mark(path) + "\n"
	}
	m.Machine.File(path, content)
	dir := filepath.Dir(path)
	for _, more := range []string{"serial", "serial_number", "unique_id", "uuid", "vbios_version", "label"} {
		m.Machine.File(dir+"/"+more, m.cage.mark(dir+"/"+more)+"\n")
	}
}

func (m *cageMachine) Node(path string, major, minor, mode uint32, n hwtest.Node) {
	m.Machine.Node(path, major, minor, mode, &cageNode{n, m.cage})
}

type cageNode struct {
	hwtest.Node
	cage *cage
}

func (n *cageNode) Open(c *hwtest.Call, flags int) (hwtest.File, error) {
	f, err := n.Node.Open(c, flags)
	if err != nil {
		return nil, err
	}
	return &cageFile{f, n.cage}, nil
}

// cageFile is an opened node. Descriptors that its requests make are the model's own.
type cageFile struct {
	hwtest.File
	cage *cage
}

func (f *cageFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	if request == uapi.Ioctl("DRM_IOCTL_PANFROST_PERFCNT_DUMP") {
		return f.File.Ioctl(c, request, arg) // counters from end to end
	}
	own := *c
	memory := &cageMemory{Memory: c.Memory, cage: f.cage, mark: f.cage.mark(fmt.Sprintf("request %#x", request))}
	if request == uapi.Ioctl("DRM_IOCTL_XE_DEVICE_QUERY") {
		memory.margin = 8 // numbers of 64 bits end in zeros, and the first engine is all zeros
	}
	own.Memory = memory
	return f.File.Ioctl(&own, request, arg)
}

// cageMemory puts a canary into answers where a longer stretch is 0 between what is not.
type cageMemory struct {
	hwtest.Memory
	cage   *cage
	mark   string
	margin int // how many zeros at both ends of a stretch mean something
}

func (m *cageMemory) Write(addr uint64, b []byte) error {
	b = slices.Clone(b)
	if end := len(bytes.TrimRight(b, "\x00")); len(b) > 32 {
		for from := 0; from < end; {
			if b[from] != 0 {
				from++
				continue
			}
			to := from
			for to < end && b[to] == 0 {
				to++
			}
			if to-from >= len(m.mark)+max(4, 2*m.margin) {
				copy(b[to-m.margin-len(m.mark):], m.mark)
				m.cage.mu.Lock()
				m.cage.answers++
				m.cage.mu.Unlock()
			}
			from = to
		}
	}
	return m.Memory.Write(addr, b)
}

// forms are how a text could stand in a file.
func forms(text string) map[string][]byte {
	out := map[string][]byte{"plain": []byte(text), "hex": []byte(hex.EncodeToString([]byte(text))),
		"HEX": []byte(strings.ToUpper(hex.EncodeToString([]byte(text))))}
	for i := range 3 {
		// What stands before and behind decides the first and the last digits.
		s := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", i) + text))
		out[fmt.Sprintf("base64 at %d", i)] = []byte(s[(i*8+5)/6 : (i+len(text))*8/6])
	}
	var little, big []byte
	for _, u := range utf16.Encode([]rune(text)) {
		little, big = append(little, byte(u), byte(u>>8)), append(big, byte(u>>8), byte(u))
	}
	out["UTF-16LE"], out["UTF-16BE"] = little, big
	return out
}

// found says in what form, and behind what, a canary stands in data.
func (c *cage) found(data []byte) []string {
	var out []string
	for form, want := range forms(canary) {
		if at := bytes.Index(data, want); at >= 0 {
			out = append(out, fmt.Sprintf("%s at byte %d: %.80q", form, at, data[max(0, at-30):min(len(data), at+50)]))
		}
	}
	return out
}

// unpacked are the files of an archive, and the texts of its capture.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		out["the name "+f.Name] = []byte(f.Name + f.Comment + string(f.Extra))
	}
	if data, ok := out[bundle.CaptureFile]; ok {
		file := filepath.Join(t.TempDir(), bundle.CaptureFile)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := emulated.Open(t, file)
		var texts []string
		for _, x := range c.Counters {
			texts = append(texts, fmt.Sprintf("%+v", x.Meta))
			for _, i := range x.Instances {
				texts = append(texts, fmt.Sprintf("%+v", i.Meta))
			}
		}
		cfg := c.Config
		cfg.Path, cfg.Counters, cfg.Axis = "", nil, nil
		out["texts of the capture"] = []byte(fmt.Sprintf("%+v", cfg) + strings.Join(texts, "\n"))
	}
	return out
}

// everyDevice is one model of each driver and form of answers.
func everyDevice(t *testing.T) []hwtest.Model {
	if testing.Short() {
		t.Skip("SKIPPED: -short: emulations record in real time")
	}
	var out []hwtest.Model
	for _, name := range []string{"mali-g710", "mali-g72", "panfrost", "gfx9", "gfx942", "gfx1151", "kbl-gt2", "dg2", "lnl",
		"bmg", "dg2-xe", "cpu-pmu"} {
		m, err := devices.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

// install puts the program at a path, by a link or as a copy: a program knows what file it is, whatever led to it.
func install(t *testing.T, path string, really bool) {
	t.Helper()
	from := programs.Path(t, "astrolabe")
	if !really {
		if err := os.Symlink(from, path); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestNoCanaryIsInABundle(t *testing.T) {
	for _, m := range everyDevice(t) {
		for _, way := range []string{"", "every file", "without privilege"} {
			t.Run(strings.TrimSuffix(m.Name+", "+way, ", "), func(t *testing.T) {
				c := &cage{Device: m.New(), harsh: way == "every file"}
				var settings hwtest.Settings
				if way == "without privilege" {
					settings.Scenarios = []string{hwtest.Unprivileged}
				}
				dir := filepath.Join(t.TempDir(), c.mark("folder"))
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				program := filepath.Join(dir, "astrolabe-"+c.mark("program"))
				install(t, program, way == "without privilege")
				file := filepath.Join(dir, c.mark("argument")+".zip")
				args := []string{"doctor", "--bundle", file, "--yes", "--duration", "300ms"}
				if m.Name == "cpu-pmu" && way != "without privilege" {
					args = append(args, "--source", "perfevent") // the model's switches are not those that the real /proc tells of
				}
				cmd := exec.Command(program, args...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "HOME="+dir, "USER="+c.mark("user"), "HOSTNAME="+c.mark("host"),
					c.mark("variable")+"="+c.mark("value"), "ROCPROFILER="+c.mark("library"))
				res, out := emulated.Run(t, hwtest.Options{Device: c, Cmd: cmd, Settings: settings})
				if res.Exit != 0 {
					t.Fatalf("exit status %d:\n%s", res.Exit, out)
				}
				for name, data := range unpacked(t, file) {
					for _, f := range c.found(data) {
						t.Errorf("%s: %s", name, f)
					}
				}
				b, err := bundle.Open(file)
				if err != nil {
					t.Fatal(err)
				}
				// Else nothing was at stake.
				if way == "" {
					measured(t, m.Name, b)
				}
				if way == "" && b.Capture == nil {
					t.Errorf("nothing was recorded: %s", b.About.Refused)
				}
				for _, x := range b.Checks {
					if x.Verdict == bundle.Broken {
						t.Errorf("%s: %s", x.Name, x.Text)
					}
				}
				if len(c.names) < 12 {
					t.Errorf("only %d canaries were put out", len(c.names))
				}
				t.Logf("%d canaries, %d device answers with one", len(c.names), c.answers)
			})
		}
	}
}

func TestTheSearchFindsCanariesInEveryForm(t *testing.T) {
	c := &cage{}
	for form, text := range forms(canary + "0001") {
		if len(c.found(append([]byte("before"), text...))) == 0 {
			t.Errorf("%s: a canary is not found", form)
		}
	}
	for i := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("q", i) + canary + "0001 and more"))
		if len(c.found([]byte(text))) == 0 {
			t.Errorf("base64 at %d: a canary is not found", i)
		}
	}
}
