// A stand-in for GPUPerfAPI. By default it is the library that needs no GPU, with its function table; -DSTANDIN_TABLE makes it one of an API
// with contexts and sessions (GPA 3), -DSTANDIN_FLAT one with the flat functions of the guide of 2017. Both of these bring
// an OpenCL along. STANDIN_GPA chooses what goes wrong: no-context, version.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
#define N 6

static const struct {
	const char *name, *group, *doc;
	uint32_t type, usage, passes;
} counters[N] = {
	{"GPUTime", "Timing", "Time from the beginning to the end of the work, in milliseconds.", 0, 3, 1},
	{"GPUBusy", "Timing", "Percentage of time in which the GPU was busy.", 0, 1, 1},
	{"TexUnitBusy", "Timing", "Percentage of time in which the texture unit was active.", 0, 1, 2},
	{"CSThreads", "ComputeShader", "Number of threads.", 0, 5, 1},
	{"FetchSize", "GlobalMemory", "Data fetched from video memory, in bytes.", 0, 4, 3},
	{"Wavefronts", "ComputeShader", "Number of wavefronts.", 0, 5, 1},
};

static int broken(const char *word) { return getenv("STANDIN_GPA") && !strcmp(getenv("STANDIN_GPA"), word); }

static uint32_t passes(const uint32_t *list, uint32_t n) {
	uint32_t most = 0;
	for (uint32_t i = 0; i < n; i++)
		if (counters[list[i]].passes > most) most = counters[list[i]].passes;
	return n > 4 ? most + 1 : most;
}

#if defined STANDIN_TABLE || defined STANDIN_FLAT
static int queue;

API int clGetPlatformIDs(uint32_t room, void **out, uint32_t *n) {
	if (room && out) out[0] = &queue;
	if (n) *n = 1;
	return 0;
}
API int clGetDeviceIDs(void *platform, uint64_t type, uint32_t room, void **out, uint32_t *n) {
	if (platform != &queue || type != 4) return -31;
	if (room && out) out[0] = &queue;
	if (n) *n = 1;
	return broken("no-context") ? -1 : 0;
}
API void *clCreateContext(void *props, uint32_t n, void **devices, void *cb, void *user, int *err) {
	(void)props, (void)cb, (void)user;
	*err = n == 1 && devices[0] == &queue ? 0 : -33;
	return &queue;
}
API void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *err) {
	(void)device, (void)properties;
	*err = context == &queue ? 0 : -34;
	return &queue;
}
static uint32_t enabled[N], enabled_n;
#endif

#if defined STANDIN_FLAT

static int open_;
enum { NULL_POINTER = 1, NOT_OPEN, ALREADY_OPEN, OUT_OF_RANGE, NOT_SUPPORTED = 27 };
API int GPA_Initialize(void) { return 0; }
API int GPA_Destroy(void) { return 0; }
API int GPA_OpenContext(void *context, uint32_t flags) {
	if (!context) return NULL_POINTER;
	if (context != &queue || flags) return NOT_SUPPORTED;
	open_ = 1;
	return 0;
}
API int GPA_CloseContext(void) { return open_ ? open_ = 0 : NOT_OPEN; }
API int GPA_GetNumCounters(uint32_t *n) { return open_ ? *n = N, 0 : NOT_OPEN; }
#define TEXT(f, m) API int f(uint32_t i, const char **s) { return !open_ ? NOT_OPEN : i >= N ? OUT_OF_RANGE : (*s = counters[i].m, 0); }
TEXT(GPA_GetCounterName, name)
TEXT(GPA_GetCounterCategory, group)
TEXT(GPA_GetCounterDescription, doc)
API int GPA_GetCounterDataType(uint32_t i, uint32_t *t) { return i >= N ? OUT_OF_RANGE : (*t = 1, 0); }
API int GPA_GetCounterUsageType(uint32_t i, uint32_t *t) { return i >= N ? OUT_OF_RANGE : (*t = counters[i].usage, 0); }
API int GPA_GetStatusAsStr(void) { return 0; }
API int GPA_EnableCounter(uint32_t i) { return enabled[enabled_n++] = i, 0; }
API int GPA_DisableAllCounters(void) { return enabled_n = 0; }
API int GPA_GetPassCount(uint32_t *n) { return *n = passes(enabled, enabled_n), 0; }

#elif defined STANDIN_TABLE

