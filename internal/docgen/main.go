// Command docgen writes the generated pages of docs/: the scripting reference from the method tables of builtins, the
// functions of GPA's guide, the list of file formats, and one page per family of catalogues. Run it with go generate;
// CI checks that its output is up to date.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"astrolabe/builtins"
	"astrolabe/capture/formats/all"
	"astrolabe/capture/metrics"
)

func main() {
	if err := run("docs"); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	var api bytes.Buffer
	if err := builtins.WriteReference(&api); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "api.md"), api.Bytes(), 0o666); err != nil {
		return err
	}
	var functions bytes.Buffer
	if err := builtins.WriteGPAFunctions(&functions); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "gpa-functions.md"), functions.Bytes(), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "formats-list.md"), formatsPage(all.Registry()), 0o666); err != nil {
		return err
	}
	families := map[string][]*metrics.Catalogue{}
	for _, id := range metrics.IDs() {
		cat, err := metrics.Get(id)
		if err != nil {
			return err
		}
		families[cat.Family()] = append(families[cat.Family()], cat)
	}
	for family, products := range families {
		if err := os.WriteFile(filepath.Join(dir, "metrics-"+family+".md"), familyPage(family, products),
			0o666); err != nil {
			return err
		}
	}
	return nil
}
