# With OMVC_UNITY, compiles the sources of a target folder by folder: what many files take from headers is compiled once
# a folder instead of once a file, which halves the time of a first build. Names of one folder must not clash then, also
# those in unnamed namespaces.
#
#     omvc_compile_together(TARGET [ALONE source...])
#
# ALONE are sources that are compiled by themselves, as are those with options or definitions of their own.
function(omvc_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ALONE")
  if(NOT OMVC_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${arg_ALONE})
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
