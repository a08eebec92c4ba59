import type { FastifyRequest } from 'fastify';
import { isOwnName } from '../loopback';
import { ProblemError, problem } from '../problems/problem';

const READING = new Set(['GET', 'HEAD']);

/**
 * Refuses requests by which a web page of another site could use the server through a user's browser. Without tokens,
 * whoever reaches the server has all rights, and a browser on the same machine reaches it.
 *
 * @throws {ProblemError} 403
 */
export function refuseForeignPages({ headers, method }: FastifyRequest): void {
  // A site may let its own name lead to 127.0.0.1. Its pages can then also read the answers.
  if (!isOwnName(hostOf(headers.host))) {
    throw refused(`the request names the host '${headers.host ?? ''}', which is not this machine`);
  }
  // A browser lets no page of another site read the answers, so reads need no check.
  if (!READING.has(method) && isOfAnotherSite(headers)) throw refused('a web page of another site sent the request');
}

function hostOf(host = ''): string {
  const address = `http://${host}`;
  return URL.canParse(address) ? new URL(address).hostname.replace(/^\[(.*)\]$/, '$1') : '';
}

function isOfAnotherSite({ host, origin, 'sec-fetch-site': site }: FastifyRequest['headers']): boolean {
  // Older browsers send only an origin.
  if (site === undefined) return origin !== undefined && origin !== `http://${host}`;
  return site !== 'same-origin' && site !== 'none';
}

function refused(why: string): ProblemError {
  const detail = `${why}. A server without tokens answers only this machine: make a token ('escapement token create')`;
  return new ProblemError(problem(403, 'foreign-page', 'The request comes from elsewhere', detail));
}
