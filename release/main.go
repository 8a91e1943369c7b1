// Command release makes the files of a release from the sources of astrolabe: archives, packages of Linux distributions, an
// archive for Android, an image for containers, a formula for Homebrew and a manifest for Scoop, each with manual pages,
// completions and licences, lists of what the programs contain, and checksums. It publishes nothing. The same sources,
// version and Go give the same bytes wherever it runs. docs/packages.md tells its users, .ci/release starts it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	switch err := run(os.Args[1:], os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// request is what is asked for.
type request struct {
	source, out string
	wanted      string // the version; empty: that of the commit
	url         string // where the files will lie, without a slash at its end; empty where it is not known
	packager    string // whom packages name; empty: the author of the commit
	targets     []target
}

func run(args []string, talk io.Writer) error {
	r, err := parse(args, talk)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(r.out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name a new folder", r.out)
	}
	s, err := stampOf(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "astrolabe-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	return (&release{request: r, stamp: s, work: work, talk: talk}).make()
}

func parse(args []string, talk io.Writer) (request, error) {
	r := request{}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(talk)
	flags.Usage = func() {
		fmt.Fprintln(talk, "usage: .ci/release [flags] [VERSION] OUT")
		flags.PrintDefaults()
	}
	flags.StringVar(&r.source, "source", ".", "the `folder` of astrolabe's sources")
	flags.StringVar(&r.url, "url", "", "the `address` of the folder from which users will fetch the files: without one no formula and "+
		"no manifest is made")
	flags.StringVar(&r.packager, "maintainer", "", "`NAME <MAIL>` of whom packages name (default: the author of the commit)")
	only := flags.String("targets", "all", "the `SYSTEM/ARCHITECTURE`s to make, with commas between them")
	if err := flags.Parse(args); err != nil {
		return r, err
	}
	switch rest := flags.Args(); len(rest) {
	case 1:
		r.out = rest[0]
	case 2:
		r.wanted, r.out = rest[0], rest[1]
	default:
		flags.Usage()
		return r, flag.ErrHelp
	}
	r.url = strings.TrimRight(r.url, "/")
	if r.url != "" && !strings.Contains(r.url, "://") {
		return r, fmt.Errorf("--url %s is no address such as https://example.org/astrolabe", r.url)
	}
	var err error
	if r.source, err = filepath.Abs(r.source); err != nil {
		return r, err
	}
	if _, err := os.Stat(filepath.Join(r.source, "internal", "version")); err != nil {
		return r, fmt.Errorf("%s has no sources of astrolabe: %w", r.source, err)
	}
	r.targets, err = choose(*only)
	return r, err
}
