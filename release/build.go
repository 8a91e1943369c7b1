package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// release is one run: what was asked for, and what is made of it one after another.
type release struct {
	request
	stamp
	work string // a folder for what is no part of the release
	talk io.Writer

	common    common
	recorders []file   // by processor, as the main program looks for them
	made      []string // files in out
}

// product is what was built for a target.
type product struct {
	target
	files    []file // the program
	recorder file   // the one that only records; of Linux only
}

// make builds the programs for each target and everything of them.
func (r *release) make() error {
	fmt.Fprintf(r.talk, "astrolabe %s of %s\n", r.version, r.when.Format("2006-01-02 15:04:05"))
	// A program that runs here writes the pages and completions.
	host := target{os: runtime.GOOS, arch: runtime.GOARCH}
	for _, t := range targets {
		if t.String() == host.String() {
			host = t
		}
	}
	main, err := r.build(host, "astrolabe")
	if err != nil {
		return err
	}
	if r.common, err = r.collect(main); err != nil {
		return err
	}
	var archives []made
	var images []image
	for _, t := range r.targets {
		fmt.Fprintf(r.talk, "%s\n", t)
		p, err := r.product(t)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := r.bills(p); err != nil {
			return fmt.Errorf("%s: bill of materials: %w", t, err)
		}
		if t.recorder {
			continue
		}
		a, err := r.archive(p)
		if err != nil {
			return fmt.Errorf("%s: archive: %w", t, err)
		}
		archives = append(archives, a)
		if p.packages != "" {
			if err := r.packagesOf(p); err != nil {
				return fmt.Errorf("%s: %w", t, err)
			}
			im, err := r.image(p)
			if err != nil {
				return fmt.Errorf("%s: image: %w", t, err)
			}
			images = append(images, im)
		}
		if t.String() == "linux/arm64" {
			if err := r.android(p); err != nil {
				return fmt.Errorf("android: %w", err)
			}
		}
	}
	if len(r.recorders) > 0 {
		if err := r.packRecorders(); err != nil {
			return fmt.Errorf("astrolabe-record: %w", err)
		}
		if err := r.recorderPackages(); err != nil {
			return fmt.Errorf("astrolabe-record: %w", err)
		}
	}
	if len(images) > 0 {
		if err := r.layout(images); err != nil {
			return fmt.Errorf("image: %w", err)
		}
	}
	if err := r.shops(archives); err != nil {
		return err
	}
	return r.sums()
}

// product builds the program for a target, and the one that records there for users of another machine.
func (r *release) product(t target) (product, error) {
	p := product{target: t}
	if t.os == "linux" {
		data, err := r.built(t, "astrolabe/cmd/astrolabe-record")
		if err != nil {
			return p, err
		}
		p.recorder = file{name: "astrolabe-record-" + t.arch, data: data, mode: 0o755}
		r.recorders = append(r.recorders, p.recorder)
	}
	if t.recorder {
		return p, nil
	}
	data, err := r.built(t, "astrolabe")
	p.files = []file{{name: t.name("astrolabe"), data: data, mode: 0o755}}
	return p, err
}

func (r *release) built(t target, program string) ([]byte, error) {
	path, err := r.build(t, program)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// build makes one program and returns its path. Neither folders nor git get into it: sources without git give the same bytes.
func (r *release) build(t target, program string) (string, error) {
	out := filepath.Join(r.work, t.os+"-"+t.arch, t.name(path.Base(program)))
	if _, err := os.Stat(out); err == nil {
		return out, nil // that of this machine was built before
	}
	_, err := r.goTool(append(t.variant, "GOOS="+t.os, "GOARCH="+t.arch), "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -X astrolabe/internal/version.released="+r.version.String(), "-o", out, program)
	return out, err
}

// goTool runs the go tool in the sources and returns what it printed.
func (r *release) goTool(env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = r.source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off")
	cmd.Env = append(cmd.Env, env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return string(out), nil
}
