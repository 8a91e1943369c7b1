package lsp

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"astrolabe/capture/formats"
)

// Bounds of what is read of a capture to learn what it is of.
const (
	headBytes = 1 << 20 // of a file
	headFiles = 64      // of a folder
)

// gpuOf is the catalogue of what a capture says that it is of. Its files are read as if they ended after their first
// MiB, so that large ones take no longer than small ones.
func gpuOf(ctx context.Context, registry *formats.Registry, path string) string {
	in, err := formats.Inspect(path)
	if err != nil {
		return ""
	}
	if _, err := registry.Sniff(path); err != nil {
		return ""
	}
	if in.IsDir || in.Size > headBytes {
		dir, err := os.MkdirTemp("", "astrolabe-heads-")
		if err != nil {
			return ""
		}
		defer os.RemoveAll(dir)
		if path, err = copyHeads(in, dir); err != nil {
			return ""
		}
	}
	c, err := registry.Open(ctx, path, formats.Options{Beside: func(string) error { return errOnlyThis }})
	if err != nil {
		return ""
	}
	return c.GPU
}

// errOnlyThis keeps formats from reading what lies beside a capture.
var errOnlyThis = &os.PathError{Op: "read", Path: "what lies beside a capture", Err: os.ErrPermission}

// copyHeads puts the beginning of a capture into a folder, and returns where.
func copyHeads(in *formats.Input, dir string) (string, error) {
	to := filepath.Join(dir, filepath.Base(in.Path))
	if !in.IsDir {
		return to, copyHead(in.Path, to)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return "", err
	}
	for _, name := range in.Files[:min(len(in.Files), headFiles)] {
		if st, err := os.Stat(in.File(name)); err != nil || !st.Mode().IsRegular() {
			continue
		}
		if err := copyHead(in.File(name), filepath.Join(to, name)); err != nil {
			return "", err
		}
	}
	return to, nil
}

// copyHead copies the beginning of a file; of a text whole lines.
func copyHead(from, to string) error {
	f, err := formats.OpenRegular(from)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, headBytes))
	if err != nil {
		return err
	}
	if end := bytes.LastIndexByte(head, '\n'); len(head) == headBytes && end > 0 && bytes.IndexByte(head, 0) < 0 {
		head = head[:end+1]
	}
	return os.WriteFile(to, head, 0o600)
}
