package remote

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// machines are what kernels call processors, and what the program for them is called.
var machines = map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64",
	"armv8l": "arm", "armv7l": "arm", "armv7": "arm", "armv6l": "arm", "i386": "386", "i486": "386", "i586": "386",
	"i686": "386", "arm64-v8a": "arm64", "armeabi-v7a": "arm", "x86": "386"}

// elfMachines are those of programs.
var elfMachines = map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64", elf.EM_ARM: "arm", elf.EM_386: "386"}

// program is a file that records on a kind of device.
type program struct{ path, arch, sum string }

// findProgram looks for the program for a kind of device: the one that the user names, else one beside this program.
func findProgram(arch, named string) (*program, error) {
	if named != "" {
		return openProgram(named, arch)
	}
	name := "astrolabe-record-" + arch
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(own); err == nil {
		own = real
	}
	for _, dir := range []string{filepath.Dir(own), filepath.Join(filepath.Dir(own), "..", "lib", "astrolabe")} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return openProgram(path, arch)
		}
	}
	return nil, fmt.Errorf("the device is %s, and there is no %s beside %s: name one by --binary, or make it in a checkout of astrolabe, "+
		"by CGO_ENABLED=0 GOOS=linux GOARCH=%s go build -ldflags='-s -w' -o %s ./cmd/astrolabe-record", arch, name, own, arch, name)
}

// openProgram looks at a program, so that a wrong one is not brought to the device.
func openProgram(path, arch string) (*program, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x, err := elf.NewFile(f)
	if err != nil {
		return nil, fmt.Errorf("%s is no program for Linux: %w", path, err)
	}
	if is := elfMachines[x.Machine]; is != arch {
		return nil, fmt.Errorf("%s is a program for %v, and the device is %s", path, x.Machine, arch)
	}
	h := sha256.New()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return &program{path, arch, hex.EncodeToString(h.Sum(nil))}, nil
}

// place is where the program lies on a device.
type place struct{ folder, program string }

// kind asks a device what it is.
func kind(ctx context.Context, l Link) (string, error) {
	out, err := l.Run(ctx, "uname -s\nuname -m || getprop ro.product.cpu.abi")
	if err != nil {
		return "", err
	}
	words := strings.Fields(out)
	if len(words) == 0 || len(words) < 2 && words[0] == "Linux" {
		return "", fmt.Errorf("%s does not say what it is: uname says %q", l.Name(), out)
	}
	arch, known := machines[words[len(words)-1]]
	switch {
	case words[0] != "Linux" && !known:
		return "", fmt.Errorf("%s runs %q: recording needs Linux or Android", l.Name(), words[0])
	case words[0] == "Darwin" || strings.HasSuffix(words[0], "BSD"):
		return "", fmt.Errorf("%s runs %s: recording needs Linux or Android", l.Name(), words[0])
	case !known:
		return "", fmt.Errorf("%s is a %s: there is a program for arm64, arm, amd64 and 386 only", l.Name(), words[len(words)-1])
	}
	return arch, nil
}

// tryFolder is a script that finds out whether a folder takes files and runs programs. It prints the folder.
const tryFolder = `umask 077
[ -d BELOW ] || { echo "there is no BELOW"; exit 1; }
d=FOLDER
mkdir -p "$d/bin" "$d/runs" || exit 1
OWNED
t="$d/bin/try.$$"
echo 'exit 7' >"$t" && chmod 700 "$t" || exit 1
"$t"; s=$?
rm -f "$t"
[ $s = 7 ] || { echo "no program runs there (noexec, or SELinux)"; exit 1; }
echo "$d"`

// tryOwned refuses a folder that somebody else made before.
const tryOwned = `set -- $(ls -ldn "$d")
case "$1 $3" in drwx------*" $(id -u)") ;; *) echo "it is not ours alone"; exit 1;; esac`

// install finds a folder for the program and brings it there, unless it is there already.
func install(ctx context.Context, l Link, p *program, folders []Folder) (*place, error) {
	var refused []string
	for _, f := range folders {
		owned := ""
		if f.Shared {
			owned = tryOwned
		}
		out, err := l.Run(ctx, strings.NewReplacer("FOLDER", f.Words, "OWNED", owned, "BELOW", cmp.Or(f.Below, "/")).Replace(tryFolder))
		if err == nil {
			lines := strings.Split(out, "\n")
			at := &place{folder: lines[len(lines)-1]}
			if err = bring(ctx, l, p, at); err == nil {
				return at, nil
			}
		}
		if isBroken(err) || ctx.Err() != nil {
			return nil, err
		}
		refused = append(refused, "  "+f.Words+": "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil, fmt.Errorf("%s has no folder that takes the program and runs it; name one by --remote-dir:\n%s", l.Name(),
		strings.Join(refused, "\n"))
}

// bring copies the program under the name of its content. It is named so when it is all there.
func bring(ctx context.Context, l Link, p *program, at *place) error {
	at.program = at.folder + "/bin/astrolabe-record-" + p.sum[:16]
	if _, err := l.Run(ctx, "[ -x "+quote(at.program)+" ]"); err == nil || isBroken(err) {
		return err
	}
	part := at.folder + "/bin/new-" + rand.Text()[:8]
	err := l.Push(ctx, p.path, part)
	if err == nil {
		// Older versions are not needed any more; a recording that runs keeps its own.
		_, err = l.Run(ctx, "cd "+quote(at.folder+"/bin")+" && rm -f astrolabe-record-* && chmod 700 "+quote(part)+
			" && mv "+quote(part)+" "+quote(at.program))
	}
	if err != nil && !isBroken(err) {
		_, e := l.Run(ctx, "rm -f "+quote(part))
		err = errors.Join(err, e)
	}
	return err
}
