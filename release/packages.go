package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/apk"
	"github.com/goreleaser/nfpm/v2/deb"
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

const summary = "scripting workbench for hardware performance counters"

const description = "Records counters of processors and GPUs, or reads them from files, knows what\n" +
	"each counter means and how its vendor combines them, and answers questions\n" +
	"about them in Starlark: on the command line, in a session, or as a report\n" +
	"that names the bottleneck."

// kind is one of the distributions' forms of a package.
type kind struct {
	name string
	with nfpm.Packager
	mark func(name string) string // what a file is in the package's own words
}

var kinds = []kind{{"deb", deb.Default, plain}, {"rpm", rpm.DefaultRPM, marked}, {"apk", apk.Default, plain}}

// packagesOf writes a package of the program for each kind of distribution.
func (r *release) packagesOf(p product) error {
	for i, make := range []func(product) (*nfpm.Info, []file){r.debian, r.redhat, r.alpine} {
		info, files := make(p)
		if err := r.pack(kinds[i], info, files); err != nil {
			return err
		}
	}
	return nil
}

// recorderPackages writes a package of the programs that are brought to other machines. It is the same on every
// processor: none of them runs where it is installed.
func (r *release) recorderPackages() error {
	for i, make := range []func(part) (*nfpm.Info, []file){r.debianPart, r.redhatPart, r.alpinePart} {
		p := part{name: "astrolabe-record", arch: "all", summary: "programs that astrolabe brings to other machines",
			description: "What astrolabe's commands that take --ssh and --adb copy to a board, a\n" +
				"phone or a server to record there: one program for each processor of Linux."}
		for _, f := range sorted(slices.Clone(r.recorders)) {
			p.files = append(p.files, file{"usr/lib/astrolabe/" + f.name, f.data, f.mode})
		}
		info, files := make(p)
		if err := r.pack(kinds[i], info, files); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) pack(k kind, info *nfpm.Info, files []file) error {
	stage := filepath.Join(r.work, k.name+"-"+info.Name+"-"+info.Arch)
	var err error
	if info.Contents, err = stageFiles(stage, files, r.when, k.mark); err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	info.DisableGlobbing = true // names are names
	info = nfpm.WithDefaults(info)
	var out bytes.Buffer
	if err := k.with.Package(info, &out); err != nil {
		return fmt.Errorf("%s: %w", k.name, err)
	}
	if err := r.write(k.with.ConventionalFileName(info), out.Bytes()); err != nil {
		return err
	}
	return os.RemoveAll(stage)
}

func plain(string) string { return nfpmfiles.TypeFile }

// marked tells rpm which files are documentation and licences, which its users may leave out.
func marked(name string) string {
	switch {
	case strings.HasPrefix(name, "usr/share/licenses/"):
		return nfpmfiles.TypeRPMLicense
	case strings.HasPrefix(name, "usr/share/doc/"), strings.HasPrefix(name, "usr/share/man/"):
		return nfpmfiles.TypeRPMDoc
	}
	return nfpmfiles.TypeFile
}

// stageFiles puts files where nfpm reads them.
func stageFiles(dir string, files []file, when time.Time, kind func(name string) string) (nfpmfiles.Contents, error) {
	var out nfpmfiles.Contents
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, f.data, 0o666); err != nil {
			return nil, err
		}
		out = append(out, &nfpmfiles.Content{Source: path, Destination: "/" + f.name, Type: kind(f.name),
			FileInfo: &nfpmfiles.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: when}})
	}
	return out, nil
}

// part is what a package holds beside its documentation.
type part struct {
	name, arch           string
	summary, description string
	files                []file
}

// program is the part that has the program, with its completions in the places of a system.
func (r *release) program(p product, at places) part {
	return part{name: "astrolabe", arch: p.packages, summary: summary, description: description, files: r.installed(p, at)}
}

