import { z } from 'zod';
import { flag, LONGEST_TIMER_MILLISECONDS } from '../core/option-fields';
import type { FieldsOf } from '../core/options';
import type { PostgresOptions } from './connection';

export const POSTGRES_FIELDS: FieldsOf<PostgresOptions> = {
  pool: z
    .custom((value) => typeof (value as { connect?: unknown } | null)?.connect === 'function', {
      error: "is no pool of 'pg'",
    })
    .optional(),
  connectionString: z.string().optional(),
  password: z
    .custom((value) => typeof value === 'function' || (typeof value === 'string' && value !== ''), {
      error: 'is empty, or neither a text nor a function that returns one',
    })
    .optional(),
  schema: z
    .string()
    .regex(/^[a-z_][a-z0-9_]{0,40}$/, {
      error:
        'is not a name of at most 41 lower-case letters, digits and underscores that begins with a letter or underscore',
    })
    .optional(),
  connectionsAtMost: z.int().min(1).max(10_000).optional(),
  queryTimeoutMilliseconds: z.number().min(0).max(LONGEST_TIMER_MILLISECONDS).optional(),
  preparedStatements: flag.optional(),
};
