#include "factorise/state.hpp"

#include <gtest/gtest.h>
#include <vector>

#include "support/chunks.hpp"
#include "support/random_data.hpp"

namespace omvc {
namespace {

TEST(State, RefusesCountsThatAreNotNumbersOfInstances) {
  const Schema schema = test::schema_of({3, 2});
  Archive sound;
  State(schema, 2).save(sound);
  EXPECT_NO_THROW(State::load(sound, schema));
  for (const double count : {-1.0, 1e17, test::kInf, test::kNan}) {
    Archive observed = sound;
    observed.put("view1/observed", count);
    test::expect_error(ErrorKind::data, {"view1/observed"}, [&] { State::load(observed, schema); });
    for (const std::size_t which : {0, 1, 4}) {  // of all instances, of the pass, and the pass itself
      Archive archive = sound;
      std::vector<double> counters = sound.numbers("state/counters");
      counters[which] = count;
      archive.put("state/counters", counters);
      test::expect_error(ErrorKind::data, {"counters"}, [&] { State::load(archive, schema); });
    }
  }
}

}  // namespace
}  // namespace omvc
