/* gram.h: the C interface of gram, kernel methods at scale.
 *
 * Build the library and link a program with it:
 *
 *     go build -tags parquet -buildmode=c-shared -o libgram.so ./app/capi
 *     cc program.c -Iapp/capi -L. -lgram -Wl,-rpath,'$ORIGIN'
 *
 * Every function that can fail returns a gram_status, 0 for success. Its last argument
 * takes the message; NULL drops it. There is no other error state, so that any number of
 * threads may call any functions at the same time, also with the same model.
 *
 * Models are handles, numbers that gram_release gives back. A handle is never used twice:
 * one that was released, or never was one, is the error GRAM_INVALID. The library copies
 * whatever it keeps, and returns no memory of its own except by gram_encode. The caller's
 * arrays must have the sizes that are stated here, which the library cannot check.
 *
 * The library contains the Go runtime. A process that has called it must not go on in a
 * child made by fork() without exec(). Computations use all processors; the environment
 * variable GOMAXPROCS lowers that.
 */
#ifndef GRAM_H
#define GRAM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* GRAM_API is the version of this interface. A function or a structure that is described
 * here does not change while it stays the same. */
#define GRAM_API 3

/* gram_status says what happened. */
typedef int32_t gram_status;

enum {
	GRAM_OK = 0,
	GRAM_INVALID = 1,       /* an argument or a setting that cannot be used */
	GRAM_DATA = 2,          /* a number of the data that cannot be used: NaN, say */
	GRAM_MEMORY = 3,        /* more memory would be needed than the limit allows */
	GRAM_NOT_DEFINITE = 4,  /* a matrix is not positive definite, or would no longer be */
	GRAM_NOT_CONVERGED = 5, /* a fit stopped before its tolerance; the model is returned all the same */
	GRAM_CANCELED = 6,      /* the fit was canceled */
	GRAM_FAILED = 7,        /* a file that cannot be read or written, or another error */
	GRAM_INTERNAL = 8       /* a mistake of the library; please report it */
};

/* gram_error takes the message of a failed call, UTF-8 with a zero at the end, cut off
 * where it does not fit. It is empty after a call without an error. */
typedef struct {
	char message[1024];
} gram_error;

/* The types of the numbers of a matrix. */
enum { GRAM_FLOAT64 = 0, GRAM_FLOAT32 = 1 };

/* gram_matrix is a view of an n×d matrix in the caller's memory. Functions write only to
 * matrices that they are to fill or transform.
 *
 * Dense rows: ptr is NULL, and row i begins at element i·stride of data, of the given type,
 * aligned to it; stride 0 stands for d.
 *
 * Sparse rows: row i has the columns col[ptr[i]] to col[ptr[i+1]−1], ascending, with the
 * values, of type GRAM_FLOAT64, at the same places of data; data NULL stands for ones. ptr
 * has n+1 elements. stride is not used. */
typedef struct {
	void *data;
	int64_t n, d, stride;
	const int64_t *ptr;
	const int32_t *col;
	int32_t type;
} gram_matrix;

/* The types of the columns of a table, beside GRAM_FLOAT64: whole numbers, texts, and texts that are categories whatever
 * they look like. */
enum { GRAM_INT64 = 2, GRAM_TEXT = 3, GRAM_CATEGORY = 4 };

/* gram_column is a column of a table. data has its n cells: double, of which NaN is a missing cell, int64_t, or, for texts,
 * int32_t places in levels, −1 for a missing cell. */
typedef struct {
	const char *name;          /* of its own */
	const void *data;
	const char *const *levels; /* UTF-8, different ones; NULL for numbers */
	int64_t count;             /* of levels */
	int32_t type;
} gram_column;

/* gram_arrow is the handle of a table that gram_arrow_read has read; 0 is none. */
typedef uint64_t gram_arrow;

/* gram_table is a table of n rows in the caller's memory. What its columns are taken for is as for a file: texts are
 * categories, and a text that is a date or nearly a number is refused with its column. */
