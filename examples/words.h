/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a text as numbers, for the examples that learn from text: 0 is every word too rare to
 * have a number of its own, 1 the most frequent word, and so on. Included by one file a program. */
#ifndef LEAT_EXAMPLES_WORDS_H
#define LEAT_EXAMPLES_WORDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *text; /* in the text that it was found in */
    int length;
    int count;  /* how often it stands there */
    int number; /* in order of frequency */
};
struct words { /* open addressing; words[] has room for `room`, a power of 2 */
    struct word *table;
    size_t room, used;
    struct word **by_number; /* [num], [0] is NULL */
    int num;
};

/* The whole file with a 0 behind it; NULL, and a message, when it cannot be read. */
static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long n = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    if (n >= 0 && n < 1L << 31 && fseek(f, 0, SEEK_SET) == 0 && (text = malloc((size_t)n + 1))) {
        size_t got = fread(text, 1, (size_t)n, f);
        text[got] = 0;
    }
    if (f)
        fclose(f);
    if (!text)
        fprintf(stderr, "%s: cannot be read\n", path);
    return text;
}

/* The next word of *p, up to `end` characters on; NULL at the end. */
static const char *next_word(const char **p, const char *end, int *length)
{
    while (*p < end && (unsigned char)**p <= ' ')
        ++*p;
    const char *start = *p;
    while (*p < end && (unsigned char)**p > ' ')
        ++*p;
    *length = (int)(*p - start < 100 ? *p - start : 100);
    return *length > 0 ? start : NULL;
}

/* Its place, used or free. */
static struct word *words_find(const struct words *w, const char *text, int length)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (int i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    for (size_t i = h & (w->room - 1);; i = (i + 1) & (w->room - 1)) {
        struct word *at = &w->table[i];
        if (!at->text || (at->length == length && memcmp(at->text, text, (size_t)length) == 0))
            return at;
    }
}

static void words_grow(struct words *w)
{
    struct words old = *w;
    w->room = old.room > 0 ? old.room * 2 : 1 << 12;
    w->table = calloc(w->room, sizeof *w->table);
    if (!w->table)
        exit(3);
    for (size_t i = 0; i < old.room; i++) {
        if (old.table[i].text)
            *words_find(w, old.table[i].text, old.table[i].length) = old.table[i];
    }
    free(old.table);
}

/* Counts the words of `text`, which must live as long as w. */
static void words_count(struct words *w, const char *text)
{
    const char *end = text + strlen(text), *start;
    int length;
    while ((start = next_word(&text, end, &length))) {
        if (2 * (w->used + 1) > w->room)
            words_grow(w);
        struct word *at = words_find(w, start, length);
        if (!at->text) {
            at->text = start;
            at->length = length;
            w->used++;
        }
        at->count++;
    }
}

static int more_frequent(const void *a, const void *b)
{
    const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->text < y->text ? -1 : 1; /* the first one first */
}

/* Gives numbers to the `most` - 1 most frequent words. */
static void words_number(struct words *w, int most)
{
    size_t n = 0;
    struct word **all = malloc((w->used + 1) * sizeof(struct word *));
    if (!all)
        exit(3);
    for (size_t i = 0; i < w->room; i++) {
        if (w->table[i].text)
            all[1 + n++] = &w->table[i];
    }
    all[0] = NULL;
    qsort(all + 1, n, sizeof *all, more_frequent);
    w->num = n + 1 < (size_t)most ? (int)n + 1 : most;
    for (int i = 1; i < w->num; i++)
        all[i]->number = i;
    w->by_number = all;
}

static int word_number(const struct words *w, const char *text, int length)
{
    return w->room > 0 ? words_find(w, text, length)->number : 0;
}

static void words_free(struct words *w)
{
    free(w->table);
    free(w->by_number);
}

#endif
