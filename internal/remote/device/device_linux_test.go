package device

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/internal/recording"
	"astrolabe/internal/remote/wire"
)

// newRun is a run of which a test plays the recorder.
func newRun(t *testing.T, req wire.Request) run {
	t.Helper()
	r, err := runAt(t.TempDir(), "abcdefgh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(r.path("out"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := r.write("request", &req); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestNamesOfRunsStayBelowTheFolder(t *testing.T) {
	for _, id := range []string{"", "..", "../../x", "abcdefgh/..", "ABCDEFGH", "abc", strings.Repeat("a", 41)} {
		if r, err := runAt("/x", id); err == nil {
			t.Errorf("%q is %s", id, r)
		}
	}
}

// What a recorder takes back, because a batch found no room, is taken back by who follows; and the end has the sums.
func TestFollowersSeeWhatIsTakenBack(t *testing.T) {
	r := newRun(t, wire.Request{})
	var out bytes.Buffer
	f, err := follow(r, &wire.Order{}, wire.NewWriter(&out))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.write("begun", &wire.Begun{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(r.path("lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.path("out"), "r.arrow")
	content := bytes.Repeat([]byte("0123456789"), 60_000)
	var here []byte
	var ended *wire.Ended
	step := func() {
		t.Helper()
		if err := f.step(); err != nil {
			t.Fatal(err)
		}
		for in := wire.NewReader(&out); ; {
			e, err := in.NextEvent()
			if err != nil {
				break
			}
			switch {
			case e.Cut:
				here = here[:e.At]
			case e.File != "":
				if e.At != int64(len(here)) || len(e.Data) > wire.MaxBytes {
					t.Fatalf("%d bytes at %d behind %d", len(e.Data), e.At, len(here))
				}
				here = append(here, e.Data...)
			case e.Ended != nil:
				ended = e.Ended
			}
		}
	}
	for _, n := range []int{1000, 600_000, 300_000, 300_010} {
		if err := os.WriteFile(path, content[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		step()
		if !bytes.Equal(here, content[:n]) {
			t.Fatalf("%d bytes came of %d", len(here), n)
		}
	}
	if ended != nil {
		t.Fatal("it ended while the recorder lives")
	}
	lock.Close()
	step()
	if ended == nil || !ended.Killed || len(ended.Files) != 1 || ended.Files[0].Size != 300_010 {
		t.Fatalf("%+v", ended)
	}
	sum, err := r.sum("r.arrow", -1)
	if err != nil || sum != ended.Files[0] {
		t.Errorf("%+v, %v", sum, err)
	}
}

// fakeAndroid is a PATH with the programs of Android that --app calls, which start a process of the package's name.
func fakeAndroid(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	sleep := ""
	for _, at := range []string{"/bin/sleep", "/usr/bin/sleep"} {
		if _, err := os.Stat(at); err == nil {
			sleep = at
		}
	}
	if err := os.Symlink(sleep, filepath.Join(dir, "com.example.game")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"pm":  `[ "$2" = com.example.game ] && echo package:/data/app/base.apk`,
		"cmd": `echo "priority=0"; echo com.example.game/.Main`,
		"am":  `[ "$3" = com.example.game/.Main ] || exit 1; com.example.game 1 >/dev/null 2>&1 & echo Starting`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// Stand-ins for Android's programs: no Android runs here.
func TestAnAppIsARegionOfTheRecording(t *testing.T) {
	fakeAndroid(t)
	req := wire.Request{Flags: recording.Flags{Sources: []string{"procfs"}, Period: 10 * time.Millisecond}, App: "com.example.game", Alone: time.Hour}
	r := newRun(t, req)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() {
		_, err := r.record(ctx, &req)
		done <- err
	}()
	look := &app{name: "com.example.game", proc: "/proc"}
	for _, want := range []bool{true, false} {
		for began := time.Now(); look.lives() != want; time.Sleep(5 * time.Millisecond) {
			if time.Since(began) > 2*time.Minute {
				t.Fatalf("the app lives: %v, for two minutes", !want)
			}
		}
	}
	time.Sleep(3 * appLook) // its end is seen, at the latest by the end of the recording
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c, err := all.Registry().Open(t.Context(), filepath.Join(r.path("out"), "r.arrow"), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Regions) != 1 || c.Regions[0].Name != "com.example.game" || c.Regions[0].End-c.Regions[0].Start < 1e9 {
		t.Errorf("regions %+v", c.Regions)
	}
}

func TestAnAppThatIsNotThere(t *testing.T) {
	fakeAndroid(t)
	for name, want := range map[string]string{"com.example.other": "has no app com.example.other", "com.example;reboot": "is no package",
		"-p": "is no package", "game": "is no package"} {
		if err := (&app{name: name}).check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestRunsAreListed(t *testing.T) {
	base := t.TempDir()
	for _, id := range []string{"aaaaaaaa", "bbbbbbbb", "not a run"} {
		r := run(filepath.Join(base, "runs", id))
		if err := os.MkdirAll(r.path("out"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := r.write("request", &wire.Request{Output: "/x/" + id}); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := list(base)
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID+" "+r.Output)
	}
	if slices.Sort(ids); err != nil || !slices.Equal(ids, []string{"aaaaaaaa /x/aaaaaaaa", "bbbbbbbb /x/bbbbbbbb"}) {
		t.Errorf("%q, %v", ids, err)
	}
}
