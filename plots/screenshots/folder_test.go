package screenshots

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder makes one with files of no content.
func folder(t *testing.T, index string, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	if index != "" {
		if err := os.WriteFile(filepath.Join(dir, IndexName), []byte(index), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestNamesSayWhatPicturesAreOf(t *testing.T) {
	at := func(ns int64) *int64 { return &ns }
	for name, want := range map[string]Shot{
		"screenshot_frame_12":              {Frame: at(12)},   // gfxrecon-replay --screenshots
		"game_screenshot_frame_7":          {Frame: at(7)},    // the same with --screenshot-prefix
		"vkcube_frame1234":                 {Frame: at(1234)}, // RenderDoc, and its files of a day and time:
		"vkcube_2026.11.23_12.34_frame881": {Frame: at(881)},
		"frame_0001":                       {Frame: at(1)}, // ffmpeg frame_%04d.png
		"out0042":                          {Frame: at(42)},
		"0042":                             {Frame: at(42)},
		"F000123":                          {Frame: at(123)},
		"Frame 12":                         {Frame: at(12)},
		"frame-12":                         {Frame: at(12)},
		"swapchain_frame12":                {Frame: at(12)},
		"MyKeyframe3":                      {Frame: at(3)},
		"1.25s":                            {Time: at(1_250_000_000)},
		"1250ms":                           {Time: at(1_250_000_000)},
		"1250.5ms":                         {Time: at(1_250_500_000)},
		"shot_t=1.25s":                     {Time: at(1_250_000_000)},
		"shot-1250000000ns":                {Time: at(1_250_000_000)},
		"17us":                             {Time: at(17_000)},
		"17µs":                             {Time: at(17_000)},
		"level2_at_3 s":                    {Time: at(3_000_000_000)},
		"frame_12_1.25s":                   {Time: at(1_250_000_000), Frame: at(12)},
		"at1.25s":                          {Time: at(1_250_000_000)},
		"2min":                             {Time: at(120_000_000_000)},
	} {
		got, ok := named(name + ".png")
		if !ok || !same(got.Time, want.Time) || !same(got.Frame, want.Frame) {
			t.Errorf("%q: %v, time %v, frame %v", name, ok, value(got.Time), value(got.Frame))
		}
	}
	for _, name := range []string{"", "screenshot", "Screenshot_20261123-123456", "Screenshot from 2026-11-23 12-34-56",
		"frame_1_frame_2", "1s_2s", "level2_part3", "screenshot_frames_1_2_3", "frame_99999999999999999999",
		"99999999999999999999", "1e400s", "vlcsnap-2026-11-23-12h34m56s789", "frame"} {
		if got, ok := named(name + ".png"); ok {
			t.Errorf("%q: time %v, frame %v", name, value(got.Time), value(got.Frame))
		}
	}
}

func same(a, b *int64) bool { return value(a) == value(b) }

func value(v *int64) int64 {
	if v == nil {
		return -1
	}
	return *v
}

func TestAFolderSaysWhatItLeavesOut(t *testing.T) {
	f, err := Open(folder(t, "", "frame_1.png", "frame_2.JPG", "Screenshot_20261123-123456.png", "film.mp4", ".hidden.png",
		"<img onerror=alert(1)>.png"))
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(f.Notes, "\n")
	for _, want := range []string{`"film.mp4": not a picture`, `"Screenshot_20261123-123456.png"`, IndexName} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in %q", want, notes)
		}
	}
	if len(f.Shots) != 3 || f.Shots[0].File != "<img onerror=alert(1)>.png" || *f.Shots[0].Frame != 1 {
		t.Errorf("%d pictures: %v", len(f.Shots), f.Shots)
	}
	for _, dir := range []string{folder(t, ""), folder(t, "", "film.mp4"), filepath.Join(t.TempDir(), "absent")} {
		if _, err := Open(dir); err == nil {
			t.Errorf("%s was opened", dir)
		}
	}
	if _, err := Open(filepath.Join(folder(t, "", "frame_1.png"), "frame_1.png")); err == nil {
		t.Error("a file was opened as a folder")
	}
}

func TestAnIndexDecides(t *testing.T) {
	f, err := Open(folder(t, "\ufefffile,frame,time_ms\na.png,12,\r\n\"b,c.png\",,1250\nframe_1.png, 7 ,0.5s\n", "a.png",
		"b,c.png", "frame_1.png", "frame_2.png"))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Shots) != 3 || value(f.Shots[0].Frame) != 12 || f.Shots[0].Time != nil ||
		value(f.Shots[1].Time) != 1_250_000_000 || value(f.Shots[2].Frame) != 7 || value(f.Shots[2].Time) != 500_000_000 {
		t.Errorf("%+v", f.Shots)
	}
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], `"frame_2.png": not in index.csv`) {
		t.Errorf("%q", f.Notes)
	}
	f, err = Open(folder(t, "file,time\nfrmae_1.png,1.5\n../x.png,2\n", "frame_1.png"))
	if err != nil || len(f.Shots) != 0 || !strings.Contains(f.Notes[0], `did you mean "frame_1.png"?`) ||
		!strings.Contains(f.Notes[1], `"../x.png" of index.csv is no picture in the folder`) {
		t.Errorf("%v %v", f, err)
	}
	for index, want := range map[string]string{
		"":                           "",
		"\n":                         "is empty",
		"name,frame\na.png,1\n":      "line 1: the columns",
		"file\na.png\n":              "line 1: the columns",
		"file,time_h\na.png,1\n":     "line 1: the columns",
		"file,frame\na.png,x\n":      `line 2: the frame "x"`,
		"file,frame\n\n\na.png,\n":   "line 4: \"a.png\" has neither",
		"file,time\na.png,soon\n":    `line 2: the time "soon"`,
		"file,time\na.png,1 h\n":     `line 2: the time "1 h"`,
		"file,frame\n,3\n":           "line 2: there is no name",
		"file,frame\n\"a.png,1\n":    "line 2",
		"file,time\na.png,9e99999\n": "line 2",
	} {
		if index == "" {
			continue
		}
		if _, err := Open(folder(t, index, "a.png")); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), IndexName) {
			t.Errorf("%q: %v, want %q", index, err, want)
		}
	}
}

