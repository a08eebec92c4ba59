import { get } from 'node:http';

/** The status of the answer to a request that names a host, as a proxy may pass it on. */
export function statusUnder(host: string, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}
