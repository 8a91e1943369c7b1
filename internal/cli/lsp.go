package cli

import (
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"astrolabe/capture/formats/all"
	"astrolabe/internal/script/lsp"
	"astrolabe/internal/version"
	"astrolabe/scripts"
)

func (a *app) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve editors as a language server",
		Long: "Speaks the Language Server Protocol on standard input and output: completion of names, attributes, " +
			"arguments, counters and metrics; hover;\n" +
			"signatures; definitions, references and rename; symbols; formatting; what astrolabe lint finds, with " +
			"fixes; tokens; units. Nothing that is\n" +
			"edited is run. Editors start it themselves: give them the command astrolabe lsp for *.star files.",
		Args: argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return lsp.Serve(a.ctx, stdio{a.in, a.out}, lsp.Options{Library: scripts.Library, Version: version.String(),
				Cache: libraryCache(), Formats: all.Registry(), Talk: a.talk})
		},
	}
}

// stdio is the connection to the client that started the program.
type stdio struct {
	io.Reader
	io.Writer
}

func (stdio) Close() error { return os.Stdin.Close() }

// libraryCache is the folder in which editors find the files of the built-in library; "" where the system has none for
// caches.
func libraryCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "astrolabe", "library")
}
