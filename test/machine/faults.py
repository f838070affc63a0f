"""Faults as people have them, one entry each: planted into real wheels by the commands of a shell.

The tree of an entry is a copy of its packages below /mnt/site-packages, and the current directory when `plant` is typed. There
    own FILE            makes it a file of its own (the copy shares its content with the cache)
    empty FILE SYMBOL…  a library of that name that defines these symbols only, as a stub or an old release is
    versioned FILE NODE SYMBOL…   the same with a version node
    hide FILE           a user other than root cannot read it
    opener FILE         a program that opens what it is given, and prints dlerror
are there besides patchelf, gcc and what a system has. $P is the folder of the psycopg2 wheel's libraries.

What must be so:
    check's first line is what the real loader or Python prints (`load`), also after `user`, `environment`
    `cause` is the code of the first problem of `why`, and `names` stands in what `why` prints
    check and why print at most 25 lines
    the command of the line `try:` is typed, and the load then passes; one that needs the network (pip, apt, docker) has to
        match `fix` instead, and an empty `fix` says that nothing can be typed that helps: then why prints no `try:`
What is known to be lacking is said in `lacks`, is printed, and has to go when it is there: "try: …" excuses the command only,
"answer: …" all of it.
"""

import typing


class Fault(typing.NamedTuple):
    name: str
    packages: str       # of PACKAGES, with spaces between
    plant: str          # shell
    load: str           # "open FILE", "import MODULE", "run FILE", "with PROGRAM FILE"
    cause: str
    names: str
    fix: str = "."
    environment: typing.Dict[str, str] = {}
    options: str = ""   # of soresolve
    user: int = 0
    lacks: str = ""


PG = "open psycopg2/_psycopg.cpython-311-x86_64-linux-gnu.so"
ZMQ = "open zmq/backend/cython/_zmq.cpython-311-x86_64-linux-gnu.so"
C10 = "open torch/lib/libc10_cuda.so"
PQ, SSL, CRYPTO = "libpq-a17e3caa.so.5.17", "libssl-8bd944e8.so.3", "libcrypto-fb8d5b21.so.3"
SODIUM, ZMQLIB = "libsodium-6c8f8377.so.26.4.0", "libzmq-2f02442c.so.5.2.5"
MODULE = "psycopg2/_psycopg.cpython-311-x86_64-linux-gnu.so"
REINSTALL = r"pip install --force-reinstall .*psycopg2[-_]binary==2\.9\.13"
# A program with the loader and the libc of Debian 13.
OPENER = "opener prog; patchelf --set-interpreter /mnt/site-packages/trixie/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 " \
    "--set-rpath /mnt/site-packages/trixie/usr/lib/x86_64-linux-gnu prog; "
# A library whose code has the address of another library's data in it.
TEXTREL = "echo 'int external_data;' | gcc -shared -fPIC -x c - -o libd.so -Wl,-soname,libd.so; " \
    "printf '.text\\n.globl get\\nget: movabs $external_data, %%rax\\n ret\\n.section .note.GNU-stack,\"\",@progbits\\n' | gcc -c -x assembler - -o t.o; " \
    "gcc -shared -Wl,-z,notext t.o ./libd.so -Wl,-rpath,'$ORIGIN' -o lib.so; "
REINSTALL_ZMQ = r"pip install --force-reinstall .*pyzmq==27\.3\.0"

