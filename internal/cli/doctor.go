package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"astrolabe/hwio"
	"astrolabe/hwio/all"
	"astrolabe/internal/recording"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON, deep bool
	var f bundleFlags
	var there remoteFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine can measure, what not, and what to do about it",
		Args: func(cmd *cobra.Command, args []string) error {
			return errors.Join(argCount(0, 0)(cmd, there.takeArgs(args, -1)), there.check(cmd.Flags()))
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkFlags(cmd, deep); err != nil {
				return err
			}
			switch {
			case there.given() && (f.to != "" || f.check != ""):
				return usagef("--bundle and --check work on this machine: leave out --ssh and --adb")
			case f.to != "":
				return a.bundle(&f, asJSON)
			case f.check != "":
				return a.checkFile(f.check, asJSON)
			}
			return a.doctor(&there, asJSON, deep)
		},
	}
	f.register(cmd)
	there.register(cmd)
	cmd.Flags().BoolVar(&deep, "deep", false, "also measure what has known values, to prove that counters count")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) doctor(there *remoteFlags, asJSON, deep bool) error {
	if there.given() {
		d, end, err := a.connect(a.ctx, there)
		if err != nil {
			return err
		}
		defer end()
		list, err := d.Doctor(a.ctx, deep)
		if err != nil {
			return err
		}
		return a.doctorSays(list, asJSON)
	}
	findings := all.Doctor(a.ctx, "")
	if deep {
		ctx, stop := endingContext(a.ctx)
		defer stop()
		findings = append(findings, hwio.DeepTest(ctx, all.Sources(""))...)
	}
	return a.doctorSays(recording.Findings(findings), asJSON)
}

func (a *app) doctorSays(list []recording.Finding, asJSON bool) error {
	if asJSON {
		return a.printJSON(list)
	}
	return a.print(recording.FindingsText(list))
}
