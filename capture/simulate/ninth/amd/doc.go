// Package amd is a ninth model of what astrolabe's live reader of the amdgpu driver records of a Radeon on Linux. It was
// written from public documents, without knowledge of the rules of the diagnosis or of the other models.
//
// Work flows like a fluid. A job (a pass, a row of dispatches, a copy) has parts, and a part says for how long it needs
// each unit at the highest clock. At every moment a part proceeds at the rate that all its units allow together: a norm of
// the units' times, which is a little more than the longest (19 % where two are equal and overlap is bad, 4 % where it is
// good), because no pipe keeps two units busy all the time. Jobs of other queues slow each other down as far as they need
// the same units. Before each part the pipe empties. The norm's terms also say how much each unit slows the part down,
// which the path is made of, and what is held up behind it, which status bits show. The firmware decides every ms about
// the clock; the application's and the driver's threads, the display and a limit on the frame rate wait and are waited
// for as programs do with a swapchain. Limiters are found by relief alone.
//
// What counters show while something else limits:
//   - A bit of GRBM_STATUS is the sum of a block's parts and set while any of them holds work, so that the bits of a large
//     chip are set for longer than the work of one part takes, and blocks before the one that limits are set although they
//     only wait. How far geometry is held up depends on the pass: a triangle that covers the picture has left the front.
//   - What firmware averages is renewed at the reader's slow pace and lags behind: by 8 to 60 ms on cards, by up to 0.4 s
//     on APUs. Memory that gives all it can is called 80 to 100 % busy.
//   - APUs: no mem_busy_percent, power of the moment, and a limit only on the Steam Deck. Revision 2.1 of gpu_metrics
//     (Rembrandt, Phoenix) says that the clocks are held down, and not by what. The limit of power is the whole
//     package's, with the processors' threads in it.
//   - Activity in hundredths of a percent in tables of APUs; where firmware gives percents the reader leaves it out.
//   - Energy arrives in steps of 100 ms, engine times from fences at the reader's pace, processor times in steps of 10 ms.
//
// Facts: bits of registers and which generation has them, from GRBM_STATUS and GRBM_STATUS2 of the kernel's gc_*_sh_mask.h;
// files, units and which part has which from amdgpu_pm.c, vangogh_ppt.c, yellow_carp_ppt.c, smu_v13_0_4_ppt.c,
// sienna_cichlid_ppt.c, smu_v13_0_0_ppt.c, smu_v14_0_2_ppt.c and kgd_pp_interface.h; fdinfo from
// Documentation/gpu/drm-usage-stats.rst; families from amdgpu_drm.h; compute units, engines, clocks, memory and limits of
// power from AMD's product pages (Steam Deck: 4 to 15 W and 200 to 1600 MHz, 680M and 780M: 15 to 54 W, 6800 XT: 255 W
// for the chip of 300, 7900 XTX: 339 W of 355, 9070 XT: 304 W); limits of heat from the same and from vendors' tables
// (95 to 100 °C of APUs, 110 °C at the hottest spot of cards); barriers that flush and drain take 2.5 to 9 µs, within what
// measurements of small dispatches show (3 to 10 µs).
//
// Assumed: how much each pass needs of each unit, and its spread; the shares of power of units, of leakage and of the clock
// tree, with energy going with the voltage's square and voltage from 62 % at no clock; the firmware's controllers, filters
// and thresholds; that a chip reaches 94 to 100 % of what the driver calls its highest clock, which is what counts as
// highest here; temperatures of coolers; of how many independent parts a bit is the sum; how far blocks are held up; that
// the power of an APU's processors is that of busy threads alone, whose clock never falls; how people record.
//
// Left out: video engines' work, several programs in competition (other programs draw at most 2 % of the time), video memory
// that is short, PCIe as a limit, processors' clocks, suspended GPUs, resets, fans, partitions, gpu_metrics 3.0.
package amd
