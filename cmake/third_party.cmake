# What a build contains of the works of others: for each artifact (library, c, tools, python, node) a
# NOTICE with their copyrights and licenses, and a bill of materials in SPDX 2.3,
# https://spdx.github.io/spdx-spec/v2.3/. Both are installed with the artifact.

set(WEBNN_ARTIFACTS library)
foreach(pair WEBNN_C:c WEBNN_WITH_COMMAND:tools WEBNN_WITH_PYTHON:python WEBNN_WITH_NODE:node)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 condition)
  list(GET pair 1 artifact)
  if(${condition})
    list(APPEND WEBNN_ARTIFACTS ${artifact})
  endif()
endforeach()
set_property(GLOBAL PROPERTY WEBNN_THIRD_PARTIES "")

# webnn_third_party(NAME URL HEADERS|CONTAINED|LINKED LICENSE <id> COPYRIGHT <line>... [VERSION <version>]
#                   [ALSO <id>...] IN <artifact>...): code of HEADERS is in the artifact itself; CONTAINED
# is a static library, which is in what is linked with it; LINKED is a shared library that the artifact
# needs. LICENSE is an SPDX expression; its text is the file of that name, or of those of ALSO, in
# packaging/licenses.
function(webnn_third_party name url how)
  cmake_parse_arguments(PARSE_ARGV 3 party "" "LICENSE;VERSION" "COPYRIGHT;ALSO;IN")
  set_property(GLOBAL APPEND PROPERTY WEBNN_THIRD_PARTIES ${name})
  if(NOT party_ALSO)
    set(party_ALSO ${party_LICENSE})
  endif()
  list(JOIN party_COPYRIGHT "\n" party_COPYRIGHT)
  foreach(field LICENSE VERSION COPYRIGHT ALSO)
    set_property(GLOBAL PROPERTY WEBNN_PARTY_${name}_${field} "${party_${field}}")
  endforeach()
  set_property(GLOBAL PROPERTY WEBNN_PARTY_${name}_ARTIFACTS "${party_IN}")
  set_property(GLOBAL PROPERTY WEBNN_PARTY_${name}_URL ${url})
  set_property(GLOBAL PROPERTY WEBNN_PARTY_${name}_HOW ${how})
endfunction()

# webnn_header_version(RESULT FILE EXPRESSION...): the numbers that the expressions find in a header,
# joined by points; empty if the header is not there.
function(webnn_header_version result file)
  set(numbers)
  if(EXISTS "${file}")
    foreach(expression ${ARGN})
      file(STRINGS "${file}" line REGEX "${expression}" LIMIT_COUNT 1)
      if(line MATCHES "${expression}")
        list(APPEND numbers "${CMAKE_MATCH_1}")
      endif()
    endforeach()
  endif()
  list(JOIN numbers "." numbers)
  set(${result} "${numbers}" PARENT_SCOPE)
endfunction()

# webnn_how(RESULT LIBRARY): whether a library becomes a part of what is linked with it.
function(webnn_how result library)
  if("${library}" MATCHES "\\.(a|lib)$")
    set(${result} CONTAINED PARENT_SCOPE)
  else()
    set(${result} LINKED PARENT_SCOPE)
  endif()
endfunction()

# Everything below asks what was found: a part that was left out is in no list.
get_property(eigen_version GLOBAL PROPERTY WEBNN_EIGEN_VERSION)
get_property(highway_version GLOBAL PROPERTY WEBNN_HIGHWAY_VERSION)
webnn_third_party(fmt https://github.com/fmtlib/fmt HEADERS LICENSE MIT VERSION "${fmt_VERSION}"
                  COPYRIGHT "Copyright (c) 2012 - present, Victor Zverovich and {fmt} contributors"
                  IN ${WEBNN_ARTIFACTS})
webnn_third_party(Eigen https://gitlab.com/libeigen/eigen HEADERS LICENSE MPL-2.0
                  VERSION "${eigen_version}"
                  COPYRIGHT "Copyright (C) 2008 - 2021 Gael Guennebaud, Benoit Jacob and the authors of Eigen"
                  IN ${WEBNN_ARTIFACTS})
if("simd" IN_LIST WEBNN_BUILT_BACKENDS)
  # The vectors of its headers are in the kernels, also where its library is linked.
  webnn_third_party(Highway https://github.com/google/highway HEADERS LICENSE Apache-2.0
                    VERSION "${highway_version}" COPYRIGHT "Copyright 2019 - 2024 Google LLC"
                    IN ${WEBNN_ARTIFACTS})