typedef struct {
	const gram_column *column;
	int64_t columns, n;
	gram_arrow arrow; /* 0, or a table of n rows that has the columns; column and columns are not used then */
} gram_table;

/* ArrowArrayStream is the structure of this name of Arrow's C stream interface, which pandas, polars, DuckDB and pyarrow
 * export (arrow.apache.org/docs/format/CStreamInterface.html). */
struct ArrowArrayStream;

/* Kinds of transforms. Sequency is for gram_fwht alone, the last two are for gram_haar. */
enum {
	GRAM_TRANSFORM = 0,          /* H·x, not normalized */
	GRAM_ORTHONORMAL = 1,        /* the transform that keeps norms */
	GRAM_INVERSE = 2,            /* the inverse of GRAM_TRANSFORM */
	GRAM_SEQUENCY = 3,           /* H·x in the order of the number of sign changes */
	GRAM_TRANSPOSE = 4,          /* Hᵀ·x */
	GRAM_INVERSE_ORTHONORMAL = 5 /* the inverse of GRAM_ORTHONORMAL */
};

/* gram_model is the handle of a fitted model or feature map; 0 is none. */
typedef uint64_t gram_model;

/* gram_cancel is the handle of a switch that ends fits; 0 is none. */
typedef uint64_t gram_cancel;

/* gram_progress is called during a fit, at most every 100 ms and at the end of each phase,
 * in the thread that called the fit. total is 0 if the end is not known, objective is that
 * of the method, 0 if there is none. Any result but 0 cancels the fit. */
typedef int32_t (*gram_progress)(void *context, const char *phase, int64_t done, int64_t total, double objective);

/* gram_target is what a model is to learn of n rows. One of label, value and sets is set, or
 * none for methods without a target. */
typedef struct {
	const int64_t *label;     /* classes: one number of a class for each row, from 0 to classes−1 */
	const char *const *names; /* the names of the classes; NULL: 0, 1, … */
	int64_t classes;          /* how many there are */
	const double *value;      /* regression: one number for each row */
	const gram_matrix *sets;  /* sets of labels: a sparse n×labels matrix, data NULL */
} gram_target;

/* gram_options says how a fit runs. Zeros are the defaults, so is NULL instead of it. */
typedef struct {
	uint64_t seed;             /* of the random numbers: the same seed, the same model */
	int64_t workers;           /* goroutines at most; 0: as many as processors. No result depends on it */
	int64_t memory_limit;      /* in bytes; 0: none */
	const char *scale;         /* of the columns, stored with the model: none, minmax, unit, standard, rows or auto; NULL: auto, as gram fit does. gram_fit_map takes none alone */
	const char *probabilities; /* stored with a model of classes: platt, isotonic or temperature, by five more fits; NULL: none but the method's own */
	gram_progress progress;    /* NULL: none */
	void *context;             /* first argument of progress */
	gram_cancel cancel;        /* 0: none */
	double conformal;          /* share of the rows that is held out for gram_intervals and gram_sets; 0: none */
	int64_t adaptive;          /* 1: sets are adaptive, which needs probabilities, and intervals, which needs gbdt; 0: the smallest sets, equal intervals */
	gram_model from;           /* goes on from this model of the method, as gram fit --warm does; 0: none */
	const char *search;        /* chooses settings by folds: auto, or NAME=V1,V2,...;NAME=... as gram fit --search does; NULL: none */
	int64_t trials, folds;     /* of search: candidates that auto draws, and parts of the rows; 0: the defaults, 20 and 5 */
	const char *metric;        /* of search, or of the race without a method: a name of gram eval; NULL: the first one for the task */
	double budget;             /* CPU seconds of the process for search auto or the race; 0: no limit */
} gram_options;

/* The tasks of models. */
enum { GRAM_CLASSES = 0, GRAM_VALUES = 1, GRAM_LABEL_SETS = 2, GRAM_FEATURES = 3 };

