# The library as a shared one, made of the objects that all tests run on: what it shows, and C from another language.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/nothing.cpp "")
add_library(omvc_shared SHARED ${CMAKE_CURRENT_BINARY_DIR}/nothing.cpp)
target_link_libraries(omvc_shared PRIVATE omvc_page omvc_readers omvc)
set_target_properties(omvc_shared PROPERTIES LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,omvc_page,omvc_readers,omvc")
target_link_options(omvc_shared PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME Shared.ShowsWhatTheHeadersMark
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/symbols_test.py ${PROJECT_SOURCE_DIR}
                 $<TARGET_FILE:omvc_shared> $<TARGET_FILE:omvc> $<TARGET_FILE:omvc_readers> $<TARGET_FILE:omvc_page>)
add_test(NAME Shared.FromCtypes
         COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/c_api/ctypes_test.py $<TARGET_FILE:omvc_shared>)
