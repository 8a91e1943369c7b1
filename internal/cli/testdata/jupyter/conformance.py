"""What the conformance suite of Jupyter asks a kernel, with answers of this one. Run by python -m unittest, with a
kernel installed where JUPYTER_PATH looks."""

import unittest

import jupyter_kernel_test


class Conformance(jupyter_kernel_test.KernelTests):
    kernel_name = "astrolabe"
    language_name = "starlark"
    file_extension = ".star"

    @classmethod
    def setUpClass(cls):
        """The suite gives a message a tenth of a second, which says how busy a machine is."""
        super().setUpClass()
        for channel in cls.kc.iopub_channel, cls.kc.shell_channel:
            cls.patient(channel)

    @classmethod
    def patient(cls, channel):
        get = channel.get_msg
        channel.get_msg = lambda timeout=None: get(timeout=120 if timeout and not cls.emptying else timeout)

    emptying = False

    def flush_channels(self):
        type(self).emptying = True
        super().flush_channels()
        type(self).emptying = False

    code_hello_world = "print('hello, world')"
    code_stderr = ":time 1 + 1"

    completion_samples = [
        {"text": "capture.ope", "matches": {"open"}},
        {"text": "sor", "matches": {"sorted"}},
        {"text": "plot.time", "matches": {"timeline"}},
        {"text": "plot.bar({}, tit", "matches": {"title="}},
    ]

    complete_code_samples = ["1", "print('hello, world')", "def f(x):\n  return x*2\n\n\n",
                             "x = [1,\n  2]", ":sources", "plot.bar?"]
    incomplete_code_samples = ["print('''hello", "def f(x):\n  x*2", "f(1,", "for i in range(3):"]
    invalid_code_samples = ["import = 7q", "x = = 1", "print('hello"]

    code_page_something = "plot.bar?"
    code_generate_error = "fail('no')"

    code_execute_result = [
        {"code": "1+2+3", "result": "6"},
        {"code": "[n*n for n in range(1, 4)]", "result": "[1, 4, 9]"},
        {"code": "table.rows([[1, 'a']], columns=['n', 'name'])", "mime": "text/html"},
        {"code": "plot.bar({'a': 1, 'b': 2})", "mime": "image/png"},
        {"code": "report.new('Nothing')", "mime": "image/png"},
    ]
    code_display_data = [
        {"code": "plot.bar({'a': 1, 'b': 2}).show()", "mime": "image/png"},
        {"code": ":set pictures svg\nplot.bar({'a': 1}).show()\n:set pictures png", "mime": "image/svg+xml"},
    ]

    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")

    code_inspect_sample = "plot.bar"
    code_clear_output = ":clear"


class Welcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "astrolabe"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main()
