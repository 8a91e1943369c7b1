// A stand-in for librocprofiler-sdk and the GPU runtime beside it: an imagined gfx1151 whose counters follow the clock. What goes wrong is
// chosen by the environment variable STANDIN_ROCPROFILER, a list of the words that fault() is asked for below; STANDIN_TRUTH names a
// file that gets every value that was handed out. -DSTANDIN_ROCM6 makes it a library with the names of ROCm 6,
// -DSTANDIN_OLD one that cannot hand out records.
#define _GNU_SOURCE
#include "rocprofiler_abi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum { OK, ERROR, CONTEXT_NOT_FOUND, COUNTER_NOT_FOUND, INVALID_ARGUMENT, OUT_OF_RESOURCES, ARCH_NOT_SUPPORTED, PERMISSION_DENIED, HSA_NOT_LOADED, CONFIGURATION_LOCKED, INCOMPATIBLE_ABI, EXCEEDS = 38 };

static const char *const names[] = {
	"ROCPROFILER_STATUS_SUCCESS", "ROCPROFILER_STATUS_ERROR", "ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND",
	"ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND", "ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT", "ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES",
	"ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED", "ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED",
	"ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED", "ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED", "ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI",
};

static int fault(const char *word) {
	const char *list = getenv("STANDIN_ROCPROFILER");
	size_t n = strlen(word);
	while (list && *list) {
		if (!strncmp(list, word, n) && (list[n] == 0 || list[n] == ',')) return 1;
		list = strchr(list, ',');
		if (list) list++;
	}
	return 0;
}

// Dimensions, by their numbers in record ids.
enum { SE = 3, SA = 5, WGP = 6, INST = 7 };

typedef struct {
	const char *name, *block, *doc, *expression;
	int shape;   // 0: one; 1: SE 2 x SA 2 x WGP 4; 2: SE 2; 3: INST 8
	int rate;    // per microsecond of work
	int parts[2]; // counters that it is the sum of
	int uneven;
} counter;

#define SUM_OF(n) {n "_sum", "", n " added up over all instances", "reduce(" n ",sum)", 0, 0, {0}, 0}
static const counter counters[] = {
	{"GRBM_COUNT", "GRBM", "Clock cycles", "", 0, -2000, {0}, 0},
	{"GRBM_GUI_ACTIVE", "GRBM", "Cycles in which the GPU worked", "", 0, 2000, {0}, 0},
	{"TCP_REQ", "TCP", "Requests", "", 1, 0, {3, 4}, 0},
	{"TCP_REQ_READ", "TCP", "Read requests", "", 1, 300, {0}, 0},
	{"TCP_REQ_WRITE", "TCP", "Write requests", "", 1, 100, {0}, 0},
	{"TCP_REQ_MISS", "TCP", "Requests that missed", "", 1, 400, {0}, 1},
	{"TCP_GATE_EN2", "TCP", "Cycles awake", "", 1, 1500, {0}, 0},
	{"TCP_GL1_REQ_READ", "TCP", "Read requests to GL1", "", 1, 380, {0}, 1},
	{"TCP_GL1_REQ_WRITE", "TCP", "Write requests to GL1", "", 1, 40, {0}, 0},
	{"SQ_WAVES", "SQ", "Waves", "", 2, 2, {0}, 0},
	{"SQ_BUSY_CYCLES", "SQ", "Cycles with waves", "", 2, 1900, {0}, 0},
	{"SQ_INSTS_VALU", "SQ", "Vector instructions", "", 2, 700, {0}, 1},
	{"GL2C_HIT", "GL2C", "Hits", "", 3, 60, {0}, 0},
	{"GL2C_MISS", "GL2C", "Misses", "", 3, 60, {0}, 1},
	SUM_OF("TCP_REQ"), SUM_OF("TCP_REQ_READ"), SUM_OF("TCP_REQ_WRITE"), SUM_OF("TCP_REQ_MISS"),
	SUM_OF("TCP_GL1_REQ_READ"), SUM_OF("TCP_GL1_REQ_WRITE"), SUM_OF("SQ_WAVES"), SUM_OF("GL2C_HIT"), SUM_OF("GL2C_MISS"),
	{"SQ_BUSY_CYCLES_avr", "", "Cycles with waves, mean of all", "reduce(SQ_BUSY_CYCLES,avr)", 0, 0, {0}, 0},
	{"SQ_BUSY_CYCLES_max", "", "Cycles with waves, of the busiest", "reduce(SQ_BUSY_CYCLES,max)", 0, 0, {0}, 0},
	{"GPU_UTIL", "", "Share of time with work", "100*GRBM_GUI_ACTIVE/GRBM_COUNT", 0, 0, {0}, 0},
};
#define N ((int)(sizeof counters / sizeof *counters))

