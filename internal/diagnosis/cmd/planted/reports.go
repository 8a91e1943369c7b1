package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"astrolabe/capture/capturetest"
)

// sample is a report of the documentation: what is planted in which model, and the name of the capture.
type sample struct {
	name  string
	model string
	plant string
}

var samples = []sample{
	{"mali-g615", "mali-g615", "overdraw"},
	{"mali-g720", "mali-g720", "filtering"},
	{"intel-oa", "intel-kbl-gt2 RenderBasic", "filtering"},
	{"gfx1151", "gfx1151 passes", "dram_bandwidth"},
	{"gpa", "amd-gpa gfx8 gl", "anisotropy"},
	{"cpu", "cpu", "cache_misses"},
	{"amd-live", "amd-live", "heat"},
}

// writeReports generates the captures of the samples and lets the program report on them, as a user would. It is run in
// the root of the repository, whose program it builds. With real, a folder of AMD's profiler, it reports on that as
// well.
func writeReports(ctx context.Context, dir, real string, w io.Writer) (err error) {
	temp, err := os.MkdirTemp("", "astrolabe-reports-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	program := filepath.Join(temp, "astrolabe")
	if err := command(ctx, "", "go", "build", "-buildvcs=false", "-o", program, "."); err != nil {
		return err
	}
	for _, s := range samples {
		c := capturetest.Case{Plant: s.plant, Load: 0.4, Noise: 0.1, Seed: 1}
		if err := generate(ctx, s.model, c, filepath.Join(temp, s.name+".arrow"), io.Discard); err != nil {
			return err
		}
		if err := report(ctx, temp, s.name+".arrow", "report-"+s.name, dir, w); err != nil {
			return err
		}
	}
	if real == "" {
		return nil
	}
	name := filepath.Base(real)
	if err := os.CopyFS(filepath.Join(temp, name), os.DirFS(real)); err != nil {
		return err
	}
	return report(ctx, temp, name, "report-"+name, dir, w)
}

// report lets the program in a folder report on a capture there, and copies the pages.
func report(ctx context.Context, temp, capture, name, dir string, w io.Writer) error {
	if err := command(ctx, temp, filepath.Join(temp, "astrolabe"), "report", capture, "-o", name+".png"); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(temp, name+"*.png"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.Base(page))
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
		fmt.Fprintln(w, path)
	}
	return nil
}

// command runs a program in a folder; its output is part of the error.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", filepath.Base(name), args, err, out)
	}
	return nil
}
