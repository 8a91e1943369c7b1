package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/apk"
	"github.com/goreleaser/nfpm/v2/deb"
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

const summary = "scripting workbench for hardware performance counters"

const description = summary + "\n" +
	"Records counters of processors and GPUs, or reads them from files, knows what\n" +
	"each counter means and how its vendor combines them, and answers questions\n" +
	"about them in Starlark: on the command line, in a session, or as a report\n" +
	"that names the bottleneck."

// packagesOf writes a package for each kind of distribution.
func (r *release) packagesOf(p product) error {
	for _, kind := range []struct {
		name string
		make func(product) (*nfpm.Info, []file)
		with nfpm.Packager
		mark func(name string) string // what a file is in the package's own words
	}{{"deb", r.debian, deb.Default, plain}, {"rpm", r.redhat, rpm.DefaultRPM, marked}, {"apk", r.alpine, apk.Default, plain}} {
		info, files := kind.make(p)
		var err error
		stage := filepath.Join(r.work, kind.name+"-"+p.arch)
		if info.Contents, err = stageFiles(stage, files, r.when, kind.mark); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
		info.DisableGlobbing = true // names are names
		info = nfpm.WithDefaults(info)
		var out bytes.Buffer
		if err := kind.with.Package(info, &out); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
		if err := r.write(kind.with.ConventionalFileName(info), out.Bytes()); err != nil {
			return err
		}
		if err := os.RemoveAll(stage); err != nil {
			return err
		}
	}
	return nil
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

func (r *release) info(p product) *nfpm.Info {
	return &nfpm.Info{Name: "astrolabe", Arch: p.packages, Platform: "linux", Version: r.version.String(), Maintainer: r.maintainer,
		Description: description, Homepage: r.url, License: "Apache-2.0", MTime: r.when}
}

func (r *release) debian(p product) (*nfpm.Info, []file) {
	info := r.info(p)
	info.Section, info.Priority = "devel", "optional"
	// Debian's policy asks for the field Installed-Size and more of this kind, which nfpm writes, and for the files here.
	files := r.installed(p, places{bash: "usr/share/bash-completion/completions", zsh: "usr/share/zsh/vendor-completions",
		fish: "usr/share/fish/vendor_completions.d"})
	docs := "usr/share/doc/astrolabe/"
	changes := fmt.Sprintf("astrolabe (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n", r.debianVersion(),
		r.maintainer, r.when.Format(time.RFC1123Z))
	files = append(files, file{docs + "changelog.Debian.gz", gzipped([]byte(changes)), 0o644},
		file{"usr/share/lintian/overrides/astrolabe", mustRead("files/lintian-overrides"), 0o644})
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
	info := r.info(p)
	info.RPM.Summary = strings.ToUpper(summary[:1]) + summary[1:]
	info.RPM.Group = "Development/Tools"
	info.RPM.BuildHost = "localhost" // a host's name is not to be in it
	files := r.installed(p, siteFunctions)
	for _, d := range r.common.docs {
		at := "usr/share/doc/astrolabe/"
		if strings.HasPrefix(d.name, "LICEN") {
			at = "usr/share/licenses/astrolabe/"
		}
		files = append(files, file{at + d.name, d.data, d.mode})
	}
	return info, files
}

func (r *release) alpine(p product) (*nfpm.Info, []file) {
	info := r.info(p)
	info.VersionSchema, info.Version, info.Release = "none", alpine(r.version), "0"
	info.Description = summary
	files := r.installed(p, siteFunctions)
	for _, d := range r.common.docs {
		files = append(files, file{"usr/share/doc/astrolabe/" + d.name, d.data, d.mode})
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