endif()
if("onednn" IN_LIST WEBNN_BUILT_BACKENDS)
  webnn_how(how "${ONEDNN_LIBRARY}")
  webnn_header_version(version "${ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h"
    "DNNL_VERSION_MAJOR +([0-9]+)" "DNNL_VERSION_MINOR +([0-9]+)" "DNNL_VERSION_PATCH +([0-9]+)")
  webnn_third_party(oneDNN https://github.com/uxlfoundation/oneDNN ${how} LICENSE Apache-2.0
                    VERSION "${version}" COPYRIGHT "Copyright 2016 - 2024 Intel Corporation"
                    IN ${WEBNN_ARTIFACTS})
endif()
if("xnnpack" IN_LIST WEBNN_BUILT_BACKENDS)
  webnn_how(how "${XNNPACK_LIBRARY}")
  webnn_third_party(XNNPACK https://github.com/google/XNNPACK ${how} LICENSE BSD-3-Clause
                    COPYRIGHT "Copyright (c) Facebook, Inc. and its affiliates. All rights reserved."
                              "Copyright 2019 - 2022 Google LLC"
                    IN ${WEBNN_ARTIFACTS})
  # XNNPACK's own needs: contained where it is.
  webnn_third_party(pthreadpool https://github.com/Maratyszcza/pthreadpool ${how} LICENSE BSD-2-Clause
                    COPYRIGHT "Copyright 2019 Google LLC"
                              "Copyright (c) 2017 Facebook Inc."
                              "Copyright (c) 2015 - 2017 Georgia Institute of Technology"
                    IN ${WEBNN_ARTIFACTS})
  webnn_third_party(cpuinfo https://github.com/pytorch/cpuinfo ${how} LICENSE BSD-2-Clause
                    COPYRIGHT "Copyright (c) 2019 Google LLC"
                              "Copyright (c) 2017 - 2018 Facebook Inc."
                              "Copyright (c) 2012 - 2017 Georgia Institute of Technology"
                              "Copyright (c) 2010 - 2012 Marat Dukhan"
                    IN ${WEBNN_ARTIFACTS})
endif()
find_package(nlohmann_json QUIET)
if(nlohmann_json_FOUND)
  # src/formats/common/json.cpp is in a static library; what is linked contains it with these parts.
  set(with_json ${WEBNN_BUILT_FORMATS} ${WEBNN_BUILT_COMPONENTS})
  list(FILTER with_json INCLUDE REGEX "^(graphinfo|lm|nnrt|safetensors|text)$")
  set(with_json_in library tools)
  if(with_json)
    set(with_json_in ${WEBNN_ARTIFACTS})
  endif()
  webnn_third_party(nlohmann-json https://github.com/nlohmann/json HEADERS LICENSE MIT
                    VERSION "${nlohmann_json_VERSION}"
                    COPYRIGHT "Copyright (c) 2013 - 2023 Niels Lohmann"
                              "Copyright (c) 2008 - 2009 Bjoern Hoehrmann"
                              "Copyright (c) 2009 Florian Loitsch"
                    IN ${with_json_in})
endif()
if("tflite" IN_LIST WEBNN_BUILT_FORMATS OR "executorch" IN_LIST WEBNN_BUILT_FORMATS)
  webnn_header_version(version "${FLATBUFFERS_INCLUDE_DIR}/flatbuffers/base.h"
    "FLATBUFFERS_VERSION_MAJOR ([0-9]+)" "FLATBUFFERS_VERSION_MINOR ([0-9]+)"
    "FLATBUFFERS_VERSION_REVISION ([0-9]+)")
  webnn_third_party(FlatBuffers https://github.com/google/flatbuffers HEADERS LICENSE Apache-2.0
                    VERSION "${version}" COPYRIGHT "Copyright 2014 - 2021 Google Inc."
                    IN ${WEBNN_ARTIFACTS})
endif()
if("tflite" IN_LIST WEBNN_BUILT_FORMATS)
  # src/formats/tflite/schema.fbs, of which code is generated.
  webnn_third_party(TensorFlow-Lite-schema https://github.com/tensorflow/tensorflow HEADERS
                    LICENSE Apache-2.0 VERSION 2.15.0
                    COPYRIGHT "Copyright 2017 The TensorFlow Authors. All Rights Reserved."
                    IN ${WEBNN_ARTIFACTS})
