// expect: KnownMemberTypes
namespace webnn::inline v0_1 {
enum class Mode { a, b };
}  // namespace webnn::inline v0_1
#ifdef FIXED
#include "webnn/data_type.h"
namespace webnn::inline v0_1 {
constexpr auto names_of(Mode) { return names("a", "b"); }
}  // namespace webnn::inline v0_1
#endif
#define MEMBER Mode axis = Mode::a;
#include "operator_form.h"