static int context_, session_;
API int GpaGetVersion(uint32_t *major, uint32_t *minor, uint32_t *build, uint32_t *update) { return *major = 3, *minor = 9, *build = 4, *update = 0; }
API int GpaInitialize(uint32_t flags) { return flags ? -27 : 0; }
API int GpaDestroy(void) { return 0; }
API int GpaOpenContext(void *context, uint32_t flags, void **out) {
	if (context != &queue || flags) return -24;
	return *out = &context_, 0;
}
API int GpaCloseContext(void *c) { return c == &context_ ? 0 : -19; }
API int GpaGetDeviceName(void *c, const char **s) { return c == &context_ ? *s = "Stand-in Radeon", 0 : -19; }
API int GpaGetNumCounters(void *c, uint32_t *n) { return c == &context_ ? *n = N, 0 : -19; }
#define TEXT(f, m) API int f(void *c, uint32_t i, const char **s) { return c != &context_ ? -19 : i >= N ? -4 : (*s = counters[i].m, 0); }
TEXT(GpaGetCounterName, name)
TEXT(GpaGetCounterGroup, group)
TEXT(GpaGetCounterDescription, doc)
API int GpaGetCounterDataType(void *c, uint32_t i, uint32_t *t) { return c != &context_ || i >= N ? -4 : (*t = counters[i].type, 0); }
API int GpaGetCounterUsageType(void *c, uint32_t i, uint32_t *t) { return c != &context_ || i >= N ? -4 : (*t = counters[i].usage, 0); }
API const char *GpaGetStatusAsStr(int status) { return status ? "Failed" : "Ok"; }
API int GpaCreateSession(void *c, uint32_t type, void **out) { return c != &context_ || type ? -34 : (*out = &session_, 0); }
API int GpaDeleteSession(void *s) { return s == &session_ ? 0 : -17; }
API int GpaEnableCounter(void *s, uint32_t i) { return s != &session_ ? -17 : (enabled[enabled_n++] = i, 0); }
API int GpaDisableAllCounters(void *s) { return s != &session_ ? -17 : (int)(enabled_n = 0); }
API int GpaGetPassCount(void *s, uint32_t *n) { return s != &session_ ? -17 : (*n = passes(enabled, enabled_n), 0); }
typedef struct { uint32_t major, minor; void *functions[9]; } table;
API int GpaGetFuncTable(void *p) {
	table *t = p;
	uint32_t major = t->major, minor = t->minor;
	t->major = 3, t->minor = sizeof *t;
	if (major != 3) return -29;
	if (minor > sizeof *t) return -30;
	t->functions[0] = (void *)GpaGetFuncTable, t->functions[2] = (void *)GpaInitialize, t->functions[3] = (void *)GpaDestroy;
	t->functions[4] = (void *)GpaOpenContext, t->functions[5] = (void *)GpaCloseContext, t->functions[8] = (void *)GpaGetDeviceName;
	return 0;
}

#else

typedef struct { uint32_t type, value; } attribute;
typedef struct { uint32_t vendor, device, revision; attribute *attributes; uint32_t n; } hardware;
static int context_;
static int version(uint32_t *major, uint32_t *minor, uint32_t *build, uint32_t *update) { return *major = 3, *minor = 16, *build = 7, *update = 0; }
static int open_(uint32_t api, uint32_t type, hardware h, uint32_t flags, void **out) {
	if (!out) return -1;
	if (h.vendor != 0x1002 || h.device == 0xdead) return -24;
	if (api != 5 || type || flags || h.attributes || h.n) return -27;
	return *out = &context_, 0;
}
static int close_(void *c) { return c == &context_ ? 0 : -19; }
static int count(void *c, uint32_t *n) { return c == &context_ ? *n = N, 0 : -19; }
#define TEXT(f, m) static int f(void *c, uint32_t i, const char **s) { return c != &context_ ? -19 : i >= N ? -4 : (*s = counters[i].m, 0); }
TEXT(name_, name)
TEXT(group_, group)
TEXT(doc_, doc)
static int type_(void *c, uint32_t i, uint32_t *t) { return c != &context_ || i >= N ? -4 : (*t = counters[i].type, 0); }
static int usage_(void *c, uint32_t i, uint32_t *t) { return c != &context_ || i >= N ? -4 : (*t = counters[i].usage, 0); }
static int passes_(void *c, const uint32_t *list, uint32_t n, uint32_t *out) { return c != &context_ ? -19 : (*out = passes(list, n), 0); }
typedef struct { uint32_t major, minor; void *f[17]; } table;
API int GpaCounterLibGetFuncTable(void *p) {
	table *t = p;
	uint32_t major = t->major, minor = t->minor;
	t->major = broken("version") ? 4 : 3, t->minor = sizeof *t;
	if (major != t->major) return -29;
	if (minor > sizeof *t) return -30;
	t->f[0] = (void *)version, t->f[1] = (void *)GpaCounterLibGetFuncTable, t->f[2] = (void *)open_, t->f[3] = (void *)close_, t->f[4] = (void *)count;
	t->f[5] = (void *)name_, t->f[7] = (void *)group_, t->f[8] = (void *)doc_, t->f[9] = (void *)type_, t->f[10] = (void *)usage_, t->f[15] = (void *)passes_;
	return 0;
}

#endif
