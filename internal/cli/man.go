package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"astrolabe/capture/formats"
	"astrolabe/internal/version"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: "Writes a manual page (section 1) of every command into a folder, which is made where it does not " +
			"exist, such as\n/usr/local/share/man/man1, and prints the paths.",
		Args: argCount(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.man(cmd.Root(), args[0]) },
	}
}

func (a *app) man(root *cobra.Command, dir string) error {
	if err := formats.CheckOutputFolder(dir); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	namePlaceholders(root)
	header := &doc.GenManHeader{Section: "1", Source: "astrolabe " + version.String(), Manual: "astrolabe manual",
		Date: commitTime()}
	pages, err := manPages(root, header, dir)
	for _, p := range pages {
		a.wrote(p)
	}
	return err
}

// manPages writes the page of a command and of those below it, and returns their paths.
func manPages(cmd *cobra.Command, header *doc.GenManHeader, dir string) ([]string, error) {
	path := filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+"."+header.Section)
	own := *header // its title is filled in
	var page bytes.Buffer
	if err := doc.GenMan(cmd, &own, &page); err != nil {
		return nil, err
	}
	text := tidied(page.String(), own.Date)
	if err := formats.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		return nil, err
	}
	pages := []string{path}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		below, err := manPages(sub, header, dir)
		if pages = append(pages, below...); err != nil {
			return pages, err
		}
	}
	return pages, nil
}

// flagLine is a flag as cobra writes it, with the text that follows behind a tab, where formatters want a paragraph with
// a tag.
var flagLine = regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*\n)\t`)

// titleDate is the date of a page, which cobra writes as a month.
var titleDate = regexp.MustCompile(`(?m)^(\.TH "[^"]*" "[^"]*" )"[^"]*"`)

// tidied is a page that every formatter reads without doubts: its day, tagged paragraphs, and no byte beyond ASCII,
// which old ones take for Latin-1.
func tidied(page string, date *time.Time) string {
	page = flagLine.ReplaceAllString(page, ".TP\n$1")
	if date != nil {
		page = titleDate.ReplaceAllString(page, `$1"`+date.UTC().Format(time.DateOnly)+`"`)
	}
	var out strings.Builder
	for _, line := range strings.SplitAfter(page, "\n") {
		for _, r := range strings.TrimLeft(line, "\t") {
			if r < utf8.RuneSelf {
				out.WriteRune(r)
			} else {
				fmt.Fprintf(&out, `\[u%04X]`, r)
			}
		}
	}
	return out.String()
}

// namePlaceholders makes the pages show what a flag takes, as in --max-steps=N, where they would show the zero that
// stands for a flag which was not given.
func namePlaceholders(cmd *cobra.Command) {
	name := func(f *pflag.Flag) {
		if what, _ := pflag.UnquoteUsage(f); what != "" && slices.Contains([]string{"", "0", "0s", "[]"}, f.DefValue) {
			f.DefValue = what
		}
	}
	cmd.Flags().VisitAll(name)
	cmd.PersistentFlags().VisitAll(name)
	for _, sub := range cmd.Commands() {
		namePlaceholders(sub)
	}
}

// commitTime is the date of the commit that was built, so that a build always writes the same pages; nil, which is
// today or SOURCE_DATE_EPOCH, where the build does not know it.
func commitTime() *time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			return &t
		}
	}
	return nil
}