static const int shapes[4][3] = {{1, 1, 1}, {2, 2, 4}, {2, 1, 1}, {8, 1, 1}};
static int instances(const counter *c) { return shapes[c->shape][0] * shapes[c->shape][1] * shapes[c->shape][2]; }

static uint64_t clock_ns(void) {
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

// work is how many microseconds of full work fit into ns: most of the first part of each rhythm, little of the rest. Where it is uneven,
// every second rhythm has half of it, the others a tenth: such as misses.
static double work(uint64_t ns, int uneven) {
	const uint64_t rhythm = 200000000, busy = 120000000;
	uint64_t turns = ns / rhythm, rest = ns % rhythm;
	double per = busy + 0.1 * (rhythm - busy), begun = rest < busy ? rest : busy + 0.1 * (rest - busy);
	if (!uneven) return (turns * per + begun) / 1000;
	return ((turns + 1) / 2 * per * 0.1 + turns / 2 * per * 0.5 + begun * (turns % 2 ? 0.5 : 0.1)) / 1000;
}

static uint64_t value(const counter *c, int instance, uint64_t ns) {
	if (c->parts[0]) return value(&counters[c->parts[0]], instance, ns) + value(&counters[c->parts[1]], instance, ns);
	if (c->rate < 0) return (uint64_t)(-c->rate) * (ns / 1000);
	return (uint64_t)(c->rate * (1 - instance / 32.0) * work(ns, c->uneven));
}

// The library's state.
static uint64_t start_ns, config[64];
static int config_n, hsa_up, configured, samples;
typedef int (*set_fn)(uint64_t, uint64_t);
static void (*service)(uint64_t, uint64_t, set_fn, void *);
static rocprofiler_agent_v0_t gpu, cpu;
enum { AGENT = 77, CONTEXT = 5, CONFIG = 9 };

static uint64_t number(int i) { return fault("agent-ids") ? 0x100000000ull | (i + 1) : (uint64_t)(i + 1); }

API int rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch) {
	*major = 1, *minor = 0, *patch = 0;
#ifdef STANDIN_ROCM6
	*major = 0, *minor = 6;
#endif
	if (fault("old-version")) *major = 0, *minor = 4;
	if (fault("new-version")) *major = 2;
	return OK;
}

API const char *rocprofiler_get_status_name(int status) {
	if (status == EXCEEDS) return "ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT";
	return status >= 0 && status < (int)(sizeof names / sizeof *names) ? names[status] : NULL;
}

API const char *rocprofiler_get_status_string(int status) { return status == OK ? "Success" : "as the stand-in was told to answer"; }

API int hsa_init(void) {
	if (fault("hsa-fails")) return 0x1008;
	hsa_up = 1;
	return 0;
}

static void finalize(void) {}

API int rocprofiler_force_configure(rocprofiler_tool_configure_result_t *(*configure)(uint32_t, const char *, uint32_t, rocprofiler_client_id_t *)) {
	static rocprofiler_client_id_t client = {sizeof client, NULL, 1};
	if (configured++) return CONFIGURATION_LOCKED;
	if (fault("print")) printf("stand-in: this line goes to standard output\n"), fflush(stdout);
	rocprofiler_tool_configure_result_t *r = configure(10000, "1.0.0", 0, &client);
	if (!r || r->size != sizeof *r || !client.name || strcmp(client.name, "astrolabe")) return INVALID_ARGUMENT;
	return r->initialize(finalize, r->tool_data) ? ERROR : OK;
}

