#include "source/table/id_names.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "source/table/cell.hpp"

namespace omvc {
namespace {

constexpr std::array<std::string_view, 13> kUsualIdNames{"id",       "ids",       "index",     "sample",  "sample_id",
                                                         "sampleid", "barcode",   "cell",      "cell_id", "obs_names",
                                                         "rownames", "row_names", "unnamed: 0"};
constexpr std::array<std::string_view, 16> kPersonsAndRecords{
    "patient", "subject", "participant", "donor",  "customer",  "client", "user", "person",
    "member",  "student", "employee",    "record", "accession", "uuid",   "name", "case"};
constexpr std::array<std::string_view, 6> kOftenIdNames{"key", "code", "number", "no", "nr", "row"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <std::size_t N>
bool ends_in(const std::array<std::string_view, N>& ends, std::string_view name) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

// patient_id, customer-id, Sample ID; PatientID and sampleId by their capital.
bool ends_like_id(std::string_view field) {
  constexpr std::array<std::string_view, 4> kEnds{"_id", "-id", " id", ".id"};
  if (ends_in(kEnds, lower_case(field))) return true;
  return field.size() > 2 && (field.ends_with("ID") || field.ends_with("Id")) && field[field.size() - 3] >= 'a';
}

}  // namespace

bool is_usual_id_name(std::string_view name) { return name.empty() || is_in(kUsualIdNames, lower_case(name)); }

bool is_likely_id_name(std::string_view field) {
  constexpr std::array<std::string_view, 6> kEnds{"_no", "_nr", "_key", "_code", " number", "_number"};
  const std::string name = lower_case(field);
  return is_in(kUsualIdNames, name) || is_in(kPersonsAndRecords, name) || is_in(kOftenIdNames, name) ||
         ends_like_id(field) || name.starts_with("id_") || ends_in(kEnds, name);
}

bool means_ids(std::string_view field) {
  const std::string name = lower_case(field);
  return is_in(kUsualIdNames, name) || is_in(kPersonsAndRecords, name) || ends_like_id(field) ||
         name.starts_with("id_");
}

}  // namespace omvc
