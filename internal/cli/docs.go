package cli

import (
	"github.com/spf13/cobra"

	"astrolabe/internal/script"
	"astrolabe/internal/script/docs"
	"astrolabe/scripts"
)

func (a *app) docCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "doc FILE…",
		Short:             "Print the documentation of scripts",
		Long:              "Prints Markdown from the docstrings of scripts and of their functions, with the flags that they declare. Nothing is run. FILE may be one of the\nbuilt-in library, such as @astrolabe//lib/findings.star.",
		Args:              argCount(1, -1),
		ValidArgsFunction: scriptFiles,
		RunE:              func(_ *cobra.Command, args []string) error { return a.doc(args) },
	}
}

func (a *app) doc(files []string) error {
	reader := script.NewReader(scripts.Library)
	for i, file := range files {
		s, err := reader.File(file)
		if err != nil {
			return err
		}
		text, err := docs.Markdown(s)
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
