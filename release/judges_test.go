package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tests here hand the files of a release to programs that are not ours. .ci/extra packages makes the release, twice, in the
// folders one and two of ASTROLABE_PACKAGES.

func releaseOf(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("ASTROLABE_PACKAGES")
	if dir == "" {
		t.Skip("SKIPPED: no folder in ASTROLABE_PACKAGES has a release: .ci/extra packages makes one")
	}
	return dir
}

// one finds the file of the first release by its end.
func one(t *testing.T, end string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(releaseOf(t), "one", "*"+end))
	if err != nil || len(found) != 1 {
		t.Fatalf("files that end in %s: %q, %v", end, found, err)
	}
	return found[0]
}

func judge(t *testing.T, program, debian string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("SKIPPED: %s is not installed (Debian's %s)", program, debian)
	}
}

func judged(t *testing.T, program, what string) { t.Logf("JUDGE | %s | %s", program, what) }

// unpacked is the tar.gz of the release.
func unpacked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	output(t, "tar", "-xzf", one(t, "-linux-amd64.tar.gz"), "-C", dir, "--strip-components=1")
	return dir
}

func TestReleasesOfTwoFoldersAreAlike(t *testing.T) {
	dir := releaseOf(t)
	judge(t, "sha256sum", "coreutils")
	n := strings.Count(output(t, "sh", "-c", `cd "$1" && sha256sum --strict -c SHA256SUMS`, "sh", filepath.Join(dir, "one")), ": OK")
	// The second folder's files by the first one's sums.
	output(t, "sh", "-c", `cd "$1/two" && sha256sum --strict --quiet -c ../one/SHA256SUMS && cmp SHA256SUMS ../one/SHA256SUMS`, "sh", dir)
	if n < 6 {
		t.Errorf("only %d files", n)
	}
	judged(t, "sha256sum", "all files, and their twins from another folder without git")
}

