// Package all lists the families that can be simulated: those of the simulator, and those of second to twelfth models
// of the same hardware by others, who had seen neither each other's models nor the rules of the diagnosis.
package all

import (
	"fmt"
	"slices"
	"strings"

	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/amd"
	"astrolabe/capture/simulate/cases"
	"astrolabe/capture/simulate/cpu"
	eighthcpu "astrolabe/capture/simulate/eighth/cpu"
	eighthintel "astrolabe/capture/simulate/eighth/intel"
	eleventhamd "astrolabe/capture/simulate/eleventh/amd"
	eleventhcpu "astrolabe/capture/simulate/eleventh/cpu"
	fifthamd "astrolabe/capture/simulate/fifth/amd"
	fifthcpu "astrolabe/capture/simulate/fifth/cpu"
	fifthintel "astrolabe/capture/simulate/fifth/intel"
	fifthmali "astrolabe/capture/simulate/fifth/mali"
	fifthrdna "astrolabe/capture/simulate/fifth/rdna"
	fourthamd "astrolabe/capture/simulate/fourth/amd"
	fourthcpu "astrolabe/capture/simulate/fourth/cpu"
	fourthintel "astrolabe/capture/simulate/fourth/intel"
	fourthmali "astrolabe/capture/simulate/fourth/mali"
	fourthrdna "astrolabe/capture/simulate/fourth/rdna"
	"astrolabe/capture/simulate/intel"
	"astrolabe/capture/simulate/mali"
	ninthamd "astrolabe/capture/simulate/ninth/amd"
	ninthmali "astrolabe/capture/simulate/ninth/mali"
	ninthrdna "astrolabe/capture/simulate/ninth/rdna"
	"astrolabe/capture/simulate/rdna"
	secondamd "astrolabe/capture/simulate/second/amd"
	secondcpu "astrolabe/capture/simulate/second/cpu"
	secondintel "astrolabe/capture/simulate/second/intel"
	secondmali "astrolabe/capture/simulate/second/mali"
	secondrdna "astrolabe/capture/simulate/second/rdna"
	seventhamd "astrolabe/capture/simulate/seventh/amd"
	seventhintel "astrolabe/capture/simulate/seventh/intel"
	seventhmali "astrolabe/capture/simulate/seventh/mali"
	sixthamd "astrolabe/capture/simulate/sixth/amd"
	sixthcpu "astrolabe/capture/simulate/sixth/cpu"
	tenthamd "astrolabe/capture/simulate/tenth/amd"
	tenthcpu "astrolabe/capture/simulate/tenth/cpu"
	tenthintel "astrolabe/capture/simulate/tenth/intel"
	tenthmali "astrolabe/capture/simulate/tenth/mali"
	thirdamd "astrolabe/capture/simulate/third/amd"
	thirdcpu "astrolabe/capture/simulate/third/cpu"
	thirdintel "astrolabe/capture/simulate/third/intel"
	thirdmali "astrolabe/capture/simulate/third/mali"
	thirdrdna "astrolabe/capture/simulate/third/rdna"
	twelfthamd "astrolabe/capture/simulate/twelfth/amd"
)

// maker draws a case of a family.
type maker struct {
	name  string
	kinds []string
	make  func(kind string, seed uint64) (*simulate.Case, error)
}

var makers = func() (out []maker) {
	for _, f := range slices.Concat(mali.Families, intel.Families, []*cases.Family{amd.Live}) {
		out = append(out, maker{f.Name, simulate.Kinds(), func(kind string, seed uint64) (*simulate.Case,
			error) {
			return cases.New(f, kind, seed)
		}})
	}
	out = append(out, maker{amd.GPAName, amd.GPAKinds(), amd.NewGPA})
	for _, f := range rdna.Families {
		out = append(out, maker{f.Name, rdna.Kinds(), f.New})
	}
	return append(out, maker{cpu.Name, cpu.Kinds(), cpu.New})
}()

