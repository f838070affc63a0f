"""usage: consumer.py LIBRARY ROOT FILE      prints what the loader would say of FILE in ROOT

The C interface through ctypes: functions, a structure and a callback."""

import ctypes
import sys

ROOT = 1  # SORESOLVE_SET_ROOT


class Problem(ctypes.Structure):
    """soresolve_problem, as far as it is of interest here: the library fills what there is."""
    _fields_ = [(name, ctypes.c_char_p) for name in ("needer", "name", "version")]


class Binding(ctypes.Structure):
    """soresolve_binding."""
    _fields_ = [(name, ctypes.c_char_p) for name in ("referrer", "symbol", "version", "provider")]


VISIT = ctypes.CFUNCTYPE(None, ctypes.POINTER(Binding), ctypes.c_void_p)


def declared(library):
    """The functions that are used here, with their types."""
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    error = ctypes.POINTER(pointer)
    for name, result, arguments in [
            ("world_new", pointer, []),
            ("world_set", ctypes.c_int, [pointer, ctypes.c_int, text]),
            ("world_free", None, [pointer]),
            ("error_text", text, [pointer]),
            ("error_free", None, [pointer]),
            ("check_file", pointer, [pointer, text, error]),
            ("check_line", text, [pointer]),
            ("check_problem", ctypes.c_int, [pointer, size, ctypes.POINTER(Problem), size]),
            ("check_free", None, [pointer]),
            ("bind_file", pointer, [pointer, text, error]),
            ("bindings_visit", ctypes.c_int, [pointer, VISIT, pointer]),
            ("bindings_free", None, [pointer])]:
        function = getattr(library, "soresolve_" + name)
        function.restype, function.argtypes = result, arguments
    return library


def main():
    path, root, file = sys.argv[1:]
    library = declared(ctypes.CDLL(path))
    world = library.soresolve_world_new()
    library.soresolve_world_set(world, ROOT, root.encode())
    error = ctypes.c_void_p()
    check = library.soresolve_check_file(world, file.encode(), ctypes.byref(error))
    if check is None:
        sys.exit(library.soresolve_error_text(error).decode())
    line = library.soresolve_check_line(check).decode()
    print(line)

    problem = Problem()
    if library.soresolve_check_problem(check, 0, ctypes.byref(problem), ctypes.sizeof(problem)):
        assert problem.name.decode() in line, problem.name
    symbols = set()
    bindings = library.soresolve_bind_file(world, file.encode(), None)
    library.soresolve_bindings_visit(
        bindings, VISIT(lambda binding, _: symbols.add(binding.contents.symbol)), None)
    assert symbols, "no binding was told"
    library.soresolve_bindings_free(bindings)
    library.soresolve_check_free(check)
    library.soresolve_world_free(world)


main()
