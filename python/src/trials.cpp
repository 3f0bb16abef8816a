// How HDF5 files are tried before they are opened: omvc/_trial.py says who starts what.
#include "omvc/trial.hpp"

#include "convert.hpp"

namespace omvc::python {

void define_trials(nb::module_& module) {
  module.def("set_trial_command", &set_trial_command, nb::arg("words"));
  module.def("trust_hdf5_files", &trust_hdf5_files, nb::arg("trust") = true,
             "Whether HDF5 files are opened as they are, without another process that tries them first. A damaged file "
             "may crash this one then.");
  // In an interpreter that was started for a trial; the words are those that the library put behind its command.
  module.def(
      "answer_trial",
      [](const std::vector<nb::bytes>& words) {
        std::vector<const char*> arguments{"python"};
        for (const nb::bytes& word : words) arguments.push_back(word.c_str());
        return answer_trial(static_cast<int>(arguments.size()), arguments.data()).value_or(1);
      },
      nb::arg("words"));
}

}  // namespace omvc::python
