/* Loads the plugins that it is given in their order, then runs each. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* plugins[8] = {0};
  for (int i = 1; i < argc && i <= 8; ++i)
    if (!(plugins[i - 1] = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL))) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  for (int i = 1; i < argc && i <= 8; ++i) {
    int (*run)(void);
    *(void**)&run = dlsym(plugins[i - 1], "run");
    const int result = run ? run() : -1;
    if (result != 0) {
      fprintf(stderr, "%s: %d\n", argv[i], result);
      return 1;
    }
  }
  return 0;
}
