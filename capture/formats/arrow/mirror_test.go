package arrow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAMirrorIsTheRecordingByteForByte(t *testing.T) {
	data := recordedBytesOf(t, 5)
	path := filepath.Join(t.TempDir(), "here", "r.arrow")
	m := NewMirror(path)
	add := func(from, to int, whole bool) {
		t.Helper()
		if err := m.Append(data[from:to], int64(from), whole); err != nil {
			t.Fatal(err)
		}
	}
	add(0, 10, false)
	if _, err := os.Stat(path); err == nil {
		t.Error("there is a file without a schema")
	}
	add(10, 2*len(data)/3, true)
	if c := open(t, path); c.Len() == 0 {
		t.Error("what has come does not open")
	}
	if err := m.Append(data[:5], 3, true); err == nil || !strings.Contains(err.Error(), "from 3 on") {
		t.Errorf("bytes of another place: %v", err)
	}
	if err := m.Append([]byte("the beginning of a batch"), m.Size(), true); err != nil {
		t.Fatal(err)
	}
	if err := m.Cut(int64(2 * len(data) / 3)); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := ContinueMirror(path)
	if err != nil {
		t.Fatal(err)
	}
	add(int(m.Size()), len(data), true)
	want := sha256.Sum256(data)
	if m.SHA256() != hex.EncodeToString(want[:]) || m.Size() != int64(len(data)) {
		t.Errorf("%d bytes with the sum %s, want %d with %x", m.Size(), m.SHA256(), len(data), want)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%v, the file is another", err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%v, there are %v", err, left)
	}
}

func TestAMirrorOfNothingLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	m := NewMirror(filepath.Join(dir, "r.arrow"))
	if err := m.Append([]byte(magic), 0, false); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, there are %v", err, left)
	}
	if _, err := ContinueMirror(filepath.Join(dir, "r.arrow")); err == nil {
		t.Error("a file that is not there goes on")
	}
}
