/* omvc from C, and from every language that calls C: Rust, Go, Julia, R, Java, Python's ctypes.
 *
 *     omvc_view views[2] = {{.columns = 76, .type = OMVC_FLOAT64, .values = a},
 *                           {.columns = 240, .type = OMVC_FLOAT32, .values = b}};
 *     omvc_model *model = omvc_new();
 *     if (omvc_set(model, "clusters", "10") || omvc_fit(model, views, 2, rows, labels, NULL, NULL)) {
 *       fprintf(stderr, "%s\n", omvc_error());
 *     }
 *     omvc_free(model);
 *
 * Functions that can fail return a status, 0 for success, and omvc_error() then says what is wrong, in which view and
 * row, and what to do. No exception leaves them. Arrays belong to the caller and are only read while a call lasts.
 *
 * Threads: a model is changed by one thread at a time, and nobody else may use it meanwhile. Functions that take a
 * const omvc_model may be called from several threads at the same time.
 */
#ifndef OMVC_OMVC_H
#define OMVC_OMVC_H

#include <stdint.h>

#include "omvc/export.hpp"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct omvc_model omvc_model;

/* The numbers are the exit codes of the command. */
typedef enum omvc_status {
  OMVC_OK = 0,
  OMVC_FAILED = 1,     /* memory is out, or a bug of ours */
  OMVC_USAGE = 2,      /* an option or a call that cannot work */
  OMVC_DATA = 3,       /* the data cannot be used as they are */
  OMVC_IO = 4,         /* a file cannot be read or written */
  OMVC_NUMERICAL = 5,  /* the computation broke down */
  OMVC_INTERRUPTED = 6 /* stopped on request */
} omvc_status;

typedef enum omvc_type { OMVC_FLOAT32 = 0, OMVC_FLOAT64 = 1 } omvc_type;

/* One view of all instances of a call: a row for each of them. A row that is NaN throughout lacks the view; a single
 * NaN is a missing value. Dense rows lie one behind the other, or row_step values apart. Sparse rows are compressed
 * (CSR): row i has the entries offsets[i] to offsets[i + 1] - 1 of `values` and `numbers`, the numbers of their
 * columns, which ascend from 0. */
typedef struct omvc_view {
  const char* name; /* in messages and reports; NULL: view1, view2, ... */
  int64_t columns;  /* features */
  omvc_type type;   /* of the values */
  const void* values;
  int64_t row_step;       /* dense: values from one row to the next; 0: columns */
  const int64_t* offsets; /* sparse: rows + 1 of them; NULL: the view is dense */
  const int32_t* numbers; /* sparse */
} omvc_view;

OMVC_API const char* omvc_version(void);

/* What went wrong in the last call of this thread that failed; "" where none did. Valid until the next call. */
OMVC_API const char* omvc_error(void);

/* A model that has learned nothing; NULL where memory is out. omvc_free takes NULL, too. */
OMVC_API omvc_model* omvc_new(void);
OMVC_API void omvc_free(omvc_model* model);

/* Sets an option by its name (docs/parameters.md): clusters, seed, threads, scaling, memory, half-life, ... Before
 * anything is learned; threads at any time. Several values are separated by commas. */
OMVC_API omvc_status omvc_set(omvc_model* model, const char* name, const char* value);

/* Learns the instances and labels them. labels, confidence and distance have room for `rows` values each; each may be
 * NULL. A label is a cluster number, -1 for an instance without any view. Forgets what was learned before. */
OMVC_API omvc_status omvc_fit(omvc_model* model, const omvc_view* views, int view_count, int64_t rows, int32_t* labels,
                              double* confidence, double* distance);

/* Learns further instances of a stream. Labels are -2 as long as too few were learned to have clusters. */
OMVC_API omvc_status omvc_partial_fit(omvc_model* model, const omvc_view* views, int view_count, int64_t rows,
                                      int32_t* labels, double* confidence, double* distance);

/* Labels instances with the model as it is. */
OMVC_API omvc_status omvc_assign(const omvc_model* model, const omvc_view* views, int view_count, int64_t rows,
                                 int32_t* labels, double* confidence, double* distance);

/* Other clusters from the same model, without the data: so many, or as many as the data show (0). */
OMVC_API omvc_status omvc_cut(omvc_model* model, int clusters);

/* Their number; 0 before there are any, -1 for NULL. And of the instances that were learned. */
OMVC_API int omvc_clusters(const omvc_model* model);
OMVC_API int64_t omvc_instances(const omvc_model* model);

/* A file that is replaced whole or not at all. omvc_load puts what it has read in the place of what the model was. */
OMVC_API omvc_status omvc_save(const omvc_model* model, const char* path);
OMVC_API omvc_status omvc_load(omvc_model* model, const char* path);

#ifdef __cplusplus
}
#endif

#endif
