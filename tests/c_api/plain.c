/* The C API used as C uses it: compiled by a C compiler, which proves that the header is C. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omvc/omvc.h"

enum { kRows = 300, kWide = 4, kNarrow = 3 };

/* Returns 0, or the line that failed. */
#define CHECK(condition) \
  if (!(condition)) return __LINE__

static void plant(float* wide, double* narrow) {
  for (int i = 0; i < kRows; ++i) {
    const int kind = i % 3;
    for (int j = 0; j < kWide; ++j) wide[i * kWide + j] = (float)(10 * (kind == j) + (i * 7 + j * 3) % 11 * 0.1);
    for (int j = 0; j < kNarrow; ++j) narrow[i * kNarrow + j] = i % 5 == 0 ? NAN : 5 * (kind == j) + (i + j) % 7 * 0.1;
  }
}

int omvc_try_from_c(const char* path);
int omvc_try_from_c(const char* path) {
  static float wide[kRows * kWide];
  static double narrow[kRows * kNarrow];
  static int32_t labels[kRows], again[kRows];
  static double confidence[kRows], distance[kRows];
  plant(wide, narrow);
  const omvc_view views[2] = {{.name = "wide", .columns = kWide, .type = OMVC_FLOAT32, .values = wide},
                              {.columns = kNarrow, .type = OMVC_FLOAT64, .values = narrow}};
  omvc_model* model = omvc_new();
  CHECK(model != NULL);
  CHECK(strlen(omvc_version()) >= 5);
  CHECK(omvc_clusters(model) == 0);
  CHECK(omvc_set(model, "clusters", "3") == OMVC_OK);
  CHECK(omvc_set(model, "threads", "1") == OMVC_OK);
  CHECK(omvc_fit(model, views, 2, kRows, labels, confidence, distance) == OMVC_OK);
  CHECK(strcmp(omvc_error(), "") == 0);
  for (int i = 3; i < kRows; ++i) CHECK(labels[i] == labels[i % 3]);
  CHECK(labels[0] != labels[1] && labels[1] != labels[2] && labels[0] != labels[2]);
  CHECK(confidence[0] > 0 && confidence[0] <= 1 && distance[0] >= 0);
  CHECK(omvc_clusters(model) == 3 && omvc_instances(model) == kRows);

  CHECK(omvc_save(model, path) == OMVC_OK);
  omvc_model* loaded = omvc_new();
  CHECK(omvc_load(loaded, path) == OMVC_OK);
  CHECK(omvc_assign(loaded, views, 2, kRows, again, NULL, NULL) == OMVC_OK);
  CHECK(memcmp(labels, again, sizeof labels) == 0);
  CHECK(omvc_partial_fit(loaded, views, 2, 30, again, NULL, NULL) == OMVC_OK);
  CHECK(omvc_instances(loaded) == kRows + 30);
  CHECK(omvc_cut(loaded, 2) == OMVC_OK && omvc_clusters(loaded) == 2);
  omvc_free(loaded);

  /* Mistakes have a status and words. */
  CHECK(omvc_set(model, "clusters", "4") == OMVC_USAGE && strstr(omvc_error(), "threads") != NULL);
  CHECK(omvc_set(model, "threads", "2") == OMVC_OK);
  CHECK(omvc_set(NULL, "clusters", "4") == OMVC_USAGE);
  CHECK(omvc_fit(model, NULL, 2, kRows, labels, NULL, NULL) == OMVC_USAGE);
  CHECK(omvc_assign(model, views, 1, kRows, labels, NULL, NULL) == OMVC_DATA && strlen(omvc_error()) > 0);
  CHECK(omvc_load(model, "/nowhere/model.omvc") == OMVC_IO && strstr(omvc_error(), "/nowhere") != NULL);
  CHECK(omvc_clusters(model) == 3); /* what failed left the model as it was */
  omvc_model* empty = omvc_new();
  CHECK(omvc_assign(empty, views, 2, kRows, labels, NULL, NULL) == OMVC_USAGE);
  CHECK(omvc_partial_fit(empty, views, 2, 5, again, confidence, NULL) == OMVC_OK);
  CHECK(again[0] == -2 && isnan(confidence[0])); /* too few to have clusters */
  omvc_free(empty);
  omvc_free(NULL);
  omvc_free(model);
  return 0;
}

/* Compressed sparse rows give the labels of the same rows stored dense. */
int omvc_try_sparse_from_c(void);
int omvc_try_sparse_from_c(void) {
  static float wide[kRows * kWide], values[kRows * kWide];
  static double narrow[kRows * kNarrow];
  static int64_t offsets[kRows + 1];
  static int32_t numbers[kRows * kWide], dense_labels[kRows], sparse_labels[kRows];
  plant(wide, narrow);
  int64_t count = 0;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kWide; ++j) {
      if (wide[i * kWide + j] == 0) continue;
      values[count] = wide[i * kWide + j];
      numbers[count++] = j;
    }
    offsets[i + 1] = count;
  }
  const omvc_view dense = {.columns = kWide, .type = OMVC_FLOAT32, .values = wide};
  omvc_view sparse = {.columns = kWide, .type = OMVC_FLOAT32, .values = values, .offsets = offsets, .numbers = numbers};
  omvc_model* model = omvc_new();
  CHECK(omvc_set(model, "clusters", "3") == OMVC_OK);
  CHECK(omvc_fit(model, &dense, 1, kRows, dense_labels, NULL, NULL) == OMVC_OK);
  CHECK(omvc_assign(model, &sparse, 1, kRows, sparse_labels, NULL, NULL) == OMVC_OK);
  CHECK(memcmp(dense_labels, sparse_labels, sizeof dense_labels) == 0);
  offsets[3] = 1; /* they descend */
  CHECK(omvc_assign(model, &sparse, 1, kRows, sparse_labels, NULL, NULL) == OMVC_DATA);
  omvc_free(model);
  return 0;
}
