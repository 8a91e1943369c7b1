package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistoryKeepsEntriesWholeAndOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	h, err := loadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []string{"x = 1\n", "for i in x:\n  y\n", `s = "a\nb\\"`, "x = 1", "x = 1"} {
		if err := h.add(e); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"for i in x:\n  y", `s = "a\nb\\"`, "x = 1"}
	if diff := cmp.Diff(want, h.entries); diff != "" {
		t.Errorf("in the session (-want +got):\n%s", diff)
	}
	again, err := loadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.entries); diff != "" {
		t.Errorf("from the file (-want +got):\n%s", diff)
	}
}

func TestHistoryFileIsShortenedToTheNewestEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var text strings.Builder
	for i := range 2*historyLimit + 1 {
		fmt.Fprintf(&text, "x = %d\n", i)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := loadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.entries) != historyLimit || h.entries[0] != fmt.Sprintf("x = %d", historyLimit+1) {
		t.Errorf("%d entries, first %q", len(h.entries), h.entries[0])
	}
	data, _ := os.ReadFile(path)
	if n := strings.Count(string(data), "\n"); n != historyLimit {
		t.Errorf("the file has %d lines, want %d", n, historyLimit)
	}
}

// Each entry that was entered again read the file once more and kept all entries twice, so that a long session became
// ever slower and Up showed the same again and again.
func TestReadingTheHistoryAgainDoublesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	h := &history{path: path}
	other := &history{path: path}
	for _, add := range []struct {
		to    *history
		entry string
	}{{h, "a"}, {h, "b"}, {other, "c"}, {h, "a"}} {
		if err := add.to.add(add.entry); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		got, err := h.reload()
		if err != nil || !slices.Equal(got, []string{"c", "b", "a"}) {
			t.Errorf("%q, %v; want c, b, a", got, err)
		}
	}
}

func TestUnwritableHistoryIsReportedOnceAndNotFatal(t *testing.T) {
	dir := t.TempDir()
	blocker := filepath.Join(dir, "file")
	if err := os.WriteFile(blocker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := &history{path: filepath.Join(blocker, "history")}
	if err := h.add("x"); err == nil {
		t.Error("no error")
	}
	if err := h.add("y"); err != nil || len(h.entries) != 2 {
		t.Errorf("second entry: %v, %q", err, h.entries)
	}
}

func TestHistoryFileIsSharedByManySessions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var text strings.Builder
	for i := range 2*historyLimit - 50 { // so that sessions replace the file while others append
		fmt.Fprintf(&text, "old = %d\n", i)
	}
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(text.String(), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	const sessions, entries = 8, 40
	var wg sync.WaitGroup
	for k := range sessions {
		wg.Go(func() {
			for i := range entries {
				h := &history{path: path}
				if i%10 == 9 {
					loaded, err := loadHistory(path)
					if err != nil {
						t.Error(err)
					}
					h = loaded
				}
				if err := h.add(fmt.Sprintf("for s in [%d]:\n  print(%d, '%s')", k, i,
					strings.Repeat("x", 5000))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	h, err := loadHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	for k := range sessions {
		for i := range entries {
			if want := fmt.Sprintf("for s in [%d]:\n  print(%d, '%s')", k, i,
				strings.Repeat("x", 5000)); !slices.Contains(h.entries, want) {
				t.Fatalf("entry %d of session %d is lost or broken", i, k)
			}
		}
	}
	if !slices.Contains(h.entries, fmt.Sprintf("old = %d", 2*historyLimit-51)) {
		t.Error("the last line, which had no end, is lost")
	}
}

func FuzzHistoryEntry(f *testing.F) {
	f.Add("a\nb\\n\r")
	f.Fuzz(func(t *testing.T, s string) {
		if got := unescapeEntry(escapeEntry(s)); got != s {
			t.Fatalf("%q came back as %q", s, got)
		}
		unescapeEntry(s)
	})
}

// BenchmarkHistory measures what the first key of a session waits for where the history is full.
func BenchmarkHistory(b *testing.B) {
	path := filepath.Join(b.TempDir(), "history")
	var text strings.Builder
	for i := range historyLimit {
		fmt.Fprintf(&text, "x%d = capture.open(\"frame-%d.arrow\")[\"counter %d\"].total()\\nprint(1)\n", i, i, i)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		h, err := loadHistory(path)
		if err != nil || len(h.entries) != historyLimit {
			b.Fatalf("%d entries, %v", len(h.entries), err)
		}
		var c cells
		for _, e := range h.entries {
			c.toEdit(e)
		}
	}
}
