#include "omvc/version.hpp"

#define OMVC_AS_TEXT(x) #x
#define OMVC_TEXT(x) OMVC_AS_TEXT(x)

namespace omvc {

const char* version() {
  return OMVC_TEXT(OMVC_VERSION_MAJOR) "." OMVC_TEXT(OMVC_VERSION_MINOR) "." OMVC_TEXT(OMVC_VERSION_PATCH);
}

}  // namespace omvc
