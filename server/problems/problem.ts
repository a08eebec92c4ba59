import { z } from 'zod';

export interface FieldProblem {
  /** The path of the field, such as `policies.overlap`. */
  path: string;
  message: string;
  /** For a `query`: the position of the wrong character, from 1. */
  position?: number;
}

/** An error as RFC 9457 defines it. */
export interface Problem {
  /** The URI that identifies the kind of problem, for programs. */
  type: string;
  title: string;
  status: number;
  /** The problem, and what the caller should do about it, in words for people. */
  detail: string;
  errors?: FieldProblem[];
  /** For some kinds of problems, further fields for programs. */
  [more: string]: unknown;
}

export const problemSchema = z
  .looseObject({
    type: z.string().describe('What kind of problem it is, such as urn:escapement:problem:schedule-not-found'),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().describe('The problem, and what to do about it'),
    errors: z
      .array(
        z.object({
          path: z.string().describe('The bad field, such as policies.overlap'),
          message: z.string(),
          position: z.int().optional().describe('In a query, the character where it is wrong, from 1'),
        }),
      )
      .optional()
      .describe('Every bad field of the request'),
  })
  .meta({ id: 'Problem' });

export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  constructor(
    readonly problem: Problem,
    readonly headers: Record<string, string> = {},
  ) {
    super(problem.detail);
  }
}

export function problem(
  status: number,
  kind: string,
  title: string,
  detail: string,
  more: Record<string, unknown> = {},
): Problem {
  return { type: `urn:escapement:problem:${kind}`, title, status, detail, ...more };
}

export function invalid(errors: FieldProblem[], detail?: string): Problem {
  const [first] = errors;
  const words = first ? `${first.path}: ${first.message}` : 'the request is not valid';
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return problem(400, 'invalid-request', 'The request is not valid', detail ?? `${words}${others}`, { errors });
}
