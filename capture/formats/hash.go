package formats

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"astrolabe/capture/formats/internal/mapping"
	"astrolabe/capture/progress"
)

// HashFile returns the SHA-256 of a capture's content in hexadecimal: of the bytes of a file, or, for a folder, of the
// sorted relative names of all regular files below it, each with its length and the SHA-256 of its content. Symbolic
// links below a folder are followed to files and not to folders. A large file is read where it is mapped, others with a bounded buffer.
func HashFile(ctx context.Context, path string) (string, error) {
	return HashBeside(ctx, path, func() {})
}

// HashBeside is HashFile for work that others come before: it calls wait before each piece of a large file, which may
// take its time.
func HashBeside(ctx context.Context, path string, wait func()) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", pathError(path, err)
	}
	h := sha256.New()
	if !st.IsDir() {
		if !st.Mode().IsRegular() {
			return "", fmt.Errorf("%s: neither a file nor a folder", path)
		}
		progress.From(ctx).Begin(st.Size(), progress.Bytes)
		if err := hashInto(ctx, h, path, wait); err != nil {
			return "", err
		}
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	names, err := filesBelow(path)
	if err != nil {
		return "", err
	}
	progress.From(ctx).Begin(0, progress.Bytes)
	for _, name := range names {
		inner := sha256.New()
		if err := hashInto(ctx, inner, filepath.Join(path, filepath.FromSlash(name)), wait); err != nil {
			return "", err
		}
		// The length first, so that no name and content can be cut elsewhere and hash the same.
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(name)))
		h.Write(n[:])
		io.WriteString(h, name)
		h.Write(inner.Sum(nil))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// filesBelow lists the regular files of a folder and its folders, as sorted relative names with slashes.
func filesBelow(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return pathError(p, err)
		}
		if d.IsDir() {
			return nil
		}
		st, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a dangling link has no content
		}
		if err != nil {
			return pathError(p, err)
		}
		if st.Mode().IsRegular() {
			rel, err := filepath.Rel(dir, p)
			if err != nil {
				return err
			}
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	sort.Strings(names)
	return names, err
}

// hashPiece is how much of a mapped file is hashed at a time, in bytes, which takes a fifth of a millisecond.
const hashPiece = 1 << 18

// hashInto hashes the content of a file. A large one is hashed where a capture of it is mapped: copying it out of the
// page cache takes a quarter of the time of hashing it.
func hashInto(ctx context.Context, h hash.Hash, path string, wait func()) error {
	f, err := OpenRegular(path)
	if err != nil {
		return pathError(path, err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return pathError(path, err)
	}
	if mapping.Shown(st.Size()) {
		err := mapping.With(f, st.Size(), func(data []byte) error {
			for len(data) > 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
				wait()
				n := min(len(data), hashPiece)
				h.Write(data[:n])
				data = data[n:]
				progress.From(ctx).Add(int64(n))
			}
			return nil
		})
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
			err = pathError(path, err)
		}
		return err
	}
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{progress.Reader(ctx, f)},
		make([]byte, 1<<18)); err != nil {
		return pathError(path, err)
	}
	return nil
}
