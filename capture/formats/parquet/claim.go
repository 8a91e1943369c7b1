package parquet

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"astrolabe/capture/formats"
)

// digestDigits of a file's hash tell it from another of the same name.
const digestDigits = 12

// claim writes name.parquet in dir without replacing other data: where a file of that name has another content, the new
// one is called NAME-HASH.parquet after its content. Writing the same again changes nothing. Two programs may do so at
// the same time.
func claim(dir, name string, write func(w io.Writer) error) (path string, err error) {
	path = filepath.Join(dir, name+".parquet")
	tmp, err := formats.CreateBeside(path)
	if err != nil {
		return path, formats.WriteError(path, err)
	}
	defer os.Remove(tmp.Name())
	sum := sha256.New()
	buf := bufio.NewWriterSize(io.MultiWriter(tmp, sum), 1<<16)
	if err := errors.Join(write(buf), buf.Flush(), tmp.Sync(), tmp.Close()); err != nil {
		return path, formats.WriteError(path, err)
	}
	digest := fmt.Sprintf("%x", sum.Sum(nil))
	for _, try := range []string{path, filepath.Join(dir, name+"-"+digest[:digestDigits]+".parquet")} {
		err := place(tmp.Name(), try)
		if err == nil {
			return try, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return try, formats.WriteError(try, err)
		}
		if there, err := digestOf(try); err == nil && there == digest {
			return try, nil
		}
	}
	return path, fmt.Errorf("write %s: it and the name with %s hold other data: move one of them away", path,
		digest[:digestDigits])
}

func digestOf(path string) (string, error) {
	f, err := formats.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// place gives the file tmp the name path if nothing has it. Not every file system has links; there the name is taken
// first and the file moved over it.
func place(tmp, path string) error {
	err := os.Link(tmp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
