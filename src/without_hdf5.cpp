// What a build without libhdf5 (-DOMVC_WITH_HDF5=OFF) says instead of reading and writing HDF5 files.
#include "omvc/error.hpp"
