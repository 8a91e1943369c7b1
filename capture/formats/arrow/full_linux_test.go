package arrow

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

// smallDisk mounts a file system of the given size in bytes, or skips the test.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("SKIPPED, this needs a mount, which this user may not make:", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error("unmount:", err)
		}
	})
	return dir
}

func TestSavingToARealFullDiskLeavesTheOlderFile(t *testing.T) {
	path := filepath.Join(smallDisk(t, "64k"), "c.arrow")
	if err := os.WriteFile(path, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	axis := capture.NewUniformAxis(100000, 1)
	c := mustNew(t, capture.Config{Axis: axis})
	err := formats.NewRegistry(Format{}).Save(background, path, "", c)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) ||
		!strings.Contains(err.Error(), "disk is full") {
		t.Errorf("error %v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "older" {
		t.Errorf("the older file now holds %d bytes", len(data))
	}
	noLitter(t, path)
}

func TestRecordingToARealFullDiskKeepsWhatWasWritten(t *testing.T) {
	path := filepath.Join(smallDisk(t, "128k"), "r.arrow")
	s := recordingSchema()
	w, err := Create(path, s)
	if err != nil {
		t.Fatal(err)
	}
	b := capture.NewBatch(&s, 100)
	n := 0
	for {
		fillBatch(b, n, 100)
		if err = w.Write(b); err != nil {
			break
		}
		n += 100
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	checkRecording(t, open(t, path), n)
	err = w.Close()
	// Whether the footer still fits depends on the page size.
	if err != nil && (!errors.Is(err, ErrNoFooter) || !errors.Is(err, syscall.ENOSPC) ||
		!strings.Contains(err.Error(), path)) {
		t.Errorf("closing: %v", err)
	}
	checkRecording(t, open(t, path), n)
	noLitter(t, path)
	if _, err := Create(path+"2", s); !errors.Is(err, syscall.ENOSPC) {
		// Whether a schema still fits depends on the page size.
		if err != nil {
			t.Errorf("another recording: %v", err)
		}
	}
}
