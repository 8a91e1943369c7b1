package repl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"astrolabe/capture/formats"
)

// startName is the file whose statements a session runs first.
const startName = "rc.star"

// userStart is the user's own start-up file, "" where there is no home.
func userStart() string {
	config := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "astrolabe", startName)
}

// start runs the start-up files: the user's own, and that of the repository if the user agrees.
func (s *Session) start(ctx context.Context, ed lineEditor) {
	if path := userStart(); path != "" {
		if text, ok := s.readStart(path); ok {
			s.runStart(ctx, path, text)
		}
	}
	if s.cfg.Repo == "" {
		return
	}
	path := filepath.Join(s.cfg.Repo, startName)
	text, ok := s.readStart(path)
	if ok && s.agreed(ed, path, text) {
		s.runStart(ctx, path, text)
	}
}

// StartUser runs the user's own start-up file, for a session that has nobody to ask about others. What goes wrong in it
// is told on Talk.
func (s *Session) StartUser(ctx context.Context) {
	path := userStart()
	if path == "" {
		return
	}
	if text, ok := s.readStart(path); ok {
		s.log.begin(":load " + path)
		if err := s.Eval(ctx, path, 1, text); err != nil {
			s.report(err)
		}
	}
}

// readStart reads a start-up file; a missing one is none.
func (s *Session) readStart(path string) (string, bool) {
	data, err := formats.ReadRegular(path) // that of a repository may be a pipe that nobody writes to
	if errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	if err != nil {
		s.report(fmt.Errorf("start-up file: %w", err))
		return "", false
	}
	return string(data), true
}

func (s *Session) runStart(ctx context.Context, path, text string) {
	s.log.begin(":load " + path)
	s.run(ctx, func(ctx context.Context) error { return s.Eval(ctx, path, 1, text) })
}

// agreed reports whether the user lets a file that came with a repository run. The answer holds for this text of the
// file.
func (s *Session) agreed(ed lineEditor, path, text string) bool {
	sum := sha256.Sum256([]byte(text))
	key := hex.EncodeToString(sum[:]) + " " + path
	known := filepath.Join(filepath.Dir(historyPath()), "start-files")
	data, _ := os.ReadFile(known) // without it the user is asked
	for line := range strings.Lines(string(data)) {
		if answer, rest, _ := strings.Cut(strings.TrimSpace(line), " "); rest == key {
			return answer == "yes"
		}
	}
	fmt.Fprintf(s.cfg.Talk, "This repository brings a start-up file, %s (%d lines).\n", path, strings.Count(text, "\n"))
	typed, err := ed.ReadLine("Run it in this and later sessions? [y/N] ")
	if err != nil {
		io.WriteString(s.cfg.Talk, "it does not run this time\n")
		return false
	}
	yes := strings.HasPrefix(strings.ToLower(strings.TrimSpace(typed)), "y")
	answer := "no"
	if yes {
		answer = "yes"
	}
	if err := appendLine(known, answer+" "+key+"\n"); err != nil {
		s.report(fmt.Errorf("the answer is not kept: %w", err))
	}
	return yes
}

func appendLine(path, line string) error {
	if !filepath.IsAbs(path) {
		return errors.New("there is no home folder")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}
