import type { z } from 'zod';
import { problemsOf } from '../core/options';
import { type FieldProblem, invalid, ProblemError } from './problems/problem';

type Parts = Record<string, [schema: z.ZodType | undefined, given: unknown]>;

/** @throws {ProblemError} with every bad field of all parts */
export function checked(parts: Parts): Record<string, unknown> {
  const errors: FieldProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, [schema, given]] of Object.entries(parts)) {
    if (!schema) {
      values[name] = given;
      continue;
    }
    const found = problemsOf(schema, given);
    errors.push(...found.map(({ path, problem }) => ({ path: path === 'options' ? name : path, message: problem })));
    if (found.length === 0) values[name] = schema.parse(given);
  }
  if (errors.length > 0) throw new ProblemError(invalid(errors));
  return values;
}
