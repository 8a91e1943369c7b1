package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture/formats"
	"astrolabe/internal/buildserver"
)

// serverFlags say which build server is told what came of a command.
type serverFlags struct {
	formats []string
	junit   string

	github  bool
	summary string // GitHub's file, "" for none
	project buildserver.Project
	quality *buildserver.Quality // GitLab's file, nil for none
}

// Names of --format.
const (
	formatText   = "text"
	formatGitHub = "github"
	formatGitLab = "gitlab"
	qualityFile  = "gl-code-quality-report.json"
)

// register adds the flags to a command, which then tells the server of errors that end it as well.
func (f *serverFlags) register(a *app, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.junit, "junit", "", "write the results as JUnit XML to `FILE` too")
	flags.StringSliceVar(&f.formats, "format", nil,
		"the build server to tell what came of it: `SERVER` is github, gitlab[=FILE] or text for none (default: the one that "+
			"runs the command)")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.choose(os.Getenv); err != nil {
			return usageError{err}
		}
		err := run(cmd, args)
		if err != nil && !isReported(err) && f.github && a.ctx.Err() == nil {
			io.WriteString(a.talk, buildserver.Annotation{Level: "error", Title: "astrolabe " + cmd.Name(),
				Message: strings.TrimSuffix(errorText(err), "\n")}.String()+"\n")
		}
		return err
	}
}

// choose finds out whom to tell, and whether the files could be written.
func (f *serverFlags) choose(env func(string) string) error {
	chosen := f.formats
	if len(chosen) == 0 {
		// as both servers document it
		if env("GITHUB_ACTIONS") == "true" {
			chosen = append(chosen, formatGitHub)
		}
		if env("GITLAB_CI") == "true" {
			chosen = append(chosen, formatGitLab)
		}
	}
	if len(chosen) > 1 && slices.Contains(chosen, formatText) {
		return usagef("--format=%s tells no build server: it goes with no other", formatText)
	}
	outputs := []string{f.junit}
	for _, one := range chosen {
		name, path, given := strings.Cut(one, "=")
		switch {
		case name == formatText && !given:
		case name == formatGitHub && !given:
			f.github, f.summary = true, env("GITHUB_STEP_SUMMARY")
			f.project = buildserver.Project(orText(env("GITHUB_WORKSPACE"), "."))
			outputs = append(outputs, f.summary)
		case name == formatGitLab && (!given || path != ""):
			f.quality = &buildserver.Quality{Path: orText(path, qualityFile), Job: env("CI_JOB_ID"),
				Project: buildserver.Project(orText(env("CI_PROJECT_DIR"), "."))}
			outputs = append(outputs, f.quality.Path)
		default:
			return usagef("--format=%s: use %s, %s, %s=FILE or %s", one, formatGitHub, formatGitLab, formatGitLab, formatText)
		}
	}
	if err := checkOutputs(outputs...); err != nil {
		return err
	}
	if f.quality != nil {
		return f.quality.Read()
	}
	return nil
}

// tell tells the server, and names the files on standard output where it is for people.
func (a *app) tell(f *serverFlags, s *buildserver.Suites, people bool) error {
	if f.github {
		// The runner reads commands from both streams, and standard output may be on its way into a file.
		if err := s.WriteAnnotations(a.talk, f.project); err != nil {
			return err
		}
	}
	if f.summary != "" {
		if err := a.appendSummary(f.summary, s, f.project); err != nil {
			return err
		}
	}
	if f.quality != nil {
		if err := f.quality.Write(s); err != nil {
			return err
		}
		if people {
			a.wrote(f.quality.Path)
		}
	}
	if f.junit != "" {
		if err := formats.WriteFile(f.junit, s.WriteJUnit); err != nil {
			return err
		}
		if people {
			a.wrote(f.junit)
		}
	}
	return nil
}

// appendSummary adds to the summary of a step, which other commands of the step may have begun.
func (a *app) appendSummary(path string, s *buildserver.Suites, p buildserver.Project) (err error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if failed := file.Close(); err == nil {
			err = formats.WriteError(path, failed)
		}
	}()
	st, err := file.Stat()
	if err != nil {
		return err
	}
	text := s.Summary(p, buildserver.MaxSummary-int(min(st.Size(), buildserver.MaxSummary)))
	if text == "" {
		a.warn(fmt.Sprintf("%s is full: GitHub takes %d MiB of a step", path, buildserver.MaxSummary>>20))
		return nil
	}
	_, err = io.WriteString(file, text)
	return formats.WriteError(path, err)
}
