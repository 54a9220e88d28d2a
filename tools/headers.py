# SPDX-License-Identifier: Apache-2.0
"""Reads the public headers: each function's prototype and the comment that is its contract.

For lint.py, which checks the contracts, and gen_man.py, which prints them as manual pages. A header
is read as it is written, not preprocessed: a function is what stands behind TF_CAPI_EXPORT extern,
LEAT_EXPORT or static inline and begins with TF_ or leat_. Its comment is the one above it, or that
of the function above where no blank line parts the two.
"""
import os
import re

START = re.compile(r'^(?:TF_CAPI_EXPORT extern|LEAT_EXPORT|static inline) ', re.M)
NAME = re.compile(r'\b((?:TF|leat)_\w+)\s*\(')
TOKEN = re.compile(r'/\*.*?\*/|^(?:TF_CAPI_EXPORT\s+extern|LEAT_EXPORT|static inline)\s[^;{]*[;{]|^[ \t]*\n|^[^\n]*\n|[^\n]+', re.M | re.S)
SECTION = re.compile(r'^/\* -{2,} (.*?) -{2,} \*/$', re.S)


class Function:
    def __init__(self, name, prototype, comment, header, section):
        self.name, self.prototype, self.comment = name, prototype, comment
        self.header, self.section = header, section

    def takes_status(self):
        return 'TF_Status *' in self.prototype


class Header:
    def __init__(self, path, about):
        self.path, self.about, self.functions = path, about, []


def plain(comment):
    """The text of a comment: paragraphs stay, indented lines stay lines."""
    text = re.sub(r'^/\*+|\*+/$', '', comment.strip()).strip('\n ')
    return '\n'.join(re.sub(r'^[ \t]*\*?(?: (?! {4})|$)?', '', line) if i else line
                     for i, line in enumerate(text.split('\n')))


def read(path, name):
    """The header at path, called `name` (leat/run.h)."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    header, comment, section, depth = Header(name, ''), '', '', 0
    for match in TOKEN.finditer(text):
        token = match.group(0)
        if token.startswith('/*'):
            heading = SECTION.match(token.strip())
            if heading:
                section, comment = heading.group(1), ''
            elif 'SPDX-License-Identifier' not in token and text[:match.start()].rstrip(' ').endswith('\n'):
                if not header.about and not header.functions and '#ifndef' not in text[:match.start()]:
                    header.about = plain(token)
                comment = plain(token)
        elif not token.strip():
            comment = '' if token == '\n' and text[:match.start()].endswith('\n') else comment
        elif START.match(token):
            called = NAME.search(re.sub(r'__attribute__\(\(.*?\)\)', '', token))
            if called:
                prototype = re.sub(r'\*\s+(?=\w)', '*', re.sub(r'\s+', ' ', re.sub(r'^(TF_CAPI_EXPORT\s+extern|LEAT_EXPORT)\s+', '', token).rstrip(';{ \n'))).strip()
                header.functions.append(Function(called.group(1), prototype + ';', comment, name, section))
    return header


def public(root, build=None):
    """All headers under include/, and the generated ones of a build folder."""
    found = []
    for top in [os.path.join(root, 'include')] + ([os.path.join(build, 'include')] if build else []):
        for folder, folders, names in os.walk(top):
            folders.sort()
            found += [read(os.path.join(folder, n), os.path.relpath(os.path.join(folder, n), top))
                      for n in sorted(names) if n.endswith('.h')]
    return found
