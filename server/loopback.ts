import { isIP } from 'node:net';

/** Names that Docker gives to the machine on which its containers run. */
const OF_DOCKER = ['host.docker.internal', 'gateway.docker.internal'];

/** Whether a request that names this host was meant for this machine. No other site can make these names its own. */
export function isOwnName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return isLoopback(name) || name.endsWith('.localhost') || OF_DOCKER.includes(name);
}

/** Whether only programs of the same machine reach this host. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
