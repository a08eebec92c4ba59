import { once } from 'node:events';
import { connect, createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { inject, onTestFinished } from 'vitest';
import { passCall } from '../../../bench/lib/pass-call';
import { grpcStatus } from '../../../temporal/errors';
import type { Authority } from './certificates';

/** A TLS gateway in front of Temporal, like that of Temporal Cloud. */
export interface Gateway {
  address: string;
  /** The `authorization` header of each call, in order of arrival. */
  readonly authorizations: (string | undefined)[];
  /** Accept only this key from now on. */
  expectKey(apiKey: string): void;
}

interface GatewayOptions {
  clientCertificates?: boolean;
  apiKey?: string;
  /** How a call with another key is refused. */
  refusal?: 'UNAUTHENTICATED' | 'PERMISSION_DENIED';
}

/** A gateway with a certificate of the authority in front of the real server, for the length of the test. */
export async function temporalGateway(
  authority: Authority,
  { clientCertificates = false, apiKey, refusal = 'UNAUTHENTICATED' }: GatewayOptions = {},
): Promise<Gateway> {
  let expected = apiKey;
  const authorizations: (string | undefined)[] = [];
  const upstream = connect(`http://${inject('temporalAddress')}`);
  upstream.on('error', () => {});
  const server = createSecureServer({
    ...authority.server('localhost', '127.0.0.1'),
    ca: authority.ca,
    requestCert: clientCertificates,
    rejectUnauthorized: clientCertificates,
  });
  const sessions = new Set<{ destroy(): void }>([upstream]);
  server.on('session', (session) => sessions.add(session));
  server.on('sessionError', () => {});
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    authorizations.push(headers.authorization);
    if (expected === undefined || headers.authorization === `Bearer ${expected}`)
      return passCall(stream, { ...headers, ':authority': inject('temporalAddress'), ':scheme': 'http' }, upstream);
    const answer = { 'grpc-status': String(grpcStatus[refusal]), 'grpc-message': 'Request unauthorized.' };
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...answer }, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return {
    address: `localhost:${(server.address() as AddressInfo).port}`,
    authorizations,
    expectKey: (key) => {
      expected = key;
    },
  };
}
