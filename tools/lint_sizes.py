# SPDX-License-Identifier: Apache-2.0
"""The size limits of lint: functions, files, headers, parameters, nesting.

Reads C by its layout, which clang-format fixes: a function's body opens with `{` in the first
column and closes with `}` there.
"""
import re

FUNCTION_WARN, FUNCTION_FAIL = 60, 100
FILE_WARN, FILE_FAIL = 700, 1000
HEADER_WARN, HEADER_FAIL = 250, 400
MAX_PARAMETERS, MAX_NESTING = 7, 4
UMBRELLAS = {'include/tensorflow/c/c_api.h'}
COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
NAME = re.compile(r'(\w+)\s*\($')


def blank(match):
    """Comments and strings as spaces of the same lines, so that braces in them do not count."""
    return re.sub(r'[^\n]', ' ', match.group(0))


def parameters(head):
    """(name, count) of the function whose declarator is the text before its body, or None."""
    end = head.rstrip()
    if not end.endswith(')'):
        return None
    depth = 0
    for i in range(len(end) - 1, -1, -1):
        depth += {')': 1, '(': -1}.get(end[i], 0)
        if depth == 0:
            break
    inner, depth, commas = end[i + 1:-1], 0, 0
    for ch in inner:
        depth += {'(': 1, '[': 1, ')': -1, ']': -1}.get(ch, 0)
        commas += ch == ',' and depth == 0
    match = NAME.search(end[:i + 1])
    count = 0 if inner.strip() in ('', 'void') else commas + 1
    return (match.group(1) if match else '?'), count


def nesting(lines):
    """How deep statements nest; the braces of initialisers do not count."""
    stack, before, deepest = [], ')', 0
    for ch in ' '.join(lines):
        if ch == '{':
            stack.append(before not in '=,{(')
            deepest = max(deepest, sum(stack))
        elif ch == '}' and stack:
            stack.pop()
        if not ch.isspace():
            before = ch
    return deepest - 1 # the body itself is not nested


def check_function(path, start, head, raw, code, report):
    found = parameters(head)
    if not found:
        return
    name, count = found
    where = '%s:%d' % (path, start + 1)
    size = len(code)
    body = '\n'.join(raw)
    if size > FUNCTION_FAIL and '/* long:' not in body + head:
        report.fail(where, '%s has %d lines, more than %d, and no /* long: why */' % (name, size, FUNCTION_FAIL))
    elif size > FUNCTION_WARN:
        report.warn(where, '%s has %d lines' % (name, size))
    if count > MAX_PARAMETERS and not name.startswith('TF_'): # those are TensorFlow's
        report.fail(where, '%s has %d parameters: take a struct' % (name, count))
    if nesting(code) > MAX_NESTING:
        report.warn(where, '%s nests %d deep' % (name, nesting(code)))


def check_prototypes(path, code, report):
    for match in re.finditer(r'^[A-Za-z_][^;{}#=]*?\)[^;{}()=]*(?:__attribute__\(\(.*?\)\))?;', code, re.M | re.S):
        text = re.sub(r'\b(MUST_CHECK|UNUSED)\b|\bPRINTF_LIKE\(.*?\)|__attribute__\(\(.*?\)\)', ' ',
                      match.group(0).rstrip(';'))
        found = parameters(text)
        if found and found[1] > MAX_PARAMETERS and '(*' not in text:
            line = code.count('\n', 0, match.start()) + 1
            report.fail('%s:%d' % (path, line), '%s has %d parameters: take a struct' % found)


def check(path, text, report):
    raw = text.split('\n')
    size = len(raw) - 1
    header = path.endswith('.h')
    warn, fail = (HEADER_WARN, HEADER_FAIL) if header else (FILE_WARN, FILE_FAIL)
    if size > fail and path not in UMBRELLAS:
        report.fail(path, 'has %d lines, more than %d' % (size, fail))
    elif size > warn:
        report.warn(path, 'has %d lines' % size)
    blanked = COMMENT_OR_TEXT.sub(blank, text)
    if header and path.startswith('src/'):
        check_prototypes(path, blanked, report)
    code = blanked.split('\n')
    i = 0
    while i < len(code):
        if code[i].rstrip() != '{':
            i += 1
            continue
        end = i + 1
        while end < len(code) and not code[end].startswith('}'):
            end += 1
        first = i - 1
        while first >= 0 and code[first].strip() and not code[first].startswith(('}', '#')) \
                and not code[first].rstrip().endswith(';'):
            first -= 1
        head = '\n'.join(code[first + 1:i])
        check_function(path, first + 1, head, raw[first + 1:end + 1], code[i:end + 1], report)
        i = end + 1
