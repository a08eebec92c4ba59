import { isIP } from 'node:net';

/** Names that Docker gives to the machine on which its containers run. */
const OF_DOCKER = ['host.docker.internal', 'gateway.docker.internal'];

/** The host of an address in one form: in lower case, without port, brackets and final dot; empty if there is none. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') : '';
}

/** Like {@link hostOf}, with the port, unless it is the usual one of the address's protocol. */
export function hostAndPortOf(address: string): string {
  const host = hostOf(address);
  const port = host && new URL(address).port;
  return port ? `${host}:${port}` : host;
}

/** Whether a request that names this host was meant for this machine. No other site can make these names its own. */
export function isOwnName(host: string): boolean {
  return isLoopback(host) || host.endsWith('.localhost') || OF_DOCKER.includes(host);
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