endif()
if("onnx" IN_LIST WEBNN_BUILT_FORMATS)
  webnn_header_version(version "${PROTOZERO_INCLUDE_DIR}/protozero/version.hpp"
    "PROTOZERO_VERSION_MAJOR ([0-9]+)" "PROTOZERO_VERSION_MINOR ([0-9]+)"
    "PROTOZERO_VERSION_PATCH ([0-9]+)")
  webnn_third_party(protozero https://github.com/mapbox/protozero HEADERS LICENSE "BSD-2-Clause AND Apache-2.0"
                    ALSO BSD-2-Clause Apache-2.0 VERSION "${version}" COPYRIGHT "Copyright (c) Mapbox"
                    IN ${WEBNN_ARTIFACTS})
endif()
if("lm" IN_LIST WEBNN_BUILT_COMPONENTS)
  webnn_how(how "${WEBNN_PCRE2_LIBRARY}")
  webnn_header_version(version "${WEBNN_PCRE2_INCLUDE_DIR}/pcre2.h" "PCRE2_MAJOR +([0-9]+)"
                       "PCRE2_MINOR +([0-9]+)")
  webnn_third_party(PCRE2 https://github.com/PCRE2Project/pcre2 ${how} LICENSE BSD-3-Clause
                    VERSION "${version}"
                    COPYRIGHT "Copyright (c) 1997 - 2022 University of Cambridge"
                              "Copyright (c) 2009 - 2022 Zoltan Herczeg"
                    IN ${WEBNN_ARTIFACTS})
  webnn_how(how "${WEBNN_UTF8PROC_LIBRARY}")
  webnn_header_version(version "${WEBNN_UTF8PROC_INCLUDE_DIR}/utf8proc.h"
    "UTF8PROC_VERSION_MAJOR ([0-9]+)" "UTF8PROC_VERSION_MINOR ([0-9]+)"
    "UTF8PROC_VERSION_PATCH ([0-9]+)")
  webnn_third_party(utf8proc https://github.com/JuliaStrings/utf8proc ${how}
                    LICENSE "MIT AND Unicode-DFS-2015" ALSO MIT Unicode-DFS-2015 VERSION "${version}"
                    COPYRIGHT "Copyright (c) 2009, 2013 Public Software Group e. V., Berlin, Germany"
                              "Copyright (c) 2014 - 2021 Steven G. Johnson, Jiahao Chen, Tony Kelman, Jonas Fonseca, and other contributors"
                              "Copyright (c) 1991 - 2007 Unicode, Inc."
                    IN ${WEBNN_ARTIFACTS})
endif()
set(with_images "")
foreach(artifact tools python)
  if(artifact IN_LIST WEBNN_ARTIFACTS AND NOT (WEBNN_STANDALONE AND artifact STREQUAL python))
    list(APPEND with_images ${artifact})
  endif()
endforeach()
if(with_images AND PNG_PNG_INCLUDE_DIR AND PNG_LIBRARY_RELEASE)
  webnn_how(how "${PNG_LIBRARY_RELEASE}")
  webnn_header_version(png_version "${PNG_PNG_INCLUDE_DIR}/png.h"
                       "PNG_LIBPNG_VER_STRING \"([0-9.]+)\"")
  webnn_header_version(zlib_version "${ZLIB_INCLUDE_DIR}/zlib.h" "ZLIB_VERSION \"([0-9.]+)")
  webnn_third_party(libpng https://github.com/pnggroup/libpng ${how} LICENSE libpng-2.0
                    VERSION "${png_version}"
                    COPYRIGHT "Copyright (c) 1995 - 2022 The PNG Reference Library Authors"
                              "Copyright (c) 2018 - 2022 Cosmin Truta"
                              "Copyright (c) 1998 - 2018 Glenn Randers-Pehrson"
                              "Copyright (c) 1996 - 1997 Andreas Dilger"
                              "Copyright (c) 1995 - 1996 Guy Eric Schalnat, Group 42, Inc."
                    IN ${with_images})
  webnn_third_party(zlib https://github.com/madler/zlib ${how} LICENSE Zlib
                    VERSION "${zlib_version}"
                    COPYRIGHT "Copyright (C) 1995 - 2022 Jean-loup Gailly and Mark Adler"
                    IN ${with_images})
