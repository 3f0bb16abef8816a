// {fmt} compiled once for the whole library, where otherwise every object that uses it would compile it for itself.
// This is what its own library consists of; the functions are weak, so that a program may link that, too.
#include <fmt/format.h>
#undef FMT_FUNC
#define FMT_FUNC __attribute__((weak))
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// The headers declare these as compiled elsewhere.
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
