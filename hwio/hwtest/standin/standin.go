// Package standin builds shared libraries that stand in for vendors' own in tests: rocprofiler-sdk with an imagined
// GPU, and GPUPerfAPI. They have the vendors' binary interfaces and none of their code, so that the real path from
// dlopen to the recording is tested where there is no such GPU.
package standin

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

//go:generate go run ./build

//go:embed c/rocprofiler.c c/rocprofiler_abi.h c/gpa.c
var sources embed.FS

// ErrNoCompiler says that there is nothing to build the libraries with.
var ErrNoCompiler = errors.New("the stand-in libraries need Linux and a C compiler (gcc or cc)")

// The sources of the libraries.
const (
	Rocprofiler = "rocprofiler.c"
	GPA         = "gpa.c"
)

// compilers are the names of C compilers, the first that is there is taken.
var compilers = []string{"gcc", "cc", "clang"}

// Build compiles one of the sources into the shared library at path. Defines are macros that choose another version of
// it.
func Build(path, source string, defines ...string) error {
	if runtime.GOOS != "linux" {
		return ErrNoCompiler
	}
	var compiler string
	for _, name := range compilers {
		if p, err := exec.LookPath(name); err == nil {
			compiler = p
			break
		}
	}
	if compiler == "" {
		return ErrNoCompiler
	}
	dir, err := os.MkdirTemp("", "standin")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := Sources(dir); err != nil {
		return err
	}
	args := []string{"-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-shared", "-fPIC",
		"-fvisibility=hidden", "-o", path}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	if out, err := exec.Command(compiler, append(args, filepath.Join(dir, source))...).CombinedOutput(); err != nil {
		return fmt.Errorf("compile the stand-in %s: %w\n%s", source, err, out)
	}
	return nil
}

// Sources writes the sources into a folder.
func Sources(dir string) error {
	files, err := sources.ReadDir("c")
	if err != nil {
		return err
	}
	for _, f := range files {
		b, err := sources.ReadFile("c/" + f.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
