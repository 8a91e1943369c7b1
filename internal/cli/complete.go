package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"astrolabe/builtins/notation"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/export"
	"astrolabe/capture/formats"
	formatsall "astrolabe/capture/formats/all"
	"astrolabe/capture/lake"
	"astrolabe/capture/metrics"
	"astrolabe/docs"
	"astrolabe/hwio"
	"astrolabe/hwio/all"
)

// choices lists what a flag or an argument may be, of which those that begin with what was typed are offered; args are
// the arguments so far.
type choices func(cmd *cobra.Command, args []string) []string

// fixed values do not depend on the command line.
func fixed(list ...string) choices {
	return func(*cobra.Command, []string) []string { return list }
}

// one completes a single value.
func one(v choices) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		return beginning(v(cmd, args), "", typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// several completes the last of values with commas between them.
func several(v choices) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		at := strings.LastIndexByte(typed, ',') + 1
		return beginning(v(cmd, args), typed[:at],
			typed[at:]), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// harmless reports whether a shell takes a name as one, which it puts on the line as it is: what some captures call
// their counters would be commands of a shell, and lines of their own for the protocol of completions.
func harmless(name string) bool {
	return notation.VisibleLine(name) == name && !strings.ContainsAny(name, "`$;&|<>\\\"'")
}

func beginning(list []string, before, typed string) []string {
	var out []string
	for _, s := range list {
		if strings.HasPrefix(strings.ToLower(s), strings.ToLower(typed)) && harmless(s) {
			out = append(out, before+s)
		}
	}
	return out
}

// ending completes files with these extensions, and folders.
func ending(extensions ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return extensions, cobra.ShellCompDirectiveFilterFileExt
	}
}

var (
	scriptFiles = ending("star")
	pageFiles   = ending("png", "svg", "pdf", "md", "html", "json")
)

// captureFiles completes files that may be captures: what is written, and the texts and folders of other tools.
func captureFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return formatsall.Registry().Extensions(), cobra.ShellCompDirectiveFilterFileExt
}

// firstThen completes the first argument in one way and the others in another.
func firstThen(first, others cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return first(cmd, args, typed)
		}
		return others(cmd, args, typed)
	}
}

// gpus are the catalogues.
func gpus(*cobra.Command, []string) []string { return metrics.IDs() }

// formatNames are those of all formats, or of those that can be written.
func formatNames(written bool) choices {
	return func(*cobra.Command, []string) []string { return formatsall.Registry().Names(written) }
}

