// The kinds of compressed data that are read.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "source/table/packed_file.hpp"

namespace omvc {

std::unique_ptr<Unpacker> make_gzip_unpacker();
std::unique_ptr<Unpacker> make_bzip2_unpacker();
std::unique_ptr<Unpacker> make_xz_unpacker();
std::unique_ptr<Unpacker> make_zstd_unpacker();

struct PackedKind {
  std::string_view magic;  // how each part starts
  std::unique_ptr<Unpacker> (*make)();
};

inline constexpr std::array kPackedKinds{
    PackedKind{"\x1F\x8B\x08", make_gzip_unpacker},
    PackedKind{"BZh", make_bzip2_unpacker},
    PackedKind{std::string_view("\xFD"
                                "7zXZ\0",
                                6),
               make_xz_unpacker},
    PackedKind{"\x28\xB5\x2F\xFD", make_zstd_unpacker},
};

}  // namespace omvc
