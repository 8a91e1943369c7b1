package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
)

var someTime = time.Unix(1795472182, 0).UTC()

// made up is a release of a program that is none, for everything but building.
func madeUp(t *testing.T, version string) *release {
	t.Helper()
	v, err := semver.StrictNewVersion(version)
	if err != nil {
		t.Fatal(err)
	}
	doc := func(name, text string) file { return file{name, []byte(text), 0o644} }
	return &release{request: request{source: "..", out: t.TempDir(), url: "https://example.org/astrolabe", targets: targets},
		stamp: stamp{version: v, when: someTime, maintainer: "A Maintainer <maintainer@example.org>"},
		work:  t.TempDir(), talk: io.Discard,
		common: common{pages: []file{doc("astrolabe.1", ".TH ASTROLABE 1\n")},
			completions: map[string][]byte{"bash": []byte("b"), "zsh": []byte("z"), "fish": []byte("f"), "powershell": []byte("p")},
			docs: []file{doc("CHANGELOG.md", "# Changelog\n"), doc("LICENCES-OF-OTHERS.txt", notices), doc("LICENSE", "Apache\n"),
				doc("packages.md", "# Packages\n")},
			permissions: []file{doc("60-astrolabe.rules", "# rules\n")}}}
}

func (r *release) pretend(t target) product {
	return product{target: t, files: []file{{t.name("astrolabe"), []byte("a program for " + t.String()), 0o755}}}
}

var notices = "Astrolabe contains works of others.\n\n" +
	rule + "\nGo, its library and runtime\ngolang.org/x/sys v0.49.0\n" + rule +
	"\n\nRedistribution and use in source\nand binary forms ... may be used to endorse or promote products\n\n" +
	rule + "\nexample.org/two v1.2.0\n" + rule + "\n\nRedistribution and use in source and binary forms\n\n" +
	rule + "\nexample.org/two/part v1.2.0\nexample.org/twofold v1.0.0\n" + rule +
	"\n\nPermission is hereby granted, free of charge, to any\nperson obtaining a copy\n\n" +
	rule + "\nData of A work (https://example.org/work),\nin a.csv\n" + rule + "\n\nApache License\n Version 2.0\n"

func TestEverythingButTheProgramsIsMadeTwiceAlike(t *testing.T) {
	var first map[string]string
	for range 2 {
		r := madeUp(t, "1.2.0")
		var archives []made
		var images []image
		for _, at := range targets {
			p := r.pretend(at)
			if at.os == "linux" {
				p.recorder = file{"astrolabe-record-" + at.arch, []byte("records"), 0o755}
				r.recorders = append(r.recorders, p.recorder)
			}
			if at.recorder {
				continue
			}
			if at.arch == "arm64" && at.os == "linux" {
				if err := r.android(p); err != nil {
					t.Fatal(err)
				}
			}
			a, err := r.archive(p)
			if err != nil {
				t.Fatal(err)
			}
			archives = append(archives, a)
			if p.packages == "" {
				continue
			}
			if err := r.packagesOf(p); err != nil {
				t.Fatal(err)
			}
			im, err := r.image(p)
			if err != nil {
				t.Fatal(err)
			}
			images = append(images, im)
		}
		if err := r.layout(images); err != nil {
			t.Fatal(err)
		}
		if err := r.packRecorders(); err != nil {
			t.Fatal(err)
		}
		if err := r.recorderPackages(); err != nil {
			t.Fatal(err)
		}
		if err := r.shops(archives); err != nil {
			t.Fatal(err)
		}
		if err := r.sums(); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		entries, err := os.ReadDir(r.out)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = string(data)
		}
		if first == nil {
			first = files
			for _, want := range []string{"astrolabe-1.2.0-linux-arm64.tar.gz", "astrolabe-1.2.0-windows-amd64.zip", "astrolabe_1.2.0_amd64.deb",
				"astrolabe-1.2.0-1.aarch64.rpm", "astrolabe_1.2.0-r0_x86_64.apk", "astrolabe-1.2.0-oci.tar", "astrolabe-record-1.2.0-linux.tar.gz",
				"astrolabe-record_1.2.0_all.deb", "astrolabe-record-1.2.0-1.noarch.rpm", "astrolabe-record_1.2.0-r0_noarch.apk",
				"astrolabe-1.2.0-android-arm64.zip", "astrolabe.rb", "astrolabe.json", "SHA256SUMS"} {
				if files[want] == "" {
					t.Errorf("no %s is made", want)
				}
			}
			continue
		}
		if len(files) != len(first) {
			t.Errorf("%d files, then %d", len(first), len(files))
		}
		for name, data := range files {
			if data != first[name] {
				t.Errorf("%s differs", name)
			}
		}
	}
}