// metricSets are those of the GPU among the arguments, else of all.
func metricSets(_ *cobra.Command, args []string) []string {
	var out []string
	for _, id := range metrics.IDs() {
		if len(args) > 0 && slices.Contains(metrics.IDs(), args[0]) && args[0] != id {
			continue
		}
		if cat, err := metrics.Get(id); err == nil {
			for _, s := range cat.Sets() {
				out = append(out, s.Name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sourceNames are those of the sources of this build, and those that some of them share.
func sourceNames(*cobra.Command, []string) []string { return hwio.Names(all.Sources("")) }

// sourceCounters are those that the sources of --source have here; of all that work where it is not given.
func sourceCounters(cmd *cobra.Command, _ []string) []string {
	wanted, _ := cmd.Flags().GetStringSlice("source")
	var out []string
	for _, s := range all.Sources("") {
		called := append(hwio.SharedNames(s), s.Name())
		meant := len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool {
			return slices.Contains(called, w)
		})
		if !meant || !s.Probe(cmd.Context()).Usable {
			continue
		}
		list, err := s.Counters(cmd.Context())
		if err != nil {
			continue // recording says why
		}
		for _, m := range list {
			out = append(out, m.Name)
		}
	}
	return out
}

// typedCapture is the first argument that is a capture, nil where there is none yet.
func typedCapture(cmd *cobra.Command, args []string) *capture.Capture {
	for _, path := range args {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		if c, err := formatsall.Registry().Open(cmd.Context(), path, formats.Options{}); err == nil {
			return c
		}
	}
	return nil
}

// comparedMetrics are the metrics and counters of the capture that was typed, else of all catalogues.
func comparedMetrics(cmd *cobra.Command, args []string) []string {
	var out []string
	if c := typedCapture(cmd, args); c != nil {
		list, _ := metrics.Metrics(c) // without a catalogue there are the counters
		for _, m := range slices.Concat(list, c.Counters) {
			out = append(out, m.Name)
		}
	} else {
		for _, id := range metrics.IDs() {
			if cat, err := metrics.Get(id); err == nil {
				for _, e := range cat.Entries() {
					out = append(out, e.Name)
				}
			}
		}
	}
	slices.Sort(out)
	return append(slices.Compact(out), "duration")
}

// alignments are what captures can be compared by, with the labels of the capture that was typed.
func alignments(cmd *cobra.Command, args []string) []string {
	out := []string{string(analysis.ByTime), string(analysis.ByRegion), string(analysis.ByFrame), "kernel"}
	if c := typedCapture(cmd, args); c != nil {
		for _, l := range c.Labels {
			out = append(out, "label:"+l.Name)
		}
	}
	return out
}

func servers(*cobra.Command, []string) []string {
	return []string{formatGitHub, formatGitLab, formatText}
}

// stretches are what convert writes a sample of each of.
func stretches(cmd *cobra.Command, args []string) []string {
	out := []string{string(analysis.ByFrame), "kernel", export.Whole}
	return append(out, slices.DeleteFunc(alignments(cmd, args), func(by string) bool { return !strings.HasPrefix(by, "label:") })...)
}

// writtenMetrics are the metrics that convert takes.
func writtenMetrics(cmd *cobra.Command, args []string) []string {
	return append([]string{export.All}, slices.DeleteFunc(comparedMetrics(cmd, args), func(name string) bool {
		return name == "duration"
	})...)
}

func topicNames(cmd *cobra.Command, _ []string) []string {
	return slices.Concat(commandNames(cmd.Root()), docs.Pages())
}

// sshHosts are those that the user's configuration of ssh names.
func sshHosts(*cobra.Command, []string) (out []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(home, ".ssh", "config"))
	if err != nil {
		return nil // many have none
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) < 2 || !strings.EqualFold(words[0], "Host") {
			continue
		}
		for _, w := range words[1:] {
			if !strings.ContainsAny(w, "*?!") {
				out = append(out, w)
			}
		}
	}
	return out
}

func triageNames(*cobra.Command, []string) []string { return triageScripts() }

// flagValues completes the values of flags, which mean the same in every command.
var flagValues = map[string]cobra.CompletionFunc{
	"by": one(alignments), "metrics": several(comparedMetrics), "more": several(comparedMetrics),
	"less":     several(comparedMetrics),
	"baseline": captureFiles, "keep": captureFiles, "script": scriptFiles, "budget": ending("toml"),
	"junit": ending("xml"),
	"gpu":   one(gpus), "format": one(formatNames(true)), "input-format": one(formatNames(false)),
	"denom":         one(fixed("per_kernel", "per_wave", "per_cycle", "per_second")),
	"duration-rule": one(fixed("pass", "median", "first")),
	"zero":          one(fixed("missing", "vendor")), "generation": one(fixed("gfx6", "gfx7", "gfx8", "gfx9")),
	"api": one(fixed("gl", "dx11", "dx12", "vk", "cl", "hsa")), "source": several(sourceNames),
	"counters": several(sourceCounters),
	"set":      several(metricSets), "copy": several(triageNames), "allow": several(fixed("clock")),
	"scope": several(fixed(lake.Scopes...)), "select": several(comparedMetrics),
	"slices": several(fixed(sliceKinds...)), "ssh": one(sshHosts),
}

// commandFlagValues are of flags that mean something of their own in a command.
var commandFlagValues = map[string]map[string]cobra.CompletionFunc{
	"metrics": {"set": one(metricSets)},
	"convert": {"by": one(stretches), "metrics": several(writtenMetrics)},
	"record":  {"output": ending("arrow")},
	"live":    {"output": ending("arrow")},
	"doctor":  {"bundle": ending("zip"), "check": ending("zip")},
	"compare": {"output": ending("png", "svg", "pdf"), "format": several(servers)},
	"check":   {"output": pageFiles, "format": several(servers)},
	"report":  {"output": pageFiles, "format": several(servers)},
	"map":     {"output": ending("parquet", "csv", "jsonl")},
	"stubs":   {"output": ending("pyi", "json")},
	"test":    {"format": several(servers)},
	"lint":    {"format": several(servers)},
}

// argumentValues completes the arguments of commands.
var argumentValues = map[string]cobra.CompletionFunc{
	"run": firstThen(scriptFiles, captureFiles), "map": firstThen(scriptFiles, captureFiles), "fmt": scriptFiles,
	"lint": scriptFiles,
	"doc":  scriptFiles, "test": scriptFiles, "repl": captureFiles, "stat": captureFiles, "report": captureFiles,
	"compare": captureFiles,
	"repair":  captureFiles,
	"add":     captureFiles,
	"check":   captureFiles, "convert": captureFiles, "metrics": firstThen(one(gpus), one(comparedMetrics)),
}

// completeValues registers all of that below root, which takes a tenth of a start: only for a shell that asks.
func completeValues(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		completeValues(cmd)
		if f := argumentValues[cmd.Name()]; f != nil {
			cmd.ValidArgsFunction = f
		}
		for _, f := range allFlags(cmd) {
			fn := commandFlagValues[cmd.Name()][f.Name]
			if fn == nil {
				fn = flagValues[f.Name]
			}
			if fn != nil && f.Value.Type() != "bool" {
				cmd.RegisterFlagCompletionFunc(f.Name, fn) // fails where an inherited flag has one already
			}
		}
	}
}

// readyToComplete registers what a shell that asks may complete, and makes commands that read their flags themselves
// leave that to cobra, which completes only flags that it knows.
func readyToComplete(root *cobra.Command, args []string) {
	if len(args) == 0 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return
	}
	completeValues(root)
	for _, cmd := range root.Commands() {
		if cmd.DisableFlagParsing {
			cmd.DisableFlagParsing = false
			cmd.FParseErrWhitelist.UnknownFlags = true // they may be a script's
		}
	}
}