func (r *release) info(p part) *nfpm.Info {
	return &nfpm.Info{Name: p.name, Arch: p.arch, Platform: "linux", Version: r.version.String(), Maintainer: r.maintainer,
		Description: p.summary + "\n" + p.description, Homepage: r.url, License: "Apache-2.0", MTime: r.when}
}

func (r *release) debian(p product) (*nfpm.Info, []file) {
	info, files := r.debianPart(r.program(p, places{bash: "usr/share/bash-completion/completions", zsh: "usr/share/zsh/vendor-completions",
		fish: "usr/share/fish/vendor_completions.d"}))
	info.Suggests = []string{"astrolabe-record"}
	return info, files
}

func (r *release) debianPart(p part) (*nfpm.Info, []file) {
	info := r.info(p)
	info.Section, info.Priority = "devel", "optional"
	// Debian's policy asks for the field Installed-Size and more of this kind, which nfpm writes, and for the files here.
	docs := "usr/share/doc/" + p.name + "/"
	changes := fmt.Sprintf("%s (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n", p.name, r.debianVersion(),
		r.maintainer, r.when.Format(time.RFC1123Z))
	files := append(p.files, file{docs + "changelog.Debian.gz", gzipped([]byte(changes)), 0o644},
		file{"usr/share/lintian/overrides/" + p.name, mustRead("files/" + p.name + ".lintian-overrides"), 0o644})
	for _, d := range r.common.docs {
		switch d.name {
		case "LICENSE": // Debian has it in a place of its own, which the file copyright names
		case "CHANGELOG.md":
			files = append(files, file{docs + "changelog.gz", gzipped(d.data), 0o644})
		default:
			files = append(files, file{docs + d.name, d.data, d.mode})
		}
	}
	return info, append(files, file{docs + "copyright", mustRead("files/debian-copyright"), 0o644})
}

// debianVersion is the version as nfpm writes it into a deb.
func (r *release) debianVersion() string {
	out := fmt.Sprintf("%d.%d.%d", r.version.Major(), r.version.Minor(), r.version.Patch())
	if p := r.version.Prerelease(); p != "" {
		out += "~" + p
	}
	if m := r.version.Metadata(); m != "" {
		out += "+" + m
	}
	return out
}

func (r *release) redhat(p product) (*nfpm.Info, []file) {
	info, files := r.redhatPart(r.program(p, siteFunctions))
	info.Suggests = []string{"astrolabe-record"}
	return info, files
}

func (r *release) redhatPart(p part) (*nfpm.Info, []file) {
	info := r.info(p)
	info.RPM.Summary = strings.ToUpper(p.summary[:1]) + p.summary[1:]
	info.RPM.Group = "Development/Tools"
	info.RPM.BuildHost = "localhost" // a host's name is not to be in it
	files := p.files
	for _, d := range r.common.docs {
		at := "usr/share/doc/" + p.name + "/"
		if strings.HasPrefix(d.name, "LICEN") {
			at = "usr/share/licenses/" + p.name + "/"
		}
		files = append(files, file{at + d.name, d.data, d.mode})
	}
	return info, files
}

func (r *release) alpine(p product) (*nfpm.Info, []file) {
	return r.alpinePart(r.program(p, siteFunctions))
}

func (r *release) alpinePart(p part) (*nfpm.Info, []file) {
	info := r.info(p)
	info.VersionSchema, info.Version, info.Release = "none", alpine(r.version), "0"
	info.Description = p.summary
	files := p.files
	for _, d := range r.common.docs {
		files = append(files, file{"usr/share/doc/" + p.name + "/" + d.name, d.data, d.mode})
	}
	return info, files
}

// siteFunctions are the places of Fedora, openSUSE and Alpine.
var siteFunctions = places{bash: "usr/share/bash-completion/completions", zsh: "usr/share/zsh/site-functions",
	fish: "usr/share/fish/vendor_completions.d"}

func mustRead(name string) []byte {
	data, err := texts.ReadFile(name)
	if err != nil {
		panic(err) // it is part of this program
	}
	return data
}