/* gram_info describes a model. */
typedef struct {
	int32_t task;          /* GRAM_CLASSES, GRAM_VALUES, GRAM_LABEL_SETS or GRAM_FEATURES for a bare feature map */
	int32_t probabilities; /* whether there are probabilities of classes */
	int64_t columns;       /* of the rows that it takes */
	int64_t classes;       /* number of classes; 0 for other tasks */
	int64_t scores;        /* numbers of a row that gram_scores writes: 1 for two classes, else one for each class */
	int64_t features;      /* of its feature map; 0: it has none */
} gram_info;

#ifndef GRAM_TYPES_ONLY

/* gram_version writes the version of the library and of Go, with a zero at the end, into
 * text, which has room for size bytes, cut off where it does not fit; 128 are enough. */
extern void gram_version(char *text, int64_t size);

/* gram_api returns GRAM_API of the library. */
extern int32_t gram_api(void);

/* ---- transforms of the rows of x, in place ---- */

/* gram_fwht replaces every row of the dense x by its Walsh–Hadamard transform, d·log₂d
 * additions. d is m·2^k with m = 1, 12, 20, 28 or another order that is supported, and a
 * power of two for GRAM_SEQUENCY. */
extern gram_status gram_fwht(const gram_matrix *x, int32_t kind, int64_t workers, gram_error *error);

/* gram_fwht_length returns the smallest length of gram_fwht that is at least n; 0 if there
 * is none. */
extern int64_t gram_fwht_length(int64_t n);

/* gram_haar replaces every row of the dense x by its Haar transform, 2(d−1) additions. d is a
 * power of two. */
extern gram_status gram_haar(const gram_matrix *x, int32_t kind, int64_t workers, gram_error *error);

/* ---- kernels ---- */

/* gram_kernel sets out, the dense x.n×z.n matrix, to the values of the kernel for the rows of
 * x and z. settings ends with NULL and chooses the kernel: {"kernel=gaussian", "gamma=0.5",
 * NULL}; gram fit --list --method krr lists the kernels and what they take. gamma=scale,
 * median and mean follow from z. The matrices have the same type, sparse ones any. */
extern gram_status gram_kernel(const char *const *settings, const gram_matrix *x, const gram_matrix *z, const gram_matrix *out, gram_error *error);

/* ---- changes of Cholesky factors ---- */

/* gram_cholesky_update replaces the factor of A, the dense n×n matrix, by that of A + xxᵀ.
 * lower is 1 for A = LLᵀ and 0 for A = UᵀU, which is faster. x has n numbers of the factor's
 * type. The other triangle is not touched. */
extern gram_status gram_cholesky_update(const gram_matrix *factor, int32_t lower, const void *x, gram_error *error);

/* gram_cholesky_downdate does the same for A − xxᵀ. margin, unless NULL, gets 1 − xᵀA⁻¹x. On
 * GRAM_NOT_DEFINITE the factor is unchanged. */
extern gram_status gram_cholesky_downdate(const gram_matrix *factor, int32_t lower, const void *x, double *margin, gram_error *error);

/* ---- fits ---- */

/* gram_fit fits a method to the rows of x with the target y and returns the model in *model,
 * 0 if there is none. The same rows, settings and options give the model of gram fit, but for what its
 * file says of the columns. If method is NULL a few methods race, as without gram fit --method. gram fit --list shows the methods, and gram fit --list --method NAME
 * the settings of one: texts NAME=VALUE with a NULL at the end, NULL for none. y is NULL
 * for methods without a target. weights has n numbers ≥ 0, NULL for ones. Rows of float32 are
 * widened. */
extern gram_status gram_fit(const char *method, const char *const *settings, const gram_matrix *x, const gram_target *y, const double *weights, const gram_options *options, gram_model *model, gram_error *error);

/* gram_fit_table does the same for a table, whose column of the name target is learned; task is auto, classes, regression
 * or NULL. The model is that of gram fit for a file with this table. */
