package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"astrolabe/capture/formats/arrow"
)

func (a *app) repairCommand() *cobra.Command {
	var cut bool
	cmd := &cobra.Command{
		Use:   "repair FILE…",
		Short: "Complete recordings whose recorder was killed",
		Long: "Adds the footer that other programs look for in an Arrow file, and that a killed recorder had no time " +
			"to write. What breaks off behind the last\n" +
			"whole batch is cut off, after saying how much it is; a file that is whole keeps every byte. Nothing " +
			"else is written, so a repair that is\n" +
			"interrupted can be done again. A folder is a recording in parts. Files without a footer open here as " +
			"they are, and in other programs as Arrow\nstreams from byte 8 on.",
		Example: "  astrolabe repair game.arrow",
		Args:    argCount(1, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			var failed []error
			for _, path := range args {
				parts, err := arrow.Parts(path)
				for _, part := range parts {
					err = errors.Join(err, a.repair(part, cut))
				}
				failed = append(failed, err)
			}
			return errors.Join(failed...)
		},
	}
	cmd.Flags().BoolVar(&cut, "cut", false, "cut off batches that stand behind damage too")
	return cmd
}

// repair completes one file, and says what it lacked.
func (a *app) repair(path string, cut bool) error {
	return arrow.Repair(a.ctx, path, func(d *arrow.Damage) error {
		form := "footer"
		if d.Stream {
			form = "end mark"
		}
		has := fmt.Sprintf("%d samples in %d batches", d.Samples, d.Batches)
		switch {
		case d.Whole:
			a.say(fmt.Sprintf("%s is whole: %s", path, has))
			return nil
		case d.Behind > 0 && !cut:
			return fmt.Errorf("repair %s: byte %d is damaged (%s) and %s can be read before it; up to %d batches behind it "+
				"(%d bytes) would be lost: --cut gives them up", path, d.At, d.Why, has, d.Behind, d.Lost)
		case d.Lost > 0:
			a.warn(fmt.Sprintf("%s: %d bytes from byte %d on are no whole batch (%s) and are cut off", path,
				d.Lost, d.At,
				d.Why))
		}
		a.say(fmt.Sprintf("%s gets its %s: %s%s", path, form, has, d.Held))
		return nil
	})
}
