package formats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"astrolabe/capture/progress"
)

// large is a file that is hashed where it is mapped, and its hash by the library.
func large(t *testing.T) (path, sum string) {
	t.Helper()
	data := make([]byte, 5*hashPiece+77)
	for i := range data {
		data[i] = byte(i * i >> 7)
	}
	path = filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	want := sha256.Sum256(data)
	return path, hex.EncodeToString(want[:])
}

func TestALargeFileHasTheHashOfItsBytes(t *testing.T) {
	path, want := large(t)
	m := &progress.Meter{}
	got, err := HashFile(progress.With(context.Background(), m), path)
	if err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	if s := m.State(); s.Done != s.Total || s.Done != 5*hashPiece+77 {
		t.Errorf("told of %d of %d bytes", s.Done, s.Total)
	}
}

func TestHashingALargeFileIsCancelled(t *testing.T) {
	path, _ := large(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := &progress.Meter{}
	if _, err := HashFile(progress.With(ctx, m), path); err != context.Canceled || m.State().Done != 0 {
		t.Errorf("error %v after %d bytes", err, m.State().Done)
	}
}
