package cli

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"astrolabe/builtins/notation"
	"astrolabe/capture/progress"
)

// In a bubble of synctest time stands still while anything runs, so that work takes as long as a test says.

func TestLongWorkIsNamedOnALineThatIsClearedAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		line := &busyLine{w: &out, width: func() int { return 100 }}
		_, done := line.begin(t.Context(), "opening 日本.arrow")
		time.Sleep(progressDelay)
		synctest.Wait()
		done()
		done() // once is enough
		first, rest, _ := strings.Cut(strings.TrimPrefix(out.String(), "\r"), "\r")
		if first != "opening 日本.arrow: 0.5 s, Ctrl-C stops it" {
			t.Errorf("shown: %q", first)
		}
		if cleared := strings.Repeat(" ", notation.TextCells(first)) + "\r"; rest != cleared {
			t.Errorf("%q is not cleared by %q, but by %q", first, cleared, rest)
		}
	})
}

func TestShortWorkIsNotNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		line := &busyLine{w: &out, width: func() int { return 0 }}
		_, done := line.begin(t.Context(), "opening x")
		time.Sleep(progressDelay - 1)
		done()
		if out.String() != "" {
			t.Errorf("shown: %q", out.String())
		}
	})
}

func TestTheLineOfLongWorkNeverWraps(t *testing.T) {
	now := time.Now()
	for _, s := range []progress.State{{}, {Done: 1 << 30, Begun: now.Add(-2 * time.Second), Unit: progress.Rows},
		{Done: 1 << 30, Total: 1 << 32, Begun: now.Add(-2 * time.Second), Unit: progress.Samples}} {
		for _, what := range []string{"drawing", "opening " + strings.Repeat("folder/", 40) + "end.arrow",
			"opening " + strings.Repeat("日本", 60), "opening a\x1b[2Jb\nc"} {
			for _, width := range []int{0, 1, 10, 30, 40, 79, 500} {
				text := busyText(what, s, now.Add(-12*time.Second), now, width)
				if n := notation.TextCells(text); n > busyCells || width > 0 && n >= width {
					t.Errorf("width %d: %d cells: %q", width, n, text)
				}
				if strings.ContainsAny(text, "\x1b\n") {
					t.Errorf("%q moves the cursor", text)
				}
			}
		}
	}
}

func TestTheLineOfLongWorkSaysHowFarItIs(t *testing.T) {
	now := time.Now()
	ago := func(s float64) time.Time { return now.Add(-time.Duration(s * 1e9)) }
	long := "opening " + strings.Repeat("folder/", 40) + "end.arrow"
	for _, c := range []struct {
		what  string
		state progress.State
		width int
		want  string
	}{
		{"opening a.csv", progress.State{}, 80, "opening a.csv: 3.0 s, Ctrl-C stops it"},
		{"opening a.csv", progress.State{Total: 100, Unit: progress.Bytes, Begun: ago(1)}, 80,
			"opening a.csv: 3.0 s, Ctrl-C stops it"},
		{"opening a.csv", progress.State{Done: 50e6, Total: 200e6, Unit: progress.Bytes, Begun: ago(2)}, 80,
			"opening a.csv: [####............] 25 %, 25.0 MB/s, 6 s left"},
		{"opening a.csv", progress.State{Done: 50e6, Total: 200e6, Unit: progress.Bytes, Begun: ago(2)}, 50,
			"opening a.csv: 25 %, 25.0 MB/s, 6 s left"},
		{"opening a.csv", progress.State{Done: 50e6, Total: 200e6, Unit: progress.Bytes, Begun: ago(2)}, 30,
			"opening a.csv: 25 %, 6 s left"},
		{"opening a.csv", progress.State{Done: 50e6, Total: 200e6, Unit: progress.Bytes, Begun: ago(2)}, 24,
			"opening a.csv: 25 %"},
		{"opening a.db", progress.State{Done: 3e6, Unit: progress.Rows, Begun: ago(2)}, 80,
			"opening a.db: 3.0 s, 1.50 M rows/s, Ctrl-C stops it"},
		{"writing a.csv", progress.State{Done: 999, Total: 1000, Unit: progress.Samples, Begun: ago(2)}, 80,
			"writing a.csv: [###############.] 99 %, 500 samples/s, 1 s left"},
		{"writing a.csv", progress.State{Done: 1000, Total: 1000, Unit: progress.Samples, Begun: ago(2)}, 80,
			"writing a.csv: 3.0 s, Ctrl-C stops it"},
		{"comparing", progress.State{Done: 1, Total: 1000, Begun: ago(2)}, 80,
			"comparing: [................]  0 %, 34 min left"},
		{long, progress.State{}, 60, "opening fol…folder/folder/end.arrow: 3.0 s, Ctrl-C stops it"},
	} {
		if got := busyText(c.what, c.state, ago(3), now, c.width); got != c.want {
			t.Errorf("%+v in %d cells: %q, want %q", c.state, c.width, got, c.want)
		}
	}
}