FAULTS = [
    # A library is gone, or has another name.
    Fault("a wheel's library removed", "psycopg2", f"rm $P/{PQ}", PG, "missing-library", PQ, REINSTALL),
    Fault("a library of a library removed", "psycopg2", f"rm $P/{CRYPTO}", PG, "missing-library", CRYPTO, REINSTALL),
    Fault("the folder of a wheel's libraries removed", "psycopg2", "rm -r $P", PG, "missing-library", PQ, REINSTALL),
    Fault("a needed library of a needed library removed", "pyzmq", f"rm pyzmq.libs/{SODIUM}", ZMQ, "missing-library", SODIUM, REINSTALL_ZMQ),
    Fault("a library renamed, its hash lost", "psycopg2", f"mv $P/{PQ} $P/libpq.so.5", PG, "missing-library", PQ),
    Fault("a library moved to a directory that is not searched", "psycopg2", f"mkdir moved; mv $P/{PQ} moved", PG, "missing-library",
          PQ, options="--search /mnt/site-packages/moved"),
    Fault("all libraries moved", "psycopg2", "mv $P moved", PG, "missing-library", PQ, options="--search /mnt/site-packages/moved"),
    Fault("numpy without its BLAS", "numpy", "rm numpy.libs/libscipy_openblas64_*", "import numpy._core._multiarray_umath",
          "missing-library", "libscipy_openblas64_", r"pip install --force-reinstall .*numpy==2\.4\.6"),
    Fault("the module copied out of its package", "psycopg2", f"mkdir -p my/app; cp {MODULE} my/app/", f"open my/app/{MODULE[9:]}",
          "missing-library", PQ),
    Fault("a link to the module elsewhere", "psycopg2", f"mkdir -p my/app; ln -s ../../{MODULE} my/app/_psycopg.so", "open my/app/_psycopg.so",
          "missing-library", PQ),
    Fault("torch 2 with its CUDA runtime moved", "torch-2.15.0", "mkdir moved; mv nvidia/cu13/lib/libcudart.so.13 moved", C10,
          "missing-library", "libcudart.so.13", options="--search /mnt/site-packages/moved"),
    Fault("torch 2 without libc10", "torch-2.15.0", "rm torch/lib/libc10.so", C10, "missing-library", "libc10.so",
          r"pip install --force-reinstall .*torch==2\.15\.0"),
    Fault("torch 1 without the CUDA runtime it brings", "torch-1.13.1", "rm torch/lib/libcudart-*", "open torch/lib/libtorch_cuda.so",
          "missing-library", "libcudart-", r"pip install .*torch==1\.13\.1"),
    Fault("cupy without cuRAND", "cupy", "true", "open cupy_backends/cuda/libs/curand.cpython-311-x86_64-linux-gnu.so",
          "missing-library", "libcurand.so.10", r"pip install nvidia-curand"),
    Fault("torch's NVRTC part without a driver", "torch-2.15.0", "true", "open torch/lib/libcaffe2_nvrtc.so",
          "missing-library", "libcuda.so.1", ""),

    # A file is there, and is no library.
    Fault("an empty file", "psycopg2", f"rm $P/{PQ}; touch $P/{PQ}", PG, "fatal-candidate", PQ, REINSTALL),
    Fault("a download that broke off in its header", "psycopg2", f"own $P/{PQ}; truncate -s 40 $P/{PQ}", PG, "fatal-candidate", PQ, REINSTALL),
    Fault("a pointer of Git LFS", "psycopg2",
          f"rm $P/{PQ}; printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:0\\nsize 1234567890123\\n' > $P/{PQ}",
          PG, "fatal-candidate", PQ, REINSTALL),
    Fault("a linker script", "psycopg2", f"rm $P/{PQ}; echo '/* GNU ld script */ GROUP ( libpq.so.5  AS_NEEDED ( libssl.so ) libcrypto.so )' > $P/{PQ}",
          PG, "fatal-candidate", PQ, REINSTALL),
    Fault("a directory of the name", "psycopg2", f"rm $P/{PQ}; mkdir $P/{PQ}", PG, "fatal-candidate", PQ, REINSTALL),
    Fault("a dangling link", "psycopg2", f"ln -sf /nowhere/libpq.so.5 $P/{PQ}", PG, "missing-library", PQ, REINSTALL),
    Fault("a link to itself", "psycopg2", f"ln -sf {PQ} $P/{PQ}", PG, "missing-library", PQ, REINSTALL),
    Fault("a library of 32 bits", "psycopg2 i686", f"cp --remove-destination i686/markupsafe/_speedups*.so $P/{PQ}", PG, "wrong-class", PQ, REINSTALL),
    Fault("a library of another machine", "psycopg2 aarch64", f"cp --remove-destination aarch64/markupsafe/_speedups*.so $P/{PQ}", PG,
          "missing-library", PQ, REINSTALL),
    Fault("the module is for 32 bits", "i686", "true", "open i686/markupsafe/_speedups.cpython-311-i386-linux-gnu.so",
          "wrong-class", "_speedups", r"pip install --force-reinstall .*i686 [Mm]arkup[Ss]afe==2\.1\.5"),
    Fault("the module is for another machine", "aarch64", "true", "open aarch64/markupsafe/_speedups.cpython-311-aarch64-linux-gnu.so",
          "missing-library", "_speedups", r"pip install --force-reinstall .*aarch64 [Mm]arkup[Ss]afe==2\.1\.5"),
    Fault("an object file", "psycopg2", f"echo 'int PQfoo;' | gcc -c -x c - -o o; mv -f o $P/{PQ}", PG, "fatal-candidate", PQ, REINSTALL),
    Fault("a program in the place of a library", "psycopg2", f"cp --remove-destination /usr/bin/true $P/{PQ}", PG, "fatal-candidate", PQ, REINSTALL),
    Fault("the debug information only", "psycopg2",
          f"echo 'int f(void){{return 1;}}' | gcc -g -shared -fPIC -x c - -o l.so; objcopy --only-keep-debug l.so d; mv -f d $P/{PQ}", PG,
          "fatal-candidate", PQ, REINSTALL),
    Fault("a file of another system", "psycopg2", f"own $P/{PQ}; printf '\\x09' | dd of=$P/{PQ} bs=1 seek=7 conv=notrunc status=none", PG,
          "fatal-candidate", PQ, REINSTALL),
    Fault("cut off behind its headers", "psycopg2", f"own $P/{PQ}; truncate -s 8192 $P/{PQ}", PG, "would-crash", PQ, REINSTALL),

    # Rights.
    Fault("a library that this user may not read", "psycopg2", f"own $P/{PQ}; chmod 600 $P/{PQ}", PG, "missing-library", PQ,
          r"chmod", user=1000),
    Fault("a folder that this user may not enter", "psycopg2", "chmod 700 $P", PG, "missing-library", PQ, r"chmod", user=1000),
    Fault("a module that this user may not read", "psycopg2", f"own {MODULE}; chmod 600 {MODULE}", PG, "missing-library", "_psycopg", r"chmod", user=1000),

    # Versions and symbols.
    Fault("a stub in the place of the library", "psycopg2", f"empty $P/{PQ} PQstub", PG, "symbol-missing", "PQ", REINSTALL),
    Fault("a stub first in LD_LIBRARY_PATH", "pyzmq", f"own {ZMQ[5:]}; patchelf --set-rpath '$ORIGIN/../../../pyzmq.libs' {ZMQ[5:]}; mkdir old; empty old/{ZMQLIB} zmq_stub", ZMQ, "symbol-missing", "zmq_",
          environment={"LD_LIBRARY_PATH": "/mnt/site-packages/old"}),
    Fault("a symbol lost", "psycopg2", f"own $P/{PQ}; sed -i 's/PQserverVersion/QQserverVersion/g' $P/{PQ}", PG, "symbol-missing",
          "PQserverVersion", REINSTALL),
    Fault("OpenSSL of another release under the name", "psycopg2", f"versioned $P/{CRYPTO} OPENSSL_1_1_0 EVP_none", PG, "version-missing",
          "OPENSSL_3.0.0", REINSTALL),
    Fault("an older libstdc++ in LD_LIBRARY_PATH", "pyzmq", "mkdir old; versioned old/libstdc++.so.6 GLIBCXX_3.4 _ZSt4cout", ZMQ,
          "version-missing", "GLIBCXX_3.4", environment={"LD_LIBRARY_PATH": "/mnt/site-packages/old"}),
    Fault("an older libgcc_s in LD_LIBRARY_PATH", "pyzmq", "mkdir old; versioned old/libgcc_s.so.1 GCC_2.0 __old", ZMQ,
          "version-missing", "GCC_3", environment={"LD_LIBRARY_PATH": "/mnt/site-packages/old"}),
    Fault("libc10 of another PyTorch release", "torch-2.15.0 torch-1.13.1", "for f in libc10.so libgomp-a34b3233.so.1; do cp --remove-destination torch-1.13.1/torch/lib/$f torch/lib/; done",
          C10, "symbol-missing", "c10::", r"pip install .*torch"),
    Fault("the CUDA runtime of CUDA 12 under the name of 13", "torch-2.15.0 cudart12",
          "cp --remove-destination cudart12/nvidia/cuda_runtime/lib/libcudart.so.12 nvidia/cu13/lib/libcudart.so.13", C10, "version-missing",
          "libcudart.so.13", r"pip install"),
    Fault("built on a newer distribution", "trixie", "true", "run trixie/usr/bin/sed", "version-missing", "GLIBC_2.38", ""),
    Fault("built for musl", "musl", "true", "open musl/psycopg2/_psycopg.cpython-311-x86_64-linux-musl.so", "foreign-libc",
          "libc.musl-x86_64.so.1", r"pip install --force-reinstall .*psycopg2[-_]binary==2\.9\.13"),
    Fault("two libraries of one name, the older first in RPATH", "psycopg2",
          f"mkdir old; empty old/{PQ} PQold; own {MODULE}; patchelf --force-rpath --set-rpath '$ORIGIN/../old:$ORIGIN/../psycopg2_binary.libs' {MODULE}",
          PG, "symbol-missing", "PQ"),
    Fault("a variant for newer processors that is broken", "psycopg2",
          f"own {MODULE}; patchelf --set-rpath '$ORIGIN/../psycopg2_binary.libs' {MODULE}; mkdir -p v/glibc-hwcaps/x86-64-v2; empty v/glibc-hwcaps/x86-64-v2/{PQ} PQnone; cp $P/* v", PG, "symbol-missing", "PQ",
          environment={"LD_LIBRARY_PATH": "/mnt/site-packages/v"}),

    # Search tags.
    Fault("an RPATH lost", "psycopg2", f"own {MODULE}; patchelf --remove-rpath {MODULE}", PG, "missing-library", PQ),
    Fault("an RPATH that leads elsewhere", "psycopg2", f"own {MODULE}; patchelf --force-rpath --set-rpath '$ORIGIN/../lib' {MODULE}", PG,
          "missing-library", PQ),
    Fault("a RUNPATH where an RPATH served the libraries below as well", "psycopg2",
          f"own {MODULE}; patchelf --set-rpath '$ORIGIN/../psycopg2_binary.libs' {MODULE}; for f in $P/*; do own $f; patchelf --remove-rpath $f; done",
          PG, "missing-library", "libssl"),
    Fault("a RUNPATH with a directory of the build machine", "psycopg2", f"own {MODULE}; patchelf --set-rpath /home/builder/out/lib {MODULE}",
          PG, "missing-library", PQ),
    Fault("a needed library by a path of the build machine", "psycopg2",
          f"own {MODULE}; patchelf --replace-needed {PQ} /build/lib/{PQ} {MODULE}", PG, "missing-library", f"/build/lib/{PQ}"),
    Fault("a needed library by a relative path", "psycopg2", f"own {MODULE}; patchelf --replace-needed {PQ} lib/{PQ} {MODULE}", PG,
          "missing-library", f"lib/{PQ}"),
    Fault("a needed library that nobody has", "psycopg2", f"own {MODULE}; patchelf --add-needed libnowhere.so.7 {MODULE}", PG,
          "missing-library", "libnowhere.so.7", ""),
    Fault("a RUNPATH of torch without nvidia's directories", "torch-2.15.0", "own torch/lib/libc10_cuda.so; patchelf --set-rpath '$ORIGIN' torch/lib/libc10_cuda.so",
          C10, "missing-library", "libcudart.so.13"),

    # The environment.
    Fault("a ~ in LD_LIBRARY_PATH", "psycopg2", f"mkdir moved; mv $P/{PQ} moved", PG, "missing-library", PQ,
          environment={"LD_LIBRARY_PATH": "~/moved", "HOME": "/mnt/site-packages"}, options="--search /mnt/site-packages/moved"),
    Fault("a preload that is not there", "psycopg2", f"rm $P/{PQ}", PG, "missing-library", PQ, REINSTALL,
          environment={"LD_PRELOAD": "/opt/libjemalloc.so.2"}),
    Fault("a preload of another release", "psycopg2", f"mkdir old; empty old/{PQ} PQold", PG, "symbol-missing", "PQ",
          environment={"LD_PRELOAD": f"/mnt/site-packages/old/{PQ}"}),
    Fault("an empty element of LD_LIBRARY_PATH, a stub in the current directory", "psycopg2", f"own {MODULE}; patchelf --set-rpath '$ORIGIN/../psycopg2_binary.libs' {MODULE}; empty {PQ} PQhere", PG, "symbol-missing", "PQ",
          environment={"LD_LIBRARY_PATH": "/opt/lib:"}),
    Fault("a line in ld.so.conf.d, and no ldconfig since", "psycopg2",
          f"mkdir moved; mv $P/{PQ} moved; echo /mnt/site-packages/moved > /etc/ld.so.conf.d/app.conf", PG, "missing-library", PQ),
    Fault("an ld.so.cache that lists what is gone", "psycopg2",
          f"mkdir -p moved new; mv $P/{PQ} moved; echo /mnt/site-packages/moved > /etc/ld.so.conf.d/app.conf; ldconfig; mv moved/{PQ} new; "
          "echo /mnt/site-packages/new > /etc/ld.so.conf.d/app.conf", PG, "missing-library", PQ),
    Fault("an older copy in the cache", "psycopg2",
          f"mkdir old; empty old/{PQ} PQold; echo /mnt/site-packages/old > /etc/ld.so.conf.d/app.conf; ldconfig; own {MODULE}; patchelf --remove-rpath {MODULE}",
          PG, "symbol-missing", "PQ"),
    Fault("static TLS exhausted", "none",
          "for i in 1 2 3 4; do echo '__thread char t[4000] __attribute__((tls_model(\"initial-exec\"))); char* f'$i'(void) { return t; }' | "
          "gcc -shared -fPIC -x c - -o libt$i.so; done; gcc -shared -o all.so -Wl,--no-as-needed,-rpath,'$ORIGIN' ./libt1.so ./libt2.so ./libt3.so ./libt4.so",
          "open all.so", "static-tls-full", "libt", r"LD_PRELOAD|GLIBC_TUNABLES"),

    # A program's start.
    Fault("a program without its library", "none",
          "mkdir lib; empty lib/libown.so.1 own_one; echo 'int own_one(void); int main(void) { return !own_one(); }' | gcc -x c - -x none lib/libown.so.1 -o prog",
          "run prog", "missing-library", "libown.so.1", options="--search /mnt/site-packages/lib"),
    Fault("a program whose interpreter is missing", "none",
          "cp /usr/bin/true prog; patchelf --set-interpreter /lib64/ld-none.so.2 prog", "run prog", "no-interpreter", "/lib64/ld-none.so.2"),
    Fault("a program for musl", "none",
          "cp /usr/bin/true prog; patchelf --set-interpreter /lib/ld-musl-x86_64.so.1 prog", "run prog", "foreign-libc", "ld-musl"),
    Fault("a program of musl", "none",
          "echo 'int main(void) { return 0; }' | gcc -x c - -o prog; patchelf --replace-needed libc.so.6 libc.musl-x86_64.so.1 --set-interpreter /lib/ld-musl-x86_64.so.1 prog",
          "run prog", "foreign-libc", "ld-musl", r"sudo apt-get install musl"),
    Fault("an interpreter that is a directory", "none",
          "cp /usr/bin/true prog; patchelf --set-interpreter /usr/lib prog", "run prog", "no-interpreter", "/usr/lib"),
    Fault("an interpreter that may not be executed", "none",
          "cp /lib64/ld-linux-x86-64.so.2 ld.so; chmod -x ld.so; cp /usr/bin/true prog; patchelf --set-interpreter /mnt/site-packages/ld.so prog",
          "run prog", "no-interpreter", "/mnt/site-packages/ld.so"),
    Fault("an interpreter that is a text", "none",
          "yes text | head -40 > ld.so; chmod +x ld.so; cp /usr/bin/true prog; patchelf --set-interpreter /mnt/site-packages/ld.so prog",
          "run prog", "no-interpreter", "/mnt/site-packages/ld.so"),
    Fault("an interpreter that is empty", "none",
          "touch ld.so; chmod +x ld.so; cp /usr/bin/true prog; patchelf --set-interpreter /mnt/site-packages/ld.so prog",
          "run prog", "no-interpreter", "/mnt/site-packages/ld.so"),
    Fault("an interpreter of another machine", "aarch64",
          "cp --remove-destination aarch64/markupsafe/_speedups*.so ld.so; chmod +x ld.so; cp /usr/bin/true prog; patchelf --set-interpreter /mnt/site-packages/ld.so prog",
          "run prog", "no-interpreter", "/mnt/site-packages/ld.so"),
    Fault("an interpreter given by a relative path", "none",
          "cp /usr/bin/true prog; patchelf --set-interpreter lib/ld.so prog", "run prog", "no-interpreter", "lib/ld.so"),
    Fault("a script with Windows line ends", "none", "printf '#!/bin/sh\\r\\ntrue\\r\\n' > prog; chmod +x prog", "run prog", "no-interpreter",
          "/bin/sh", r"sed -i"),
    Fault("a script whose interpreter is elsewhere", "none", "printf '#!/opt/none/bash\\ntrue\\n' > prog; chmod +x prog", "run prog",
          "no-interpreter", "/opt/none/bash", r"sed -i"),
    Fault("a program without its execute bit", "none", "cp /usr/bin/true prog; chmod -x prog", "run prog", "not-permitted", "prog"),
    Fault("a program that this user may not execute", "none", "cp /usr/bin/true prog; chmod 744 prog", "run prog", "not-permitted",
          "prog", user=1000),
    Fault("a program that this user may neither read nor execute", "none", "cp /usr/bin/true prog; chmod 700 prog", "run prog",
          "not-permitted", "prog", user=1000),
    Fault("a program in a folder that this user may not enter", "none", "mkdir in; cp /usr/bin/true in/prog; chmod 700 in",
          "run in/prog", "not-permitted", "prog", user=1000),

    # Executable stacks, relocations in the code, what is cut off behind the first library.
    Fault("an executable stack that glibc 2.41 refuses to dlopen", "trixie", OPENER + "echo 'int f(void) { return 1; }' | gcc -shared -fPIC -x c - -Wl,-z,execstack -o lib.so",
          "with prog lib.so", "exec-stack", "lib.so", ""),
    Fault("a needed library of it has the executable stack", "trixie",
          OPENER + "echo 'int f(void) { return 1; }' | gcc -shared -fPIC -x c - -Wl,-z,execstack -o libx.so; "
          "echo 'int f(void); int g(void) { return f(); }' | gcc -shared -fPIC -x c - -x none ./libx.so -Wl,-rpath,'$ORIGIN' -o lib.so",
          "with prog lib.so", "exec-stack", "libx.so", ""),
    Fault("an executable stack that a tunable forbids", "trixie",
          OPENER + "echo 'int f(void) { return 1; }' | gcc -shared -fPIC -x c - -Wl,-z,execstack -o libx.so; patchelf --add-needed /mnt/site-packages/libx.so prog",
          "with prog libx.so", "exec-stack", "libx.so", "", {"GLIBC_TUNABLES": "glibc.rtld.execstack=0"}),
    Fault("relocations in the code of a library whose tag is lost", "none",
          TEXTREL + "python3 -c \"d = open('lib.so', 'rb').read(); i = d.index(bytes.fromhex('16' + '00' * 15)); "
          "d = d[:i] + bytes.fromhex('15' + '00' * 15) + d[i + 16:]; j = d.index(bytes.fromhex('1e' + '00' * 7 + '04')); "
          "open('lib.so', 'wb').write(d[:j + 8] + bytes(8) + d[j + 16:])\"", "open lib.so", "would-crash", "lib.so", ""),
    Fault("relocations in the code refer to what is lost", "none", TEXTREL + "empty libd.so other", "open lib.so", "symbol-missing",
          "external_data", ""),
    Fault("a library of a library cut off behind its headers", "psycopg2", f"own $P/{CRYPTO}; truncate -s 8192 $P/{CRYPTO}", PG, "would-crash",
          CRYPTO, REINSTALL),
    Fault("a library of a library cut off in its header", "psycopg2", f"own $P/{CRYPTO}; truncate -s 40 $P/{CRYPTO}", PG, "fatal-candidate",
          CRYPTO, REINSTALL),
    Fault("a library of a library that lacks its last page", "psycopg2", f"own $P/{SSL}; truncate -s -4096 $P/{SSL}", PG, "would-crash",
          SSL, REINSTALL),
]
