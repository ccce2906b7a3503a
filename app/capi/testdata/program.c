/* Calls every function of gram.h and compares results with their definitions. It prints
 * the first expectation that fails and ends with 1. Its argument is a folder for files. */
#include "gram.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static gram_error err;

#define EXPECT(ok)                                                                              \
	do {                                                                                        \
		if (!(ok)) {                                                                            \
			fprintf(stderr, "line %d: %s fails; message: %s\n", __LINE__, #ok, err.message); \
			exit(1);                                                                            \
		}                                                                                       \
	} while (0)

#define FAILS(status, text, call)                                     \
	do {                                                              \
		EXPECT((call) == (status));                                   \
		EXPECT(strstr(err.message, text) != NULL);                    \
	} while (0)

#define OK(call)                        \
	do {                                \
		EXPECT((call) == GRAM_OK);      \
		EXPECT(err.message[0] == '\0'); \
	} while (0)

enum { N = 120, D = 3 };

static double x64[N * D], target[N];
static float x32[N * D];
static int64_t label[N];

static gram_matrix rows64(double *data, int64_t n, int64_t d) {
	gram_matrix m = {0};
	m.data = data;
	m.n = n;
	m.d = d;
	m.type = GRAM_FLOAT64;
	return m;
}

static gram_matrix rows32(float *data, int64_t n, int64_t d) {
	gram_matrix m = {0};
	m.data = data;
	m.n = n;
	m.d = d;
	m.type = GRAM_FLOAT32;
	return m;
}

static double uniform(void) {
	static uint64_t s = 1;
	s = s * 6364136223846793005u + 1442695040888963407u;
	return (double)(s >> 11) / 9007199254740992.0;
}

static void data(void) {
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < D; j++) {
			x32[i * D + j] = (float)(2 * uniform() - 1);
			x64[i * D + j] = x32[i * D + j];
		}
		target[i] = sin(3 * x64[i * D]) + x64[i * D + 1];
		label[i] = x64[i * D] * x64[i * D] + x64[i * D + 1] * x64[i * D + 1] < 0.6;
	}
}

static void transforms(void) {
	double a[] = {1, 2, 3, 4, -99, 5, 6, 7, 8, -99};
	gram_matrix m = rows64(a, 2, 4);
	m.stride = 5;
	OK(gram_fwht(&m, GRAM_TRANSFORM, 0, &err));
	EXPECT(a[0] == 10 && a[1] == -2 && a[2] == -4 && a[3] == 0 && a[4] == -99);
	EXPECT(a[5] == 26 && a[6] == -2 && a[7] == -4 && a[8] == 0 && a[9] == -99);
	OK(gram_fwht(&m, GRAM_INVERSE, 1, &err));
	EXPECT(a[0] == 1 && a[3] == 4 && a[8] == 8);
	OK(gram_fwht(&m, GRAM_SEQUENCY, 1, &err));
	EXPECT(a[0] == 10 && a[1] == -4 && a[2] == 0 && a[3] == -2);
	float b[] = {1, 2, 3, 4};
	gram_matrix f = rows32(b, 1, 4);
	OK(gram_fwht(&f, GRAM_ORTHONORMAL, 0, &err));
	EXPECT(b[0] == 5 && b[1] == -1 && b[2] == -2 && b[3] == 0);
	double h[] = {1, 2, 3, 5};
	m = rows64(h, 1, 4);
	OK(gram_haar(&m, GRAM_TRANSFORM, 0, &err));
	EXPECT(h[0] == 11 && h[1] == -5 && h[2] == -1 && h[3] == -2);
	OK(gram_haar(&m, GRAM_INVERSE, 0, &err));
	EXPECT(h[0] == 1 && h[1] == 2 && h[2] == 3 && h[3] == 5);
	OK(gram_haar(&m, GRAM_ORTHONORMAL, 0, &err));
	OK(gram_haar(&m, GRAM_INVERSE_ORTHONORMAL, 0, &err));
	EXPECT(fabs(h[3] - 5) < 1e-14);
	OK(gram_haar(&m, GRAM_TRANSPOSE, 0, &err));
	EXPECT(gram_fwht_length(9) == 12 && gram_fwht_length(0) == 0 && gram_fwht_length(INT64_MAX) == 0);

	FAILS(GRAM_INVALID, "x is NULL", gram_fwht(NULL, 0, 0, &err));
	m = rows64(h, 1, 3);
	FAILS(GRAM_INVALID, "rows of 3 numbers", gram_fwht(&m, 0, 0, &err));
	FAILS(GRAM_INVALID, "rows of 3 numbers", gram_haar(&m, 0, 0, &err));
	m = rows64(h, 1, 4);
	FAILS(GRAM_INVALID, "kind 4", gram_fwht(&m, GRAM_TRANSPOSE, 0, &err));
	FAILS(GRAM_INVALID, "kind 3", gram_haar(&m, GRAM_SEQUENCY, 0, &err));
	m.stride = 3;
	FAILS(GRAM_INVALID, "stride", gram_fwht(&m, 0, 0, &err));
	m.stride = INT64_MAX / 2;
	m.n = 4;
	FAILS(GRAM_INVALID, "no memory holds", gram_fwht(&m, 0, 0, &err));
	m = rows64(h, -1, 4);
	FAILS(GRAM_INVALID, "x.n is -1", gram_fwht(&m, 0, 0, &err));
	m = rows64(NULL, 1, 4);
	FAILS(GRAM_INVALID, "NULL", gram_fwht(&m, 0, 0, &err));
	m = rows64((double *)(void *)((char *)a + 4), 1, 4);
	FAILS(GRAM_INVALID, "aligned", gram_fwht(&m, 0, 0, &err));
	m = rows64(h, 1, 4);
	m.type = 7;
	FAILS(GRAM_INVALID, "type", gram_fwht(&m, 0, 0, &err));
	EXPECT(gram_fwht(&m, 0, 0, NULL) == GRAM_INVALID);
}

