// JPEG files, with the TurboJPEG interface, which reports errors without longjmp.

#include "tools/images/image.h"
#if WEBNN_WITH_JPEG
#include <turbojpeg.h>

#include <memory>
#endif

namespace webnn::inline v0_1::images {

#if WEBNN_WITH_JPEG
Image read_jpeg(std::span<const std::byte> bytes, std::uint32_t channels, const std::string& name) {
  struct Destroy {
    void operator()(void* handle) const { tjDestroy(handle); }
  };
  const std::unique_ptr<void, Destroy> handle(tjInitDecompress());
  if (!handle) throw ImageError(name + ": the JPEG decoder does not start");
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto size = static_cast<unsigned long>(bytes.size());
  const auto failed = [&] {
    return ImageError(name + ": the JPEG file is broken: " + tjGetErrorStr2(handle.get()));
  };
  int width = 0, height = 0, subsampling = 0, colorspace = 0;
  if (tjDecompressHeader3(handle.get(), data, size, &width, &height, &subsampling, &colorspace))
    throw failed();
  if (width < 0 || height < 0) throw failed();
  check_pixels(static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height), name);
  if (colorspace == TJCS_CMYK || colorspace == TJCS_YCCK)
    throw ImageError(name + ": JPEG files of CMYK colors are not read");
  std::vector<std::uint8_t> pixels(std::size_t{3} * static_cast<std::size_t>(width) *
                                   static_cast<std::size_t>(height));
  if (tjDecompress2(handle.get(), data, size, pixels.data(), width, 0, height, TJPF_RGB,
                    TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS))
    throw failed();
  return image_of(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), pixels, 3,
                  channels);
}
#else
Image read_jpeg(std::span<const std::byte>, std::uint32_t, const std::string& name) {
  throw ImageError(name + ": this webnn was built without libjpeg-turbo");
}
#endif

}  // namespace webnn::inline v0_1::images
