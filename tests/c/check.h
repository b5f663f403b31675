/* What the tests in C share. */
#ifndef WEBNN_TESTS_C_CHECK_H
#define WEBNN_TESTS_C_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webnn/c/webnn.h"

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

/* A call that has to succeed; `error` is in scope. */
#define OK(call)                                                                        \
  do {                                                                                  \
    if ((call) != WEBNN_OK) {                                                           \
      fprintf(stderr, "%s:%d: %s: %.*s\n", __FILE__, __LINE__, #call,                   \
              (int)webnn_error_message(error).length, webnn_error_message(error).data); \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

/* A call that has to fail with this status, operator and words in its message. */
#define FAILS(call, status, op, words)                                                             \
  do {                                                                                             \
    error = NULL;                                                                                  \
    CHECK((call) == (status));                                                                     \
    CHECK(error != NULL && webnn_error_status(error) == (status));                                 \
    CHECK(equal(webnn_error_operator(error), (op)));                                               \
    if (!contains(webnn_error_message(error), (words))) {                                          \
      fprintf(stderr, "%s:%d: %.*s\n", __FILE__, __LINE__, (int)webnn_error_message(error).length, \
              webnn_error_message(error).data);                                                    \
      exit(1);                                                                                     \
    }                                                                                              \
    webnn_error_release(error);                                                                    \
    error = NULL;                                                                                  \
  } while (0)

static int equal(webnn_string s, const char* text) {
  return s.length == strlen(text) && memcmp(s.data, text, s.length) == 0;
}
static int contains(webnn_string s, const char* text) {
  size_t i, n = strlen(text);
  for (i = 0; i + n <= s.length; ++i)
    if (memcmp(s.data + i, text, n) == 0) return 1;
  return 0;
}

#endif
