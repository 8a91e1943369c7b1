package remote

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// shellLink is a link to a shell of this machine: it stands in for devices with faults.
type shellLink struct {
	shell   []string
	path    string // PATH there
	folders []Folder
	pushed  int
}

func (l *shellLink) Name() string      { return "shell" }
func (l *shellLink) Folders() []Folder { return l.folders }
func (l *shellLink) Close()            {}

func (l *shellLink) command(ctx context.Context, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.shell[0], append(l.shell[1:], "-c", script)...)
	cmd.Env = append(os.Environ(), "PATH="+l.path)
	return cmd
}

func (l *shellLink) Run(ctx context.Context, script string) (string, error) {
	out, err := l.command(ctx, marked(script)).Output()
	if err != nil {
		return "", err
	}
	return outcome(string(out))
}

func (l *shellLink) Push(ctx context.Context, file, to string) error {
	l.pushed++
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := l.command(ctx, "exec 2>&1; cat >"+quote(to))
	cmd.Stdin = f
	if out, err := cmd.Output(); err != nil {
		return errors.New(strings.TrimSpace(string(out)))
	}
	return nil
}

func (l *shellLink) Open(context.Context, string) (Stream, error) { return nil, io.EOF }

// shells are those that are here, with the programs that go with them: busybox' and toybox' own, as boards and Android
// have them.
func shells(t *testing.T) map[string]*shellLink {
	t.Helper()
	own := os.Getenv("PATH")
	out := map[string]*shellLink{}
	box := func(program string) string {
		dir := t.TempDir()
		for _, name := range []string{"uname", "mkdir", "ls", "cat", "chmod", "mv", "rm", "id"} {
			if err := os.Symlink(program, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	if sh, err := exec.LookPath("sh"); err == nil {
		out["sh"] = &shellLink{shell: []string{sh}, path: own}
	}
	if b, err := exec.LookPath("busybox"); err == nil {
		out["busybox"] = &shellLink{shell: []string{b, "sh"}, path: box(b)}
	}
	if mksh, err := exec.LookPath("mksh"); err == nil { // Android's shell
		out["mksh"] = &shellLink{shell: []string{mksh}, path: own}
		if toybox, err := exec.LookPath("toybox"); err == nil {
			out["mksh and toybox"] = &shellLink{shell: []string{mksh}, path: box(toybox)}
		}
	}
	return out
}

// anyProgram is a file that stands for the program.
func anyProgram(t *testing.T) *program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(path, make([]byte, 300_000), 0o600); err != nil {
		t.Fatal(err)
	}
	return &program{path: path, arch: "amd64", sum: strings.Repeat("0123456789abcdef", 4)}
}

func TestTheProgramIsPutWhereItRuns(t *testing.T) {
	for name, l := range shells(t) {
		t.Run(name, func(t *testing.T) {
			if arch, err := kind(t.Context(), l); err != nil || arch == "" {
				t.Fatalf("%q, %v", arch, err)
			}
			good := filepath.Join(t.TempDir(), "it's good $HOME")
			l.folders = []Folder{{Words: "/proc/self/none"}, {Words: "/dev/null/x"}, {Words: "/x", Below: "/no/such"},
				{Words: quote(good)}}
			for range 2 {
				at, err := install(t.Context(), l, anyProgram(t), l.folders)
				if err != nil {
					t.Fatal(err)
				}
				if at.folder != good || at.program != good+"/bin/astrolabe-record-0123456789abcdef" {
					t.Errorf("it is at %+v", at)
				}
				if st, err := os.Stat(at.program); err != nil || st.Size() != 300_000 || st.Mode().Perm() != 0o700 {
					t.Errorf("%v, %v", st, err)
				}
			}
			if l.pushed != 1 {
				t.Errorf("it was copied %d times", l.pushed)
			}
			if st, err := os.Stat(good); err != nil || st.Mode().Perm() != 0o700 {
				t.Errorf("others see the folder: %v, %v", st, err)
			}
			if left, err := os.ReadDir(good + "/bin"); err != nil || len(left) != 1 {
				t.Errorf("%v, there are %v", err, left)
			}
		})
	}
}

func TestFoldersThatAreRefusedSayWhy(t *testing.T) {
	dir := t.TempDir()
	mount := func(name string, flags uintptr, options string) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("tmpfs", path, "tmpfs", flags, options); err != nil {
			t.Skip("SKIPPED, this needs a mount, which this user may not make:", err)
		}
		t.Cleanup(func() {
			if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
				t.Error("unmount:", err)
			}
		})
		return path
	}
	noexec, small := mount("noexec", unix.MS_NOEXEC, ""), mount("small", 0, "size=100k")
	open := filepath.Join(dir, "open")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	for name, l := range shells(t) {
		l.folders = []Folder{{Words: noexec}, {Words: small}, {Words: open, Shared: true}}
		_, err := install(t.Context(), l, anyProgram(t), l.folders)
		if err == nil {
			t.Errorf("%s: a folder was taken", name)
			continue
		}
		for _, want := range []string{"--remote-dir", noexec + ": ", "no program runs there (noexec, or SELinux)", small + ": ", "o space left",
			open + ": it is not ours alone"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nwant %q", name, err, want)
			}
		}
		if left, err := os.ReadDir(small + "/bin"); err != nil || len(left) != 0 {
			t.Errorf("%s: %v, half a program is left: %v", name, err, left)
		}
	}
}

func TestDevicesThatCannotRecord(t *testing.T) {
	for said, want := range map[string]string{
		"echo Linux; echo riscv64":  "is a riscv64: there is a program for arm64",
		"echo Darwin; echo arm64":   "runs Darwin: recording needs Linux or Android",
		"echo FreeBSD; echo amd64":  "runs FreeBSD",
		"echo MINGW64_NT; echo x64": "recording needs Linux or Android",
		"echo":                      "does not say what it is",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "uname"), []byte("#!/bin/sh\n[ $1 = -m ] || "+"{ "+said+"; }\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := kind(t.Context(), &shellLink{shell: []string{"/bin/sh"}, path: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", said, err, want)
		}
	}
}
