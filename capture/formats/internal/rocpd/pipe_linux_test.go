package rocpd

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"astrolabe/capture/formats"
)

func TestAPipeIsNoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkSchema(path); !errors.Is(err, formats.ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}
