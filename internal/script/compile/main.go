// Command compile writes the compiled modules of the built-in library, which stand beside their texts in the program. It
// runs in the library's folder:
//
//	cd scripts && go generate
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"astrolabe/builtins/binding"
	"astrolabe/capture/formats/all"
	"astrolabe/internal/script"
	"astrolabe/scripts"
)

func main() {
	if err := run(script.CompiledFolder); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}

// run replaces the compiled modules in a folder.
func run(out string) error {
	env := &binding.Env{Registry: all.Registry(), Warn: func(string) {}}
	if err := (script.Policy{}).Apply(env); err != nil {
		return err
	}
	files, err := script.CompileLibrary(env, scripts.Library)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil { // modules that are gone
		return err
	}
	for name, data := range files {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
