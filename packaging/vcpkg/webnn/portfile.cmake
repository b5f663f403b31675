# Builds the checkout that this port is in: vcpkg install webnn --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  simd WEBNN_SIMD
  onednn WEBNN_ONEDNN
  xnnpack WEBNN_XNNPACK
  tflite WEBNN_TFLITE
  tflite WEBNN_EXECUTORCH
  onnx WEBNN_ONNX
  json WEBNN_SAFETENSORS
  json WEBNN_TEXT
  json WEBNN_GRAPHINFO
  json WEBNN_NNRT
  lm WEBNN_LM)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${features}
  -DWEBNN_BUILD_TESTS=OFF -DWEBNN_BUILD_EXAMPLES=OFF -DWEBNN_BUILD_BENCH=OFF
  -DWEBNN_BUILD_TOOLS=OFF -DWEBNN_NODE=OFF -DWEBNN_PYTHON=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME webnn CONFIG_PATH lib/cmake/webnn)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE"
                        "${CURRENT_PACKAGES_DIR}/share/doc/webnn/library/NOTICE")
