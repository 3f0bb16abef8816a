# The components of the library: what their targets have in common.

# {fmt}, of which formatting.cpp is compiled into the core, so that its library is not needed. Of other versions than the one
# that formatting.cpp is written for, every source compiles what it uses.
add_library(omvc_fmt INTERFACE)
if(fmt_VERSION MATCHES "^9\\.")
  target_include_directories(omvc_fmt SYSTEM INTERFACE $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
  set(OMVC_FORMATTING formatting.cpp)
else()
  target_link_libraries(omvc_fmt INTERFACE fmt::fmt-header-only)
endif()

# Puts a target, which is the component omvc::NAME, among those that are built.
function(omvc_add_component name target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON EXPORT_NAME ${name})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:Eigen3::Eigen> $<BUILD_INTERFACE:omvc_fmt>)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wno-missing-field-initializers)
  # The library has its own threads; Eigen's would nest inside them.
  target_compile_definitions(${target} PRIVATE EIGEN_DONT_PARALLELIZE)
  if(OMVC_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <Eigen/Dense> <fmt/format.h> <string> <vector>)
  endif()
  add_library(omvc::${name} ALIAS ${target})
  set(OMVC_COMPONENTS ${OMVC_COMPONENTS} ${name} PARENT_SCOPE)
endfunction()

# Makes a component on top of the core, as the archive libomvc-NAME.a, or as part of the shared library. The target that
# its sources belong to is put in the variable TARGET.
#
#     omvc_make_component(NAME SOURCES source... LIBRARIES library... [ALONE source...] TARGET variable)
macro(omvc_make_component name)
  cmake_parse_arguments(component "" "TARGET" "SOURCES;LIBRARIES;ALONE" ${ARGN})
  if(BUILD_SHARED_LIBS)
    target_sources(omvc PRIVATE ${component_SOURCES})
    target_link_libraries(omvc PRIVATE ${component_LIBRARIES})
    add_library(omvc_${name} INTERFACE)
    target_link_libraries(omvc_${name} INTERFACE omvc)
    set_target_properties(omvc_${name} PROPERTIES EXPORT_NAME ${name})
    add_library(omvc::${name} ALIAS omvc_${name})
    list(APPEND OMVC_COMPONENTS ${name})
    set(${component_TARGET} omvc)
  else()
    add_library(omvc_${name} STATIC ${component_SOURCES})
    set_target_properties(omvc_${name} PROPERTIES OUTPUT_NAME omvc-${name})
    target_link_libraries(omvc_${name} PUBLIC omvc PRIVATE ${component_LIBRARIES})
    omvc_add_component(${name} omvc_${name})
    set(${component_TARGET} omvc_${name})
    omvc_compile_together(omvc_${name} ALONE ${component_ALONE})
  endif()
endmacro()
