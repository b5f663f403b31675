# generated/backend_list.h, which src/kernels/backends.h includes: the backends of this build, in their order.
set(webnn_makers)
set(webnn_rows)
foreach(backend IN LISTS WEBNN_BUILT_BACKENDS)
  string(APPEND webnn_makers "std::shared_ptr<const Backend> ${backend}_backend();\n")
  string(APPEND webnn_rows "    {\"${backend}\", &${backend}_backend},\n")
endforeach()
configure_file(cmake/backend_list.h.in generated/backend_list.h @ONLY)
