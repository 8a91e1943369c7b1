package cli

import (
	"path/filepath"
	"slices"
	"strings"
)

// commandLine is the command line of this process as a shell reads it, "" for a session, which no command line makes again. Of
// paths only the last element stays: the same capture gives the same report wherever it lies, and reports name it by its hash. For
// the same reason a report is always called report, in the format that was asked for.
func commandLine(args []string) string {
	if len(args) < 2 || slices.Contains(args, "repl") {
		return ""
	}
	words := []string{"astrolabe"}
	for i, a := range args[1:] {
		name, value, ok := strings.Cut(a, "=")
		switch {
		case args[i] == "-o" || args[i] == "--output":
			a = "report" + filepath.Ext(a)
		case ok && name == "--output":
			a = name + "=report" + filepath.Ext(value)
		case ok && name == "--out", !ok && (a == "--out" || args[i] == "--out"): // says where pictures go, and not what is in them
			continue
		case ok && strings.HasPrefix(a, "-"):
			a = name + "=" + lastElement(value)
		case !strings.HasPrefix(a, "-"):
			a = lastElement(a)
		}
		words = append(words, shellWord(a))
	}
	return strings.Join(words, " ")
}

// lastElement shortens what is an absolute path, or goes up out of the working directory. Library names such as
// @astrolabe//triage/cpu.star, code and relative paths stay.
func lastElement(s string) string {
	if filepath.IsAbs(s) || strings.HasPrefix(s, "../") {
		return filepath.Base(s)
	}
	return s
}

// shellWord quotes a word for a POSIX shell where it needs it.
func shellWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%", r)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
