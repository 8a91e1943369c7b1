package rates

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/all"
	"astrolabe/internal/diagnosis"
)

// each looks at the cases of each kind of each family, several at a time, and hands on what was found, in the order of
// their seeds, whoever is quicker.
func each[T any](ctx context.Context, s Cases,
	look func(x *examiner, ctx context.Context, kind string, seed uint64) (T, error),
	found func(family, kind string, found []T) error) error {
	if len(s.Families) == 0 {
		s.Families = Families("")
	}
	for _, kind := range s.Kinds {
		if !slices.Contains(simulate.Kinds(), kind) {
			return fmt.Errorf("there is no kind of case %q; there are %v", kind, simulate.Kinds())
		}
	}
	judges := make([]map[string]*diagnosis.Judge, max(1, s.Workers))
	for i := range judges {
		judges[i] = map[string]*diagnosis.Judge{}
	}
	for _, name := range s.Families {
		f := findFamily(name)
		if f == nil {
			return fmt.Errorf("there is no family %q; there are %v", name, allFamilies())
		}
		for _, kind := range all.Kinds(name) {
			if s.Number == 0 || len(s.Kinds) > 0 && !slices.Contains(s.Kinds, kind) {
				continue
			}
			list, err := ofKind(ctx, s, f, kind, judges, look)
			if err != nil {
				return err
			}
			if err := found(name, kind, list); err != nil {
				return err
			}
			if s.Progress != nil {
				s.Progress(name, kind)
			}
		}
	}
	return nil
}

// ofKind looks at the cases of a kind.
func ofKind[T any](ctx context.Context, s Cases, f *family, kind string, judges []map[string]*diagnosis.Judge,
	look func(x *examiner, ctx context.Context, kind string, seed uint64) (T, error)) ([]T, error) {
	// The cause is the first error: those after it may only say that it ended them.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]T, s.Number)
	next := make(chan int)
	var wg sync.WaitGroup
	for _, mine := range judges {
		wg.Go(func() {
			for i := range next {
				seed := s.First + uint64(i)
				x := examiner{f, mine}
				var err error
				if out[i], err = look(&x, ctx, kind, seed); err != nil {
					cancel(fmt.Errorf("%s %s %d: %w", f.name, kind, seed, err))
				}
			}
		})
	}
	for i := range s.Number {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return out, nil
}