static void kernels(void) {
	const char *const gaussian[] = {"kernel=gaussian", "gamma=0.5", NULL};
	double out[N * 2];
	gram_matrix x = rows64(x64, N, D), z = rows64(x64, 2, D), k = rows64(out, N, 2);
	OK(gram_kernel(gaussian, &x, &z, &k, &err));
	for (int i = 0; i < N; i++) {
		double s = 0;
		for (int j = 0; j < D; j++) {
			double e = x64[i * D + j] - x64[D + j];
			s += e * e;
		}
		EXPECT(fabs(out[2 * i + 1] - exp(-0.5 * s)) < 1e-14);
	}
	float out32[N * 2];
	gram_matrix x3 = rows32(x32, N, D), z3 = rows32(x32, 2, D), k3 = rows32(out32, N, 2);
	OK(gram_kernel(gaussian, &x3, &z3, &k3, &err));
	for (int i = 0; i < 2 * N; i++) EXPECT(fabs(out[i] - out32[i]) < 1e-6);
	OK(gram_kernel(NULL, &x, &z, &k, &err)); /* gaussian, gamma by the data */

	int64_t ptr[] = {0, 1, 3};
	int32_t col[] = {2, 0, 1};
	double val[] = {2, 1, -1};
	gram_matrix s = rows64(val, 2, D);
	s.ptr = ptr;
	s.col = col;
	const char *const linear[] = {"kernel=linear", NULL};
	k = rows64(out, 2, 2);
	OK(gram_kernel(linear, &s, &s, &k, &err));
	EXPECT(out[0] == 4 && out[1] == 0 && out[2] == 0 && out[3] == 2);

	FAILS(GRAM_INVALID, "out is 2×2", gram_kernel(linear, &x, &z, &k, &err));
	FAILS(GRAM_INVALID, "different types", gram_kernel(linear, &x3, &z, &k, &err));
	const char *const unknown[] = {"kernel=gausian", NULL};
	FAILS(GRAM_INVALID, "gausian", gram_kernel(unknown, &s, &s, &k, &err));
	col[2] = 3;
	FAILS(GRAM_INVALID, "column 3", gram_kernel(linear, &s, &s, &k, &err));
	col[2] = 1;
	ptr[1] = 4;
	FAILS(GRAM_INVALID, "row pointer", gram_kernel(linear, &s, &s, &k, &err));
	ptr[1] = 1;
	ptr[0] = -1;
	FAILS(GRAM_INVALID, "pointer", gram_kernel(linear, &s, &s, &k, &err));
}

static void factors(void) {
	double u[] = {2, 1, -7, 3}, x[] = {1, 2}; /* UᵀU = [4 2; 2 10] */
	gram_matrix m = rows64(u, 2, 2);
	OK(gram_cholesky_update(&m, 0, x, &err)); /* [5 4; 4 14] */
	EXPECT(fabs(u[0] * u[0] - 5) < 1e-14 && fabs(u[0] * u[1] - 4) < 1e-14 && fabs(u[1] * u[1] + u[3] * u[3] - 14) < 1e-13 && u[2] == -7);
	double margin = 0;
	OK(gram_cholesky_downdate(&m, 0, x, &margin, &err));
	EXPECT(fabs(u[0] - 2) < 1e-14 && fabs(u[1] - 1) < 1e-14 && fabs(u[3] - 3) < 1e-14);
	EXPECT(fabs(margin - 36.0 / 54.0) < 1e-14); /* det(A − xxᵀ)/det(A) */
	double before[4], large[] = {10, 0};
	memcpy(before, u, sizeof u);
	FAILS(GRAM_NOT_DEFINITE, "not positive definite", gram_cholesky_downdate(&m, 0, large, NULL, &err));
	EXPECT(memcmp(before, u, sizeof u) == 0);
	float l[] = {2, -7, 1, 3}, y[] = {1, 2};
	gram_matrix f = rows32(l, 2, 2);
	OK(gram_cholesky_update(&f, 1, y, &err));
	EXPECT(fabs(l[0] * l[0] - 5) < 1e-5 && l[1] == -7);
	OK(gram_cholesky_downdate(&f, 1, y, NULL, &err));
	EXPECT(fabs(l[0] - 2) < 1e-5);
	large[0] = NAN;
	FAILS(GRAM_DATA, "NaN", gram_cholesky_update(&m, 0, large, &err));
	m.d = 1;
	FAILS(GRAM_INVALID, "square", gram_cholesky_update(&m, 0, x, &err));
}

static int events;

static int32_t watch(void *context, const char *phase, int64_t done, int64_t total, double objective) {
	(void)done, (void)total, (void)objective;
	EXPECT(phase != NULL);
	events++;
	return *(int32_t *)context;
}

struct end {
	gram_cancel cancel;
	struct timespec after;
};

/* Ends what has the switch after a time. */
static void *later(void *end) {
	struct end *e = end;
	gram_error failed;
	nanosleep(&e->after, NULL);
	return gram_cancel_now(e->cancel, &failed) == GRAM_OK ? NULL : end;
}

/* A fit that was canceled has ended: its rows can be freed. What still read them would crash here. */
static void freed(void) {
	const char *const settings[] = {"gamma=1", "lambda=1e-6", NULL}; /* else they are chosen on copies of rows */
	const char *const methods[] = {"krr", "falkon", "nystrom", NULL};
	enum { ROWS = 1 << 16, COLUMNS = 10, X = ROWS * COLUMNS * sizeof(double), T = ROWS * sizeof(double) };
	for (int k = 0; methods[k / 4] != NULL; k++) {
		void *a = NULL, *b = NULL;
		EXPECT(posix_memalign(&a, 1 << 16, X) == 0 && posix_memalign(&b, 1 << 16, T) == 0);
		double *x = a, *t = b;
		for (int i = 0; i < ROWS * COLUMNS; i++)
			x[i] = uniform();
		for (int i = 0; i < ROWS; i++)
			t[i] = uniform();
		struct end end = {gram_cancel_new(), {0, 15000000L << k % 4}}; /* 15 to 120 ms */
		gram_options o = {0};
		o.cancel = end.cancel;
		gram_target y = {0};
		y.value = t;
		gram_matrix rows = rows64(x, ROWS, COLUMNS);
		gram_model m = 0;
		pthread_t thread;
		EXPECT(pthread_create(&thread, NULL, later, &end) == 0);
		gram_status status = gram_fit(methods[k / 4], settings, &rows, &y, NULL, &o, &m, &err);
		EXPECT(mprotect(a, X, PROT_NONE) == 0 && mprotect(b, T, PROT_NONE) == 0);
		void *failed = NULL;
		EXPECT(pthread_join(thread, &failed) == 0 && failed == NULL);
		const struct timespec late = {0, 100000000};
		nanosleep(&late, NULL);
		EXPECT(mprotect(a, X, PROT_READ | PROT_WRITE) == 0 && mprotect(b, T, PROT_READ | PROT_WRITE) == 0);
		free(a);
		free(b);
		EXPECT(status == GRAM_CANCELED || (status == GRAM_OK && m != 0)); /* or it had ended before */
		gram_release(m);
		gram_cancel_free(o.cancel);
	}
}

static gram_model classifier(const char *method, const char *const *settings, const gram_options *o) {
	const char *const names[] = {"outside", "inside"};
	gram_target y = {0};
	y.label = label;
	y.names = names;
	y.classes = 2;
	gram_matrix x = rows64(x64, N, D);
	gram_model m = 0;
	OK(gram_fit(method, settings, &x, &y, NULL, o, &m, &err));
	EXPECT(m != 0);
	return m;
}