extern gram_status gram_fit_table(const char *method, const char *const *settings, const gram_table *table, const char *target, const char *task, const double *weights, const gram_options *options, gram_model *model, gram_error *error);

/* gram_arrow_read reads a stream of record batches to its end and releases it, whether that succeeds or not. *table gets the
 * handle of its rows, for the member arrow of gram_table, and *rows their number. Nothing is copied: the
 * batches are released by gram_arrow_free. A library that was built without the tag parquet returns GRAM_INVALID. */
extern gram_status gram_arrow_read(struct ArrowArrayStream *stream, gram_arrow *table, int64_t *rows, gram_error *error);

/* gram_arrow_free releases the batches, after the calls that read them have ended; 0 is allowed. */
extern void gram_arrow_free(gram_arrow table);

/* gram_fit_map fits the feature map of a method alone: nystrom, rff, fastnys or pseudo. Its
 * settings are those of the method, of which only those of the map count. Of the options it takes seed, workers, memory_limit,
 * progress and cancel, and refuses the others. */
extern gram_status gram_fit_map(const char *method, const char *const *settings, const gram_matrix *x, const gram_options *options, gram_model *map, gram_error *error);

/* gram_cancel_new returns a new switch, which gram_cancel_free gives back. */
extern gram_cancel gram_cancel_new(void);

/* gram_cancel_now ends the fits that were given the switch, and those that will be. They
 * return GRAM_CANCELED within about 50 ms. Any thread may call it. */
extern gram_status gram_cancel_now(gram_cancel cancel, gram_error *error);

/* gram_cancel_free gives the switch back. */
extern void gram_cancel_free(gram_cancel cancel);

/* ---- models ---- */

/* gram_model_info describes a model. */
extern gram_status gram_model_info(gram_model model, gram_info *info, gram_error *error);

/* gram_class_name writes the name of a class, with a zero at the end, into name, which has
 * room for size bytes, cut off where it does not fit. *length gets the length of the whole
 * name without the zero. name may be NULL if size is 0. */
extern gram_status gram_class_name(gram_model model, int64_t class_number, char *name, int64_t size, int64_t *length, gram_error *error);

/* gram_column_name writes the name of a column of the rows that the model takes in the same way; it is empty if they have
 * none. */
extern gram_status gram_column_name(gram_model model, int64_t column, char *name, int64_t size, int64_t *length, gram_error *error);

/* gram_rows writes the rows of a table as the model takes them, n×info.columns numbers, for the functions below. Columns are
 * found by name; one that the model does not know, but for its target, and one that is missing are refused. unknown, unless
 * NULL, gets for each column of the model how many cells hold a text that was not in training. */
extern gram_status gram_rows(gram_model model, const gram_table *table, double *rows, int64_t *unknown, gram_error *error);

/* gram_method_name writes the name of the method of a model in the same way. */
extern gram_status gram_method_name(gram_model model, char *name, int64_t size, int64_t *length, gram_error *error);

/* gram_classify writes the number of the class of every row of x, −1 for a row with NaN. */
extern gram_status gram_classify(gram_model model, const gram_matrix *x, int64_t *classes, gram_error *error);

/* gram_values writes the value of every row of x, of a model of values. */
extern gram_status gram_values(gram_model model, const gram_matrix *x, double *values, gram_error *error);

/* gram_scores writes the scores of the classes, n×info.scores numbers. For two classes a
 * score above 0 is that of class 1. */
extern gram_status gram_scores(gram_model model, const gram_matrix *x, double *scores, gram_error *error);

/* gram_probabilities writes the probabilities of the classes, n×info.classes numbers. */
extern gram_status gram_probabilities(gram_model model, const gram_matrix *x, double *probabilities, gram_error *error);

/* gram_intervals writes the bounds of the intervals that hold the value of a row with a probability of at least level, n
 * numbers each: of a model of values that was fitted with the option conformal, or of gp. */
