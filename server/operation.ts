import type { z } from 'zod';
import type { EscapementClient } from '../client/client';
import type { Caller, Scope } from './caller';
import type { ServerContext } from './context';

/*
 * How a route is added: an `operation` in a file of its resource below `routes/`, and the name of its list in
 * `routes/index.ts`. That is all: the request is authorised, checked by the schemas, and answered by the handler; the
 * OpenAPI document, docs/api.md and the walk of all routes as another tenant (test/server/tenant-walk.test.ts) find it there.
 *
 * - schema: `query` takes texts (`schemas/query.ts` has flags, instants and counts), `body` JSON; both are strict objects, so that
 *   what is unknown is refused by name. Answers have a schema too: what is answered must be valid by it.
 * - scope: what a token must allow. `read` changes nothing; `write` changes schedules; `operate` fires, pauses and settles;
 *   `admin` is for the ledger as a whole.
 * - handler: works through `call.client`, which sees and writes the things of the caller's tenant alone. Typed errors of the
 *   client become problems by `problems/of-error.ts`.
 * - tenant check: what reads the store itself takes `call.caller.tenant`, and must answer for another tenant's thing as for
 *   one that is not there.
 * - test: test/server/<resource>.test.ts by `app.inject` on a real Postgres.
 */

/** One request, checked. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
  /** Sees and writes the things of the caller's tenant alone, in the caller's name. */
  client: EscapementClient;
  caller: Caller;
  server: ServerContext;
  /** By lower-case name. */
  headers: Record<string, string | string[] | undefined>;
  /** Path and query as they were asked for, without the base path. */
  url: string;
}

/** What is answered. */
export interface Answer {
  /** @default the first status of the operation's answers */
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** What an operation may answer, besides problems. */
export interface AnswerSchema {
  description: string;
  /** None for an answer without a body. */
  schema?: z.ZodType;
  /** Names of headers, and what they say. */
  headers?: Record<string, string>;
}

/** One method of one path. */
export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** As OpenAPI has it, such as `/v1/schedules/{scheduleId}`. */
  path: string;
  /** Unique; generated clients name their functions by it. */
  operationId: string;
  /** The resource that it is listed under. */
  tag: string;
  summary: string;
  description?: string;
  scope: Scope;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The handler checks the body, by more than its schema. @default false */
  checksBody?: boolean;
  /** A request without a body is one with `{}`. @default false */
  bodyIsOptional?: boolean;
  /** Headers that it reads, and what they are for. */
  headers?: Record<string, { description: string; required?: boolean }>;
  /** By status, the usual one first. */
  answers: Record<number, AnswerSchema>;
  /** Whether it is in the OpenAPI document. @default true */
  documented?: boolean;
  handle(call: Call<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<Answer> | Answer;
}

/** An operation of any kind: `handle` takes what its own schemas make. */
export type AnyOperation = Omit<Operation, 'handle'> & {
  handle(call: Call<never, never, never>): Promise<Answer> | Answer;
};

/** Declare an operation, with the types of its schemas. */
export function operation<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  declared: Operation<Params, Query, Body>,
): AnyOperation {
  return declared;
}
