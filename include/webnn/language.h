// What the headers need of the compiler, which every header includes first.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error "libwebnn needs C++20: compile with -std=c++20 or a later standard"
#include "webnn needs C++20"  // ends the compilation, so that nothing else is reported
#endif

#if defined(_GLIBCXX_DEBUG) && !defined(WEBNN_GLIBCXX_DEBUG)
#error \
    "libwebnn was compiled without _GLIBCXX_DEBUG, so its containers are other types: define _GLIBCXX_ASSERTIONS, or compile the library with _GLIBCXX_DEBUG, too"
#endif
