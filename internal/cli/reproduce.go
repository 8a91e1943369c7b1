package cli

import (
	"os"
	"strings"
	"sync"
)

// commandLine is the command of this process as a shell reads it, word for word: typed again in the same folder it
// makes the same report of the same inputs. It is "" where there are no arguments.
func commandLine(args []string) string {
	if len(args) < 2 {
		return ""
	}
	words := []string{"astrolabe"}
	for _, a := range args[1:] {
		words = append(words, shellWord(a))
	}
	return strings.Join(words, " ")
}

// ownCommand is the command line of this program, made once: map makes an environment for each of its captures, of
// which there may be 100,000 in the line.
var ownCommand = sync.OnceValue(func() string { return commandLine(os.Args) })

// shellWord quotes a word for a POSIX shell where it needs it.
func shellWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%", r)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
