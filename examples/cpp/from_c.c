/* From C: clusters an array, saves the model, loads it and labels a new row. */
#include <math.h>
#include <omvc/omvc.h>
#include <stdio.h>

enum { kRows = 300, kColumns = 6, kClusters = 3 };

static int fail(const char* what) {
  fprintf(stderr, "from_c: %s: %s\n", what, omvc_error());
  return 1;
}

int main(void) {
  static double values[kRows * kColumns];
  static int32_t labels[kRows];
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      values[i * kColumns + j] = (j % kClusters == i % kClusters ? 3 : 0) + (i * 7 + j * 13) % 10 / 10.0;
    }
  }
  const omvc_view view = {.name = "measured", .columns = kColumns, .type = OMVC_FLOAT64, .values = values};
  omvc_model* model = omvc_new();
  if (model == NULL) return 1;
  if (omvc_set(model, "clusters", "3")) return fail("omvc_set");
  if (omvc_fit(model, &view, 1, kRows, labels, NULL, NULL)) return fail("omvc_fit");
  printf("%d clusters of %lld rows\n", omvc_clusters(model), (long long)omvc_instances(model));
  if (omvc_save(model, "from_c.omvc")) return fail("omvc_save");
  omvc_free(model);

  model = omvc_new();
  if (model == NULL) return 1;
  if (omvc_load(model, "from_c.omvc")) return fail("omvc_load");
  const double fresh[kColumns] = {0.5, NAN, 3.5, 0.5, 0.5, 3.5}; /* one value is missing */
  const omvc_view row = {.name = "measured", .columns = kColumns, .type = OMVC_FLOAT64, .values = fresh};
  int32_t label = -1;
  double confidence = 0;
  if (omvc_assign(model, &row, 1, 1, &label, &confidence, NULL)) return fail("omvc_assign");
  printf("a new row is in the cluster of row 2: %s\n", label == labels[2] ? "yes" : "no");
  omvc_free(model);
  return label == labels[2] ? 0 : 1;
}
