// Package analysis says what changed between captures, and how far that can be trusted; and what happens when within
// one.
//
// Compare takes the captures of a program before and after a change. It cuts each into cells of neighbouring samples
// (or one cell per frame, per occurrence of a region, per dispatch) and judges every counter and metric that both have.
//
// # The value
//
// What is compared is never a mean of samples: a delta counter is its sum per second of measured time (per frame, per
// occurrence, per dispatch), a gauge its time-weighted mean, a metric its formula on the totals of its operands.
//
// # The test
//
// Samples of counters are skewed and depend on those before them, so a t-test on samples would find changes everywhere.
// The standard error of each value comes from a circular block bootstrap (Politis and Romano, 1992) over the cells:
// whole stretches are drawn, as many as there are, so that dependence within a stretch survives, and formulas are
// evaluated anew on the totals of what was drawn. The length of the stretches is that of Politis and White (2004), in
// the form that Patton, Politis and White corrected (2009), rounded up to a power of two, per metric. The difference
// divided by its standard error is held against Student's t with the Welch-Satterthwaite degrees of freedom of the
// number of stretches. A bootstrap's own percentiles can't give the small probabilities that a correction for hundreds
// of metrics needs, and a rank test on block means would judge another thing than the totals that are reported; so
// neither is used. What is near to normal here is a total over many stretches, not the samples.
//
// Where a capture was repeated, the spread between the runs is a second standard error, helped by what all metrics
// together say about how much runs differ (see prior). The wider interval of the two counts: a change has to stand out
// of the noise within a run and of that between runs. Fewer than a dozen dispatches, frames or occurrences are taken to
// be independent. Captures too short for the bootstrap are judged by their repeated runs alone.
//
// The interval of the difference is the one that goes with the test; that of the ratio is Fieller's (1954), which
// leaves out 1 where the other leaves out 0. Intervals are for one metric, at 1-alpha. The effect size is Cliff's delta
// of the cells: how much oftener a cell of one capture exceeds one of the other than the other way round, from -1 to 1;
// it knows no distribution.
//
// # Paired frames
//
// Where all captures have the same frames, as those of a replayed scene, frame N of one is compared with frame N of the
// other. Blocks of frames are drawn for all runs together, so that what the scene itself costs, little in a menu and
// much in a level, cancels. Judged is the logarithm of the ratio of the totals, or their difference where values are 0
// or negative. Its standard error comes from the replicates of that, the length of the stretches from what is left of
// each frame after the common change. The number of stretches is reduced where few frames have most of that (by its
// fourth moment), and the variance is raised by what stretches of such a length miss of the dependence of neighbours,
// taken to be an AR(1). The intervals of ratio and difference are one and hold for the frames that were measured; the
// effect is Cliff's delta within the pairs. Pairs of frames that have nothing in common but their names are judged
// rightly too, only not better. Simulated scenes of a menu and a level without a change (AR(1) of 0 to 0.9, 5 to 1500
// frames) give false changes in at most 4 % of the comparisons at alpha = 5 %.
//
// # Many metrics
//
// P values are adjusted by Benjamini and Hochberg (1995) over everything that was judged, so that of all reported
// changes at most the fraction alpha is expected to be noise. Their proof covers metrics that are independent or depend
// on each other positively; counters mostly do. Simulated captures without a change (log-normal, AR(1) of 0 to 0.9, 400
// to 3000 samples) give false changes in 3 to 6 % of the comparisons at alpha = 5 %, and 60 samples in 7 %: the
// dependence of a short series can't be known well.
//
// # Within one capture
//
// Phases cuts a capture where the levels of its leading counters change, Outliers finds values far from the others,
// PerFrame makes a capture of one sample per frame, and Periodicity and Recurrence tell whether a series, or single
// events, repeat. Each says at its function how it decides; the tests hold the rates of false alarms.
//
// The same captures, options and seed give the same result. The package draws nothing and knows no Starlark.
package analysis
