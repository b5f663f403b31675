/* What ml_dtypes is to the library, where the tests run without it: types of numpy with the names
 * bfloat16 and float8_e4m3fn, made of the upper bits of a float, for which numpy has neither
 * buffers nor DLPack. Only bfloat16 has numbers. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <string.h>

static double to_double(const void* bits, int size) {
  uint32_t f = 0;
  float value;
  memcpy((char*)&f + 4 - size, bits, (size_t)size);
  memcpy(&value, &f, 4);
  return value;
}
/* Truncates: the tests give only numbers that need no rounding. */
static void from_double(double number, void* bits, int size) {
  const float value = (float)number;
  uint32_t f;
  memcpy(&f, &value, 4);
  memcpy(bits, (char*)&f + 4 - size, (size_t)size);
}

static PyObject* get_item(void* data, void* array) {
  return PyFloat_FromDouble(to_double(data, (int)PyArray_ITEMSIZE((PyArrayObject*)array)));
}
static int set_item(PyObject* item, void* data, void* array) {
  const double v = PyFloat_AsDouble(item);
  if (v == -1 && PyErr_Occurred()) return -1;
  from_double(v, data, (int)PyArray_ITEMSIZE((PyArrayObject*)array));
  return 0;
}
static void copy_swap(void* to, void* from, int swap, void* array) {
  (void)swap;
  if (from) memcpy(to, from, (size_t)PyArray_ITEMSIZE((PyArrayObject*)array));
}
static void copy_swap_n(void* to, npy_intp to_stride, void* from, npy_intp from_stride, npy_intp n,
                        int swap, void* array) {
  npy_intp i;
  for (i = 0; from && i < n; ++i)
    copy_swap((char*)to + i * to_stride, (char*)from + i * from_stride, swap, array);
}
static npy_bool is_nonzero(void* data, void* array) {
  return to_double(data, (int)PyArray_ITEMSIZE((PyArrayObject*)array)) != 0;
}
static int compare(const void* a, const void* b, void* array) {
  const int size = (int)PyArray_ITEMSIZE((PyArrayObject*)array);
  const double x = to_double(a, size), y = to_double(b, size);
  return (x > y) - (x < y);
}
static void cast_to_double(void* from, void* to, npy_intp n, void* from_array, void* to_array) {
  npy_intp i;
  (void)from_array, (void)to_array;
  for (i = 0; i < n; ++i) ((double*)to)[i] = to_double((char*)from + 2 * i, 2);
}

static PyTypeObject types[2];
static PyArray_ArrFuncs functions;
#if NPY_ABI_VERSION >= 0x02000000
static PyArray_DescrProto protos[2];
#else
static PyArray_Descr protos[2];
#endif

static int add_type(PyObject* module, int i, const char* name, int size, char letter) {
  PyTypeObject* type = &types[i];
  Py_SET_REFCNT((PyObject*)type, 1);
  type->tp_name = name;
  type->tp_basicsize = sizeof(PyObject) + 8;
  type->tp_flags = Py_TPFLAGS_DEFAULT;
  type->tp_base = &PyGenericArrType_Type;
  if (PyType_Ready(type) < 0) return -1;
  memset(&protos[i], 0, sizeof protos[i]);
  Py_SET_REFCNT((PyObject*)&protos[i], 1);
  Py_SET_TYPE((PyObject*)&protos[i], &PyArrayDescr_Type);
  protos[i].typeobj = type;
  protos[i].kind = 'V';
  protos[i].type = letter;
  protos[i].byteorder = '=';
  protos[i].flags = NPY_NEEDS_PYAPI | NPY_USE_SETITEM;
  protos[i].elsize = size;
  protos[i].alignment = size;
  protos[i].f = &functions;
  if (PyArray_RegisterDataType((void*)&protos[i]) < 0) return -1;
  Py_INCREF(type);
  return PyModule_AddObject(module, strrchr(name, '.') + 1, (PyObject*)type);
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "ml_dtypes", NULL, -1, NULL, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_ml_dtypes(void) {
  PyObject* module;
  import_array();
  PyArray_InitArrFuncs(&functions);
  functions.getitem = get_item;
  functions.setitem = set_item;
  functions.copyswap = copy_swap;
  functions.copyswapn = copy_swap_n;
  functions.nonzero = is_nonzero;
  functions.compare = compare;
  module = PyModule_Create(&definition);
  if (!module || add_type(module, 0, "ml_dtypes.bfloat16", 2, 'E') < 0 ||
      add_type(module, 1, "ml_dtypes.float8_e4m3fn", 1, '4') < 0)
    return NULL;
  if (PyArray_RegisterCastFunc((PyArray_Descr*)PyArray_DescrFromTypeObject((PyObject*)&types[0]),
                               NPY_DOUBLE, cast_to_double) < 0)
    return NULL;
  return module;
}