extern gram_status gram_intervals(gram_model model, const gram_matrix *x, double level, double *low, double *high, gram_error *error);

/* gram_sets writes n×info.classes numbers, 1 for the classes of the set that holds the class of a row with a probability of
 * at least level, and 0 for the others: of a model of classes that was fitted with the option conformal. */
extern gram_status gram_sets(gram_model model, const gram_matrix *x, double level, int8_t *member, gram_error *error);

/* gram_top writes the k best labels of every row and their scores, of a model of sets of
 * labels, both n×k. Where there are fewer the label is −1. */
extern gram_status gram_top(gram_model model, const gram_matrix *x, int64_t k, int64_t *labels, double *scores, gram_error *error);

/* gram_features writes the features of the rows of x, n×info.features numbers: of a feature map,
 * or of that of a model. */
extern gram_status gram_features(gram_model model, const gram_matrix *x, double *features, gram_error *error);

/* gram_gains writes what the splits of every column took off the summed loss of the training rows, info.columns numbers: of
 * a model of boosted trees that has been fitted or stored by this library or the command. */
extern gram_status gram_gains(gram_model model, double *gains, gram_error *error);

/* gram_iterations writes how many iterations each problem of the fit took: of support vector machines and linear models one
 * for each function, of boosted trees the rounds that were kept, of conjugate gradients the products. room is how many
 * numbers there is room for, and *count gets how many there are; iterations may be NULL if room is 0. There are none of a
 * method that does not iterate, and of a model that was read from a file. */
extern gram_status gram_iterations(gram_model model, int64_t *iterations, int64_t room, int64_t *count, gram_error *error);

/* gram_machine_size describes a support vector machine, whose function f of a row x is the sum of coefficient·K(x_j,x) over
 * its support vectors x_j, and a constant. functions is 1 for values, two classes and one class, else the number of pairs of
 * classes, or of classes. A support vector has columns numbers, which are as many as the rows of the model unless categories
 * are encoded, and width coefficients: one for each function, or, with pairs, classes−1 for the functions of its class and
 * each other one in the order of the others. */
extern gram_status gram_machine_size(gram_model model, int64_t *vectors, int64_t *columns, int64_t *width, int64_t *functions, gram_error *error);

/* gram_machine writes the parts of such a machine, of which each may be NULL: the numbers of the training rows that are
 * support vectors, the support vectors themselves, scaled as the model scales rows, vectors×columns numbers, the
 * vectors×width coefficients, the number of support vectors of each class, in whose order they lie, and a constant for each
 * function. For two classes coefficients above 0 are those of class 1; for pairs a function is above 0 for the second
 * class. The numbers of the rows are −1 where the file of the model does not say them, and the counts, info.classes numbers,
 * are −1 where there are no pairs. */
extern gram_status gram_machine(gram_model model, int64_t *rows, double *points, double *coefficients, int64_t *counts, double *constants, gram_error *error);

/* gram_release gives a model back. Calls that are using it still end as they should. */
extern void gram_release(gram_model model);

/* ---- files ---- */

/* gram_save writes a model to a file, which appears when it is complete. The command gram
 * reads it unless it is a bare feature map. */
extern gram_status gram_save(gram_model model, const char *path, gram_error *error);

/* gram_load reads a model that gram_save, gram fit or gram compile has written, or a model
 * of LIBSVM, XGBoost (JSON) or LightGBM (text). */
extern gram_status gram_load(const char *path, gram_model *model, gram_error *error);

/* gram_encode writes the bytes of the file into memory that gram_free gives back. */
extern gram_status gram_encode(gram_model model, void **data, int64_t *size, gram_error *error);

/* gram_decode reads such bytes. */
extern gram_status gram_decode(const void *data, int64_t size, gram_model *model, gram_error *error);

/* gram_free frees the memory of gram_encode; NULL is allowed. */
extern void gram_free(void *data);

#endif /* GRAM_TYPES_ONLY */

#ifdef __cplusplus
}
#endif

#endif /* GRAM_H */