endif()
if(with_images AND TURBOJPEG_INCLUDE_DIR AND TURBOJPEG_LIBRARY)
  webnn_how(how "${TURBOJPEG_LIBRARY}")
  webnn_third_party(libjpeg-turbo https://github.com/libjpeg-turbo/libjpeg-turbo ${how}
                    LICENSE "IJG AND BSD-3-Clause AND Zlib" ALSO IJG BSD-3-Clause Zlib
                    COPYRIGHT "Copyright (C) 2009 - 2023 D. R. Commander. All rights reserved."
                              "Copyright (C) 1991 - 2020 Thomas G. Lane, Guido Vollbeding"
                              "Copyright (C) 1999 - 2006 MIYASAKA Masaru"
                              "Copyright (C) 2015 Viktor Szathmary. All rights reserved."
                    IN ${with_images})
endif()
if(WEBNN_WITH_COMMAND)
  webnn_third_party(CLI11 https://github.com/CLIUtils/CLI11 HEADERS LICENSE BSD-3-Clause
                    VERSION "${CLI11_VERSION}"
                    COPYRIGHT "Copyright (c) 2017 - 2024 University of Cincinnati, developed by Henry Schreiner under NSF AWARD 1414736. All rights reserved."
                    IN tools)
endif()
if(WEBNN_WITH_PYTHON)
  webnn_third_party(pybind11 https://github.com/pybind/pybind11 HEADERS LICENSE BSD-3-Clause
                    VERSION "${pybind11_VERSION}"
                    COPYRIGHT "Copyright (c) 2016 Wenzel Jakob <wenzel.jakob@epfl.ch>, All rights reserved."
                    IN python)
endif()
if(WEBNN_WITH_NODE)
  webnn_third_party(node-addon-api https://github.com/nodejs/node-addon-api HEADERS LICENSE MIT
                    COPYRIGHT "Copyright (c) 2017 Node.js API collaborators"
                    IN node)
endif()
if(WEBNN_STANDALONE)
  set(artifacts ${WEBNN_ARTIFACTS})
  if(NOT BUILD_SHARED_LIBS)
    list(REMOVE_ITEM artifacts library)
  endif()
  webnn_third_party(libstdc++ https://gcc.gnu.org CONTAINED
                    LICENSE "GPL-3.0-or-later WITH GCC-exception-3.1" ALSO GCC-exception-3.1
                    VERSION "${CMAKE_CXX_COMPILER_VERSION}"
                    COPYRIGHT "Copyright (C) 1997 - 2022 Free Software Foundation, Inc."
                    IN ${artifacts})
endif()

# One package of a bill of materials, as JSON.
function(webnn_spdx_package result id name version url license copyright)
  set(json "{}")
  foreach(pair IN ITEMS "SPDXID=SPDXRef-${id}" "name=${name}" "versionInfo=${version}"
          "downloadLocation=NOASSERTION" "homepage=${url}" "licenseConcluded=${license}"
          "licenseDeclared=${license}" "copyrightText=${copyright}")
    if(pair MATCHES "^(versionInfo|homepage)=$")  # fields that may be absent
      continue()
    endif()
    string(FIND "${pair}" "=" at)
    string(SUBSTRING "${pair}" 0 ${at} key)
    math(EXPR at "${at} + 1")
    string(SUBSTRING "${pair}" ${at} -1 value)
    string(REPLACE "\\" "\\\\" value "${value}")
    string(REPLACE "\"" "\\\"" value "${value}")
    string(REPLACE "\n" "\\n" value "${value}")
    string(JSON json SET "${json}" ${key} "\"${value}\"")
  endforeach()
  string(JSON json SET "${json}" filesAnalyzed false)
  set(${result} "${json}" PARENT_SCOPE)
endfunction()

