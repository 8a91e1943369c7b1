package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// file is what archives, packages and images have.
type file struct {
	name string // with slashes
	data []byte
	mode fs.FileMode
}

// texts are what only packages have.
//
//go:embed files
var texts embed.FS

// common are the files that do not depend on the target.
type common struct {
	pages       []file            // manual pages, section 1
	completions map[string][]byte // by shell
	docs        []file            // licences, changes, what packages are
	permissions []file            // options that are not switched on
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

// collect has the program write its pages, completions and licences.
func (r *release) collect(program string) (common, error) {
	c := common{completions: map[string][]byte{}}
	man := filepath.Join(r.work, "man")
	if _, err := r.ask(program, "man", man); err != nil {
		return c, err
	}
	pages, err := os.ReadDir(man)
	if err != nil {
		return c, err
	}
	for _, p := range pages {
		data, err := os.ReadFile(filepath.Join(man, p.Name()))
		if err != nil {
			return c, err
		}
		c.pages = append(c.pages, file{p.Name(), data, 0o644})
	}
	for _, s := range shells {
		if c.completions[s], err = r.ask(program, "completion", s); err != nil {
			return c, err
		}
	}
	licences, err := r.ask(program, "version", "--licences")
	if err != nil {
		return c, err
	}
	c.docs = []file{{"LICENCES-OF-OTHERS.txt", licences, 0o644}}
	for name, from := range map[string]string{"LICENSE": "LICENSE", "CHANGELOG.md": "CHANGELOG.md", "packages.md": "docs/packages.md"} {
		data, err := os.ReadFile(filepath.Join(r.source, from))
		if err != nil {
			return c, err
		}
		c.docs = append(c.docs, file{name, data, 0o644})
	}
	slices.SortFunc(c.docs, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for _, name := range []string{"60-astrolabe.rules", "60-astrolabe.conf"} {
		data, err := texts.ReadFile("files/" + name)
		if err != nil {
			return c, err
		}
		c.permissions = append(c.permissions, file{name, data, 0o644})
	}
	return c, nil
}

// ask runs the program, for which it is the time of the release.
func (r *release) ask(program string, args ...string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.when.Unix()))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("astrolabe %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return out, nil
}

// places are the folders of a system's completions.
type places struct{ bash, zsh, fish string }

// installed are the files of a package, by their places below the root.
func (r *release) installed(p product, at places) []file {
	var out []file
	for _, f := range p.files {
		out = append(out, file{"usr/bin/" + f.name, f.data, f.mode})
	}
	for _, f := range r.common.pages {
		out = append(out, file{"usr/share/man/man1/" + f.name + ".gz", gzipped(f.data), f.mode})
	}
	out = append(out, file{at.bash + "/astrolabe", r.common.completions["bash"], 0o644},
		file{at.zsh + "/_astrolabe", r.common.completions["zsh"], 0o644},
		file{at.fish + "/astrolabe.fish", r.common.completions["fish"], 0o644})
	for _, f := range r.common.permissions {
		out = append(out, file{"usr/share/doc/astrolabe/examples/" + f.name, f.data, f.mode})
	}
	return out
}

// portable are the files of an archive that is unpacked anywhere.
func (r *release) portable(p product) []file {
	out := slices.Concat(p.files, r.common.docs)
	if p.os == "windows" {
		out = append(out, file{"completions/astrolabe.ps1", r.common.completions["powershell"], 0o644})
		return sorted(out)
	}
	for _, f := range r.common.pages {
		out = append(out, file{"man/man1/" + f.name, f.data, f.mode})
	}
	for _, s := range []struct{ shell, name string }{{"bash", "astrolabe.bash"}, {"zsh", "_astrolabe"}, {"fish", "astrolabe.fish"}} {
		out = append(out, file{"completions/" + s.name, r.common.completions[s.shell], 0o644})
	}
	if p.os == "linux" {
		for _, f := range r.common.permissions {
			out = append(out, file{path.Join("examples", f.name), f.data, f.mode})
		}
	}
	return sorted(out)
}

func sorted(files []file) []file {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files
}

// gzipped is data without a name and a time, so that the same data always gives the same bytes.
func gzipped(data []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is one
	}
	w.Write(data) // to memory
	w.Close()
	return out.Bytes()
}
