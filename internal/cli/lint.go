package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/internal/buildserver"
	"astrolabe/internal/script"
	"astrolabe/internal/script/infer"
	"astrolabe/internal/script/lint"
	"astrolabe/scripts"
)

func (a *app) lintCommand() *cobra.Command {
	var asJSON, list bool
	var server serverFlags
	cmd := &cobra.Command{
		Use:   "lint [PATH…]",
		Short: "Find mistakes in scripts",
		Long: "Reads the scripts among the given files and below the given folders, or below the working directory, " +
			"and prints what is wrong with them as\n" +
			"FILE:LINE:COLUMN: MESSAGE [CODE]. Nothing is run. The exit status is 1 where something is found. A " +
			"comment \"# lint: ignore=CODE\" on the line, or\n" +
			"alone on the line above, silences a finding; \"# gpu: ID\" says which GPU a script is for, so that " +
			"names of counters can be checked.",
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return a.lintChecks(asJSON)
			}
			return a.lint(args, asJSON, &server)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	cmd.Flags().BoolVar(&list, "checks", false, "list what is looked for, and nothing else")
	server.register(a, cmd)
	return cmd
}

// lintResult is what lint --json prints.
type lintResult struct {
	Files    int            `json:"files"`
	Findings []lint.Finding `json:"findings"`
}

func (a *app) lint(paths []string, asJSON bool, server *serverFlags) error {
	world := infer.NewWorld(script.NewReader(scripts.Library))
	sources, failed, err := a.scriptSources(world.Reader(), paths)
	if err != nil {
		return err
	}
	res := lintResult{Files: len(sources)}
	for _, s := range sources {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		res.Findings = append(res.Findings, lint.Run(world, s)...)
	}
	if asJSON {
		res.Findings = orEmpty(res.Findings)
		if err := a.printJSON(res); err != nil {
			return err
		}
	} else {
		var out strings.Builder
		for _, f := range res.Findings {
			out.WriteString(f.String() + "\n")
		}
		if err := a.print(out.String()); err != nil {
			return err
		}
	}
	if err := a.tell(server, lintResults(&res), !asJSON); err != nil {
		return err
	}
	if n := len(res.Findings) + failed; n > 0 {
		return errors.Join(errReported, fmt.Errorf("%d findings", n))
	}
	return nil
}

// lintResults are findings for build servers, a suite for each file that has some.
func lintResults(res *lintResult) *buildserver.Suites {
	all := &buildserver.Suites{Command: "lint",
		Title: fmt.Sprintf("%d findings in %d scripts", len(res.Findings), res.Files)}
	var s buildserver.Suite
	for i, f := range res.Findings {
		s.Name = f.File
		s.Add(buildserver.Case{ID: f.Code + ": " + f.Message, Name: f.Code, Class: f.File, File: f.File, Line: f.Line,
			At: buildserver.Position{Line: f.Line, Column: f.Col}, Failure: &buildserver.Message{Message: f.Message}})
		if i+1 == len(res.Findings) || res.Findings[i+1].File != f.File {
			all.Add(s)
			s = buildserver.Suite{}
		}
	}
	return all
}

// lintChecks lists the codes.
func (a *app) lintChecks(asJSON bool) error {
	if asJSON {
		docs := map[string]string{}
		for _, c := range lint.Checks() {
			docs[c.Code] = c.Doc
		}
		return a.printJSON(docs)
	}
	t := notation.TextTable{Header: []string{"code", "what it finds"}}
	for _, c := range lint.Checks() {
		t.Add(c.Code, c.Doc)
	}
	return a.print(t.String())
}
