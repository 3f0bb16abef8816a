// Every second archive is changed by one who knows the layout, the others byte by byte: bytes changed at random hardly
// ever leave an archive that can be read.
#pragma once

#include <cstdint>
#include <cstring>

#include "support/archive_edits.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  omvc::test::ArchiveEditor editor({reinterpret_cast<const char*>(data), size}, seed);
  if (!editor.edit() || editor.bytes().size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, editor.bytes().data(), editor.bytes().size());
  return editor.bytes().size();
}
