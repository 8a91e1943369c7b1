package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture/formats"
	"astrolabe/internal/script"
	"astrolabe/internal/script/format"
	"astrolabe/scripts"
)

func (a *app) fmtCommand() *cobra.Command {
	var check, diff bool
	cmd := &cobra.Command{
		Use:   "fmt [PATH…]",
		Short: "Lay scripts out",
		Long: "Rewrites the scripts among the given files and below the given folders, or below the working " +
			"directory, in the layout of buildifier, and\n" +
			"prints the path of each file that it changed. Symbolic links are only followed where they are named. - " +
			"formats standard input to standard output. With --check or --diff nothing is written, and\n" +
			"the exit status is 1 where something would be.",
		RunE: func(_ *cobra.Command, args []string) error { return a.format(args, check, diff) },
	}
	cmd.Flags().BoolVar(&check, "check", false, "only list the files that are not laid out")
	cmd.Flags().BoolVarP(&diff, "diff", "d", false, "only show what would change")
	return cmd
}

func (a *app) format(paths []string, check, diff bool) error {
	reader := script.NewReader(scripts.Library)
	if len(paths) == 1 && paths[0] == "-" {
		return a.formatInput(reader, check, diff)
	}
	sources, failed, err := a.scriptSources(reader, paths)
	if err != nil {
		return err
	}
	changed := 0
	for _, s := range sources {
		if script.FoundLink(s.Name, paths) {
			continue
		}
		out, err := format.Source(s)
		if err != nil {
			a.complain(err)
			failed++
			continue
		}
		if bytes.Equal(out, s.Text) {
			continue
		}
		changed++
		if diff {
			err = a.printAsIs(format.Diff(s, out))
		} else if !check {
			err = formats.WriteFile(s.Name, func(w io.Writer) error {
				_, err := w.Write(out)
				return err
			})
		}
		if err != nil {
			return err
		}
		if !diff {
			a.wrote(s.Name)
		}
	}
	switch {
	case failed > 0:
		return errors.Join(errReported, fmt.Errorf("%d files cannot be formatted", failed))
	case changed > 0 && (check || diff):
		return errors.Join(errReported, fmt.Errorf("%d files are not laid out", changed))
	}
	return nil
}

// formatInput formats standard input.
func (a *app) formatInput(reader *script.Reader, check, diff bool) error {
	text, err := readBounded(a.in)
	if err != nil {
		return err
	}
	s := reader.Text("stdin.star", text)
	s.Name = "<stdin>"
	out, err := format.Source(s)
	if err != nil {
		return err
	}
	same := bytes.Equal(out, s.Text)
	switch {
	case diff:
		err = a.printAsIs(format.Diff(s, out))
	case check && !same:
		err = a.print(s.Name + "\n")
	case !check:
		return a.printAsIs(string(out))
	}
	if err == nil && !same {
		err = errors.Join(errReported, errors.New("the input is not laid out"))
	}
	return err
}

// maxInput is the largest script that is read from standard input, in bytes.
const maxInput = 16 << 20

func readBounded(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && len(text) > maxInput {
		err = fmt.Errorf("standard input is larger than %d MiB, no script is", maxInput>>20)
	}
	return text, err
}

// scriptSources reads the scripts at and below paths, or below the working directory. Those that cannot be read are
// complained about and counted.
func (a *app) scriptSources(reader *script.Reader, paths []string) (sources []*script.Source, failed int, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	files, err := script.FindFiles(paths)
	if err != nil {
		return nil, 0, a.usageOf(err)
	}
	if len(files) == 0 {
		return nil, 0, fmt.Errorf("there is no script (.star) in %s", strings.Join(paths, ", "))
	}
	for _, file := range files {
		s, err := reader.File(file)
		if err != nil {
			a.complain(err)
			failed++
			continue
		}
		sources = append(sources, s)
	}
	return sources, failed, nil
}

// complain prints an error that does not end the work.
func (a *app) complain(err error) { io.WriteString(a.talk, errorText(err)) }
