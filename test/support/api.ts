import type { LightMyRequestResponse } from 'fastify';
import { afterEach, beforeEach } from 'vitest';
import type { ServeOptions } from '../../server';
import { open } from '../../server/serve';
import { type TestLedger, useLedger } from './ledger';

/** The server of one test, without a socket. */
export interface TestApi {
  ledger: TestLedger;
  /** Another server on the same ledger. */
  open(options?: Partial<ServeOptions>): ReturnType<typeof open>;
  ask(request: AskedRequest): Promise<Answered>;
}

/** A request, with JSON as its body. */
export interface AskedRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** The server to ask. @default the test's own server */
  of?: ReturnType<typeof open>;
}

/** What was answered. */
export interface Answered {
  status: number;
  headers: LightMyRequestResponse['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  body: any;
  text: string;
}

/** A ledger and a server on it for each test of the file. */
export function useApi(options: Partial<ServeOptions> = {}, start = '2026-03-01T00:30:00Z'): () => TestApi {
  const ledger = useLedger(start);
  let api: TestApi;
  beforeEach(() => {
    const opened: ReturnType<typeof open>[] = [];
    ledger().beforeClose(async () => {
      for (const one of opened) await one.close();
    });
    const openOne = (more: Partial<ServeOptions> = {}) => {
      const now = () => new Date(ledger().clock.now());
      const one = open({ connectionString: ledger().databaseUrl, identity: 'api', now, ...options, ...more });
      opened.push(one);
      return one;
    };
    const own = openOne();
    api = { ledger: ledger(), open: openOne, ask: (request) => ask(request.of ?? own, request) };
  });
  afterEach(() => undefined);
  return () => api;
}

async function ask(server: ReturnType<typeof open>, request: AskedRequest): Promise<Answered> {
  const { method = 'GET', url, headers = {}, body } = request;
  const json = body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await server.app.inject({ method, url, headers: { ...type, ...headers }, ...json });
  const isJson = /json/.test(String(answer.headers['content-type']));
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: isJson ? answer.json() : undefined,
    text: answer.body,
  };
}
