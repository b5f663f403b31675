# The programs: one for the core library, and one for each format in the list FORMATS.
foreach(name IN ITEMS webnn LISTS FORMATS)
  add_executable(client_${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.cpp)
  target_link_libraries(client_${name} PRIVATE webnn::${name})
endforeach()
