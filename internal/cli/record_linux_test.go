package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
	"astrolabe/internal/recording"
)

// A recording needs no room beside its own, and one that breaks off because the disk is full is told of once.
func TestARecordingThatFillsTheDiskIsCompleteUpToThere(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=128k"); err != nil {
		t.Skip("SKIPPED, this needs a mount, which this user may not make:", err)
	}
	defer func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error("unmount:", err)
		}
	}()
	talk, err := os.Create(filepath.Join(t.TempDir(), "talk"))
	if err != nil {
		t.Fatal(err)
	}
	defer talk.Close()
	a := &app{ctx: t.Context(), out: &output{}, talk: newTalk(talk)}
	for i, rows := range []int{3000, 1 << 20} {
		schema := capture.Schema{Columns: []capture.ColumnSpec{{Meta: capture.Meta{Name: "n"}, Integer: true}}}
		path := filepath.Join(dir, fmt.Sprint(i, ".arrow"))
		sink, err := recording.CreateFile(path, a.warn)(&schema)
		if err != nil {
			t.Fatal(err)
		}
		b := capture.NewBatch(&schema, 1000)
		var failed error
		wrote := 0
		for ; wrote < rows && failed == nil; wrote += 1000 {
			b.Reset()
			for k := range 1000 {
				b.Start, b.End = append(b.Start, int64(wrote+k)), append(b.End, int64(wrote+k+1))
				b.AppendInt(0, 1)
			}
			failed = sink.Write(b)
		}
		if err := sink.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		said, err := os.ReadFile(talk.Name())
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case i == 0 && (failed != nil || len(said) > 0):
			t.Errorf("%d samples: %v, and it says %q", rows, failed, said)
		case i == 1 && (failed == nil || strings.Contains(string(said), "complete")):
			t.Errorf("a recording that broke off (%v) is called complete: %q", failed, said)
		}
		c, err := all.Registry().Open(t.Context(), path, formats.Options{})
		if err != nil || c.Len() < 3000 || failed == nil && c.Len() != wrote {
			t.Errorf("%d samples were written: %v", wrote, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}
