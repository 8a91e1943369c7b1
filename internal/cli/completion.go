package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/capture/spelling"
)

// completionShells are the shells that cobra can write completion for, with how to switch it on.
var completionShells = []struct {
	name, use string
	write     func(a *app, root *cobra.Command) error
}{
	{"bash", "source <(astrolabe completion bash), in ~/.bashrc; it needs the package bash-completion",
		func(a *app, root *cobra.Command) error { return root.GenBashCompletionV2(a.out, true) }},
	{"zsh", "astrolabe completion zsh > \"${fpath[1]}/_astrolabe\", once", func(a *app, root *cobra.Command) error {
		return root.GenZshCompletion(a.out)
	}},
	{"fish", "astrolabe completion fish > ~/.config/fish/completions/astrolabe.fish, once",
		func(a *app, root *cobra.Command) error { return root.GenFishCompletion(a.out, true) }},
	{"powershell", "astrolabe completion powershell | Out-String | Invoke-Expression, in $PROFILE",
		func(a *app, root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(a.out) }},
}

func (a *app) completionCommand() *cobra.Command {
	var names []string
	var long strings.Builder
	long.WriteString(
		"Prints a script that lets a shell complete commands, flags, their values and files of astrolabe. To switch it on:\n")
	for _, s := range completionShells {
		names = append(names, s.name)
		long.WriteString("  " + s.name + ": " + s.use + "\n")
	}
	return &cobra.Command{
		Use:       "completion " + strings.Join(names, "|"),
		Short:     "Print completion for a shell",
		Long:      strings.TrimSuffix(long.String(), "\n"),
		Args:      argCount(1, 1),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, s := range completionShells {
				if s.name == args[0] {
					return s.write(a, cmd.Root())
				}
			}
			msg := ""
			if near := spelling.Nearest(args[0], names); near != "" {
				msg = " (did you mean " + near + "?)"
			}
			return usagef("completion is not made for %q%s; there are %s", args[0], msg, strings.Join(names, ", "))
		},
	}
}