// root is a clean Debian 13 that this test alone changes: what it writes goes into a layer above.
func root(t *testing.T) string {
	t.Helper()
	lower := os.Getenv("ASTROLABE_PACKAGES_ROOT")
	if lower == "" {
		t.Skip("SKIPPED: ASTROLABE_PACKAGES_ROOT names no clean Debian 13 (.ci/extra packages installs it)")
	}
	dir := t.TempDir()
	merged := filepath.Join(dir, "merged")
	for _, d := range []string{"upper", "work", "merged"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mount := func(args ...string) {
		if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: this needs a mount, which this user may not make: %v: %s", err, bytes.TrimSpace(out))
		}
		at := args[len(args)-1]
		t.Cleanup(func() {
			if out, err := exec.Command("umount", at).CombinedOutput(); err != nil {
				t.Errorf("umount %s: %v: %s", at, err, out)
			}
		})
	}
	mount("-t", "tmpfs", "tmpfs", filepath.Join(dir, "upper")) // a file system that may lie above another
	for _, d := range []string{"upper", "work"} {
		if err := os.MkdirAll(filepath.Join(dir, "upper", d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mount("-t", "overlay", "overlay", "-o", "lowerdir="+lower+",upperdir="+dir+"/upper/upper,workdir="+dir+"/upper/work", merged)
	mount("-t", "proc", "proc", filepath.Join(merged, "proc"))
	return merged
}

func TestAptInstallsAndPurgesTheDeb(t *testing.T) {
	deb := one(t, "_amd64.deb")
	in := root(t)
	for name, from := range map[string]string{"astrolabe.deb": deb, "recorders.deb": one(t, "_all.deb")} {
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(in, "tmp", name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	chroot := func(command string) string {
		t.Helper()
		return output(t, "chroot", in, "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "DEBIAN_FRONTEND=noninteractive",
			"LC_ALL=C", "sh", "-ec", command)
	}
	// Every file with its kind, mode and size. What apt and dpkg write of any package is left out: logs, caches, and the database but for its files of
	// packages, of which dpkg --get-selections tells.
	list := `find / -xdev \( -path /proc -o -path /tmp -o -path /root/home -o -path /var/log -o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg/status \
		-o -path '/var/lib/dpkg/*-old' -o -path '/var/lib/dpkg/lock*' -o -path /var/lib/dpkg/triggers -o -path /var/lib/dpkg/updates \) -prune \
		-o ! -type d -printf '%p %y %m %s %l\n' -o -printf '%p %y %m\n' | sort; dpkg --get-selections`
	before := chroot(list)
	chroot("apt-get -o APT::Sandbox::User=root install -y --no-install-recommends /tmp/astrolabe.deb /tmp/recorders.deb")
	said := chroot("dpkg -V astrolabe astrolabe-record; astrolabe version; /usr/lib/astrolabe/astrolabe-record-amd64 version; cd /tmp && HOME=/tmp/home astrolabe report --duration 1s -o report.png; " +
		"HOME=/tmp/home astrolabe report --duration 1s -o report.md && cat report.md; dpkg -S /usr/share/man/man1/astrolabe-record.1.gz")
	installed := chroot("dpkg-query -W -f '${Version}' astrolabe")
	version := strings.Replace(installed, "~", "-", 1)
	if !strings.Contains(said, "astrolabe "+version+" linux/amd64") || !strings.Contains(said, "astrolabe-record "+version+"\n") {
		t.Errorf("the package is %s, the program says\n%s", installed, said)
	}
	picture, err := os.ReadFile(filepath.Join(in, "tmp", "report.png"))
	if err != nil || !bytes.HasPrefix(picture, []byte("\x89PNG\r\n\x1a\n")) {
		t.Errorf("no report: %v\n%s", err, said)
	}
	judged(t, "apt (Debian 13)", "installs both debs, which record and report")
	during := chroot(list)
	if n := strings.Count(during, "/usr/share/man/man1/astrolabe"); n < 30 {
		t.Errorf("%d manual pages are installed", n)
	}
	chroot("apt-get purge -y astrolabe astrolabe-record")
	if after := chroot(list); after != before {
		t.Errorf("before and behind differ:\n%s", difference(before, after))
	}
	judged(t, "find (Debian 13)", "no file is left by apt purge")
}

// difference are the lines that only one of two texts has.
func difference(before, after string) string {
	var out strings.Builder
	has := func(text string) map[string]bool {
		m := map[string]bool{}
		for line := range strings.Lines(text) {
			m[line] = true
		}
		return m
	}
	old, now := has(before), has(after)
	for line := range strings.Lines(before) {
		if !now[line] {
			out.WriteString("- " + line)
		}
	}
	for line := range strings.Lines(after) {
		if !old[line] {
			out.WriteString("+ " + line)
		}
	}
	return out.String()
}

func TestLintianFindsNothing(t *testing.T) {
	debs := []string{one(t, "_amd64.deb"), one(t, "_all.deb")}
	judge(t, "lintian", "lintian")
	said := output(t, "lintian", append([]string{"--allow-root", "--tag-display-limit", "0", "--fail-on", "error,warning"}, debs...)...)
	if strings.Contains(said, "E: ") || strings.Contains(said, "W: ") {
		t.Errorf("%s", said)
	}
	judged(t, "lintian", "the debs: no error and no warning beside what they override")
}

func TestRPMReadsTheRPM(t *testing.T) {
	for end, wants := range map[string][]string{
		".x86_64.rpm": {"astrolabe Apache-2.0 localhost", "/usr/bin/astrolabe\n", "/usr/share/man/man1/astrolabe-record.1.gz\n"},
		".noarch.rpm": {"astrolabe-record Apache-2.0 localhost", "/usr/lib/astrolabe/astrolabe-record-amd64\n"},
	} {
		file := one(t, end)
		judge(t, "rpm", "rpm")
		said := output(t, "rpm", "-K", file) + output(t, "rpm", "-qp", "--qf", "%{NAME} %{LICENSE} %{BUILDHOST} %{BUILDTIME}\n", file) +
			output(t, "rpm", "-qlp", file) + output(t, "rpm", "-qdp", file)
		for _, want := range append(wants, "digests OK") {
			if !strings.Contains(said, want) {
				t.Errorf("no %q in\n%s", want, said)
			}
		}
		if strings.TrimSpace(output(t, "rpm", "-qp", "--scripts", file)) != "" {
			t.Errorf("%s runs scripts", file)
		}
	}
	judged(t, "rpm", "digests, fields, files and documentation of the rpms")
}

func TestRPM2CpioUnpacksTheProgram(t *testing.T) {
	file := one(t, ".x86_64.rpm")
	judge(t, "rpm2cpio", "rpm2cpio")
	judge(t, "cpio", "cpio")
	dir := t.TempDir()
	// Names in the archive begin with a slash.
	output(t, "sh", "-c", `cd "$1" && rpm2cpio "$2" | cpio -idm --quiet --no-absolute-filenames`, "sh", dir, file)
	same(t, filepath.Join(dir, "usr/bin/astrolabe"), filepath.Join(unpacked(t), "astrolabe"))
	judged(t, "rpm2cpio, cpio", "the rpm has the program of the tar.gz")
}

// No package of Debian has Alpine's apk. Its format is tars in gzip members, one with the facts and one with the files.
func TestTheAPKIsTwoTars(t *testing.T) {
	file := one(t, "_x86_64.apk")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rest := bytes.NewReader(data)
	z, err := gzip.NewReader(rest)
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false)
	if _, err := io.Copy(io.Discard, z); err != nil {
		t.Fatal(err)
	}
	second := data[len(data)-rest.Len():]
	facts := output(t, "tar", "-xzOf", file, ".PKGINFO")
	for _, want := range []string{"pkgname = astrolabe\n", "arch = x86_64\n", "license = Apache-2.0\n", "datahash = " + hexSum(second) + "\n"} {
		if !strings.Contains(facts, want) {
			t.Errorf("no %q in\n%s", want, facts)
		}
	}
	dir := t.TempDir()
	output(t, "tar", "-xzf", file, "-C", dir, "--warning=no-unknown-keyword")
	same(t, filepath.Join(dir, "usr/bin/astrolabe"), filepath.Join(unpacked(t), "astrolabe"))
	judged(t, "tar", "the apk's facts, the sum in them of its files, the program")
}

func TestSkopeoAndUmociReadTheImage(t *testing.T) {
	file := one(t, "-oci.tar")
	judge(t, "skopeo", "skopeo")
	dir := t.TempDir()
	output(t, "tar", "-xf", file, "-C", dir)
	said := output(t, "skopeo", "inspect", "oci-archive:"+file)
	for _, want := range []string{`"Architecture": "amd64"`, `"org.opencontainers.image.title": "astrolabe"`} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in\n%s", want, said)
		}
	}
	judged(t, "skopeo", "the image of this processor, its labels and layers")
	judge(t, "umoci", "umoci")
	// umoci looks for one image of a name and knows no choice by processor: skopeo copies that of this one.
	alone := filepath.Join(t.TempDir(), "alone")
	output(t, "skopeo", "copy", "--insecure-policy", "-q", "oci:"+dir, "oci:"+alone+":one")
	bundle := filepath.Join(t.TempDir(), "bundle")
	output(t, "umoci", "unpack", "--rootless", "--image", alone+":one", bundle)
	same(t, filepath.Join(bundle, "rootfs/usr/bin/astrolabe"), filepath.Join(unpacked(t), "astrolabe"))
	judged(t, "umoci", "unpacks the program of the tar.gz")
}

// podman loads the image under the name that docs/packages.md says, and runs it where this machine lets it.
func TestPodmanRunsTheImage(t *testing.T) {
	file := one(t, "-oci.tar")
	judge(t, "podman", "podman")
	dir, runtime := t.TempDir(), "crun"
	if _, err := exec.LookPath("runc"); err == nil {
		runtime = "runc" // which starts containers in the mixed groups of some machines too
	}
	podman := func(args ...string) ([]byte, error) {
		return exec.Command("podman", append([]string{"--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"),
			"--runtime", runtime, "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs", "--events-backend", "none"}, args...)...).CombinedOutput()
	}
	t.Cleanup(func() { podman("rmi", "--all", "--force") })
	if out, err := podman("info"); err != nil {
		t.Skipf("SKIPPED: podman cannot work here: %v: %s", err, out)
	}
	said, err := podman("load", "-i", file)
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	version := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), "-oci.tar"), "astrolabe-")
	name := "localhost/astrolabe:" + strings.ReplaceAll(version, "+", "_")
	if out, err := podman("image", "exists", name); err != nil {
		t.Fatalf("no image %s: %v: %s%s", name, err, said, out)
	}
	judged(t, "podman", "loads the image under its name")
	out, err := podman("run", "--rm", "--network", "none", "--security-opt", "seccomp=unconfined",
		"--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", name, "version")
	if err != nil {
		t.Skipf("SKIPPED: podman starts no container here: %v: %s", err, out)
	}
	if !strings.Contains(string(out), "astrolabe "+version+" linux/amd64") {
		t.Errorf("%s", out)
	}
	judged(t, "podman", "runs the image")
}

