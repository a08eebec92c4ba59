import type { z } from 'zod';
import type { EscapementClient } from '../client/client';
import type { Caller, Scope } from './caller';
import type { ServerContext } from './context';

/*
 * How to add a route: write an `operation` in a file of its resource under `routes/`, and add its list to
 * `routes/index.ts`. The request is then authorised, validated by the schemas and answered by the handler. The OpenAPI
 * document, docs/api.md and test/server/tenant-walk.test.ts find the operation there.
 *
 * - schema: `query` takes texts (`schemas/query.ts` has flags, instants and counts), and `body` takes JSON. Both
 *   schemas are strict objects, which refuse unknown fields. test/support/fuzz/ checks answers against their schemas.
 * - scope: the right that a token needs. `read` changes nothing; `write` changes schedules and calendars; `operate`
 *   fires, pauses, freezes and settles; `admin` reads the audit log.
 * - handler: it uses `call.client`, which can only read and write the caller's tenant. `problems/of-error.ts`
 *   translates typed errors of the client to problems.
 * - tenant check: a handler that reads the store directly must pass `call.caller.tenant`. The handler must answer for
 *   an object of another tenant just as for a missing object.
 * - test: test/server/<resource>.test.ts, with `app.inject` on a real Postgres.
 */

/** A request that was authorised and validated. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
  client: EscapementClient;
  caller: Caller;
  server: ServerContext;
  /** The request's headers, by lower-case name. */
  headers: Record<string, string | string[] | undefined>;
  /** Path and query of the request, without the base path. */
  url: string;
}

export interface Answer {
  /** The status of the answer. @default the lowest status of the operation's answers */
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One possible answer of an operation, apart from problems. */
export interface AnswerSchema {
  description: string;
  /** The schema of the body; undefined for an answer without a body. */
  schema?: z.ZodType;
  /** The headers of the answer, by name, with their meaning. */
  headers?: Record<string, string>;
}

export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path in the form of OpenAPI, such as `/v1/schedules/{scheduleId}`. */
  path: string;
  /** The unique ID of the operation. Generated clients use the ID as the name of a function. */
  operationId: string;
  /** The resource under which the operation is listed. */
  tag: string;
  summary: string;
  description?: string;
  scope: Scope;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Whether the handler validates the body, instead of its schema. @default false */
  checksBody?: boolean;
  /** Whether a missing body means `{}`. @default false */
  bodyIsOptional?: boolean;
  /** The headers that the operation reads, with their purpose. */
  headers?: Record<string, { description: string; required?: boolean }>;
  /** The possible answers by status. The lowest status is the default. */
  answers: Record<number, AnswerSchema>;
  /** Whether the operation is part of the OpenAPI document. @default true */
  documented?: boolean;
  handle(call: Call<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<Answer> | Answer;
}

export type AnyOperation = Omit<Operation, 'handle'> & {
  handle(call: Call<never, never, never>): Promise<Answer> | Answer;
};

export function operation<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  declared: Operation<Params, Query, Body>,
): AnyOperation {
  return declared;
}
