// Command planted writes captures with a planted bottleneck, and measures how often the shipped triage scripts name it.
//
//	go run ./internal/diagnosis/cmd/planted --list
//	go run ./internal/diagnosis/cmd/planted --model mali-g720 --plant texture --load 0.5 -o texture.arrow
//	go run ./internal/diagnosis/cmd/planted --measure docs/images
//	go run ./internal/diagnosis/cmd/planted --simulated --cases 100 --json first.json
//	go run ./internal/diagnosis/cmd/planted --simulated --cases 100 --first 101 --add first.json --rates docs/diagnosis-rates.md
//	go run ./internal/diagnosis/cmd/planted --simulated --families cpu-fourth --cases 2000 --values cpu.jsonl
//	go run ./internal/diagnosis/cmd/planted --reports docs/images
//
// --measure, in the root of the repository, judges captures of our own models, by which the rules were written, and
//
//	then, as --simulated does alone, cases of the simulator, which knows no rule. Cases have seeds: equal seeds give
//	equal counts, and runs over other seeds or families add up with --add.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"astrolabe/capture/capturetest"
	"astrolabe/capture/capturetest/all"
	formatsall "astrolabe/capture/formats/all"
	"astrolabe/internal/diagnosis"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "error:", err)
		}
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, w io.Writer) error {
	flags := flag.NewFlagSet("planted", flag.ContinueOnError)
	var c capturetest.Case
	model := flags.String("model", "", "the `NAME` of the model to generate a capture of")
	out := flags.String("o", "", "the `FILE` to write the capture to, in astrolabe's own format")
	list := flags.Bool("list", false, "list the models and what they plant")
	measure := flags.String("measure", "",
		"judge planted captures of every model, draw a confusion matrix for each script into `DIR`, and record what was named wrongly")
	reports := flags.String("reports", "", "write the reports of the documentation into `DIR`")
	real := flags.String("real", "", "with --reports: report on the profiler's `FOLDER` as well")
	script := flags.String("script", "",
		"with --measure or --simulated: only the models and families of this `SCRIPT`")
	var sim simulated
	only := flags.Bool("simulated", false,
		"judge only cases of the simulator, and print how often the scripts are right")
	flags.IntVar(&sim.cases, "cases", 8, "with --measure or --simulated: cases of each kind and family; 0 judges none")
	flags.Uint64Var(&sim.first, "first", 1, "with --measure or --simulated: seed of the first case")
	flags.StringVar(&sim.families, "families", "",
		"with --measure or --simulated: only these `FAMILIES` of the simulator, separated by commas")
	flags.StringVar(&sim.kinds, "kinds", "",
		"with --measure or --simulated: only cases of these `KINDS`, such as archetype, separated by commas")
	flags.IntVar(&sim.workers, "workers", 2, "with --measure or --simulated: cases that are judged at the same time")
	flags.StringVar(&sim.json, "json", "", "with --measure or --simulated: write the counts to `FILE`")
	flags.StringVar(&sim.page, "rates", "",
		"with --measure or --simulated: write a page for the documentation to `FILE`")
	flags.StringVar(&sim.note, "note", "", "with --rates: what the page says first")
	flags.StringVar(&sim.add, "add", "",
		"with --measure or --simulated: add the counts of these `FILES`, which --json wrote, separated by commas")
	flags.BoolVar(&sim.together, "together", false,
		"with --measure or --simulated: print the families of each script as one, which has more cases than each of them")
	flags.StringVar(&sim.values, "values", "",
		"with --simulated: count nothing, and write what captures of clear cases say to `FILE`, an object of JSON in each line, "+
			"for a program that learns from them")
	flags.StringVar(&c.Plant, "plant", "", "what limits, an `ID` of --list; nothing in particular if left out")
	flags.Float64Var(&c.Load, "load", 0.5, "how heavily it limits, 0 to 1")
	flags.StringVar(&c.Second, "second", "", "another plant, of less weight")
	flags.Float64Var(&c.Noise, "noise", 0.1, "relative standard deviation of the work in a sample")
	flags.Float64Var(&c.Idle, "idle", 0, "share of the time without work, 0 to 0.9")
	flags.BoolVar(&c.DVFS, "dvfs", false, "let the clock move")
	flags.IntVar(&c.Samples, "samples", 0, "number of samples (default 240)")
	flags.DurationVar(&c.Period, "period", 0, "length of a sample (default 1ms)")
	flags.Uint64Var(&c.Seed, "seed", 1, "of the noise")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("what is %q? All arguments are flags; see --help", flags.Arg(0))
	case *list:
		return printModels(w)
	case *measure != "" && *only:
		return errors.New("--measure judges thousands of planted captures before it judges cases of the simulator, " +
			"and --simulated judges those alone: give one of the two")
	case *measure != "":
		if err := measureScripts(ctx, *measure, *script, w); err != nil {
			return err
		}
		return sim.measure(ctx, *script, w)
	case *only:
		return sim.measure(ctx, *script, w)
	case *reports != "":
		return writeReports(ctx, *reports, *real, w)
	case *model == "" || *out == "":
		return errors.New("give --model and -o, or --list, --measure, --simulated or --reports")
	}
	return generate(ctx, *model, c, *out, w)
}

func printModels(w io.Writer) error {
	for _, m := range all.Models() {
		fmt.Fprintf(w, "%s (triage/%s.star)\n", m.Name(), m.Script())
		for _, p := range m.Plants() {
			fmt.Fprintf(w, "    %-28s %s\n", p.ID, p.Doc)
		}
	}
	return nil
}

func generate(ctx context.Context, name string, c capturetest.Case, out string, w io.Writer) error {
	m, err := findModel(name)
	if err != nil {
		return err
	}
	for _, id := range []string{c.Plant, c.Second} {
		if _, err := capturetest.FindPlant(m, id); err != nil {
			return err
		}
	}
	cap, err := m.Generate(c)
	if err != nil {
		return err
	}
	if err := m.Check(cap); err != nil {
		return fmt.Errorf("the model breaks an identity of the hardware: %w", err)
	}
	if err := formatsall.Registry().Save(ctx, out, "arrow", cap); err != nil {
		return err
	}
	fmt.Fprintln(w, out)
	return nil
}

func findModel(name string) (capturetest.Model, error) {
	models := all.Models()
	i := slices.IndexFunc(models, func(m capturetest.Model) bool { return m.Name() == name })
	if i >= 0 {
		return models[i], nil
	}
	var names []string
	for _, m := range models {
		names = append(names, m.Name())
	}
	return nil, fmt.Errorf("there is no model %q; there are %s", name, strings.Join(names, ", "))
}

// measureScripts draws one confusion matrix for each script, and prints what it shows in a line.
func measureScripts(ctx context.Context, dir, only string, w io.Writer) error {
	byScript := map[string][]capturetest.Model{}
	var order []string
	for _, m := range all.Models() {
		if byScript[m.Script()] == nil {
			order = append(order, m.Script())
		}
		byScript[m.Script()] = append(byScript[m.Script()], m)
	}
	for _, script := range order {
		if only != "" && only != script {
			continue
		}
		x, err := diagnosis.Run(ctx, diagnosis.Full.Cases, byScript[script]...)
		if err != nil {
			return err
		}
		p, size, err := x.Picture(script)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, diagnosis.PictureName(script))
		if err := p.Save(path, size); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s: %s\n", script, x.Summary())
		fmt.Fprint(w, x.MissText())
		record := diagnosis.RecordPath(script)
		if err := x.WriteRecord(record); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\n%s\n", path, record)
	}
	return nil
}
