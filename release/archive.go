package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// made is a file of the release.
type made struct {
	target
	name, folder, sha256 string // folder is the one within an archive
}

// archive writes the archive of a target: everything below one folder.
func (r *release) archive(p product) (made, error) {
	folder := fmt.Sprintf("astrolabe-%s-%s-%s", r.version, p.os, p.arch)
	m := made{target: p.target, folder: folder, name: folder + ".tar.gz"}
	pack := packTar
	if p.os == "windows" {
		m.name, pack = folder+".zip", packZip
	}
	data, err := pack(below(folder, r.portable(p)), r.when)
	if err != nil {
		return m, err
	}
	m.sha256 = hexSum(data)
	return m, r.write(m.name, data)
}

// android writes the archive for phones: the program, the script that pushes it, and how to.
func (r *release) android(p product) error {
	folder := fmt.Sprintf("astrolabe-%s-android-%s", r.version, p.arch)
	files := slices.Concat(p.files, r.common.docs, []file{p.recorder})
	script, err := os.ReadFile(filepath.Join(r.source, "scripts", "examples", "android-record.sh"))
	if err != nil {
		return err
	}
	readme, err := texts.ReadFile("files/android.md")
	if err != nil {
		return err
	}
	files = append(files, file{"android-record.sh", script, 0o755}, file{"README.md", readme, 0o644})
	data, err := packZip(below(folder, sorted(files)), r.when)
	if err != nil {
		return err
	}
	return r.write(folder+".zip", data)
}

// packRecorders writes what is brought to other machines, for every processor one program, in one archive.
func (r *release) packRecorders() error {
	folder := fmt.Sprintf("astrolabe-record-%s-linux", r.version)
	data, err := packTar(below(folder, sorted(slices.Concat(r.recorders, r.common.docs))), r.when)
	if err != nil {
		return err
	}
	return r.write(folder+".tar.gz", data)
}

func below(folder string, files []file) []file {
	out := make([]file, len(files))
	for i, f := range files {
		out[i] = file{folder + "/" + f.name, f.data, f.mode}
	}
	return out
}

// folders are those that hold files, each before what is in it.
func folders(files []file) []string {
	var out []string
	for _, f := range files {
		for d := path.Dir(f.name); d != "." && d != "/"; d = path.Dir(d) {
			out = append(out, d)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// packTar is a compressed tar of root's files, all of one time.
func packTar(files []file, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := writeTar(z, files, when); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeTar(to io.Writer, files []file, when time.Time) error {
	w := tar.NewWriter(to)
	for _, d := range folders(files) {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: d + "/", Mode: 0o755, ModTime: when, Format: tar.FormatPAX}); err != nil {
			return err
		}
	}
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: when,
			Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

func packZip(files []file, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when.UTC()}
		h.SetMode(f.mode.Perm())
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// write puts a file into the release.
func (r *release) write(name string, data []byte) error {
	r.made = append(r.made, name)
	fmt.Fprintf(r.talk, "  %s (%.1f MB)\n", name, float64(len(data))/1e6)
	return os.WriteFile(filepath.Join(r.out, name), data, 0o666)
}

// sums writes the checksums of all files, as sha256sum reads them.
func (r *release) sums() error {
	slices.Sort(r.made)
	var out strings.Builder
	for _, name := range r.made {
		data, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s  %s\n", hexSum(data), name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(out.String()), 0o666)
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
