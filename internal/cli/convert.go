package cli

import (
	"github.com/spf13/cobra"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/all"
)

func (a *app) convertCommand() *cobra.Command {
	var format string
	var opt openFlags
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write a capture in another format",
		Long:  "Reads the capture IN, a file or folder whose format is found from its content, and writes it as OUT. The extension of OUT selects\nits format unless --format does; - writes to standard output, where it needs --format.",
		Args:  argCount(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := a.open(args[0], &opt)
			if err != nil {
				return err
			}
			return a.convert(c, args[1], format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "the `FORMAT` to write: arrow, csv or i915perf")
	opt.register(cmd)
	return cmd
}

func (a *app) convert(c *capture.Capture, out, format string) error {
	for _, w := range all.Registry().Doubts(out, format, c) {
		a.warn(w)
	}
	if out == "-" {
		if format == "" {
			return usagef("convert to standard output needs --format, such as --format=csv")
		}
		return all.Registry().Encode(a.ctx, a.out, "", format, c)
	}
	if err := all.Registry().Save(a.ctx, out, format, c); err != nil {
		return err
	}
	a.wrote(out)
	return nil
}

// openFlags are what a user may say about a capture that its content does not.
type openFlags struct {
	format, gpu, denom, duration, zero string
}

func (f *openFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.format, "input-format", "", "the `FORMAT` of the capture (default found from its content)")
	flags.StringVar(&f.gpu, "gpu", "", "the catalogue `ID`, such as gfx1151 (default taken from the capture)")
	flags.StringVar(&f.denom, "denom", "", "what counts are divided by: per_kernel, per_wave, per_cycle or per_second")
	flags.StringVar(&f.duration, "duration-rule", "", "whose duration rates use: pass, median or first")
	flags.StringVar(&f.zero, "zero", "", "what a zero divisor gives: missing or vendor")
}

func (f *openFlags) options() formats.Options {
	return formats.Options{Format: f.format, GPU: f.gpu, Denom: f.denom, Duration: f.duration, Zero: f.zero}
}

// open reads a capture, and shows its warnings.
func (a *app) open(path string, f *openFlags) (*capture.Capture, error) {
	c, err := all.Registry().Open(a.ctx, path, f.options())
	if err != nil {
		return nil, err
	}
	for _, w := range c.Warnings {
		a.warn(w)
	}
	return c, nil
}
