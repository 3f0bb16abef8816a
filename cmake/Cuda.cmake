# libomvc_cuda.so: the operations for cards, by nvcc from src/cuda. Nothing links it; it is loaded when a card is wanted.
# nvcc is the one of the system, or the one that `make cuda` puts into build/cuda-env from PyPI. Its compiler for the host
# is that of the rest.

file(GLOB from_pypi ${PROJECT_BINARY_DIR}/cuda-env/lib/python3*/site-packages/nvidia/cu*/bin
     ${PROJECT_SOURCE_DIR}/build/cuda-env/lib/python3*/site-packages/nvidia/cu*/bin)
find_program(OMVC_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin ${from_pypi} DOC "The compiler of CUDA")
if(NOT OMVC_NVCC)
  if(OMVC_CUDA STREQUAL "ON")
    message(FATAL_ERROR "omvc: OMVC_CUDA=ON needs nvcc: `make cuda` gets it from PyPI, or name it with -DOMVC_NVCC=FILE")
  endif()
  return()
endif()

# Code for the cards of today, and code that a driver can translate for those to come.
set(OMVC_CUDA_CODE -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90
    -gencode=arch=compute_100,code=[sm_100,compute_100] CACHE STRING "What cards the library is compiled for")
set(flags -std=c++20 -O3 -I${PROJECT_SOURCE_DIR}/src -ccbin ${CMAKE_CXX_COMPILER} ${OMVC_CUDA_CODE}
    -Xcompiler=-fPIC,-fvisibility=hidden,-Wall,-Wextra -Xfatbin=-compress-all)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/*.h*  ${PROJECT_SOURCE_DIR}/src/cuda/*.cuh)
set(objects)
foreach(name device library near products rows sums)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/cuda/${name}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/cuda
    COMMAND ${OMVC_NVCC} ${flags} -c ${PROJECT_SOURCE_DIR}/src/cuda/${name}.cu -o ${object}
    DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/${name}.cu ${headers}
    COMMENT "Building CUDA object ${name}.o" VERBATIM)
  list(APPEND objects ${object})
endforeach()

# PyPI has the runtime in lib, where nvcc does not look for it by itself.
get_filename_component(OMVC_CUDA_LIBRARIES ${OMVC_NVCC} REALPATH)
get_filename_component(OMVC_CUDA_LIBRARIES ${OMVC_CUDA_LIBRARIES} DIRECTORY)
set(OMVC_CUDA_LIBRARIES ${OMVC_CUDA_LIBRARIES}/../lib)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/libomvc_cuda.so
  COMMAND ${OMVC_NVCC} -shared -cudart static -ccbin ${CMAKE_CXX_COMPILER} ${OMVC_CUDA_CODE} -L${OMVC_CUDA_LIBRARIES}
          -Xlinker --exclude-libs,ALL ${objects} -o ${PROJECT_BINARY_DIR}/libomvc_cuda.so
  DEPENDS ${objects} COMMENT "Linking libomvc_cuda.so" VERBATIM)
add_custom_target(omvc_cuda ALL DEPENDS ${PROJECT_BINARY_DIR}/libomvc_cuda.so)
if(OMVC_INSTALL)
  install(FILES ${PROJECT_BINARY_DIR}/libomvc_cuda.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/omvc)
endif()
