// Command build writes the licences of every module from which a package is linked into one of the programs on one of
// the systems that they are built for, of Go's own library, and of the works that the file NOTICE says the programs have
// data of. It runs in the folder of the programs' module: build FILE PROGRAM... A file whose name ends in .gz is
// compressed.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are those that .ci/run builds programs for.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "windows/amd64"}

// ours is our module, and modules below it are ours too.
const ours = "astrolabe"

// licenceFile is the name of a file with a licence or a notice.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|copyright|patents|ofl)[^/]*$`)

func main() {
	err := errors.New("want FILE and PROGRAM, or more of these")
	if len(os.Args) > 2 {
		err = build(os.Args[1], os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func build(file string, programs []string) error {
	text, err := collect(programs)
	if err != nil {
		return err
	}
	if strings.HasSuffix(file, ".gz") {
		var out bytes.Buffer
		w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
		if err != nil {
			return err
		}
		w.Write(text) // to memory
		w.Close()
		text = out.Bytes()
	}
	return os.WriteFile(file, text, 0o666)
}

// linked is a package as go list describes it.
type linked struct {
	Dir      string
	Standard bool
	Module   *struct{ Path, Version, Dir string }
}

// collect is the text of all notices. It runs in the module's own folder, or below.
func collect(programs []string) ([]byte, error) {
	owners := map[string][]string{} // by the text of a licence: who stands under it
	add := func(owner, dir, name string) error {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		key := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
		if key != "" && !slices.Contains(owners[key], owner) {
			owners[key] = append(owners[key], owner)
		}
		return nil
	}
	seen := map[string]bool{}
	found := map[string]bool{} // modules with a licence
	for _, system := range systems {
		packages, err := list(system, programs)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Standard || p.Module == nil || p.Module.Path == ours || strings.HasPrefix(p.Module.Path, ours+"/") {
				continue
			}
			owner := p.Module.Path + " " + p.Module.Version
			found[owner] = found[owner] || false
			// A part of a module may stand under a licence of its own, whose file lies beside it.
			for dir := p.Dir; len(dir) >= len(p.Module.Dir); dir = filepath.Dir(dir) {
				at := owner
				if rel, err := filepath.Rel(p.Module.Dir, dir); err == nil && rel != "." {
					at = p.Module.Path + "/" + filepath.ToSlash(rel) + " " + p.Module.Version
				}
				if seen[dir] {
					continue
				}
				seen[dir] = true
				names, err := licencesIn(dir)
				if err != nil {
					return nil, err
				}
				for _, name := range names {
					if err := add(at, dir, name); err != nil {
						return nil, err
					}
					found[owner] = true
				}
			}
		}
	}
	for owner, ok := range found {
		if !ok {
			return nil, fmt.Errorf("%s is linked and has no file with a licence", owner)
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	goroot := strings.TrimSpace(string(root))
	names, err := licencesIn(goroot)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := add("Go, its library and runtime", goroot, name); err != nil {
			return nil, err
		}
	}
	moduleRoot, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", ours).Output()
	if err != nil {
		return nil, err
	}
	works, err := readNotice(filepath.Join(strings.TrimSpace(string(moduleRoot)), "NOTICE"))
	if err != nil {
		return nil, err
	}
	return write(owners, works), nil
}

// list describes the packages that are linked into the programs on a system.
func list(system string, programs []string) ([]linked, error) {
	goos, arch, _ := strings.Cut(system, "/")
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,Standard,Module"}, programs...)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w\n%s", system, err, said.Bytes())
	}
	var packages []linked
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linked
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

func licencesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && licenceFile.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// write lays the licences out, each once below all that stand under it, in the order of their first owner, then those
// of data.
func write(owners map[string][]string, works []work) []byte {
	var texts []string
	for text := range owners {
		slices.Sort(owners[text])
		texts = append(texts, text)
	}
	slices.SortFunc(texts, func(a, b string) int {
		return strings.Compare(owners[a][0]+"\x00"+a, owners[b][0]+"\x00"+b)
	})
	var b bytes.Buffer
	b.WriteString("Astrolabe contains works of others, which stand under the licences below.\n\n")
	for _, text := range texts {
		b.WriteString(rule + strings.Join(owners[text], "\n") + "\n" + rule + "\n" + text + "\n\n")
	}
	for _, w := range works {
		if len(w.programs) > 0 {
			b.WriteString(rule + "Data of " + w.name + ",\nin " + strings.Join(w.programs, ", ") + "\n" + rule + "\n" +
				w.text + "\n\n")
		}
	}
	return append(bytes.TrimSpace(b.Bytes()), '\n')
}
