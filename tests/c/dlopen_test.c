/* The C interface of a library that is found when the program runs: dlopen_test PATH. */
#define _POSIX_C_SOURCE 200112L
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "webnn/c/webnn.h"

/* A pointer to a function, which ISO C does not convert from one to data. */
#define FIND(library, name) *(void**)(&name) = dlsym(library, "webnn_" #name)

int main(int argc, char** argv) {
  webnn_string (*version)(void);
  webnn_status (*context_create)(const webnn_context_options*, webnn_context**, webnn_error**);
  void (*context_release)(webnn_context*);
  int32_t (*context_threads)(const webnn_context*);
  webnn_context_options options = WEBNN_CONTEXT_OPTIONS_INIT;
  webnn_context* context = NULL;
  void* library = dlopen(argc > 1 ? argv[1] : "libwebnn_c.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  FIND(library, version);
  FIND(library, context_create);
  FIND(library, context_release);
  FIND(library, context_threads);
  if (!version || !context_create || !context_release || !context_threads) return 2;
  if (version().length == 0 || !memchr(version().data, '.', version().length)) return 3;
  options.threads = 1;
  if (context_create(&options, &context, NULL) != WEBNN_OK) return 4;
  if (context_threads(context) != 1) return 5;
  context_release(context);
  return 0;
}
