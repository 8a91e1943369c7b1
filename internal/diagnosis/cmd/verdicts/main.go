// Command verdicts lets the program report on captures of real programs, and writes what it says into docs/verdicts.md,
// where each is argued with.
//
//	go run ./internal/diagnosis/cmd/verdicts                  # in the root of the repository: the captures in testdata
//	go run ./internal/diagnosis/cmd/verdicts --others FOLDER  # and public ones, which lie there
//	go run ./internal/diagnosis/cmd/verdicts --list           # which these are, and where to put what
//
// The page is written by hand but for the parts between <!-- says NAME --> and <!-- end -->, one for each capture of
// the list in captures.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const page = "docs/verdicts.md"

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "error:", err)
		}
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, w io.Writer) (err error) {
	flags := flag.NewFlagSet("verdicts", flag.ContinueOnError)
	show := flags.Bool("print", false, "print what the program says and leave the page as it is")
	list := flags.Bool("list", false,
		"list the public captures that testdata does not have: where to put them, and where they come from")
	others := flags.String("others", "",
		"the `FOLDER` with the public captures that testdata does not have; without it the page keeps what it says of them")
	program := flags.String("program", "", "the `FILE` of the program, where it is built already")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *list {
		for _, c := range captures {
			if c.origin != "" {
				fmt.Fprintf(w, "%s\t%s\n", c.path, c.origin)
			}
		}
		return nil
	}
	temp, err := os.MkdirTemp("", "astrolabe-verdicts-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if *program == "" {
		*program = filepath.Join(temp, "astrolabe")
		if out, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", *program,
			".").CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	said := map[string]string{}
	for _, c := range captures {
		if c.origin != "" {
			_, err := os.Stat(filepath.Join(*others, filepath.FromSlash(c.path)))
			if *others == "" || err != nil {
				if *others != "" {
					fmt.Fprintf(os.Stderr, "%s: %s is not in %s: the page keeps what was said of it\n", c.name, c.path, *others)
				}
				said[c.name] = ""
				continue
			}
		}
		text, err := c.says(ctx, *program, temp, *others)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		said[c.name] = text
		if *show {
			fmt.Fprintf(w, "%s\n%s\n", c.name, text)
		}
	}
	if *show {
		return nil
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	out, err := replace(string(text), said)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(out), 0o666)
}

// replace puts what was said into the page, keeps what it has where nothing was said, and fails where the page has no
// place for it or a place for something else.
func replace(text string, said map[string]string) (string, error) {
	const begin, end = "<!-- says ", "<!-- end -->"
	var out strings.Builder
	used := map[string]bool{}
	for {
		before, rest, found := strings.Cut(text, begin)
		out.WriteString(before)
		if !found {
			break
		}
		name, rest, closed := strings.Cut(rest, " -->")
		old, rest, ended := strings.Cut(rest, end)
		lines, known := said[name]
		switch {
		case !closed || !ended:
			return "", fmt.Errorf("%s%s has no end", begin, name)
		case !known:
			return "", fmt.Errorf("nothing is called %q: see captures.go", name)
		}
		if used[name] = true; lines != "" {
			old = "\n\n> " + strings.ReplaceAll(strings.TrimSpace(lines), "\n", "\n> ") + "\n\n"
		}
		fmt.Fprintf(&out, "%s%s -->%s%s", begin, name, old, end)
		text = rest
	}
	for name := range said {
		if !used[name] {
			return "", fmt.Errorf("no place for %s: write %s%s -->, a line %s and what to make of it", name,
				begin, name, end)
		}
	}
	return out.String(), nil
}
