package symbols

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Names as profilers wrote them for real programs, and what a reader of a page needs of them.
func TestLongNamesOfKernelsAreFolded(t *testing.T) {
	for name, want := range map[string]string{
		"vecCopy(double*, double*, double*, int, int)":                    "vecCopy",
		"vecCopy(double*, double*, double*, int, int) (.kd)":              "vecCopy",
		"void rms_norm_f32<1024, true, false>(float const*, float*, int)": "rms_norm_f32<1024, true, false>",
		"void mul_mat_vec_q<(ggml_type)13, 1, false, false>(void const*)": "mul_mat_vec_q<(ggml_type)13, 1, false, false>",
		"void k_bin_bcast<&(op_add(float, float)), float>(float const*)":  "k_bin_bcast<&(op_add(float, float)), float>",
		"void (anonymous namespace)::fill<int>(int*)":                     "(anonymous namespace)::fill<int>",
		"at::(anonymous namespace)::fill(int*)":                           "at::(anonymous namespace)::fill",
		"copy(float*, int) grid 64 workgroup 64":                          "copy grid 64 workgroup 64",
		"scale::get(int) const & [clone .cold]":                           "scale::get",
		"scale::operator()(int) const":                                    "scale::operator()",
		"bool less::operator<(int, int)":                                  "less::operator<",
		"__amd_rocclr_copyBuffer":                                         "__amd_rocclr_copyBuffer",
		"__omp_offloading_32_6b6b__QQmain_l18":                            "__omp_offloading_32_6b6b__QQmain_l18",
		"":                                                                "",
		"a > b":                                                           "a > b",
		"draw call":                                                       "draw call",
		"void at::native::vectorized_elementwise_kernel<8, at::native::BUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, " +
			"at::native::binary_internal::MulFunctor<float> >, std::array<char*, 2ul> >(int, std::array<char*, 2ul>)": "at::native::vectorized_elementwise_kernel<…>",
		"void at::native::elementwise_kernel_manual_unroll<128, 8, at::native::gpu_kernel_impl_nocast<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)" +
			"::{lambda()#3}::operator()() const::{lambda()#12}::operator()() const::{lambda(c10::BFloat16)#1}>(at::TensorIteratorBase&, int const&)>(int, int)": "at::native::elementwise_kernel_manual_unroll<…>",
		"void f<(1 < 2), (a->b > 0)>(int)": "f<(1 < 2), (a->b > 0)>",
	} {
		if got := Short([]string{name})[0]; got != want {
			t.Errorf("%q is short\n%q, want\n%q", name, got, want)
		}
	}
}

func TestShortNamesOfDifferentKernelsDiffer(t *testing.T) {
	fill := "void at::native::vectorized_elementwise_kernel<8, at::native::FillFunctor<c10::BFloat16>, std::array<char*, 1ul> >(int, at::native::FillFunctor<c10::BFloat16>)"
	mul := "void at::native::vectorized_elementwise_kernel<8, at::native::BUnaryFunctor<c10::BFloat16, c10::BFloat16, float>, std::array<char*, 2ul> >(int)"
	half := strings.Replace(mul, "BFloat16, float", "Half, float", 1)
	got := Short([]string{fill, mul, half, fill, "g(int)", "g(float)"})
	for i, want := range []string{
		"at::native::vectorized_elementwise_kernel<8, at::native::FillFunctor<c10::BFloat16>, std::array<…> >",
		"at::native::vectorized_elementwise_kernel<8, at::native::BUnaryFunctor<c10::BFloat16, c10::BFloat16, float>, std::array<char*, 2ul> >",
		"at::native::vectorized_elementwise_kernel<8, at::native::BUnaryFunctor<c10::BFloat16, c10::Half, float>, std::array<char*, 2ul> >",
		"at::native::vectorized_elementwise_kernel<8, at::native::FillFunctor<c10::BFloat16>, std::array<…> >", "g(int)", "g(float)",
	} {
		if got[i] != want {
			t.Errorf("short name %d is\n%q, want\n%q", i, got[i], want)
		}
	}
}

func TestSymbolsOfKernelsAreDemangled(t *testing.T) {
	for symbol, want := range map[string]string{
		"_Z7vecCopyPdS_S_ii.kd":                                    "vecCopy(double*, double*, double*, int, int)",
		"_Z7vecCopyPdS_S_ii [clone .kd]":                           "vecCopy(double*, double*, double*, int, int)",
		"vecCopy(double*, double*, double*, int, int) [clone .kd]": "vecCopy(double*, double*, double*, int, int)",
		"__amd_rocclr_fillBufferAligned.kd":                        "__amd_rocclr_fillBufferAligned",
		".kd":                                                      ".kd",
		"_Z":                                                       "_Z",
		"_Znot a symbol":                                           "_Znot a symbol",
		"Cijk_Ailk_Bljk_SB_MT64x64x16":                             "Cijk_Ailk_Bljk_SB_MT64x64x16",
		"_ZN2at6native12_GLOBAL__N_19fill_implIfEEvPT_l.kd": "void at::native::(anonymous namespace)::fill_impl<float>(float*, long)",
	} {
		if got := Demangle(symbol); got != want {
			t.Errorf("%q is %q, want %q", symbol, got, want)
		}
	}
}

// c++filt of binutils judges the names, on all symbols of the C++ library that is installed, where both are there.
func TestNamesAreThoseOfBinutils(t *testing.T) {
	for _, program := range []string{"c++filt", "nm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	library := ""
	for _, path := range []string{"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/aarch64-linux-gnu/libstdc++.so.6", "/usr/lib64/libstdc++.so.6"} {
		if _, err := os.Stat(path); err == nil {
			library = path
		}
	}
	if library == "" {
		t.Skip("no libstdc++ to take symbols from")
	}
	out, err := exec.Command("nm", "-D", "--defined-only", "--format=just-symbols", library).Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range strings.Fields(string(out)) {
		if s, _, _ = strings.Cut(s, "@"); strings.HasPrefix(s, "_Z") {
			list = append(list, s)
		}
	}
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	filt := exec.Command("c++filt")
	filt.Stdin = strings.NewReader(strings.Join(list, "\n") + "\n")
	out, err = filt.Output()
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, want := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		if got := Demangle(list[i]); got != want {
			if wrong++; wrong <= 10 {
				t.Logf("%s is\n%s, c++filt says\n%s", list[i], got, want)
			}
		}
	}
	if t.Logf("%d of %d symbols differ", wrong, len(list)); len(list) < 1000 || wrong*200 > len(list) {
		t.Errorf("%d of %d symbols differ", wrong, len(list))
	}
}

func TestNamesMadeToTakeLongEnd(t *testing.T) {
	deep := strings.Repeat("f<", 20000) + strings.Repeat(" ", 20000) + strings.Repeat(">", 20000) + "()"
	bomb := "_Z1f" + strings.Repeat("P", 3) + "St4pairI" + strings.Repeat("S1_IS_", 4000)
	for _, name := range []string{deep, deep[:30000], bomb, "_Z" + strings.Repeat("N", 65000), strings.Repeat("(", 60000)} {
		Short([]string{Demangle(name), name + "x"})
	}
}

func FuzzShort(f *testing.F) {
	f.Add("void f<(1 < 2), g(int)::{lambda()#1}>(int) const", "_Z7vecCopyPdS_S_ii.kd")
	f.Add("a::operator<<(int)", "operator()(")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, b = Demangle(a), Demangle(b)
		if s := Short([]string{a, b, a}); s[0] != s[2] || (a != b) != (s[0] != s[1]) {
			t.Errorf("%q and %q are short %q", a, b, s)
		}
	})
}
