import { isIP } from 'node:net';

/** Whether only programs of the same machine reach this host. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}