API int rocprofiler_query_available_agents(int version, int (*cb)(int, const void **, size_t, void *), size_t size, void *user) {
	size_t own = sizeof gpu;
#ifdef STANDIN_ROCM6
	own -= sizeof gpu.uuid;
#endif
	if (version != 1) return INVALID_ARGUMENT;
	if (size > own) return INCOMPATIBLE_ABI;
	cpu.size = gpu.size = own;
	if (fault("old-agent")) gpu.size = 200;
	cpu.id = 1, cpu.type = 1, cpu.name = cpu.product_name = cpu.model_name = cpu.vendor_name = "CPU";
	gpu.id = AGENT, gpu.type = 2, gpu.simd_count = 64, gpu.max_waves_per_simd = 16, gpu.lds_size_in_kb = 64, gpu.wave_front_size = 32;
	gpu.num_xcc = 1, gpu.cu_count = 32, gpu.array_count = 4, gpu.num_shader_banks = 2, gpu.simd_arrays_per_engine = 2, gpu.cu_per_simd_array = 8;
	gpu.simd_per_cu = 2, gpu.gfx_target_version = 110501, gpu.vendor_id = 0x1002, gpu.device_id = 0x1586, gpu.drm_render_minor = 128;
	gpu.max_engine_clk_fcompute = 2799, gpu.cu_per_engine = 16, gpu.max_waves_per_cu = 32;
	gpu.name = fault("unsupported") ? "gfx803" : "gfx1151", gpu.vendor_name = "AMD", gpu.product_name = "Stand-in Radeon", gpu.model_name = "";
	gpu.node_id = 1, gpu.logical_node_id = 1;
	const void *both[] = {&cpu, &gpu};
	return cb(1, both, fault("no-gpu") ? 1 : 2, user);
}

API int rocprofiler_create_context(uint64_t *context) {
	*context = CONTEXT;
	return OK;
}

API int rocprofiler_configure_device_counting_service(uint64_t context, uint64_t buffer, uint64_t agent, void (*cb)(uint64_t, uint64_t, set_fn, void *), void *user) {
	(void)user;
	if (context != CONTEXT || buffer || agent != AGENT) return INVALID_ARGUMENT;
	service = cb;
	return OK;
}

API int rocprofiler_iterate_agent_supported_counters(uint64_t agent, int (*cb)(uint64_t, uint64_t *, size_t, void *), void *user) {
	uint64_t ids[N];
	if (fault("unsupported")) return ARCH_NOT_SUPPORTED;
	for (int i = 0; i < N; i++) ids[i] = number(i);
	return cb(agent, ids, N, user);
}

static const counter *find(uint64_t id) {
	id &= 0xffff;
	return id >= 1 && id <= (uint64_t)N ? &counters[id - 1] : NULL;
}

API int rocprofiler_query_counter_info(uint64_t id, int version, void *info) {
	const counter *c = find(id);
	if (!c) return COUNTER_NOT_FOUND;
	if (version == 1) {
		rocprofiler_counter_info_v0_t *v = info;
		v->id = id, v->name = c->name, v->description = c->doc, v->block = c->block, v->expression = c->expression;
		return OK;
	}
#ifndef STANDIN_ROCM6
	rocprofiler_counter_info_v1_t *v = info;
	if (version == 2 && v->size >= sizeof *v) {
		v->id = id, v->name = c->name, v->description = c->doc, v->block = c->block, v->expression = c->expression;
		return OK;
	}
#endif
	return INVALID_ARGUMENT;
}

API int rocprofiler_iterate_counter_dimensions(uint64_t id, int (*cb)(uint64_t, const rocprofiler_counter_record_dimension_info_t *, size_t, void *), void *user) {
	static const rocprofiler_counter_record_dimension_info_t all[4][3] = {
		{{"DIMENSION_INSTANCE", 1, INST}},
		{{"DIMENSION_SHADER_ENGINE", 2, SE}, {"DIMENSION_SHADER_ARRAY", 2, SA}, {"DIMENSION_WGP", 4, WGP}},
		{{"DIMENSION_SHADER_ENGINE", 2, SE}, {"DIMENSION_INSTANCE", 1, INST}},
		{{"DIMENSION_INSTANCE", 8, INST}},
	};
	static const int n[4] = {1, 3, 2, 1};
	const counter *c = find(id);
	if (!c) return COUNTER_NOT_FOUND;
	return cb(id, all[c->shape], n[c->shape], user);
}

static int slots(const char *block) {
	if (!strcmp(block, "TCP")) return fault("limit") ? 4 : 8;
	if (!strcmp(block, "GRBM")) return 2;
	return 8;
}

