// A program that asks for the component gguf: the smallest file, and one that is none.
#include <webnn/gguf.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <cstring>

using namespace webnn;

int main() {
  std::vector<std::byte> bytes(24);
  const unsigned char beginning[] = {'G', 'G', 'U', 'F', 3};
  std::memcpy(bytes.data(), beginning, sizeof beginning);
  if (gguf::File::from_bytes(bytes).version() != 3) return 1;
  try {
    gguf::File::from_bytes(std::vector<std::byte>(24));
    return 1;
  } catch (const DataError&) {}  // thrown inside the library, caught outside
  std::printf("webnn::gguf works\n");
}
