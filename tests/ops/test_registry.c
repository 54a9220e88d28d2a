/* SPDX-License-Identifier: Apache-2.0 */
/* Every op of the build: its definition is whole, TensorFlow's own, and has the CPU kernels that
 * TensorFlow 1.15.5 has. The facts are read from the given data; without them those checks are
 * skipped, counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "op/kernel.h"
#include "op/op.h"

struct checks {
    int passed, failed, skipped;
    struct strmap kernels; /* op -> the line of facts/kernels.tsv, mem_alloc'd */
};

static void fail(struct checks *k, const char *op, const char *what, const char *detail)
{
    printf("FAILED %s: %s%s\n", op, what, detail);
    k->failed++;
}

/* --- the facts --- */

static bool read_kernels(struct checks *k)
{
    const char *shared = getenv("LEAT_SHARED");
    char *path = mem_printf("%s/facts/kernels.tsv", shared ? shared : "../shared");
    FILE *f = fopen(path, "r");
    mem_free(path);
    if (!f)
        return false;
    static char line[1 << 16];
    while (fgets(line, sizeof line, f)) {
        char *tab = strchr(line, '\t');
        if (!tab)
            continue;
        *tab = 0;
        tab[1 + strcspn(tab + 1, "\n")] = 0;
        mem_free(strmap_put(&k->kernels, line, mem_strdup(tab + 1)));
    }
    fclose(f);
    return true;
}

/* --- kernels --- */

struct search {
    const char *op, *attr;
    int dtype; /* 0: any kernel at all */
    bool found;
};

static bool look(const struct kernel_def *def, void *arg)
{
    struct search *s = arg;
    if (strcmp(def->op, s->op) == 0 && strcmp(def->device, "CPU") == 0)
        s->found = s->dtype == 0 || kernel_allows(def, s->attr, s->dtype);
    return !s->found;
}

static bool has_kernel(const char *op, const char *attr, int dtype)
{
    struct search s = {.op = op, .attr = attr, .dtype = dtype};
    kernel_each(look, &s);
    return s.found;
}

/* Each type of "T=float,double; Tidx=int32" must have a kernel. */
static bool check_set(struct checks *k, const struct op *op, struct str rest)
{
    struct str part;
    while (rest.n && str_split(&rest, ';', &part)) {
        struct str name, type, list = str_trim(part);
        if (!str_split(&list, '=', &name) || list.n == 0)
            continue;
        char attr[64];
        snprintf(attr, sizeof attr, "%.*s", (int)name.n, name.p);
        while (list.n && str_split(&list, ',', &type)) {
            int dtype;
            type = str_trim(type);
            const struct op_attr *spec = op_attr_find(op, attr);
            if (!dtype_from_name(type, &dtype) ||
                (spec && spec->types && !(spec->types & ((dtype_set)1 << dtype))) ||
                has_kernel(op->name, attr, dtype))
                continue;
            char detail[160];
            snprintf(detail, sizeof detail, "%s=%s", attr, dtype_name(dtype));
            if (!op->def->no_kernel)
                fail(k, op->name, "TensorFlow has a CPU kernel for ", detail);
            return op->def->no_kernel != NULL;
        }
    }
    return true;
}

/* Sets of types with " | " between them; what stands after " || " are kernels with labels, which
 * are not looked at. */
static bool check_types(struct checks *k, const struct op *op, const char *facts)
{
    struct str rest = str_of(facts), set;
    const char *bar = strstr(facts, " || ");
    if (bar)
        rest = str_make(facts, (size_t)(bar - facts));
    bool ok = true;
    while (rest.n && str_split(&rest, '|', &set))
        ok = check_set(k, op, str_trim(set)) && ok;
    return ok;
}

static bool check(const struct op *op, void *arg)
{
    struct checks *k = arg;
    int failed = k->failed;
    const char *facts = strmap_find(&k->kernels, op->name);
    if (!op->def->summary || strlen(op->def->summary) < 4)
        fail(k, op->name, "no summary", "");
    if (!op->def->shape)
        fail(k, op->name, "no shape function", "");
    if (!op->def->grad == !op->def->no_grad)
        fail(k, op->name, "exactly one of grad and no_grad is wanted", "");
    if (!has_kernel(op->name, NULL, 0) && !op->def->no_kernel)
        fail(k, op->name, "no CPU kernel, and no reason for that", "");
    else if (facts)
        (void)check_types(k, op, facts);
    k->passed += k->failed == failed;
    return true;
}

int main(void)
{
    struct checks k = {0};
    if (!read_kernels(&k)) {
        printf("skipped: there is no facts/kernels.tsv (LEAT_SHARED names the folder of given "
               "data)\n");
        k.skipped++;
    }
    op_each(check, &k);
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&k.kernels, &i, &key, &value);)
        mem_free(value);
    strmap_release(&k.kernels);
    printf("%d passed, %d failed, %d skipped\n", k.passed, k.failed, k.skipped);
    return k.failed > 0;
}
