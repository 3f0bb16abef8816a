// The checksum of archives and stored rows: CRC-32 with the polynomial of zlib and PNG.
#pragma once

#include <cstdint>
#include <string_view>

namespace omvc {

// Goes on from the checksum of what came before, 0 at the start.
std::uint32_t checksum(std::uint32_t before, std::string_view bytes);

}  // namespace omvc
