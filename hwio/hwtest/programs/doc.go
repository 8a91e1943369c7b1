// Package programs builds what tests run, such as the main program, once for all packages. What was built lies in the
// user's folder of caches, below a key made of all the sources, so that a changed source is built anew and tests of
// several packages, which run at the same time, wait for one build instead of making one each. Only tests import it.
package programs
