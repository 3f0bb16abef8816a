// A sink that keeps what it is given.
#pragma once

#include <vector>

#include "omvc/sink.hpp"

namespace omvc::test {

struct Collected : Sink {
  void write(const ResultRows& rows) override {
    labels.insert(labels.end(), rows.labels.begin(), rows.labels.end());
    embedding.insert(embedding.end(), rows.embedding.data,
                     rows.embedding.data + rows.embedding.rows * rows.embedding.cols);
  }
  void finish() override { finished = true; }
  std::vector<int> labels;
  std::vector<double> embedding;
  bool finished = false;
};

}  // namespace omvc::test