func TestArchivesHaveTheProgramAndItsPages(t *testing.T) {
	r := madeUp(t, "1.2.0")
	m, err := r.archive(r.pretend(targets[0]))
	if err != nil {
		t.Fatal(err)
	}
	text := output(t, "tar", "-tzvf", filepath.Join(r.out, m.name))
	for _, want := range []string{"-rwxr-xr-x 0/0", m.folder + "/astrolabe\n", m.folder + "/man/man1/astrolabe.1\n",
		m.folder + "/completions/_astrolabe\n", m.folder + "/LICENCES-OF-OTHERS.txt\n", m.folder + "/examples/60-astrolabe.rules\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	m, err = r.archive(r.pretend(targets[len(targets)-1]))
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(r.out, m.name))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		names = append(names, strings.TrimPrefix(f.Name, m.folder+"/"))
		if !f.Modified.Equal(someTime) {
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
	}
	if want := []string{"CHANGELOG.md", "LICENCES-OF-OTHERS.txt", "LICENSE", "astrolabe.exe", "completions/astrolabe.ps1",
		"packages.md"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

func TestVersionsSortAsTheyShould(t *testing.T) {
	for _, c := range []struct{ version, deb, apk string }{
		{"1.2.0", "1.2.0", "1.2.0"},
		{"1.2.0-rc.1", "1.2.0~rc.1", "1.2.0_rc1"},
		{"0.1.0-dev.20261123231622.g1f15a3e00c7d", "0.1.0~dev.20261123231622.g1f15a3e00c7d", "0.1.0_pre20261123231622"},
		{"0.1.0-dev.20261123231622.g1f15a3e00c7d+changes", "0.1.0~dev.20261123231622.g1f15a3e00c7d+changes", "0.1.0_pre20261123231622"},
	} {
		r := madeUp(t, c.version)
		if got := r.debianVersion(); got != c.deb {
			t.Errorf("%s is %s in a deb, want %s", c.version, got, c.deb)
		}
		if got := alpine(r.version); got != c.apk {
			t.Errorf("%s is %s in an apk, want %s", c.version, got, c.apk)
		}
		if err := r.packagesOf(r.pretend(targets[0])); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath("dpkg-deb"); err != nil {
			continue // the names above are judged all the same
		}
		debs, _ := filepath.Glob(filepath.Join(r.out, "*.deb"))
		if len(debs) != 1 {
			t.Fatalf("%q", debs)
		}
		if got := strings.TrimSpace(output(t, "dpkg-deb", "-f", debs[0], "Version")); got != c.deb {
			t.Errorf("dpkg-deb reads %s, want %s", got, c.deb)
		}
	}
}

// A repository of its own, since this one's tags are not the test's.
func TestTheVersionIsThatOfTheCommit(t *testing.T) {
	dir := t.TempDir()
	must := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org", "GIT_COMMITTER_DATE=1795472182 +0900", "GIT_AUTHOR_DATE=1795472182 +0900")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "internal", "version"), 0o777); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "internal", "version", "version.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "internal", "version", "version.go"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	must("git", "init", "-q")
	must("git", "add", ".")
	must("git", "commit", "-qm", "one")
	version := func() string {
		t.Helper()
		s, err := stampOf(request{source: dir})
		if err != nil {
			t.Fatal(err)
		}
		if !s.when.Equal(someTime) || s.maintainer != "A <a@example.org>" {
			t.Errorf("%v", s)
		}
		return s.version.String()
	}
	if got := version(); !strings.HasPrefix(got, "0.1.0-dev."+someTime.Format("20060102150405")+".g") {
		t.Errorf("without a tag: %s", got)
	}
	must("git", "tag", "v1.2.0-rc.1")
	if got := version(); got != "1.2.0-rc.1" {
		t.Errorf("at a candidate's tag: %s", got)
	}
	must("git", "commit", "-q", "--allow-empty", "-m", "two")
	if got := version(); !strings.HasPrefix(got, "1.2.0-dev.") {
		t.Errorf("behind a candidate's tag: %s", got)
	}
	must("git", "tag", "v1.2.0")
	if got := version(); got != "1.2.0" {
		t.Errorf("at a tag: %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := version(); !strings.HasPrefix(got, "1.2.1-dev.") || !strings.HasSuffix(got, "+changes") {
		t.Errorf("with a change behind a tag: %s", got)
	}
	if _, err := stampOf(request{source: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("without git: %v", err)
	}
	if _, err := stampOf(request{source: dir, wanted: "1.2"}); err == nil || !strings.Contains(err.Error(), `"1.2"`) {
		t.Errorf("half a version: %v", err)
	}
}

func TestLicencesAreNamedBySPDX(t *testing.T) {
	all := readNotices(notices)
	if len(all) != 4 || !all[3].data || all[3].owners[0] != "A work (https://example.org/work)" {
		t.Fatalf("%+v", all)
	}
	for module, want := range map[string][]string{"golang.org/x/sys": {"BSD-3-Clause"}, "Go, its library and runtime": {"BSD-3-Clause"},
		"example.org/two": {"BSD-2-Clause", "MIT"}, "example.org/twofold": {"MIT"}, "example.org/none": nil} {
		if got := licencesOf(all, module); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", module, got, want)
		}
	}
	if got := all[3].ids(); !slices.Equal(got, []string{"Apache-2.0"}) {
		t.Errorf("data: %q", got)
	}
}

// Every module that is linked has a licence with a name, by what the program prints.
func TestEveryNoticeOfTheProgramIsRead(t *testing.T) {
	packed, err := os.Open(filepath.Join("..", "internal", "notices", "notices.txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	all := readNotices(string(text))
	seen := 0
	for _, n := range all {
		for _, o := range n.owners {
			name, _, _ := strings.Cut(o, " v")
			if seen++; !n.data && len(licencesOf(all, name)) == 0 {
				t.Errorf("%s stands under no licence that has a name", o)
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d owners", seen)
	}
}

func TestBillsAreOfThisProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	r := madeUp(t, "1.2.0")
	if err := r.bills(product{target: targets[0], files: []file{{"release", data, 0o755}}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.out, "release-1.2.0-linux-amd64.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pkg:golang/github.com/goreleaser/nfpm/v2@v", "pkg:golang/std@1.", hexSum(data), "2026-11-23T"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in the bill", want)
		}
	}
}

func TestTheLayoutNamesWhatItHas(t *testing.T) {
	r := madeUp(t, "1.2.0+changes")
	im, err := r.image(r.pretend(targets[0]))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.layout([]image{im}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(r.out, "astrolabe-1.2.0+changes-oci.tar"))
	if err != nil {
		t.Fatal(err)
	}
	blobs := map[string]string{}
	for tr := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := tr.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		blobs[h.Name] = string(text)
	}
	if !strings.Contains(blobs["index.json"], `"org.opencontainers.image.ref.name":"localhost/astrolabe:1.2.0_changes"`) {
		t.Errorf("%s", blobs["index.json"])
	}
	seen := 0
	var follow func(text string)
	follow = func(text string) {
		var doc struct {
			Manifests, Layers []struct{ Digest string }
			Config            json.RawMessage
		}
		if json.Unmarshal([]byte(text), &doc) != nil {
			return // a layer
		}
		named := append(doc.Manifests, doc.Layers...)
		var config struct{ Digest string }
		if json.Unmarshal(doc.Config, &config) == nil && config.Digest != "" {
			named = append(named, config)
		}
		for _, n := range named {
			blob, ok := blobs["blobs/"+strings.Replace(n.Digest, ":", "/", 1)]
			if !ok || "sha256:"+hexSum([]byte(blob)) != n.Digest {
				t.Fatalf("no blob is %s", n.Digest)
			}
			seen++
			follow(blob)
		}
	}
	follow(blobs["index.json"])
	if seen != 4 {
		t.Errorf("%d blobs, want an index, a manifest, a layer and a configuration", seen)
	}
}

func TestBadRequestsAreRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--source", "..", "--targets", "linux/mips", "out"}, `"linux/mips"; there are linux/amd64`},
		{[]string{"--source", "..", "--url", "example.org", "out"}, "--url example.org is no address"},
		{[]string{"--source", t.TempDir(), "out"}, "no sources of astrolabe"},
		{[]string{"--source", "..", "."}, "is not empty"},
		{nil, "help requested"},
	} {
		if err := run(c.args, io.Discard); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.args, err, c.says)
		}
	}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}
