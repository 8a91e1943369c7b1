package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/hwio/internal/tape"
)

// small is a bundle without a recording.
func small(t testing.TB) *Bundle {
	b := &Bundle{About: About{Schema: Schema, Program: "1", Kernel: "6.1", Refused: "no GPU"},
		Events: []tape.Event{{Kind: tape.Phase, Path: phaseDoctor}, {Time: 5, Kind: tape.File, Path: "/proc/stat", Text: "cpu 1\n"},
			{Time: 9, Kind: tape.Request, Device: 1, Code: "0x1", In: tape.Hex{1, 2}, Pieces: []tape.Piece{{At: 3, Data: tape.Hex{4}}}}}}
	b.Checks = b.judge(t.Context())
	if err := b.pack(); err != nil {
		t.Fatal(err)
	}
	return b
}

func encoded(t testing.TB, b *Bundle) []byte {
	var out bytes.Buffer
	if err := b.encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAnArchiveComesBack(t *testing.T) {
	b := small(t)
	file := filepath.Join(t.TempDir(), "b.zip")
	if err := b.Write(file); err != nil {
		t.Fatal(err)
	}
	got, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Events) != 3 || got.Events[2].Pieces[0].At != 3 || got.Events[1].Text != "cpu 1\n" ||
		got.About.Refused != "no GPU" {
		t.Errorf("%+v", got)
	}
	for _, c := range got.Judge(t.Context()) {
		if c.Verdict == Broken {
			t.Errorf("%s: %s", c.Name, c.Text)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".bundle-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Error(err)
	}
}

// Names and values that a device may have, and what a program that knows the form must read.
func TestDevicesAreDescribedForUmockdev(t *testing.T) {
	link := func(path, to string) tape.Event { return tape.Event{Kind: tape.Link, Path: path, Text: to} }
	file := func(path, text string) tape.Event { return tape.Event{Kind: tape.File, Path: path, Text: text} }
	got := string(umockdev([]tape.Event{
		file("/proc/stat", "cpu 1\n"),
		{Kind: tape.Names, Path: "/sys/class/drm", Names: []string{"card0"}},
		file("/sys/class/drm/card0/device/vendor", "0x8086\n"), // before it is known where it leads
		link("/sys/class/drm/card0/device", "0000:00:01.0"), link("/sys/class/drm/card0/device/driver", "xe"),
		file("/sys/class/drm/card0/device/device", "0x64a0\n"), file("/sys/class/drm/card0/device/class", "0x030000\n"),
		file("/sys/class/drm/card0/gt_cur_freq_mhz", "1100\n"), file("/sys/class/drm/card0/gt_cur_freq_mhz", "1200\n"),
		file("/sys/class/thermal/thermal_zone0/type", "a\\b\nc\n"),
		{Kind: tape.File, Path: "/sys/class/thermal/thermal_zone0/temp", Errno: 5},
		{Kind: tape.File, Path: "/sys/class/thermal/thermal_zone0/raw", Data: tape.Hex{0, 0xff}},
	}))
	want := `P: /devices/pci0000:00/0000:00:01.0
E: SUBSYSTEM=pci
E: PCI_SLOT_NAME=0000:00:01.0
H: config=8680A064000000000000000300000000` + strings.Repeat("0", 96) + `
E: DRIVER=xe
L: driver=../../../bus/pci/drivers/xe
A: class=0x030000\n
A: device=0x64a0\n
A: vendor=0x8086\n

P: /devices/pci0000:00/0000:00:01.0/drm/card0
N: dri/card0
E: DEVNAME=/dev/dri/card0
E: SUBSYSTEM=drm
A: gt_cur_freq_mhz=1100\n

P: /devices/virtual/thermal/thermal_zone0
E: SUBSYSTEM=thermal
H: raw=00FF
A: type=a\\b\nc\n

`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := umockdev([]tape.Event{file("/proc/stat", "cpu 1\n")}); got != nil {
		t.Errorf("of no device: %q", got)
	}
}

// files is an archive of contents as they are.
func files(t *testing.T, contents map[string]string) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range contents {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestHostileArchivesAreRefused(t *testing.T) {
	good := encoded(t, small(t))
	changed := small(t)
	changed.contents[filesFile] = []byte(`{"t":5,"kind":"file","path":"/proc/stat","text":"cpu 2\n"}` + "\n")
	backwards := small(t)
	backwards.Events[1].Time = -1
	backwards.Events = append(backwards.Events, tape.Event{Time: -5, Kind: tape.File, Path: "/proc/stat"})
	escaping := small(t)
	escaping.Events[1].Path = "/sys/../etc/shadow"
	foreign := small(t)
	foreign.Events[1].Kind = "exec"
	differing := small(t)
	differing.contents[sysfsFile] = []byte("P: /devices/virtual/drm/card7\n")
	sum := sha256.Sum256(differing.contents[sysfsFile])
	differing.About.Files = append(differing.About.Files, Entry{sysfsFile, int64(len(differing.contents[sysfsFile])), hex.EncodeToString(sum[:])})
	var err error
	if differing.contents[Manifest], err = json.Marshal(differing.About); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*Bundle{backwards, escaping, foreign} {
		if err := b.pack(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"cut off", "no whole bundle", good[:len(good)/2]},
		{"no archive", "no whole bundle", []byte("PK\x03\x04 nothing")},
		{"a path above", `"../bundle.json", which is none`, files(t, map[string]string{"../bundle.json": "{}"})},
		{"a file that is none of a bundle's", "which is none of a bundle's", files(t, map[string]string{"run.sh": "rm"})},
		{"no manifest", "has no bundle.json", files(t, map[string]string{"README.txt": "x"})},
		{"another schema", "schema 7", files(t, map[string]string{Manifest: `{"schema":7}`})},
		{"a field that nobody knows", "unknown field", files(t, map[string]string{Manifest: `{"schema":1,"hostname":"x"}`})},
		{"a bomb", "unpacked", files(t, map[string]string{Manifest: strings.Repeat(" ", maxText+1)})},
		{"a file that was changed", "was changed", encoded(t, changed)},
		{"a file that is not listed", "does not list", files(t, map[string]string{Manifest: `{"schema":1}`, "README.txt": "x"})},
		{"time that runs backwards", "before that of the line before", encoded(t, backwards)},
		{"a path that leaves", "no path of the kernel's", encoded(t, escaping)},
		{"two lists of files that differ", "sysfs.umockdev does not say what files.jsonl says", encoded(t, differing)},
		{"a kind that is none", `kind "exec"`, encoded(t, foreign)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decode(c.data)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, small(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := decode(data)
		if err == nil {
			b.Judge(t.Context())
		}
	})
}

// FuzzReplay feeds lines of devices and files past the archive, whose hashes a fuzzer does not find.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"t":1,"kind":"file","path":"/proc/stat","text":"cpu 1 2 3\n"}`), []byte(`{"t":1,"kind":"phase","path":"recording"}`))
	f.Add([]byte(`{"t":1,"kind":"exists","path":"/dev/mali0","value":2}`),
		[]byte(`{"t":2,"kind":"open","path":"/dev/mali0","device":1}
{"t":3,"kind":"request","device":1,"code":"0xc0048034","in":"00000000","out":"01001200"}
{"t":4,"kind":"request","device":1,"code":"0x8010bf01","pieces":[{"at":0,"data":"00"}]}`))
	f.Add([]byte(`{"t":1,"kind":"file","path":"/sys/devices/system/cpu/online","text":"0\n"}`),
		[]byte(`{"t":2,"kind":"request","code":"perf_event_open","in":"00","buf_in":"ffffffff00000000"}
{"t":3,"kind":"open","new":1}
{"t":4,"kind":"map","device":1,"value":4096}
{"t":5,"kind":"open","device":1,"new":2}
{"t":6,"kind":"read","device":2,"data":"0900000000001000"}
{"t":7,"kind":"clock","code":"perfevent","value":7}`))
	f.Fuzz(func(t *testing.T, files, devices []byte) {
		b := &Bundle{About: About{Schema: Schema, Recorded: []string{"kbase"}, Period: 1e6},
			contents: map[string][]byte{filesFile: files, devicesFile: devices}}
		for _, name := range []string{filesFile, devicesFile} {
			if b.lines(name) != nil {
				return
			}
		}
		for _, name := range []string{"kbase", "procfs", "perfevent"} {
			_, _, _ = b.replay(t.Context(), name, 4)
		}
	})
}

func FuzzIdentities(f *testing.F) {
	f.Add(identityFile)
	f.Add("cpu,a name,gauges in volts from 1 to 2,sample,1% + 5,ours\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := parseIdentities(text)
		if err != nil {
			return
		}
		for _, r := range rows {
			forms := 0
			for _, is := range []bool{r.shares, len(r.wraps) > 0, r.gauges != "", r.right != ""} {
				if is {
					forms++
				}
			}
			if forms != 1 {
				t.Errorf("%+v says %d things", r, forms)
			}
		}
	})
}