# webnn_write_notice(ARTIFACT): NOTICE and webnn.spdx.json in the folder notices/ARTIFACT of the build.
function(webnn_write_notice artifact)
  get_property(parties GLOBAL PROPERTY WEBNN_THIRD_PARTIES)
  set(folder ${PROJECT_BINARY_DIR}/notices/${artifact})
  set(ours "Copyright (c) The libwebnn authors")
  set(notice "libwebnn ${PROJECT_VERSION}\n${ours}\nLicense: Apache-2.0, in the file LICENSE.\n")
  set(texts)
  webnn_spdx_package(package libwebnn libwebnn ${PROJECT_VERSION} "" Apache-2.0 "${ours}")
  set(packages "[]")
  string(JSON packages SET "${packages}" 0 "${package}")
  set(relations "[]")
  string(JSON relations SET "${relations}" 0 [[{"spdxElementId": "SPDXRef-DOCUMENT",
         "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-libwebnn"}]])
  set(count 1)
  foreach(name IN LISTS parties)
    foreach(field LICENSE VERSION COPYRIGHT ALSO URL HOW ARTIFACTS)
      get_property(${field} GLOBAL PROPERTY WEBNN_PARTY_${name}_${field})
    endforeach()
    if(NOT artifact IN_LIST ARTIFACTS)
      continue()
    endif()
    set(version "")
    if(VERSION)
      set(version " ${VERSION}")
    endif()
    if(artifact STREQUAL library AND NOT BUILD_SHARED_LIBS AND NOT HOW STREQUAL HEADERS)
      set(verb "needs")  # it is in no static library of ours
      set(relation DEPENDS_ON)
    elseif(NOT HOW STREQUAL LINKED)
      set(verb "contains")
      set(relation CONTAINS)
      list(APPEND texts ${ALSO})
    else()
      set(verb "is linked with")
      set(relation DYNAMIC_LINK)
    endif()
    string(APPEND notice "\n${PROJECT_NAME} ${verb} ${name}${version}, ${URL}\n${COPYRIGHT}\n"
                         "License: ${LICENSE}\n")
    string(REGEX REPLACE "[^A-Za-z0-9.-]" "-" id ${name})
    webnn_spdx_package(package ${id} ${name} "${VERSION}" ${URL} "${LICENSE}" "${COPYRIGHT}")
    string(JSON packages SET "${packages}" ${count} "${package}")
    string(JSON relations SET "${relations}" ${count} "{\"spdxElementId\": \"SPDXRef-libwebnn\",
           \"relationshipType\": \"${relation}\", \"relatedSpdxElement\": \"SPDXRef-${id}\"}")
    math(EXPR count "${count} + 1")
  endforeach()
  list(REMOVE_DUPLICATES texts)
  list(REMOVE_ITEM texts Apache-2.0)  # the file LICENSE
  foreach(id IN LISTS texts)
    file(READ ${PROJECT_SOURCE_DIR}/packaging/licenses/${id}.txt text)
    string(APPEND notice "\n---------------------------------------------------------------- ${id}\n\n${text}")
  endforeach()
  file(WRITE ${folder}/NOTICE "${notice}")
  string(TIMESTAMP created "%Y-%m-%dT%H:%M:%SZ" UTC)
  string(SHA256 hash "${packages}${relations}")
  string(UUID uuid NAMESPACE 6ba7b811-9dad-11d1-80b4-00c04fd430c8 NAME "libwebnn ${artifact} ${hash}"
         TYPE SHA1)
  set(document "{}")
  foreach(pair spdxVersion=SPDX-2.3 dataLicense=CC0-1.0 SPDXID=SPDXRef-DOCUMENT
          name=libwebnn-${artifact}-${PROJECT_VERSION} documentNamespace=urn:uuid:${uuid})
    string(REPLACE "=" ";" pair ${pair})
    list(GET pair 0 key)
    list(GET pair 1 value)
    string(JSON document SET "${document}" ${key} "\"${value}\"")
  endforeach()
  string(JSON document SET "${document}" creationInfo
         "{\"created\": \"${created}\", \"creators\": [\"Organization: libwebnn\", \"Tool: CMake-${CMAKE_VERSION}\"]}")
  string(JSON document SET "${document}" packages "${packages}")
  string(JSON document SET "${document}" relationships "${relations}")
  file(WRITE ${folder}/webnn.spdx.json "${document}\n")
endfunction()

foreach(artifact IN LISTS WEBNN_ARTIFACTS)
  webnn_write_notice(${artifact})
endforeach()
if(WEBNN_WITH_NODE)  # for `npm pack` of the build folder
  file(COPY ${PROJECT_BINARY_DIR}/notices/node/ DESTINATION ${PROJECT_BINARY_DIR}/bindings/node)
endif()