// others make cases of the models by others.
var others = func() (out []maker) {
	add := func(names []string, kinds func(name string) []string,
		make func(name, kind string, seed uint64) (*simulate.Case, error)) {
		for _, name := range names {
			out = append(out, maker{name, kinds(name), func(kind string, seed uint64) (*simulate.Case, error) {
				return make(name, kind, seed)
			}})
		}
	}
	add(secondamd.Names, secondamd.Kinds, secondamd.New)
	add(secondcpu.Names, secondcpu.Kinds, secondcpu.New)
	add(secondintel.Names, secondintel.Kinds, secondintel.New)
	add(secondmali.Names, secondmali.Kinds, secondmali.New)
	add(secondrdna.Names, secondrdna.Kinds, secondrdna.New)
	add(thirdamd.Names, thirdamd.Kinds, thirdamd.New)
	add(thirdcpu.Names, thirdcpu.Kinds, thirdcpu.New)
	add(thirdintel.Names, thirdintel.Kinds, thirdintel.New)
	add(thirdmali.Names, thirdmali.Kinds, thirdmali.New)
	add(thirdrdna.Names, thirdrdna.Kinds, thirdrdna.New)
	add(fourthamd.Names, fourthamd.Kinds, fourthamd.New)
	add(fourthintel.Names, fourthintel.Kinds, fourthintel.New)
	add(fourthmali.Names, fourthmali.Kinds, fourthmali.New)
	add(fourthcpu.Names, fourthcpu.Kinds, fourthcpu.New)
	add(fourthrdna.Names, fourthrdna.Kinds, fourthrdna.New)
	add(fifthintel.Names, fifthintel.Kinds, fifthintel.New)
	add(fifthamd.Names, fifthamd.Kinds, fifthamd.New)
	add(fifthmali.Names, fifthmali.Kinds, fifthmali.New)
	add(fifthcpu.Names, fifthcpu.Kinds, fifthcpu.New)
	add(fifthrdna.Names, fifthrdna.Kinds, fifthrdna.New)
	add(sixthamd.Names, sixthamd.Kinds, sixthamd.New)
	add(sixthcpu.Names, sixthcpu.Kinds, sixthcpu.New)
	add(seventhmali.Names, seventhmali.Kinds, seventhmali.New)
	add(seventhamd.Names, seventhamd.Kinds, seventhamd.New)
	add(seventhintel.Names, seventhintel.Kinds, seventhintel.New)
	add(eighthintel.Names, eighthintel.Kinds, eighthintel.New)
	add(eighthcpu.Names, eighthcpu.Kinds, eighthcpu.New)
	add(ninthmali.Names, ninthmali.Kinds, ninthmali.New)
	add(ninthamd.Names, ninthamd.Kinds, ninthamd.New)
	add(ninthrdna.Names, ninthrdna.Kinds, ninthrdna.New)
	add(tenthamd.Names, tenthamd.Kinds, tenthamd.New)
	add(tenthcpu.Names, tenthcpu.Kinds, tenthcpu.New)
	add(tenthintel.Names, tenthintel.Kinds, tenthintel.New)
	add(tenthmali.Names, tenthmali.Kinds, tenthmali.New)
	add(eleventhamd.Names, eleventhamd.Kinds, eleventhamd.New)
	add(eleventhcpu.Names, eleventhcpu.Kinds, eleventhcpu.New)
	add(twelfthamd.Names, twelfthamd.Kinds, twelfthamd.New)
	return out
}()

// Families are the names of the simulator's families.
func Families() []string { return namesOf(makers) }

// Others are the names of the families of models by others.
func Others() []string { return namesOf(others) }

// Base is the family whose hardware a family models: itself, or what its name says before the number of the model.
func Base(family string) string {
	for _, suffix := range []string{"-second", "-third", "-fourth", "-fifth", "-sixth", "-seventh", "-eighth", "-ninth", "-tenth",
		"-eleventh", "-twelfth"} {
		family = strings.TrimSuffix(family, suffix)
	}
	return family
}

func namesOf(list []maker) (out []string) {
	for _, m := range list {
		out = append(out, m.name)
	}
	return out
}

// makerOf is the maker of a family; nil where there is no such family.
func makerOf(family string) *maker {
	for _, list := range [][]maker{makers, others} {
		if i := slices.IndexFunc(list, func(m maker) bool { return m.name == family }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// Kinds are the kinds of cases of a family; nil where there is no such family.
func Kinds(family string) []string {
	if m := makerOf(family); m != nil {
		return slices.Clone(m.kinds)
	}
	return nil
}

// Case draws a case of a kind for a family. The same arguments give the same case.
func Case(family, kind string, seed uint64) (*simulate.Case, error) {
	m := makerOf(family)
	if m == nil {
		return nil, fmt.Errorf("there is no family %q; there are %v", family, slices.Concat(Families(), Others()))
	}
	return m.make(kind, seed)
}
