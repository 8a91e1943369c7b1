package formats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"astrolabe/capture/memory"
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

// fill gives all processors work until the test ends.
func fill(t *testing.T) {
	var g memory.Group
	release := make(chan struct{})
	for range runtime.GOMAXPROCS(0) {
		g.Go(func() { <-release })
	}
	t.Cleanup(func() {
		close(release)
		g.Wait()
	})
}

func TestAHashThatIsNotWantedYetLeavesBusyProcessorsAlone(t *testing.T) {
	path, _ := large(t)
	fill(t)
	ctx, cancel := context.WithCancel(context.Background())
	m := &progress.Meter{}
	done := make(chan error)
	go func() {
		_, err := HashAhead(progress.With(ctx, m), path, make(chan struct{}))
		done <- err
	}()
	for m.State().Begun.IsZero() {
		runtime.Gosched()
	}
	cancel()
	if err, s := <-done, m.State(); err != context.Canceled || s.Done != 0 {
		t.Errorf("error %v after %d bytes", err, s.Done)
	}
}

func TestAHashThatIsWantedWaitsForNobody(t *testing.T) {
	path, want := large(t)
	fill(t)
	wanted := make(chan struct{})
	close(wanted)
	if got, err := HashAhead(context.Background(), path, wanted); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
