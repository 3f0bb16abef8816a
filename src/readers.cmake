# readers: files of data in all formats, lines of a stream, MuData and AnnData.
set(OMVC_READER_SOURCES
  source/formats/array_ids.cpp
  source/formats/content.cpp
  source/formats/market_names.cpp
  source/formats/mat.cpp
  source/formats/mat5.cpp
  source/formats/mat73.cpp
  source/formats/mat_bytes.cpp
  source/formats/mat_check.cpp
  source/formats/mat_file.cpp
  source/formats/mat_presence.cpp
  source/formats/mat_view.cpp
  source/formats/matrix_market.cpp
  source/formats/npy.cpp
  source/formats/npy_array.cpp
  source/formats/npy_header.cpp
  source/formats/npz.cpp
  source/formats/npz_arrays.cpp
  source/formats/npz_sparse.cpp
  source/formats/open.cpp
  source/formats/side_files.cpp
  source/formats/svmlight.cpp
  source/formats/text.cpp
  source/formats/text_reading.cpp
  source/formats/triplets.cpp
  source/formats/zip_archive.cpp
  source/join/id_join.cpp
  source/join/join.cpp
  source/join/named.cpp
  source/join/unused_ids.cpp
  source/rows/column_views.cpp
  source/rows/json_row.cpp
  source/rows/row_builder.cpp
  source/rows/row_reader.cpp
  source/rows/table_rows.cpp
  source/table/cell.cpp
  source/table/columns.cpp
  source/table/id_names.cpp
  source/table/label_words.cpp
  source/table/labels.cpp
  source/table/line_reader.cpp
  source/table/marks.cpp
  source/table/packed_file.cpp
  source/table/presence.cpp
  source/table/records.cpp
  source/table/separator.cpp
  source/table/text_layout.cpp
  source/table/text_row.cpp
  source/table/titles.cpp
  source/table/unpackers.cpp
)
set(OMVC_READER_LIBRARIES ZLIB::ZLIB BZip2::BZip2 LibLZMA::LibLZMA PkgConfig::ZSTD PkgConfig::LIBZIP
    ${SIMDJSON_LINK_LIBRARIES})
if(OMVC_WITH_HDF5)
  list(APPEND OMVC_READER_LIBRARIES PkgConfig::HDF5)
  list(APPEND OMVC_READER_SOURCES
    hdf5/dataset.cpp
    hdf5/dataset_write.cpp
    hdf5/file.cpp
    hdf5/handle.cpp
    hdf5/object.cpp
    hdf5/start_trial.cpp
    hdf5/storage.cpp
    hdf5/text.cpp
    hdf5/trial.cpp
    sink/anndata_parts.cpp
    sink/growing_matrix.cpp
    sink/h5_sink.cpp
    sink/mudata_writer.cpp
    source/formats/anndata.cpp
    source/formats/anndata_frame.cpp
    source/formats/anndata_matrix.cpp
    source/formats/anndata_modality.cpp
  )
else()
  list(APPEND OMVC_READER_SOURCES without_hdf5.cpp)
endif()
if(OMVC_WITH_MATIO)
  list(APPEND OMVC_READER_LIBRARIES PkgConfig::MATIO)
endif()

omvc_make_component(readers SOURCES ${OMVC_READER_SOURCES} LIBRARIES ${OMVC_READER_LIBRARIES} ALONE source/rows/json_row.cpp
                    TARGET target)
foreach(format MATIO HDF5)
  if(OMVC_WITH_${format})
    target_compile_definitions(${target} PRIVATE OMVC_WITH_${format})
  endif()
endforeach()
# One file knows simdjson, and needs the definitions that it was built with.
set_source_files_properties(source/rows/json_row.cpp PROPERTIES COMPILE_OPTIONS "${SIMDJSON_CFLAGS}"
                            SKIP_PRECOMPILE_HEADERS ON)