func TestPicturesGoToTheFramesThatTheyAreOf(t *testing.T) {
	at := func(ns int64) *int64 { return &ns }
	frames := []Frame{{"0", 0, 10}, {"1", 10, 30}, {"2", 12, 20}, {"3", 30, 40}, {"0", 50, 60}}
	f := &Folder{Shots: []Shot{
		{File: "a", Time: at(5)}, {File: "b", Time: at(15)}, {File: "c", Time: at(25)}, {File: "d", Time: at(45)},
		{File: "e", Frame: at(3)}, {File: "f", Frame: at(0)}, {File: "g", Frame: at(9)},
		{File: "h", Frame: at(0), Time: at(55)}, {File: "i", Frame: at(3), Time: at(1)}, {File: "j", Time: at(-1)},
		{File: "k", Time: at(60)}, {File: "l", Time: at(9)},
	}}
	m := f.Match(frames)
	want := [][]string{{"a", "l"}, {"c"}, {"b"}, {"e"}, {"h"}}
	for i, shots := range m.Of {
		var got []string
		for _, k := range shots {
			got = append(got, f.Shots[k].File)
		}
		if strings.Join(got, " ") != strings.Join(want[i], " ") {
			t.Errorf("frame %d has %v, want %v", i, got, want[i])
		}
	}
	notes := strings.Join(m.Notes, "\n")
	for _, want := range []string{`"d", "j", "k": at their times there is no frame`,
		`"g": no frame has its number: the capture has the frames 0 to 3`, `"f": several frames have its number`,
		`"i": its time is not in the frame with its number`} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in\n%s", want, notes)
		}
	}
}

// Every picture is in one frame or in one note, whatever the folder and the frames.
func FuzzNames(f *testing.F) {
	f.Add("screenshot_frame_12", "file,frame\na.png,1\n")
	f.Add("shot_1.25s", "file,time_ms\n\"a\nb.png\",12ms\n")
	f.Add("frame 1 2s µs ..", "")
	f.Fuzz(func(t *testing.T, name, index string) {
		s, ok := named(name + ".png")
		if ok && s.Time == nil && s.Frame == nil {
			t.Error("of nothing")
		}
		shots, err := parseIndex([]byte(index))
		if err != nil {
			return
		}
		if ok {
			shots = append(shots, s)
		}
		m := (&Folder{Shots: shots}).Match([]Frame{{"0", 0, 10}, {"12", 5, 1 << 40}, {"12", 1 << 40, 1 << 41}})
		in := 0
		for _, of := range m.Of {
			in += len(of)
		}
		if in > len(shots) || in < len(shots) && len(m.Notes) == 0 {
			t.Errorf("%d of %d pictures are in frames, and nothing is said", in, len(shots))
		}
	})
}
