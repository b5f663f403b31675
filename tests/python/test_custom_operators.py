"""Custom operators: functions of numpy arrays in a graph."""

import subprocess
import sys
import threading
import unittest

import numpy as np
import webnn


def top_k(x, k):
    places = np.argsort(-x, axis=-1, kind="stable")[..., :k].astype(np.int32)
    return np.take_along_axis(x, places, -1), places


TOP_K = webnn.CustomOperator("test.TopK", top_k, {"k": 1})


class CustomOperators(unittest.TestCase):
    def setUp(self):
        self.context = webnn.MLContext(threads=2, operators=[TOP_K])
        self.builder = webnn.MLGraphBuilder(self.context)

    def test_computes(self):
        b = self.builder
        x = b.input("x", "float32", ["rows", 4])
        values, places = b.custom(TOP_K, [b.neg(x)], k=2, label="best")
        self.assertEqual(values.shape, ("rows", 2))
        self.assertEqual(places.dataType, "int32")
        graph = b.build({"values": values, "places": places})
        for rows in (1, 3):
            data = np.random.default_rng(rows).normal(size=(rows, 4)).astype("float32")
            got = self.context.compute(graph, {"x": data})
            expected = top_k(-data, 2)
            np.testing.assert_array_equal(got["values"], expected[0])
            np.testing.assert_array_equal(got["places"], expected[1])

    def test_by_name(self):
        x = self.builder.input("x", "float32", [4])
        self.assertEqual(self.builder.custom("test.TopK", [x], k=3)[0].shape, (3,))
        with self.assertRaisesRegex(webnn.TypeError, "test.None"):
            self.builder.custom("test.None", [x])

    def test_errors_name_operator_and_label(self):
        def bad(x):
            if x.any():
                raise ValueError("not zero")
            return x

        x = self.builder.input("x", "float32", [4])
        y = self.builder.custom(webnn.CustomOperator("test.Bad", bad), [x], label="here")[0]
        graph = self.builder.build({"y": y})
        self.context.compute(graph, {"x": np.zeros(4, "float32")})
        with self.assertRaisesRegex(webnn.OperationError, r"test\.Bad \[here\].*not zero"):
            self.context.compute(graph, {"x": np.ones(4, "float32")})

    def test_infer(self):
        calls = []

        def infer(inputs, n):
            calls.append(inputs)
            return [("float32", [n])]

        op = webnn.CustomOperator("test.Filled", lambda x, n: np.full(n, x[0]), {"n": 2}, infer=infer)
        x = self.builder.input("x", "float32", [1])
        y = self.builder.custom(op, [x], n=3)[0]
        self.assertEqual(calls[0], [("float32", (1,))])
        graph = self.builder.build({"y": y})
        got = self.context.compute(graph, {"x": np.array([5], "float32")})["y"]
        np.testing.assert_array_equal(got, np.full(3, 5, "float32"))

    def test_wrong_results_are_refused(self):
        op = webnn.CustomOperator(
            "test.Wrong", lambda x: np.zeros(7, "float32"), infer=lambda inputs: inputs
        )
        x = self.builder.input("x", "float32", [4])
        graph = self.builder.build({"y": self.builder.custom(op, [x])[0]})
        with self.assertRaisesRegex(webnn.OperationError, "test.Wrong"):
            self.context.compute(graph, {"x": np.zeros(4, "float32")})

    def test_threads_may_build_and_run_at_the_same_time(self):
        x = self.builder.input("x", "float32", ["n", 4])
        graph = self.builder.build({"y": self.builder.custom(TOP_K, [x])[0]})
        failures = []

        def run(n):
            try:
                for _ in range(20):
                    self.context.compute(graph, {"x": np.ones((n, 4), "float32")})
            except Exception as e:
                failures.append(e)

        threads = [threading.Thread(target=run, args=(n,)) for n in range(1, 5)]
        for t in threads:
            t.start()
        for t in threads:
            t.join(60)
            self.assertFalse(t.is_alive())
        self.assertEqual(failures, [])

    def test_python_ends_while_threads_wait_for_it(self):
        code = """
import gc, sys, threading, time
import numpy as np, webnn

def slow(x):
    time.sleep(0.1)
    return x

context = webnn.MLContext(threads=1, trace=lambda event: None)
b = webnn.MLGraphBuilder(context)
x = b.input("x", "float32", [2])
op = webnn.CustomOperator("test.Slow", slow, infer=lambda inputs: inputs, pure=False)
graph = b.build({"y": b.custom(op, [b.custom(op, [x])[0]])[0]})
descriptor = {"dataType": "float32", "shape": [2], "readable": True, "writable": True}
x, y = context.createTensor(descriptor), context.createTensor(descriptor)
for _ in range(4):
    context.dispatch(graph, {"x": x}, {"y": y})
if sys.argv[1] == "drops":
    del context, b, graph, op, x, y
    gc.collect()
elif sys.argv[1] == "later":
    time.sleep(0.15)
elif sys.argv[1] == "in a daemon":
    threading.Thread(target=lambda: context.readTensor(y), daemon=True).start()
    time.sleep(0.15)
"""
        for how in ("at once", "later", "drops", "in a daemon"):
            with self.subTest(how):
                done = subprocess.run([sys.executable, "-c", code, how], capture_output=True,
                                      text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
