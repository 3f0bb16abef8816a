# page: the page that explains a result, HTML, style and script of report/page with D3 inside, as one string; reports as
# JSON.
find_package(nlohmann_json REQUIRED)
find_file(OMVC_D3 d3.min.js PATHS /usr/share/nodejs/d3/dist ${PROJECT_SOURCE_DIR}/node_modules/d3/dist REQUIRED
          DOC "The charts library D3, version 5 or later (Debian: node-d3; npm: d3)")
set(OMVC_PAGE_PARTS page.html page.css facts.js marks.js map.js spectrum.js tree.js cards.js heat.js upset.js quality.js
    timeline.js made.js main.js)
list(TRANSFORM OMVC_PAGE_PARTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/report/page/)
set(OMVC_TEMPLATE ${CMAKE_CURRENT_BINARY_DIR}/page_template.cpp)
add_custom_command(
  OUTPUT ${OMVC_TEMPLATE}
  COMMAND ${CMAKE_COMMAND} -DPAGE=${CMAKE_CURRENT_SOURCE_DIR}/report/page -DD3=${OMVC_D3} -DOUT=${OMVC_TEMPLATE}
          -P ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${OMVC_PAGE_PARTS} ${OMVC_D3} ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
  VERBATIM)

omvc_make_component(page
  SOURCES
    report/facts.cpp
    report/layout.cpp
    report/page.cpp
    report/picture.cpp
    report/report_json.cpp
    run/page.cpp
    ${OMVC_TEMPLATE}
  LIBRARIES $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
  ALONE report/facts.cpp ${OMVC_TEMPLATE}
  TARGET target)
set_source_files_properties(report/facts.cpp PROPERTIES COMPILE_DEFINITIONS OMVC_VERSION="${PROJECT_VERSION}")
set_source_files_properties(${OMVC_TEMPLATE} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
