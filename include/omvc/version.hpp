// The version of the library, and the one place where it is set: `tools/version --write` copies it to where it is
// repeated. A program compares the macros, which are those of the headers it was compiled with, with version(), which
// is that of the library it runs with.
//
// What holds between versions: within 0.x a new minor version may change the API; a patch does not. Model files of a
// released version are read by all later ones of the same major version; checkpoints belong to the version that wrote
// them.
#pragma once

#include "omvc/export.hpp"

#define OMVC_VERSION_MAJOR 0
#define OMVC_VERSION_MINOR 3
#define OMVC_VERSION_PATCH 0

namespace omvc {

OMVC_API const char* version();  // "MAJOR.MINOR.PATCH"

}  // namespace omvc
