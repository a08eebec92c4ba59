/** Why a request failed: the server's problem by RFC 9457, or {@link NO_ANSWER}. */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** The fields of the request that are not valid. */
    readonly errors: { path: string; message: string }[] = [],
  ) {
    super(message);
  }
}

/** The status of a problem if the server itself has not answered. */
export const NO_ANSWER = 0;

const TOKEN = 'escapement-token';
const TENANT = 'escapement-tenant';
const onUnauthorized = new Set<() => void>();

/**
 * Registers a function that is called when the server requires a token, or rejects the current one. Returns a function
 * that removes the listener.
 */
export function whenUnauthorized(call: () => void): () => void {
  onUnauthorized.add(call);
  return () => onUnauthorized.delete(call);
}

/** Keeps the token in the session storage, so that it is forgotten with the tab. */
export function setToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

export function hasToken(): boolean {
  return sessionStorage.getItem(TOKEN) !== null;
}

/** The only tenant that the token can see; empty for all tenants, or if there was no token yet. */
export function tokenTenant(): string {
  return sessionStorage.getItem(TENANT) ?? '';
}

export function setTokenTenant(tenant: string): void {
  sessionStorage.setItem(TENANT, tenant);
}

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * @param path the path relative to the server's base path, such as `v1/schedules`
 * @throws {ApiProblem} for an error answer, and if the server cannot be reached; the reason of `signal` if it is aborted
 */
export async function request(path: string, call: Call = {}): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal } = call;
  const token = sessionStorage.getItem(TOKEN);
  const response = await fetch(path, {
    method,
    ...(signal ? { signal } : {}),
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: Error) => {
    if (signal?.aborted) throw error;
    throw new ApiProblem(NO_ANSWER, 'The server does not answer.');
  });
  if (response.ok) return response;
  // A late answer to a former token says nothing about the current one.
  if (response.status === 401 && token === sessionStorage.getItem(TOKEN)) for (const call of onUnauthorized) call();
  throw await problemOf(response);
}

/** Sends a request, and returns the JSON of the answer; undefined if the answer has no body. */
export async function json<Answer>(path: string, call: Call = {}): Promise<Answer> {
  return bodyOf(await request(path, call));
}

export async function bodyOf<Answer>(response: Response): Promise<Answer> {
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const isOwn = response.headers.get('content-type')?.startsWith('application/problem+json');
  if (!isOwn && response.status >= 500) return new ApiProblem(NO_ANSWER, `A proxy answered ${response.status}.`);
  const problem = await response.json().catch(() => ({}));
  const errors: { path: string; message: string }[] = Array.isArray(problem.errors) ? problem.errors : [];
  const said = [problem.title, problem.detail].filter((text, at, all) => text && all.indexOf(text) === at);
  const fields = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const message = errors.length > 0 ? fields.join('; ') : said.join(': ') || `The server answered ${response.status}.`;
  return new ApiProblem(response.status, message, errors);
}
