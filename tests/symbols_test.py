"""What the library shows and holds, read from its files.

A shared library made of the same objects shows what the headers mark with OMVC_API, and nothing else. No component does
anything when a program starts, and none has variables that all its users share, but for those named below.

Arguments: source folder, the shared library, the archives of the components.
"""
import pathlib
import re
import subprocess
import sys

# Variables beside constants and those of one thread: names of them, as they end, and why they are no harm.
SHARED_VARIABLES = {
    "::none": "an empty schema, never changed",
    "::m_cacheSizes": "Eigen: the sizes of the caches of this machine",
    "reading_limits()::limits": "what a process that tries a file allows itself (omvc/trial.hpp)",
    "random_number()::calls": "a counter that makes names of temporary files differ",
    "new_table_id()::last": "a counter that makes tables differ, for copies of them on a card",
    "cpu_backend()::backend": "without state",
    "naive_backend()::backend": "likewise",
    "::g_close_failures": "libhdf5 is one for the whole process: what it failed to close,",
    "::postponing": "likewise,",
    "::setting()::one": "how its files are tried (omvc/trial.hpp),",
    "::driver()::id": "its driver for files,",
    "::library()::mutex": "and its lock; of the library for cards, too: one that has started a driver stays in the process,",
    "::library()::known": "by the name it was asked for,",
    "CudaDevice::open(int, unsigned long)::mutex": "and cards that are open are shared by who asks for the same,",
    "CudaDevice::open(int, unsigned long)::opened": "as long as somebody has them",
}
NO_VARIABLE = re.compile(r"guard variable|DW\.ref|HighwayDispatchTable|\bk[A-Z]\w*$")  # the last are constants by name
CONSTANT = re.compile(r"\.data\.rel\.ro|\.rodata|\.tbss|\.tdata")


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def marked(headers):
    """The names that the headers mark: classes and functions of C++, functions of C."""
    classes, functions, c_names = set(), set(), set()
    for header in headers:
        text = header.read_text()
        if header.suffix == ".h":
            c_names |= set(re.findall(r"OMVC_API [^;(]*?\b(omvc_\w+)\(", text))
            continue
        classes |= set(re.findall(r"class OMVC_API (\w+)", text))
        functions |= set(re.findall(r"^OMVC_API [^;({]*?\b(\w+)\(", text, re.M))
    return classes, functions, c_names


def check_exports(library, headers):
    classes, functions, c_names = marked(headers)
    shown, c_shown = set(), set()
    wrong = []
    for line in run("nm", "-D", "-C", "--defined-only", library).splitlines():
        symbol = line.split(" ", 2)[2]
        if re.fullmatch(r"omvc_\w+", symbol):
            c_shown.add(symbol)
            continue
        # A function that is made from a template begins with what it returns.
        found = set(re.findall(r"(?:^|for |\s)omvc::(\w+)", symbol)) & (classes | functions)
        shown |= found
        if not found:
            wrong.append(symbol)
    wrong += [f"{name} of omvc.h is not shown" for name in sorted(c_names - c_shown)]
    wrong += [f"{name} is shown and not in omvc.h" for name in sorted(c_shown - c_names)]
    wrong += [f"{name} is marked and not shown" for name in sorted(functions - shown)]
    return wrong


def check_variables(archive):
    wrong = []
    for line in run("nm", "-C", "--format=sysv", "--defined-only", archive).splitlines():
        parts = [part.strip() for part in line.rsplit("|", 6)]
        if len(parts) < 7:
            continue
        symbol, kind, section = parts[0], parts[2], parts[6]
        if "_GLOBAL__sub_I" in symbol:
            wrong.append(f"{archive}: runs when a program starts: {symbol}")
        known = symbol.endswith(tuple(SHARED_VARIABLES)) or NO_VARIABLE.search(symbol)
        if kind in "bBdDuC" and not CONSTANT.match(section) and not known:
            wrong.append(f"{archive}: a variable that all users share: {symbol} ({section})")
    return wrong


def main():
    source, library, *archives = sys.argv[1:]
    folder = pathlib.Path(source, "include/omvc")
    headers = [header for header in folder.iterdir() if header.stem != "mpi"]
    wrong = check_exports(library, headers)
    for archive in archives:
        wrong += check_variables(archive)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
