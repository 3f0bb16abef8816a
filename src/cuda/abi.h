// What libomvc_cuda offers to whoever loads it: functions of C over arrays in the memory of the host. The library knows
// nothing of omvc beside this file, and omvc nothing of CUDA.
//
// A device is used by any number of threads; each call takes a lane (a stream, device memory, pinned memory) for as long
// as it lasts, and returns when its results are on the host. Every number has the bits that the form for processors
// gives (kernels/backend.hpp), unless a call asks for `fast` products.
//
// Functions return 0, or one of the codes below with a sentence in `message` (kOmvcCudaMessage bytes).
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kOmvcCudaAbi = 1, kOmvcCudaMessage = 512 };
enum { kOmvcCudaDone = 0, kOmvcCudaNoDevice = 1, kOmvcCudaNoMemory = 2, kOmvcCudaLost = 3 };

typedef struct OmvcCudaDevice OmvcCudaDevice;
typedef struct OmvcCudaKept OmvcCudaKept;  // a copy on the device of something that does not change

// A block of rows: dense and row-major, or CSR. `kept`, where given, is where a copy of it on the device is kept from
// call to call; forget() ends it.
typedef struct {
  int32_t sparse;
  int32_t doubles;  // whether values are double; float otherwise
  int64_t rows;
  int64_t cols;
  int64_t entries;  // of a sparse block
  const int64_t* offsets;
  const int32_t* columns;
  const void* values;
  OmvcCudaKept** kept;
} OmvcCudaBlock;

// A view of some instances: row i of the block is instance present[i].
typedef struct {
  OmvcCudaBlock block;
  const int64_t* present;
} OmvcCudaView;

// Prototypes: of each view features x size floats, row-major, and the squared length of each. Tables with the same id
// are equal.
typedef struct {
  uint64_t id;
  int64_t size;
  int32_t views;
  const int64_t* features;
  const float* const* columns;
  const double* const* norms;
} OmvcCudaPrototypes;

// find_near. products[v], where products is given, has room for rows x size floats.
typedef struct {
  const OmvcCudaView* views;
  int32_t view_count;
  int64_t instances;
  const OmvcCudaPrototypes* prototypes;
  int64_t count;
  double beyond;
  int32_t fast;
  int32_t* ids;       // instances x count, as are weights: left alone for an instance without distances
  double* weights;
  double* distances;  // of each instance, as are gaps
  double* gaps;
  double* const* squares;  // of each view, by row
  float* const* products;
} OmvcCudaNear;

// A view of the rows of a table that are searched (kernels/row_table.hpp); member_at: by position, -1 without the view.
typedef struct {
  int64_t features;
  int64_t members;
  int32_t sparse;
  const int64_t* begin;       // of each list, and the end
  const int32_t* position;    // of each member
  const int32_t* member_at;
  const float* panels;        // dense
  const int64_t* offsets;     // sparse: a row for each feature
  const int32_t* columns;
  const float* values;
  const double* squares;
  const double* completed;    // by position; null: none
} OmvcCudaRowView;

typedef struct {
  uint64_t id;
  int64_t rows;
  int64_t lists;
  const int64_t* begin;  // of each list, and the end: positions
  const int32_t* row;    // at each position
  int32_t views;
  const OmvcCudaRowView* view;
  int64_t near;
  const int32_t* near_ids;
  const float* near_weights;
} OmvcCudaRows;

// find_rows: the lists that instance i looks into are lists[list_begin[i]] .. lists[list_begin[i + 1] - 1], ascending.
typedef struct {
  const OmvcCudaView* views;
  int32_t view_count;
  int64_t instances;
  const OmvcCudaRows* rows;
  const int64_t* list_begin;
  const int32_t* lists;
  int64_t count;
  int64_t own;
  int32_t fast;
  const float* const* products;  // of each view, rows x product_columns; only for `whole`
  int64_t product_columns;
  int32_t* const* ids;  // of each view: rows x count
  double* const* distances;
  int32_t* whole_ids;  // null: not wanted
  double* whole_distances;
} OmvcCudaRowSearch;

// add_rounded_rows, from nothing: sums[v] receives size x features doubles (a row for each prototype).
typedef struct {
  const OmvcCudaView* const* chunks;
  const int32_t* const* ids;  // of each chunk, by instance
  int64_t chunk_count;
  int32_t view_count;
  int64_t size;
  double sign;
  const double* quantum;
  double* const* sums;
} OmvcCudaSums;

typedef struct {
  char name[128];
  uint64_t memory;  // that may be used, in bytes
  int32_t major, minor, processors;
  int32_t driver, runtime;
} OmvcCudaInfo;

typedef struct {
  int32_t abi;
  int (*count)(int32_t* devices, char* message);
  int (*open)(int32_t device, uint64_t memory, OmvcCudaDevice** out, OmvcCudaInfo* info, char* message);
  void (*close)(OmvcCudaDevice* device);
  void (*forget)(OmvcCudaKept* kept);
  int (*find_near)(OmvcCudaDevice* device, const OmvcCudaNear* call, char* message);
  int (*find_rows)(OmvcCudaDevice* device, const OmvcCudaRowSearch* call, char* message);
  int (*add_rows)(OmvcCudaDevice* device, const OmvcCudaSums* call, char* message);
  // out = X U: U is cols x r, out rows x r, of float or double; distances between rows are given in numbers.
  int (*times)(OmvcCudaDevice* device, const OmvcCudaBlock* X, const void* U, int64_t U_stride, int64_t r,
               int32_t doubles, int32_t fast, void* out, int64_t out_stride, char* message);
  // out += X' V of a dense X, in double: V is rows x r, out cols x r.
  int (*transpose_times)(OmvcCudaDevice* device, const OmvcCudaBlock* X, const double* V, int64_t V_stride, int64_t r,
                         double* out, int64_t out_stride, char* message);
} OmvcCudaApi;

// The one symbol that is looked for. Null where the library speaks another version of this file.
const OmvcCudaApi* omvc_cuda_api(int32_t abi);

#ifdef __cplusplus
}
#endif
