package repl

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.starlark.net/starlark"
)

// sessionVariable makes the test program a session on its standard streams, for tests that need a process of its own.
const sessionVariable = "ASTROLABE_TEST_SESSION"

func TestMain(m *testing.M) {
	if os.Getenv(sessionVariable) == "" {
		os.Exit(m.Run())
	}
	s := NewSession(Config{
		Predeclared: starlark.StringDict{"answer": starlark.MakeInt(42), "hold": starlark.NewBuiltin("hold", hold)},
		Out:         os.Stdout, Talk: os.Stderr, Version: "test",
		Repo: os.Getenv("ASTROLABE_TEST_REPO"), Shell: os.Getenv("ASTROLABE_TEST_SHELL") != "",
	})
	if err := s.Interactive(context.Background(), os.Stdin, os.Stdout, os.Stderr, ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// hold says that it has begun and never returns: no interrupt reaches it, as with work of the language itself.
func hold(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	fmt.Println("holding now")
	<-make(chan struct{})
	return starlark.None, nil
}