/* Methods race, settings are searched, a model goes on from another, and rows are held out for sets and intervals. */
static void choices(void) {
	gram_options o = {0};
	o.seed = 3;
	gram_model m = classifier(NULL, NULL, &o);
	char name[32];
	int64_t length = 0;
	OK(gram_method_name(m, name, sizeof name, &length, &err));
	EXPECT(length > 0 && strlen(name) == (size_t)length);
	gram_release(m);

	const char *const given[] = {"gamma=1", NULL};
	o.search = "c=1e-5,10";
	o.folds = 3;
	gram_model found = classifier("svm", given, &o);
	o.search = NULL;
	o.folds = 0;
	const char *const best[] = {"gamma=1", "c=10", NULL};
	m = classifier("svm", best, &o);
	void *a = NULL, *b = NULL;
	int64_t size = 0, other = 0;
	OK(gram_encode(found, &a, &size, &err));
	OK(gram_encode(m, &b, &other, &err));
	EXPECT(size == other && memcmp(a, b, (size_t)size) == 0);
	gram_free(a);
	gram_free(b);
	gram_release(found);
	gram_release(m);

	o.conformal = 0.3;
	o.probabilities = "platt";
	o.adaptive = 1;
	m = classifier("svm", best, &o);
	static int8_t member[2 * N];
	static double low[N], high[N];
	gram_matrix x = rows64(x64, N, D);
	OK(gram_sets(m, &x, 0.8, member, &err));
	int held = 0;
	for (int i = 0; i < N; i++)
		held += member[2 * i + label[i]];
	EXPECT(held > N * 7 / 10);
	FAILS(GRAM_INVALID, "level is 0.999", gram_sets(m, &x, 0.999, member, &err));
	FAILS(GRAM_INVALID, "level", gram_sets(m, &x, 0, member, &err));
	FAILS(GRAM_INVALID, "classes, not of regression", gram_intervals(m, &x, 0.8, low, high, &err));
	gram_release(m);

	gram_target y = {0};
	y.value = target;
	memset(&o, 0, sizeof o);
	o.conformal = 0.3;
	OK(gram_fit("gbdt", NULL, &x, &y, NULL, &o, &m, &err));
	OK(gram_intervals(m, &x, 0.8, low, high, &err));
	for (int i = 0; i < N; i++)
		EXPECT(low[i] < high[i]);
	memset(&o, 0, sizeof o);
	o.from = m;
	const char *const more[] = {"rounds=5", NULL};
	gram_model longer = 0;
	OK(gram_fit(NULL, more, &x, &y, NULL, &o, &longer, &err));
	FAILS(GRAM_INVALID, "no intervals", gram_intervals(longer, &x, 0.8, low, high, &err));
	gram_release(longer);
	FAILS(GRAM_INVALID, "the method is krr", gram_fit("krr", NULL, &x, &y, NULL, &o, &longer, &err));
	o.scale = "none";
	FAILS(GRAM_INVALID, "are not for a model to go on from", gram_fit(NULL, more, &x, &y, NULL, &o, &longer, &err));
	gram_release(m);
	memset(&o, 0, sizeof o);
	FAILS(GRAM_INVALID, "settings are for one method", gram_fit(NULL, more, &x, &y, NULL, &o, &m, &err));
	o.metric = "rmse";
	FAILS(GRAM_INVALID, "are for a search", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
	o.search = "gamma";
	FAILS(GRAM_INVALID, "NAME=V1", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
	o.search = "gamma=1,2";
	o.trials = 7;
	FAILS(GRAM_INVALID, "for the search auto", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
	o.trials = 0;
	o.budget = -1;
	FAILS(GRAM_INVALID, "budget is -1", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
	o.budget = 0;
	o.metric = "rsme";
	FAILS(GRAM_INVALID, "rmse", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
}

/* The structures of Arrow's C data and stream interfaces, as its specification gives them. */
struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

static int released_batches, released_streams, next_batch;

static void release_schema(struct ArrowSchema *s) { s->release = NULL; }
static void release_array(struct ArrowArray *a) { a->release = NULL; }

static void release_batch(struct ArrowArray *a) {
	released_batches++;
	a->release = NULL;
}

static void release_stream(struct ArrowArrayStream *s) {
	released_streams++;
	s->release = NULL;
}

static int stream_schema(struct ArrowArrayStream *s, struct ArrowSchema *out) {
	static struct ArrowSchema texts = {"u", "", NULL, 2, 0, NULL, NULL, release_schema, NULL}, answers;
	static struct ArrowSchema columns[4] = {
		{"g", "size", NULL, 2, 0, NULL, NULL, release_schema, NULL},
		{"s", "age", NULL, 0, 0, NULL, NULL, release_schema, NULL},
		{"c", "town", NULL, 2, 0, NULL, &texts, release_schema, NULL},
		{"C", "bought", NULL, 0, 0, NULL, &answers, release_schema, NULL},
	};
	static struct ArrowSchema *children[] = {columns, columns + 1, columns + 2, columns + 3};
	(void)s;
	for (int k = 0; k < 4; k++) columns[k].release = release_schema;
	texts.release = release_schema;
	answers = texts;
	*out = (struct ArrowSchema){"+s", "", NULL, 0, 4, children, NULL, release_schema, NULL};
	return 0;
}

/* Two batches of twenty rows of the table that tables() makes, the second one from the arrays of the first by its offset. */
static int stream_next(struct ArrowArrayStream *s, struct ArrowArray *out) {
	static double size[40];
	static int16_t age[40];
	static int8_t town[40];
	static uint8_t there[] = {0x7f, 0xff, 0xff, 0xff, 0xff}, known[] = {0xff, 0xfd, 0xff, 0xff, 0xff};
	static uint8_t bought[40];
	static const int32_t ends[] = {0, 4, 7}, answer_ends[] = {0, 2, 5};
	static const void *text_buffers[] = {NULL, ends, "BernZug"}, *answer_buffers[] = {NULL, answer_ends, "noyes"};
	static const void *buffers[4][2] = {{there, size}, {NULL, age}, {known, town}, {NULL, bought}}, *none[] = {NULL};
	static struct ArrowArray texts, answers, columns[2][4], *children[2][4];
	for (int i = 0; i < 40; i++) {
		size[i] = i == 7 ? -1 : i % 11;
		age[i] = (int16_t)i;
		town[i] = (int8_t)(i % 2);
		bought[i] = (uint8_t)(i % 2);
	}
	(void)s;
	int b = next_batch++;
	if (b == 2) {
		out->release = NULL;
		return 0;
	}
	if (s->private_data != NULL) return 5;
	for (int k = 0; k < 4; k++) {
		columns[b][k] = (struct ArrowArray){20, k % 2 == 0 && b == 0, b * 20, 2, 0, buffers[k], NULL, k == 2 ? &texts : k == 3 ? &answers : NULL, release_array, NULL};
		children[b][k] = &columns[b][k];
	}
	texts = (struct ArrowArray){2, 0, 0, 3, 0, text_buffers, NULL, NULL, release_array, NULL};
	answers = (struct ArrowArray){2, 0, 0, 3, 0, answer_buffers, NULL, NULL, release_array, NULL};
	*out = (struct ArrowArray){20, 0, 0, 1, 4, none, children[b], NULL, release_batch, NULL};
	return 0;
}

static const char *stream_error(struct ArrowArrayStream *s) {
	(void)s;
	return "the disk is gone";
}

/* A stream of Arrow gives the model of the table with the same cells. */
static void arrow(gram_table *t) {
	struct ArrowArrayStream stream = {stream_schema, stream_next, stream_error, release_stream, NULL};
	gram_table a = {NULL, 0, 0, 0};
	gram_model m = 0, same = 0;
	OK(gram_arrow_read(&stream, &a.arrow, &a.n, &err));
	EXPECT(a.n == 40 && released_streams == 1 && stream.release == NULL && released_batches == 0);
	OK(gram_fit_table("gbdt", NULL, &a, "bought", NULL, NULL, NULL, &m, &err));
	OK(gram_fit_table("gbdt", NULL, t, "bought", NULL, NULL, NULL, &same, &err));
	void *one, *other;
	int64_t n, k;
	OK(gram_encode(m, &one, &n, &err));
	OK(gram_encode(same, &other, &k, &err));
	EXPECT(n == k && memcmp(one, other, (size_t)n) == 0);
	gram_free(one);
	gram_free(other);
	double got[120], want[120];
	OK(gram_rows(m, &a, got, NULL, &err));
	OK(gram_rows(m, t, want, NULL, &err));
	for (int i = 0; i < 120; i++) EXPECT(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])));
	EXPECT(isnan(got[21]) && isnan(got[29]));
	a.n = 39;
	FAILS(GRAM_INVALID, "40 rows", gram_rows(m, &a, got, NULL, &err));
	gram_release(m);
	gram_release(same);
	gram_arrow_free(a.arrow);
	EXPECT(released_batches == 2);
	FAILS(GRAM_INVALID, "no table of Arrow", gram_fit_table("gbdt", NULL, &a, "bought", NULL, NULL, NULL, &m, &err));
	gram_arrow_free(0);
	stream.release = release_stream;
	stream.private_data = &stream;
	next_batch = 0;
	FAILS(GRAM_INVALID, "after row 0: input/output error: the disk is gone", gram_arrow_read(&stream, &a.arrow, &a.n, &err));
	EXPECT(a.arrow == 0 && a.n == 0 && released_streams == 2);
	FAILS(GRAM_INVALID, "NULL", gram_arrow_read(NULL, &a.arrow, &a.n, &err));
}

/* A table has names, texts and missing cells; the model finds its columns by name. */
static void tables(void) {
	const char *const towns[] = {"Bern", "Zug"};
	const char *const answers[] = {"no", "yes"};
	double size[40];
	int64_t age[40];
	int32_t town[40], answer[40];
	for (int i = 0; i < 40; i++) {
		size[i] = i == 7 ? (double)NAN : i % 11;
		age[i] = i;
		town[i] = i == 9 ? -1 : i % 2;
		answer[i] = i % 2;
	}
	gram_column c[] = {{"size", size, NULL, 0, GRAM_FLOAT64}, {"age", age, NULL, 0, GRAM_INT64}, {"town", town, towns, 2, GRAM_TEXT}, {"bought", answer, answers, 2, GRAM_CATEGORY}};
	gram_table t = {c, 4, 40, 0};
	gram_model m = 0;
	OK(gram_fit_table("gbdt", NULL, &t, "bought", NULL, NULL, NULL, &m, &err));
	char name[16];
	int64_t length = 0, unknown[3];
	OK(gram_column_name(m, 2, name, sizeof name, &length, &err));
	EXPECT(strcmp(name, "town") == 0 && length == 4);
	FAILS(GRAM_INVALID, "no column 3", gram_column_name(m, 3, name, sizeof name, &length, &err));
	/* other rows: columns in another order, no target, a town that is not known */
	const char *const others[] = {"Zug", "Genf", "Bern"};
	int32_t other[] = {0, 1, 2};
	gram_column turned[] = {{"town", other, others, 3, GRAM_TEXT}, {"age", age, NULL, 0, GRAM_INT64}, {"size", size, NULL, 0, GRAM_FLOAT64}};
	gram_table rows = {turned, 3, 3, 0};
	double got[9];
	OK(gram_rows(m, &rows, got, unknown, &err));
	EXPECT(got[2] == 1 && got[5] == -1 && got[8] == 0 && got[4] == 1 && unknown[0] == 0 && unknown[2] == 1);
	gram_matrix x = rows64(got, 3, 3);
	double gains[3];
	OK(gram_gains(m, gains, &err));
	EXPECT(gains[0] >= 0 && gains[1] >= 0 && gains[2] > gains[0] && gains[2] > gains[1]);
	FAILS(GRAM_INVALID, "gains is NULL", gram_gains(m, NULL, &err));
	int64_t class_number[3];
	OK(gram_classify(m, &x, class_number, &err));
	EXPECT(class_number[0] == 1 && class_number[2] == 0);
	rows.columns = 2;
	FAILS(GRAM_INVALID, "size", gram_rows(m, &rows, got, unknown, &err));
	turned[0].name = "city";
	rows.columns = 3;
	FAILS(GRAM_INVALID, "city", gram_rows(m, &rows, got, NULL, &err));
	gram_release(m);
	arrow(&t);
	FAILS(GRAM_INVALID, "target is NULL", gram_fit_table("gbdt", NULL, &t, NULL, NULL, NULL, NULL, &m, &err));
	FAILS(GRAM_INVALID, "no column is called", gram_fit_table("gbdt", NULL, &t, "sold", NULL, NULL, NULL, &m, &err));
	FAILS(GRAM_INVALID, "task", gram_fit_table("gbdt", NULL, &t, "bought", "class", NULL, NULL, &m, &err));
	answer[3] = 2;
	FAILS(GRAM_INVALID, "row 4 has level 2 of 2", gram_fit_table("gbdt", NULL, &t, "bought", NULL, NULL, NULL, &m, &err));
	answer[3] = 1;
	age[5] = INT64_MAX;
	FAILS(GRAM_INVALID, "53 bits", gram_fit_table("gbdt", NULL, &t, "bought", NULL, NULL, NULL, &m, &err));
	c[1].type = 9;
	FAILS(GRAM_INVALID, "the type 9", gram_fit_table("gbdt", NULL, &t, "bought", NULL, NULL, NULL, &m, &err));
	c[1].name = NULL;
	FAILS(GRAM_INVALID, "name of column 2", gram_fit_table("gbdt", NULL, &t, "bought", NULL, NULL, NULL, &m, &err));
	FAILS(GRAM_INVALID, "the table is NULL", gram_fit_table("gbdt", NULL, NULL, "bought", NULL, NULL, NULL, &m, &err));
	EXPECT(m == 0);
}

static void classes(const char *folder) {
	const char *const settings[] = {"c=10", "gamma=1", NULL};
	gram_options o = {0};
	int32_t go_on = 0;
	o.seed = 7;
	o.probabilities = "platt";
	o.scale = "standard";
	o.progress = watch;
	o.context = &go_on;
	gram_model m = classifier("svm", settings, &o);
	EXPECT(events > 0);
	gram_info info;
	OK(gram_model_info(m, &info, &err));
	EXPECT(info.task == GRAM_CLASSES && info.columns == D && info.classes == 2 && info.scores == 1 && info.features == 0 && info.probabilities == 1);
	char name[16];
	int64_t length = 0;
	OK(gram_class_name(m, 1, name, sizeof name, &length, &err));
	EXPECT(strcmp(name, "inside") == 0 && length == 6);
	OK(gram_class_name(m, 1, name, 4, &length, &err));
	EXPECT(strcmp(name, "ins") == 0 && length == 6);
	OK(gram_class_name(m, 1, NULL, 0, &length, &err));
	FAILS(GRAM_INVALID, "no class 2", gram_class_name(m, 2, name, sizeof name, &length, &err));

	static int64_t got[N], got32[N];
	static double scores[N], p[2 * N];
	gram_matrix x = rows64(x64, N, D), f = rows32(x32, N, D);
	OK(gram_classify(m, &x, got, &err));
	OK(gram_classify(m, &f, got32, &err));
	OK(gram_scores(m, &x, scores, &err));
	OK(gram_probabilities(m, &x, p, &err));
	int right = 0;
	for (int i = 0; i < N; i++) {
		right += got[i] == label[i];
		EXPECT(got[i] == got32[i] && got[i] == (scores[i] > 0));
		EXPECT(fabs(p[2 * i] + p[2 * i + 1] - 1) < 1e-12 && p[2 * i] >= 0 && p[2 * i] <= 1);
	}
	EXPECT(right > N * 9 / 10);

	/* files and bytes */
	char path[4096];
	snprintf(path, sizeof path, "%s/svm.gram", folder);
	OK(gram_save(m, path, &err));
	gram_model copy = 0, again = 0;
	OK(gram_load(path, &copy, &err));
	void *bytes = NULL;
	int64_t size = 0;
	OK(gram_encode(copy, &bytes, &size, &err));
	OK(gram_decode(bytes, size, &again, &err));
	EXPECT(copy != m && again != copy);
	static double same[N];
	OK(gram_scores(again, &x, same, &err));
	EXPECT(memcmp(scores, same, sizeof scores) == 0);
	FAILS(GRAM_FAILED, "", gram_decode(bytes, size - 1, &again, &err));
	EXPECT(again == 0 && err.message[0] != '\0');
	gram_free(bytes);
	gram_free(NULL);
	FAILS(GRAM_FAILED, "nowhere", gram_load("/nowhere/at.all", &again, &err));
	gram_release(copy);
	FAILS(GRAM_INVALID, "released", gram_classify(copy, &x, got, &err));

	double nan = NAN;
	gram_matrix bad = rows64(x64, 1, D - 1);
	FAILS(GRAM_INVALID, "2 columns", gram_classify(m, &bad, got, &err));
	double row[] = {0, 0, 0};
	row[1] = nan;
	bad = rows64(row, 1, D);
	OK(gram_classify(m, &bad, got, &err));
	EXPECT(got[0] == -1);
	FAILS(GRAM_INVALID, "not of regression", gram_values(m, &x, scores, &err));
	FAILS(GRAM_INVALID, "no feature map", gram_features(m, &x, scores, &err));
	FAILS(GRAM_INVALID, "NULL", gram_classify(m, &x, NULL, &err));
	bad = rows64(NULL, 0, D);
	OK(gram_classify(m, &bad, NULL, &err));
	bad = rows64(x64, INT64_MAX, D);
	FAILS(GRAM_INVALID, "no memory holds", gram_probabilities(m, &bad, p, &err));
	gram_release(m);
	gram_release(0);
	gram_release(12345);
}

/* The parts of a support vector machine give its scores. */
static void machine(const char *folder) {
	const char *const settings[] = {"c=10", "gamma=1", NULL};
	gram_options o = {0};
	o.scale = "none";
	gram_model m = classifier("svm", settings, &o);
	int64_t vectors = 0, columns = 0, width = 0, functions = 0, count = 0, iterations[4] = {0, -7, -7, -7};
	OK(gram_machine_size(m, &vectors, &columns, &width, &functions, &err));
	EXPECT(vectors > 3 && vectors < N && columns == D && width == 1 && functions == 1);
	OK(gram_iterations(m, NULL, 0, &count, &err));
	EXPECT(count == 1);
	OK(gram_iterations(m, iterations, 4, &count, &err));
	EXPECT(iterations[0] > 0 && iterations[1] == -7);
	static int64_t rows[N];
	static double points[N * D], coefficients[2 * N], scores[N];
	double constants[3];
	int64_t counts[3];
	OK(gram_machine(m, rows, points, coefficients, counts, constants, &err));
	EXPECT(counts[0] == -1 && counts[1] == -1);
	gram_matrix x = rows64(x64, N, D);
	OK(gram_scores(m, &x, scores, &err));
	for (int i = 0; i < N; i++) {
		double sum = constants[0];
		for (int64_t k = 0; k < vectors; k++) {
			double s = 0;
			for (int j = 0; j < D; j++) {
				EXPECT(points[k * D + j] == x64[rows[k] * D + j]);
				s += (points[k * D + j] - x64[i * D + j]) * (points[k * D + j] - x64[i * D + j]);
			}
			sum += coefficients[k] * exp(-s);
		}
		EXPECT(fabs(sum - scores[i]) < 1e-9);
	}
	FAILS(GRAM_INVALID, "the place of a size is NULL", gram_machine_size(m, NULL, &columns, &width, &functions, &err));
	FAILS(GRAM_INVALID, "number of iterations is NULL", gram_iterations(m, iterations, 4, NULL, &err));
	FAILS(GRAM_INVALID, "iterations is NULL", gram_iterations(m, NULL, 4, &count, &err));
	OK(gram_machine(m, NULL, NULL, NULL, NULL, NULL, &err));
	char path[4096];
	snprintf(path, sizeof path, "%s/machine.gram", folder);
	OK(gram_save(m, path, &err));
	gram_release(m);
	OK(gram_load(path, &m, &err));
	OK(gram_iterations(m, iterations, 4, &count, &err));
	EXPECT(count == 0);
	gram_release(m);

	/* three classes have a function for each pair */
	int64_t three[N], of[3] = {0, 0, 0};
	for (int i = 0; i < N; i++) three[i] = label[i] ? 1 + (x64[i * D + 2] > 0) : 0;
	gram_target y = {0};
	y.label = three;
	y.classes = 3;
	OK(gram_fit("svm", settings, &x, &y, NULL, &o, &m, &err));
	OK(gram_machine_size(m, &vectors, &columns, &width, &functions, &err));
	EXPECT(width == 2 && functions == 3);
	OK(gram_iterations(m, iterations, 2, &count, &err));
	EXPECT(count == 3 && iterations[1] > 0 && iterations[2] == -7);
	OK(gram_machine(m, rows, NULL, coefficients, counts, constants, &err));
	for (int64_t k = 0; k < vectors; k++) of[three[rows[k]]]++;
	EXPECT(of[0] == counts[0] && of[1] == counts[1] && of[2] == counts[2] && of[0] > 0 && three[rows[of[0]]] == 1);
	gram_release(m);
	m = classifier("gbdt", NULL, NULL);
	FAILS(GRAM_INVALID, "gbdt is no support vector machine", gram_machine_size(m, &vectors, &columns, &width, &functions, &err));
	FAILS(GRAM_INVALID, "gbdt is no support vector machine", gram_machine(m, rows, NULL, NULL, NULL, NULL, &err));
	OK(gram_iterations(m, iterations, 4, &count, &err));
	EXPECT(count == 1 && iterations[0] > 0);
	gram_release(m);
}

static void refused(void) {
	gram_matrix x = rows64(x64, N, D);
	gram_target y = {0};
	gram_model m = 99;
	y.label = label;
	y.classes = 1;
	FAILS(GRAM_DATA, "target of row", gram_fit("svm", NULL, &x, &y, NULL, NULL, &m, &err));
	EXPECT(m == 0);
	y.classes = 2;
	FAILS(GRAM_INVALID, "method", gram_fit("svn", NULL, &x, &y, NULL, NULL, &m, &err));
	const char *const settings[] = {"c=-1", NULL};
	FAILS(GRAM_INVALID, "c=-1: want above 0", gram_fit("svm", settings, &x, &y, NULL, NULL, &m, &err));
	const char *const twice[] = {"a", "a"};
	y.names = twice;
	FAILS(GRAM_INVALID, "both called", gram_fit("svm", NULL, &x, &y, NULL, NULL, &m, &err));
	y.names = NULL;
	gram_matrix none = rows64(x64, N, 0);
	FAILS(GRAM_INVALID, "no columns", gram_fit("svm", NULL, &none, &y, NULL, NULL, &m, &err));
	FAILS(GRAM_INVALID, "task", gram_fit("svr", NULL, &x, &y, NULL, NULL, &m, &err));
	y.value = target;
	FAILS(GRAM_INVALID, "one of label", gram_fit("svm", NULL, &x, &y, NULL, NULL, &m, &err));
	y.label = NULL;
	gram_options o = {0};
	o.memory_limit = 1000;
	FAILS(GRAM_MEMORY, "needs", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
	o.memory_limit = 0;
	o.scale = "nonsense";
	FAILS(GRAM_INVALID, "nonsense", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
	o.scale = NULL;
	o.cancel = 424242;
	FAILS(GRAM_INVALID, "switch", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
	o.cancel = gram_cancel_new();
	OK(gram_cancel_now(o.cancel, &err));
	FAILS(GRAM_CANCELED, "canceled", gram_fit("krr", NULL, &x, &y, NULL, &o, &m, &err));
	gram_cancel_free(o.cancel);
	FAILS(GRAM_INVALID, "switch", gram_cancel_now(o.cancel, &err));
	o.cancel = 0;
	int32_t stop = 1;
	o.progress = watch;
	o.context = &stop;
	const char *const rounds[] = {"rounds=1000000", NULL};
	FAILS(GRAM_CANCELED, "canceled", gram_fit("gbdt", rounds, &x, &y, NULL, &o, &m, &err));
	double first = x64[4];
	x64[4] = NAN;
	FAILS(GRAM_DATA, "row 2, column 2", gram_fit("krr", NULL, &x, &y, NULL, NULL, &m, &err));
	x64[4] = first;
	const char *const few[] = {"max-iter=1", "tol=1e-12", NULL};
	EXPECT(gram_fit("svr", few, &x, &y, NULL, NULL, &m, &err) == GRAM_NOT_CONVERGED);
	EXPECT(m != 0 && strstr(err.message, "not converged") != NULL);
	gram_release(m);
}

static void values(void) {
	gram_target y = {0};
	y.value = target;
	gram_matrix x = rows64(x64, N, D), f = rows32(x32, N, D);
	gram_model m = 0;
	const char *const settings[] = {"lambda=1e-4", "gamma=1", NULL};
	static double weights[N], v[N], v32[N];
	for (int i = 0; i < N; i++) weights[i] = 1;
	OK(gram_fit("krr", settings, &x, &y, weights, NULL, &m, &err));
	OK(gram_values(m, &x, v, &err));
	for (int i = 0; i < N; i++) EXPECT(fabs(v[i] - target[i]) < 0.05);
	gram_model same = 0;
	OK(gram_fit("krr", settings, &f, &y, weights, NULL, &same, &err));
	OK(gram_values(same, &f, v32, &err));
	EXPECT(memcmp(v, v32, sizeof v) == 0);
	gram_release(same);
	gram_release(m);
	weights[3] = -1;
	FAILS(GRAM_DATA, "weight of row 4", gram_fit("krr", settings, &x, &y, weights, NULL, &m, &err));
}

static void maps(const char *folder) {
	const char *const settings[] = {"m=20", "gamma=1", NULL};
	gram_matrix x = rows64(x64, N, D);
	gram_model map = 0, copy = 0;
	gram_options o = {0};
	o.seed = 3;
	OK(gram_fit_map("nystrom", settings, &x, &o, &map, &err));
	gram_info info;
	OK(gram_model_info(map, &info, &err));
	EXPECT(info.task == GRAM_FEATURES && info.columns == D && info.features == 20);
	static double z[N * 20], again[N * 20];
	OK(gram_features(map, &x, z, &err));
	double mean = 0;
	for (int i = 0; i < N; i++) {
		double s = 0;
		for (int j = 0; j < 20; j++) s += z[i * 20 + j] * z[i * 20 + j];
		EXPECT(s < 1 + 1e-9); /* the projection of a vector of length κ(x,x) = 1 */
		mean += s / N;
	}
	EXPECT(mean > 0.8);
	char path[4096];
	snprintf(path, sizeof path, "%s/map.gram", folder);
	OK(gram_save(map, path, &err));
	OK(gram_load(path, &copy, &err));
	OK(gram_features(copy, &x, again, &err));
	EXPECT(memcmp(z, again, sizeof z) == 0);
	int64_t got[N];
	FAILS(GRAM_INVALID, "no model that predicts", gram_classify(map, &x, got, &err));
	gram_release(copy);
	gram_release(map);
	FAILS(GRAM_INVALID, "no feature map", gram_fit_map("gbdt", NULL, &x, NULL, &map, &err));
	gram_model m = classifier("rff", settings, NULL);
	OK(gram_model_info(m, &info, &err));
	EXPECT(info.features == 40 && info.task == GRAM_CLASSES);
	static double c[N * 40];
	OK(gram_features(m, &x, c, &err));
	gram_release(m);
}

static void sets(void) {
	enum { L = 4 };
	static int64_t ptr[N + 1];
	static int32_t col[N];
	for (int i = 0; i < N; i++) {
		col[i] = (int32_t)(label[i] * 2 + (x64[i * D + 2] > 0));
		ptr[i + 1] = i + 1;
	}
	gram_matrix tags = {0}, x = rows64(x64, N, D);
	tags.n = N;
	tags.d = L;
	tags.ptr = ptr;
	tags.col = col;
	gram_target y = {0};
	y.sets = &tags;
	gram_model m = 0;
	OK(gram_fit("fastxml", NULL, &x, &y, NULL, NULL, &m, &err));
	static int64_t best[N * 5];
	static double scores[N * 5];
	OK(gram_top(m, &x, 5, best, scores, &err));
	int right = 0;
	for (int i = 0; i < N; i++) {
		right += best[5 * i] == col[i];
		EXPECT(best[5 * i + 4] == -1 && scores[5 * i] >= scores[5 * i + 1]);
	}
	EXPECT(right > N / 2); /* the commonest label has a third of the rows */
	gram_release(m);
	tags.ptr = NULL;
	FAILS(GRAM_INVALID, "sets is dense", gram_fit("fastxml", NULL, &x, &y, NULL, NULL, &m, &err));
	tags.ptr = ptr;
	tags.n = N - 1;
	FAILS(GRAM_INVALID, "119 rows", gram_fit("fastxml", NULL, &x, &y, NULL, NULL, &m, &err));
}

/* Mistakes in arguments of every function, with the word of the message that names the mistake, and calls at the
 * border of what is allowed. */
static void borders(void) {
	double a[] = {1, 2, 3, 4, -99, 5, 6, 7, 8};
	gram_matrix m = rows64(a, 2, 4), none = rows64(NULL, 0, 0), x = rows64(x64, N, D);
	m.stride = 4; /* as without padding */
	OK(gram_fwht(&m, 0, 0, &err));
	EXPECT(a[0] == 10 && a[4] == -81);
	OK(gram_fwht(&none, 0, 0, &err));
	none.n = 1;
	FAILS(GRAM_INVALID, "no columns", gram_fwht(&none, 0, 0, &err));
	FAILS(GRAM_INVALID, "workers is -1", gram_fwht(&m, 0, -1, &err));
	m.stride = -4;
	FAILS(GRAM_INVALID, "x.stride is -4", gram_fwht(&m, 0, 0, &err));
	m.stride = 0;
	m.d = -4;
	FAILS(GRAM_INVALID, "x.d is -4", gram_fwht(&m, 0, 0, &err));
	double twelve[12] = {1};
	m = rows64(twelve, 1, 12);
	FAILS(GRAM_INVALID, "kind 3", gram_fwht(&m, GRAM_SEQUENCY, 0, &err));
	OK(gram_fwht(&m, 0, 0, &err));
	EXPECT(twelve[11] == 1 || twelve[11] == -1);
	EXPECT(gram_fwht_length(-1) == 0 && gram_fwht_length(1) == 1);
	char longest[2000];
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	gram_model none_fitted = 0;
	FAILS(GRAM_INVALID, "xxx", gram_fit(longest, NULL, &x, NULL, NULL, NULL, &none_fitted, &err));
	EXPECT(strlen(err.message) == sizeof err.message - 1); /* what fits */
	char untouched[] = "?";
	gram_version(untouched, 0);
	gram_version(NULL, 8);
	EXPECT(untouched[0] == '?');

	/* sparse rows */
	int64_t ptr[] = {0, 2, 3};
	int32_t col[] = {0, 2, 1};
	double val[] = {2, 1, -1}, out[4];
	const char *const linear[] = {"kernel=linear", NULL};
	gram_matrix s = rows64(NULL, 2, D), k = rows64(out, 2, 2);
	s.ptr = ptr;
	s.col = col;
	OK(gram_kernel(linear, &s, &s, &k, &err)); /* without data all values are 1 */
	EXPECT(out[0] == 2 && out[1] == 0 && out[3] == 1);
	s.data = val;
	s.type = GRAM_FLOAT32;
	FAILS(GRAM_INVALID, "float32 values", gram_kernel(linear, &s, &s, &k, &err));
	s.type = GRAM_FLOAT64;
	FAILS(GRAM_INVALID, "x is sparse", gram_fwht(&s, 0, 0, &err));
	s.col = NULL;
	FAILS(GRAM_INVALID, "x.col is NULL", gram_kernel(linear, &s, &s, &k, &err));
	s.col = col;
	ptr[2] = -1;
	FAILS(GRAM_INVALID, "x.ptr is -1", gram_kernel(linear, &s, &s, &k, &err));
	ptr[2] = 3;
	s.n = INT64_MAX;
	FAILS(GRAM_INVALID, "too many rows", gram_kernel(linear, &s, &s, &k, &err));
	s.n = 2;
	k = rows64(out, 1, 2);
	FAILS(GRAM_INVALID, "out is 1×2, want 2×2", gram_kernel(linear, &s, &s, &k, &err));
	gram_matrix thin = rows64(x64, 2, D - 1);
	FAILS(GRAM_INVALID, "x has 2 columns, z has 3", gram_kernel(linear, &thin, &s, &k, &err));
	thin = rows64(x64, 2, 0);
	k = rows64(out, 2, 2);
	FAILS(GRAM_INVALID, "no columns", gram_kernel(linear, &thin, &thin, &k, &err));
	gram_matrix nothing = rows64(NULL, 0, D);
	k = rows64(out, 0, 2);
	s.data = val;
	OK(gram_kernel(linear, &nothing, &s, &k, &err));
	gram_matrix factor = rows64(a, 2, 2);
	FAILS(GRAM_INVALID, "x is NULL", gram_cholesky_update(&factor, 0, NULL, &err));

	/* targets and options */
	gram_target y = {0};
	gram_model m1 = 99, m2 = 0;
	FAILS(GRAM_INVALID, "method is NULL", gram_fit_map(NULL, NULL, &x, NULL, &m1, &err));
	FAILS(GRAM_INVALID, "the place of the model", gram_fit("svm", NULL, &x, &y, NULL, NULL, NULL, &err));
	FAILS(GRAM_INVALID, "one of label", gram_fit("svm", NULL, &x, &y, NULL, NULL, &m1, &err));
	FAILS(GRAM_INVALID, "", gram_fit("svm", NULL, &x, NULL, NULL, NULL, &m1, &err));
	y.label = label;
	y.classes = N + 1;
	FAILS(GRAM_INVALID, "121 classes of 120 rows", gram_fit("svm", NULL, &x, &y, NULL, NULL, &m1, &err));
	y.classes = -2;
	FAILS(GRAM_INVALID, "classes is -2", gram_fit("svm", NULL, &x, &y, NULL, NULL, &m1, &err));
	y.classes = 2;
	const char *const missing[] = {"a", NULL};
	y.names = missing;
	FAILS(GRAM_INVALID, "name of class 1 is NULL", gram_fit("svm", NULL, &x, &y, NULL, NULL, &m1, &err));
	y.names = NULL;
	int64_t first = label[3];
	label[3] = -1;
	FAILS(GRAM_DATA, "class -1 of 2", gram_fit("svm", NULL, &x, &y, NULL, NULL, &m1, &err));
	label[3] = first;
	EXPECT(m1 == 0);
	gram_options o = {0};
	o.workers = -1;
	FAILS(GRAM_INVALID, "workers is -1", gram_fit("svm", NULL, &x, &y, NULL, &o, &m1, &err));
	o.workers = 0;
	o.memory_limit = -1;
	FAILS(GRAM_INVALID, "memory_limit is -1", gram_fit("svm", NULL, &x, &y, NULL, &o, &m1, &err));
	o.memory_limit = 0;
	o.probabilities = "plat";
	FAILS(GRAM_INVALID, "plat", gram_fit("svm", NULL, &x, &y, NULL, &o, &m1, &err));
	o.probabilities = "platt";
	FAILS(GRAM_INVALID, "neither scaling nor", gram_fit_map("nystrom", NULL, &x, &o, &m1, &err));
	o.probabilities = NULL;
	o.scale = "standard";
	FAILS(GRAM_INVALID, "neither scaling nor", gram_fit_map("nystrom", NULL, &x, &o, &m1, &err));
	const char *const unknown[] = {"nonsense=1", NULL};
	FAILS(GRAM_INVALID, "nonsense", gram_fit_map("nystrom", unknown, &x, NULL, &m1, &err));

	/* a model whose classes have no names: they are numbers; no probabilities; three classes */
	int64_t three[N];
	for (int i = 0; i < N; i++) three[i] = i % 3;
	y.label = three;
	y.classes = 3;
	OK(gram_fit("krr", NULL, &x, &y, NULL, NULL, &m1, &err));
	gram_info info;
	OK(gram_model_info(m1, &info, &err));
	EXPECT(info.classes == 3 && info.scores == 3 && info.probabilities == 0);
	char name[8] = "???????";
	int64_t length = 0;
	OK(gram_class_name(m1, 2, name, sizeof name, NULL, &err));
	EXPECT(strcmp(name, "2") == 0);
	OK(gram_class_name(m1, 0, name, 1, &length, &err)); /* room for the end alone */
	EXPECT(name[0] == '\0' && length == 1);
	FAILS(GRAM_INVALID, "no class -1", gram_class_name(m1, -1, name, 8, NULL, &err));
	FAILS(GRAM_INVALID, "no class 3", gram_class_name(m1, 3, name, 8, NULL, &err));
	FAILS(GRAM_INVALID, "size is -1", gram_class_name(m1, 0, name, -1, NULL, &err));
	FAILS(GRAM_INVALID, "info is NULL", gram_model_info(m1, NULL, &err));
	static double p[3 * N];
	int64_t best[N];
	FAILS(GRAM_INVALID, "probabilit", gram_probabilities(m1, &x, p, &err));
	thin.d = 2;
	FAILS(GRAM_INVALID, "x has 2 columns", gram_scores(m1, &thin, p, &err));
	OK(gram_scores(m1, &x, p, &err));
	OK(gram_classify(m1, &x, best, &err));
	for (int i = 0; i < N; i++)
		for (int c = 0; c < 3; c++) EXPECT(p[3 * i + best[i]] >= p[3 * i + c]);
	FAILS(GRAM_INVALID, "not of multilabel", gram_top(m1, &x, 1, best, p, &err));
	FAILS(GRAM_INVALID, "k is -1", gram_top(m1, &x, -1, best, p, &err));
	FAILS(GRAM_INVALID, "labels is NULL", gram_top(m1, &x, 1, NULL, p, &err));
	FAILS(GRAM_INVALID, "scores is NULL", gram_top(m1, &x, 1, best, NULL, &err));
	FAILS(GRAM_INVALID, "values is NULL", gram_values(m1, &x, NULL, &err));
	FAILS(GRAM_INVALID, "no model that predicts", gram_scores(4242, &x, p, &err));
	FAILS(GRAM_INVALID, "no model that predicts", gram_top(4242, &x, 1, best, p, &err));
	FAILS(GRAM_INVALID, "no model or feature map", gram_features(4242, &x, p, &err));
	FAILS(GRAM_INVALID, "no model that predicts", gram_class_name(4242, 0, name, 8, NULL, &err));

	/* files, bytes and handles */
	void *bytes = NULL;
	int64_t size = 0;
	FAILS(GRAM_INVALID, "path is NULL", gram_save(m1, NULL, &err));
	FAILS(GRAM_INVALID, "is no model", gram_save(4242, "nowhere", &err));
	FAILS(GRAM_INVALID, "path or the place", gram_load(NULL, &m2, &err));
	FAILS(GRAM_INVALID, "path or the place", gram_load("m.gram", NULL, &err));
	FAILS(GRAM_INVALID, "the place of the bytes", gram_encode(m1, NULL, &size, &err));
	FAILS(GRAM_INVALID, "the place of the bytes", gram_encode(m1, &bytes, NULL, &err));
	FAILS(GRAM_INVALID, "place of the model", gram_decode(a, 8, NULL, &err));
	FAILS(GRAM_INVALID, "size is -8", gram_decode(a, -8, &m2, &err));
	FAILS(GRAM_INVALID, "data is NULL", gram_decode(NULL, 8, &m2, &err));
	gram_cancel c = gram_cancel_new();
	gram_release(c); /* is no model, and stays */
	FAILS(GRAM_INVALID, "is no model", gram_model_info(c, &info, &err));
	OK(gram_cancel_now(c, &err));
	gram_cancel_free(c);
	gram_cancel_free(m1); /* is no switch, and stays */
	FAILS(GRAM_INVALID, "switch", gram_cancel_now(m1, &err));
	OK(gram_model_info(m1, &info, &err));
	gram_release(m1);
	FAILS(GRAM_INVALID, "released", gram_model_info(m1, &info, &err));
}

static gram_model shared;

static void *worker(void *result) {
	gram_matrix x = rows64(x64, N, D), bad = rows64(x64, N, D - 1);
	gram_error mine;
	for (int i = 0; i < 50; i++) {
		if (gram_scores(shared, &x, result, &mine) != GRAM_OK || mine.message[0] != '\0') return NULL;
		if (gram_scores(shared, &bad, result, &mine) != GRAM_INVALID || strstr(mine.message, "columns") == NULL) return NULL;
	}
	return result;
}

static void threads(void) {
	enum { T = 4 };
	pthread_t t[T];
	static double scores[T][N];
	shared = classifier("gbdt", NULL, NULL);
	for (int i = 0; i < T; i++) EXPECT(pthread_create(&t[i], NULL, worker, scores[i]) == 0);
	for (int i = 0; i < T; i++) {
		void *got = NULL;
		EXPECT(pthread_join(t[i], &got) == 0 && got == scores[i]);
		EXPECT(memcmp(scores[i], scores[0], sizeof scores[0]) == 0);
	}
	gram_release(shared);
}

int main(int argc, char **argv) {
	EXPECT(argc == 2);
	char version[128], start[3];
	gram_version(version, sizeof version);
	gram_version(start, sizeof start);
	EXPECT(gram_api() == GRAM_API && strstr(version, " go1.") != NULL && strncmp(version, start, 2) == 0 && start[2] == '\0');
	data();
	transforms();
	kernels();
	factors();
	classes(argv[1]);
	machine(argv[1]);
	choices();
	tables();
	refused();
	values();
	freed();
	maps(argv[1]);
	sets();
	borders();
	threads();
	puts("ok");
	return 0;
}
