// What a shared library of omvc shows is marked with OMVC_API; everything else in it is hidden. For C, too.
#pragma once

#define OMVC_API __attribute__((visibility("default")))
#define OMVC_HIDDEN __attribute__((visibility("hidden")))
