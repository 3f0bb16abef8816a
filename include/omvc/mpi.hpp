// One fit in the processes that mpirun or srun has started: the component `mpi` (find_package(omvc COMPONENTS core
// mpi)).
//
//     const std::unique_ptr<omvc::Exchange> all = omvc::make_mpi_exchange();
//     model.fit(source, sink, observer, {}, *all);          // in every process, with the same options and data
//     MPI_Finalize();
#pragma once

#include <memory>

#include "omvc/exchange.hpp"
#include "omvc/export.hpp"

namespace omvc {

// The processes of MPI_COMM_WORLD. Starts MPI where the program has not; ending it (MPI_Finalize) is left to the
// program, as is ending the others where one of them fails. Used by the thread that has started MPI, which is the one
// that calls fit. Waiting leaves its core to those that work.
OMVC_API std::unique_ptr<Exchange> make_mpi_exchange();

}  // namespace omvc