func TestFormattersReadTheManualPages(t *testing.T) {
	dir := unpacked(t)
	judge(t, "mandoc", "mandoc")
	pages, err := filepath.Glob(filepath.Join(dir, "man/man1/*.1"))
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	if said := output(t, "mandoc", append([]string{"-T", "lint", "-W", "warning"}, pages...)...); said != "" {
		t.Errorf("%s", said)
	}
	judged(t, "mandoc", "no warning in any manual page")
	judge(t, "groff", "groff-base")
	for _, p := range pages {
		if said := output(t, "groff", "-man", "-ww", "-Tutf8", "-z", p); said != "" {
			t.Errorf("%s", said)
		}
	}
	judged(t, "groff", "no warning in any manual page")
}

func TestShellsReadTheirCompletions(t *testing.T) {
	dir := unpacked(t)
	for _, c := range []struct{ shell, file, ask string }{
		{"bash", "astrolabe.bash", `source "$1"; complete -p astrolabe`},
		{"zsh", "_astrolabe", `autoload -Uz compinit && compinit -u -d "$1.dump"; source "$1"; print -r -- $_comps[astrolabe]`},
		{"fish", "astrolabe.fish", `source $argv[1]; complete -C "astrolabe vers"`},
	} {
		t.Run(c.shell, func(t *testing.T) {
			judge(t, c.shell, c.shell)
			args := []string{"--norc", "-c", c.ask, "bash"}
			switch c.shell {
			case "zsh":
				args = []string{"-f", "-c", c.ask, "zsh"}
			case "fish":
				args = []string{"--no-config", "-c", c.ask}
			}
			cmd := exec.Command(c.shell, append(args, filepath.Join(dir, "completions", c.file))...)
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), map[string]string{"bash": "__start_astrolabe", "zsh": "_astrolabe", "fish": "version"}[c.shell]) {
				t.Errorf("%v: %s", err, out)
			}
			judged(t, c.shell, "its completion is registered")
		})
	}
}

