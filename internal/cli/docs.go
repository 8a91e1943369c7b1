package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/internal/script"
	"astrolabe/internal/script/docs"
	"astrolabe/scripts"
)

func (a *app) docCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doc PATH…",
		Short: "Print the documentation of scripts",
		Long: "Prints Markdown from the docstrings of scripts and of their functions, with the flags that they " +
			"declare. Nothing is run. PATH is a\nscript, a folder, whose scripts it documents without their tests, " +
			"or one of the built-in library, such as @astrolabe//lib/findings.star.",
		Args: argCount(1, -1),
		RunE: func(_ *cobra.Command, args []string) error { return a.doc(args) },
	}
}

func (a *app) doc(paths []string) error {
	files, err := docFiles(paths)
	if err != nil {
		return a.usageOf(err)
	}
	reader := script.NewReader(scripts.Library)
	for i, file := range files {
		s, err := reader.File(file)
		if err != nil {
			return err
		}
		text, err := docs.Markdown(s, reader.Parts(s)...)
		if err != nil {
			return err
		}
		if i > 0 {
			text = "\n" + text
		}
		if err := a.print(text); err != nil {
			return err
		}
	}
	return nil
}

// docFiles replaces folders by the scripts below them, without tests, which nobody loads. Files stay as they are.
func docFiles(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			out = append(out, path)
			continue
		}
		found, err := script.FindFiles([]string{path})
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(found, func(f string) bool { return strings.HasSuffix(f, "_test.star") })
		if len(found) == 0 {
			return nil, fmt.Errorf("there is no script (.star) in %s", path)
		}
		out = append(out, found...)
	}
	return out, nil
}
