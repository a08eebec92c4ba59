import type { FastifyRequest } from 'fastify';
import { hostAndPortOf, hostOf, isOwnName } from '../loopback';
import { ProblemError, problem } from '../problems/problem';
import type { Access } from './access';

const READING = new Set(['GET', 'HEAD']);

/**
 * Refuses requests by which a web page of another site could use the server through a user's browser. Without tokens,
 * whoever reaches the server has all rights, and a browser on the same machine reaches it.
 *
 * @throws {ProblemError} 403
 */
export function refuseForeignPages({ headers, method }: FastifyRequest, { allowedHosts }: Access): void {
  const host = hostOf(`http://${headers.host ?? ''}`);
  // A site may let its own name lead to 127.0.0.1. Its pages can then also read the answers.
  if (!isOwnName(host) && !allowedHosts.some((allowed) => hostOf(`http://${allowed}`) === host)) {
    throw refused(`the request names the host '${headers.host ?? ''}', which is not this machine`);
  }
  // A browser lets no page of another site read the answers, so reads need no check.
  if (READING.has(method) || !isOfAnotherSite(headers)) return;
  const { origin = 'another site' } = headers;
  // A proxy may have replaced the host that the page's browser asked. Another port is another server.
  if (headers['sec-fetch-site'] === undefined && allowedHosts.includes(hostAndPortOf(origin))) return;
  throw refused(`a web page of ${origin} sent the request`);
}

function isOfAnotherSite({ host, origin, 'sec-fetch-site': site }: FastifyRequest['headers']): boolean {
  // Older browsers send only an origin. So does each browser if it reaches the server by plain HTTP under a name that
  // is not loopback.
  if (site === undefined) return origin !== undefined && origin !== `http://${host}`;
  return site !== 'same-origin' && site !== 'none';
}

function refused(why: string): ProblemError {
  const detail = `${why}. A server without tokens answers only this machine: make a token ('escapement token create'), or name the host of a proxy, and its port unless 80 or 443, by '--allow-host'`;
  return new ProblemError(problem(403, 'foreign-page', 'The request comes from elsewhere', detail));
}
