// The instruction sets that kernels are compiled for: those between the baseline and AVX-512 that differ in what they
// can do here. Vectors of a size not known at compile time (SVE, RVV) cannot be held in arrays; Arm machines run the
// NEON code. Comes before any header of Highway.
#pragma once

#if defined(OMVC_SANITIZED)  // two of the four take half the time to compile
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
