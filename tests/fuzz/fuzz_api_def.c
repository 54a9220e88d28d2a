/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes overlays of ApiDefs, as files of wrappers' generators bring them: a text is put over a
 * fixed list of ops, and every op is read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proto/leat_proto.h"
#include "tensorflow/c/c_api.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char ops[] =
    "op { name: 'Zed' input_arg { name: 'a' description: 'the `a`' type: DT_FLOAT } "
    "input_arg { name: 'b' type: DT_FLOAT } output_arg { name: 'o' type: DT_FLOAT } "
    "attr { name: 'n' type: 'int' } summary: 'Sum of `a` and `b`.' } op { name: 'Bare' }";

static TF_ApiDefMap *new_map(TF_Status *s)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_op_list *list = NULL;
    struct strbuf b = {0};
    TF_ApiDefMap *map = NULL;
    if (pb_op_list_parse(&a, ops, strlen(ops), &list, &st) && pb_encode(list, &b, &st))
        map = TF_NewApiDefMap(&(TF_Buffer){.data = b.p, .length = b.n}, s);
    strbuf_release(&b);
    arena_release(&a);
    status_clear(&st);
    return map;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    TF_Status *s = TF_NewStatus();
    TF_ApiDefMap *map = new_map(s);
    if (!map)
        abort();
    TF_ApiDefMapPut(map, (const char *)data, size, s);
    static const char *const names[] = {"Zed", "Bare", "None"};
    for (int i = 0; i < 3; i++) {
        TF_Buffer *b = TF_ApiDefMapGet(map, names[i], strlen(names[i]), s);
        if ((b != NULL) != (i < 2) || TF_GetCode(s) != TF_OK)
            abort(); /* whatever was put over them */
        TF_DeleteBuffer(b);
    }
    TF_DeleteApiDefMap(map);
    TF_DeleteStatus(s);
    return 0;
}