#ifdef STANDIN_ROCM6
API int rocprofiler_create_profile_config(uint64_t agent, uint64_t *ids, size_t n, uint64_t *out) {
#else
API int rocprofiler_create_counter_config(uint64_t agent, uint64_t *ids, size_t n, uint64_t *out) {
#endif
	if (agent != AGENT || n > 64 || *out) return INVALID_ARGUMENT;
	if (!hsa_up) return HSA_NOT_LOADED;
	for (size_t i = 0; i < n; i++) {
		const counter *c = find(ids[i]);
		int same = 0;
		if (!c || *c->expression) return COUNTER_NOT_FOUND;
		for (size_t k = 0; k < n; k++) same += find(ids[k]) && !strcmp(find(ids[k])->block, c->block);
		if (same > slots(c->block)) return EXCEEDS;
	}
	memcpy(config, ids, n * sizeof *ids);
	config_n = n;
	*out = CONFIG;
	return OK;
}

static int set_config(uint64_t context, uint64_t which) { return context == CONTEXT && which == CONFIG ? OK : INVALID_ARGUMENT; }

API int rocprofiler_start_context(uint64_t context) {
	if (context != CONTEXT) return CONTEXT_NOT_FOUND;
	if (fault("permission")) return PERMISSION_DENIED;
	if (fault("crash-start")) *(volatile int *)16 = 1;
	if (fault("hang-start")) for (;;) pause();
	service(context, AGENT, set_config, NULL);
	start_ns = clock_ns();
	return OK;
}

API int rocprofiler_stop_context(uint64_t context) { return context == CONTEXT ? OK : CONTEXT_NOT_FOUND; }

#ifndef STANDIN_OLD
API int rocprofiler_sample_device_counting_service(uint64_t context, uint64_t user, int flags, rocprofiler_counter_record_t *records, size_t *count) {
	size_t n = 0, room = *count;
	uint64_t ns = clock_ns() - start_ns;
	FILE *truth = NULL;
	if (context != CONTEXT || flags) return INVALID_ARGUMENT;
	if (samples >= 5 && fault("crash")) *(volatile int *)16 = 1;
	if (samples >= 5 && fault("hang")) for (;;) pause();
	if (samples >= 5 && samples < 8 && fault("fail")) return samples++, ERROR;
	if (samples >= 5 && fault("fail-for-good")) return ERROR;
	for (int k = 0; k < config_n; k++) n += instances(find(config[k]));
	if (room < (fault("small-buffer") ? 4 * n : n)) return OUT_OF_RESOURCES;
	if (getenv("STANDIN_TRUTH")) truth = fopen(getenv("STANDIN_TRUTH"), "a");
	n = 0;
	for (int k = 0; k < config_n; k++) {
		const counter *c = find(config[k]);
		const int *shape = shapes[c->shape];
		for (int i = 0; i < instances(c); i++) {
			uint64_t v = value(c, i, ns), id = (config[k] & 0xffff) << 48;
			if (samples == 5 && i == 0 && fault("lost")) continue;
			if (samples == 5 && i == 0 && fault("back")) v = 0;
			if (fault("gated") && !strncmp(c->name, "TCP_REQ", 7)) v = 0;
			if (c->shape == 3) id |= (uint64_t)i << (6 * INST - 6);
			else id |= (uint64_t)(i / (shape[1] * shape[2])) << (6 * SE - 6) | (uint64_t)(i / shape[2] % shape[1]) << (6 * SA - 6) | (uint64_t)(i % shape[2]) << (6 * WGP - 6);
			records[n++] = (rocprofiler_counter_record_t){id, v, 0, user, AGENT};
			if (truth) fprintf(truth, "%llu %s %d %llu\n", (unsigned long long)user, c->name, i, (unsigned long long)v);
		}
	}
	if (fault("reversed")) for (size_t i = 0; i < n / 2; i++) {
		if (samples % 2 == 0) break;
		rocprofiler_counter_record_t r = records[i];
		records[i] = records[n - 1 - i], records[n - 1 - i] = r;
	}
	if (truth) fclose(truth);
	*count = n;
	samples++;
	return OK;
}
#endif

API int rocprofiler_query_record_counter_id(uint64_t id, uint64_t *out) {
	*out = id >> 48;
	return OK;
}

API int rocprofiler_query_record_dimension_position(uint64_t id, uint64_t dimension, size_t *out) {
	*out = id >> (6 * dimension - 6) & 63;
	return OK;
}