func TestAValidatorReadsTheBill(t *testing.T) {
	recorder := one(t, "astrolabe-record-*-linux-amd64.cdx.json")
	file := strings.Replace(recorder, "astrolabe-record-", "astrolabe-", 1)
	python := os.Getenv("ASTROLABE_PACKAGES_PYTHON")
	if python == "" {
		t.Skip("SKIPPED: ASTROLABE_PACKAGES_PYTHON names no Python with cyclonedx-python-lib (.ci/extra packages installs it)")
	}
	said := output(t, python, "-c", `import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for name in sys.argv[1:]:
    print(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(name).read()))`, file, recorder)
	if strings.TrimSpace(said) != "None\nNone" {
		t.Errorf("%s", said)
	}
	judged(t, "cyclonedx-python-lib", "the bills of materials, by the schema of CycloneDX 1.6")
	// The same modules as the program tells.
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(output(t, "go", "version", "-m", filepath.Join(unpacked(t), "astrolabe"))) {
		if f := strings.Fields(line); len(f) > 2 && f[0] == "dep" {
			n++
			if !strings.Contains(string(text), `"pkg:golang/`+f[1]+"@"+strings.ReplaceAll(f[2], "+", "%2B")+`"`) {
				t.Errorf("%s %s is not in the bill", f[1], f[2])
			}
		}
	}
	if n < 30 {
		t.Errorf("go version -m tells of %d modules", n)
	}
	judged(t, "go version -m", "the bill names every module of the program")
}

// Homebrew's own library runs on its own Ruby only, so Ruby reads the formula and a stand-in takes what it says.
func TestRubyReadsTheFormula(t *testing.T) {
	r := madeUp(t, "1.2.0")
	var archives []made
	for _, at := range targets {
		if at.recorder {
			continue
		}
		m, err := r.archive(r.pretend(at))
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, m)
	}
	if err := r.shops(archives); err != nil {
		t.Fatal(err)
	}
	judge(t, "ruby", "ruby")
	file := filepath.Join(r.out, "astrolabe.rb")
	output(t, "ruby", "-wc", file)
	said := output(t, "ruby", "-e", `class Formula
  def self.method_missing(name, *args, &block)
    puts "#{name} #{args.join(" ")}"
    block.call if block
  end
  def self.test; end
end
require ARGV[0]`, file)
	for _, a := range archives {
		if a.os != "windows" && !strings.Contains(said, "url https://example.org/astrolabe/"+a.name+"\nsha256 "+a.sha256+"\n") {
			t.Errorf("no %s in\n%s", a.name, said)
		}
	}
	judged(t, "ruby", "the formula: its language, addresses and sums")
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("%s is not %s", a, b)
	}
}
