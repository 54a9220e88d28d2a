#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# tier: test
# timeout: 120
"""Programs that were built for TensorFlow's own C library run with Leat in its place.

Libraries of the names and symbol versions of libtensorflow.so.1 and .so.2 are made here, programs
are linked with them, and then run with the drop-in folder, which has Leat behind those names. A
program for .so.2 knows strings as TF_TString. Also: linking with -ltensorflow, dlopen of both.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.environ.get('LEAT_ROOT') or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get('LEAT_BUILD') or os.path.join(ROOT, 'build'))
FOLDER = os.path.join(BUILD, 'lib', 'leat-tf')
CC = (os.environ.get('CC') or 'cc').split() + ['-std=gnu17', '-I' + os.path.join(ROOT, 'include')]

HEAD = r'''
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <tensorflow/c/c_api.h>

static TF_Status *s;

static int said(TF_Code code, const char *words)
{
    int ok = TF_GetCode(s) == code && strstr(TF_Message(s), words);
    if (!ok)
        printf("code %d: %s\n", TF_GetCode(s), TF_Message(s));
    return ok;
}

/* What Identity makes of a string tensor. */
static TF_Tensor *identity(TF_Tensor *in)
{
    TF_Graph *g = TF_NewGraph();
    TF_OperationDescription *d = TF_NewOperation(g, "Placeholder", "x");
    TF_SetAttrType(d, "dtype", TF_STRING);
    TF_Output x = {TF_FinishOperation(d, s), 0};
    d = TF_NewOperation(g, "Identity", "y");
    TF_AddInput(d, x);
    TF_Output y = {TF_FinishOperation(d, s), 0};
    TF_SessionOptions *o = TF_NewSessionOptions();
    TF_Session *session = TF_NewSession(g, o, s);
    TF_Tensor *out = NULL;
    TF_SessionRun(session, NULL, &x, &in, 1, &y, &out, 1, NULL, 0, NULL, s);
    TF_Status *ignored = TF_NewStatus();
    TF_DeleteSession(session, ignored);
    TF_DeleteStatus(ignored);
    TF_DeleteSessionOptions(o);
    TF_DeleteGraph(g);
    return out;
}
'''

OFFSETS = HEAD + r'''
int main(void)
{
    s = TF_NewStatus();
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, NULL, 0, 8 + TF_StringEncodedSize(5));
    char *data = TF_TensorData(t);
    const char *text;
    size_t n = 0;
    memset(data, 0, 8);
    if (TF_StringEncode("hello", 5, data + 8, 6, s) != 6 || !said(TF_OK, ""))
        return 1;
    TF_Tensor *out = identity(t);
    if (!said(TF_OK, ""))
        return 2;
    TF_StringDecode((char *)TF_TensorData(out) + 8, TF_TensorByteSize(out) - 8, &text, &n, s);
    printf("%s %.*s\n", TF_Version(), (int)n, text);
    TF_DeleteTensor(out);
    if (!dlopen("libtensorflow.so.2", RTLD_NOW)) /* two layouts in one process */
        return 3;
    out = identity(t);
    return out || !said(TF_FAILED_PRECONDITION, "libtensorflow.so.2 is not to be loaded beside") ? 4 : 0;
}
'''

TSTRINGS = HEAD + r'''
int main(void)
{
    s = TF_NewStatus();
    static const char text[] = "a string of more than twenty-two bytes";
    TF_Tensor *t = TF_AllocateTensor(TF_STRING, NULL, 0, sizeof(TF_TString));
    TF_StringInit(TF_TensorData(t));
    TF_StringCopy(TF_TensorData(t), text, sizeof text - 1);
    TF_Tensor *out = identity(t);
    if (!said(TF_OK, ""))
        return 1;
    const TF_TString *got = TF_TensorData(out);
    if (TF_StringGetSize(got) != sizeof text - 1 || memcmp(TF_StringGetDataPointer(got), text, sizeof text - 1))
        return 2;
    printf("%s hello\n", TF_Version());
    TF_DeleteTensor(out);
    TF_StringDealloc(TF_TensorData(t));
    TF_DeleteTensor(t);
    char bytes[8]; /* what a program for 1.15 would do */
    TF_StringEncode("x", 1, bytes, sizeof bytes, s);
    return said(TF_FAILED_PRECONDITION, "libtensorflow.so.2") ? 0 : 3;
}
'''


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **more)
    return done.returncode, done.stdout


def must(words, **more):
    code, text = run(words, **more)
    if code:
        raise AssertionError('%s: status %d\n%s' % (' '.join(words), code, text))
    return text


def functions():
    """The names that programs here may call."""
    out = must(['nm', '-D', '--defined-only', os.path.join(BUILD, 'lib', 'libleat.so.0')])
    return sorted(line.split()[-1].split('@')[0] for line in out.splitlines() if ' TF_' in line)


def make_tensorflow(folder, soname):
    """A library with TensorFlow's soname and symbol version, which is only linked with."""
    source, script = os.path.join(folder, 'tf.c'), os.path.join(folder, 'tf.map')
    with open(source, 'w') as f:
        f.write(''.join('void %s(void) {}\n' % name for name in functions()))
    with open(script, 'w') as f:
        f.write('VERS_1.0 { global: TF_*; local: *; };\n')
    must(CC + ['-shared', '-fPIC', '-w', '-Wl,-soname,' + soname, '-Wl,--version-script=' + script, source, '-o',
               os.path.join(folder, 'libtensorflow.so')])


def check(name, text, soname, folder):
    """Links as that library's users do; runs with the drop-in folder."""
    place = os.path.join(folder, name)
    os.mkdir(place)
    source, program = os.path.join(place, 'p.c'), os.path.join(place, 'p')
    with open(source, 'w') as f:
        f.write(text)
    library = place
    if soname:
        make_tensorflow(place, soname)
    else:
        library = FOLDER
    must(CC + [source, '-o', program, '-L' + library, '-ltensorflow', '-ldl'])
    out = must([program], env=dict(os.environ, LD_LIBRARY_PATH=FOLDER))
    if '1.15.5 hello' not in out:
        raise AssertionError('%s said: %s' % (name, out))


def main():
    if not shutil.which(CC[0]) or not shutil.which('nm'):
        print('skipped: no C compiler\n0 passed, 0 failed, 1 skipped')
        return 0
    if any(name in must(['nm', '-D', os.path.join(BUILD, 'lib', 'libleat.so.0')]) for name in ('__asan_', '__ubsan_', '__tsan_')):
        print('skipped: programs here are built without a sanitizer\n0 passed, 0 failed, 1 skipped')
        return 0
    failed = 0
    cases = [('linked with -ltensorflow', OFFSETS, None), ('built for libtensorflow.so.1', OFFSETS, 'libtensorflow.so.1'),
             ('built for libtensorflow.so.2', TSTRINGS, 'libtensorflow.so.2')]
    with tempfile.TemporaryDirectory() as folder:
        for name, text, soname in cases:
            try:
                check(name, text, soname, folder)
            except AssertionError as error:
                failed += 1
                print('%s: %s' % (name, error))
    print('%d passed, %d failed, 0 skipped' % (len(cases) - failed, failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
