// Where chunks come from. A source delivers the instances of a data set in one fixed order, as many at a time as the
// caller asks for. Reading files is one kind of source (omvc/input.hpp), a matrix in memory another; write your own by
// deriving from Source.
//
// A source is used by one thread at a time, but not always by the same one: fit and assign read it on threads of their
// own, ahead of the learning, and these have ended when they return or throw. While they read, schema() may be called
// by others, and ids() of instances that were delivered already; nothing else is, except the second half of
// begin_next() where a source divides its work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "omvc/chunk.hpp"
#include "omvc/export.hpp"

namespace omvc {

class OMVC_API Source {
 public:
  virtual ~Source() = default;

  virtual const Schema& schema() const = 0;

  // The next instances of the stream, at most max_rows of them; nothing at the end. A chunk without instances is no
  // end. Over a whole pass Chunk::rows holds every number from 0 to N-1 once, in any order that is the same for every
  // pass; other numbers are refused when the pass ends.
  virtual std::optional<Chunk> next(Index max_rows) = 0;

  // next() in two steps, so that several threads can share the work of reading. The first step, one at a time and in
  // order, takes the place of the next instances; the second, `read`, delivers them, on any thread and beside the
  // second steps of other chunks. Each is called once at most, and before rewind() or the end of the source. What goes
  // wrong may be thrown by either. A source that is not written for this does all work in the first step.
  struct Delivery {
    Index rows = 0;  // that read() will deliver; none at the end
    std::function<Chunk()> read;
  };
  virtual Delivery begin_next(Index max_rows);

  // Goes back to the first instance. Returns false where the stream cannot be read again (a pipe).
  virtual bool rewind() = 0;

  // Passes over the next instances, or those that are left where they are fewer. Sources that can go to any place do
  // so; others read and forget.
  virtual void skip(Index rows);

  // The number of instances, where it is known without reading them all.
  virtual std::optional<Index> size() const { return std::nullopt; }

  // The sample ids of instances [first, first + count) by number, where the data have them; none otherwise. Of a source
  // that reads them along with the data they are known as far as it was read.
  virtual std::vector<std::string> ids(Index /*first*/, Index /*count*/) { return {}; }
};

// A whole data set in memory, delivered in the order given (row numbers, each once), or as it is stored.
// Chunk::rows holds the stored row numbers, so outputs can be brought back to the stored order. `ids` are those of the
// row numbers from 0 on, or none.
OMVC_API std::unique_ptr<Source> make_table_source(Schema schema, Chunk table, std::vector<Index> order = {},
                                                   std::vector<std::string> ids = {});

// Tries a source: reads it twice, in chunks of different sizes, and throws ErrorKind::data for what does not hold:
// sound chunks of the schema, row numbers 0 to N-1 each once, the number of instances that size() promises, as many ids
// as are asked for or none, and the same data in the second reading. Returns N. For tests of a source of your own; it
// needs a bit of memory per instance.
OMVC_API Index check_source(Source& source);

// Reads all of a source into one chunk. Memory grows with the data.
OMVC_API Chunk read_all(Source& source);

// Hides what the mask says was not observed: present[row * views + view], rows by Chunk::rows. `name` is that of the
// mask in messages.
OMVC_API std::unique_ptr<Source> make_masked_source(std::unique_ptr<Source> source, std::vector<bool> present,
                                                    std::string name = "the mask");

// The same instances in another order, with the row numbers that they had: at random, or as listed (each row number
// once). The order depends on the seed and the row numbers only, and is the same in every pass. On first use the source
// is read once and kept in a temporary file (TMPDIR or /tmp) without a name; memory holds about 64 MB of it at a time.
// `name` is that of the order in messages.
OMVC_API std::unique_ptr<Source> make_shuffled_source(std::unique_ptr<Source> source, std::uint64_t seed);
OMVC_API std::unique_ptr<Source> make_ordered_source(std::unique_ptr<Source> source, std::vector<Index> order,
                                                     std::string name = "the order");

// Instances [first, first + count) in the order of the source, with their row numbers. Refers to the source, which must
// outlive it.
OMVC_API std::unique_ptr<Source> make_range_source(Source& source, Index first, Index count);

// The same instances, to be read once: as from a pipe.
OMVC_API std::unique_ptr<Source> make_once_source(std::unique_ptr<Source> source);

// The data with the views and features of `schema`, that of a model. Views are matched by name, else by the names of
// their features; where nothing matches, by their place. A view of the schema that the data lack is absent from every
// instance. Features are matched by name where both sides have names, else they are the same in the same order.
// Views of other names that share most of their features are the same view.
// Throws ErrorKind::data for features that the data lack and, unless `ignore_extra` leaves them out, for views and
// features that the schema lacks; features that the schema says were left out are left out again. `notes` gets a
// sentence for everything that was left out or is lacking.
OMVC_API std::unique_ptr<Source> make_matched_source(std::unique_ptr<Source> source, const Schema& schema,
                                                     bool ignore_extra = false,
                                                     std::vector<std::string>* notes = nullptr);

// Only the instances whose row number `keep` accepts, numbered anew as they come. Refers to the source, which must
// outlive it.
OMVC_API std::unique_ptr<Source> make_filtered_source(Source& source, std::function<bool(Index)> keep);

}  // namespace omvc
