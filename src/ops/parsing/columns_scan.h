/* SPDX-License-Identifier: Apache-2.0 */
/* The first half of a job: columns_scan.c for columns.c. */
#ifndef LEAT_OPS_PARSING_COLUMNS_SCAN_H
#define LEAT_OPS_PARSING_COLUMNS_SCAN_H

#include "ops/parsing/columns.h"

static inline struct column_view *column_view_at(const struct columns *cs, int64_t example, int k)
{
    return &cs->views[example * cs->num + k];
}
/* Makes views: what is in each example, checked. */
MUST_CHECK bool parse_job_scan(struct parse_job *job, struct status *st);

#endif
