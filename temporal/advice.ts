import { type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import { type TlsProblem, tlsProblemOf } from '../core/tls-problem';
import { grpcStatus, lastErrorIn, reasonOf } from './errors';
import { sourcesOf } from './sources';

const WHAT_TO_DO_ABOUT: Record<TlsProblem, string> = {
  'client certificate':
    'it asks for a client certificate that it knows: set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH',
  authority:
    'its certificate is from an unknown authority: set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the certificate of that',
  name: 'its certificate is of another name: check TEMPORAL_ADDRESS, or set TEMPORAL_TLS_SERVER_NAME to that name',
  expired: 'its certificate has expired: renew it',
  'no TLS there': 'it speaks no TLS there: set TEMPORAL_TLS=false, or TEMPORAL_ADDRESS to where it does',
};
const REFUSED: ReadonlySet<number | undefined> = new Set([grpcStatus.UNAUTHENTICATED, grpcStatus.PERMISSION_DENIED]);
const UNREACHED: ReadonlySet<number | undefined> = new Set([grpcStatus.UNAVAILABLE, grpcStatus.DEADLINE_EXCEEDED]);
const NO_PORT = /ERR_SOCKET_BAD_PORT/;

export interface Advice {
  /** The cause, as a sentence without the full stop. */
  says: string;
  toDo: string;
}

/** Returns advice only if the call's gRPC status says that the server could not be reached, or refused the caller. */
export function adviceOn(error: unknown, options: ConnectionOptions): Advice | undefined {
  const { address } = options;
  const code = codeOf(error);
  const said = reasonOf(error);
  const at = address ? ` at ${address}` : '';
  if (REFUSED.has(code)) {
    return {
      says: `Temporal${at} refuses the call (${said})`,
      toDo: `check ${sourcesOf(options).namespace}, and ${credentialsOf(options)}`,
    };
  }
  if (!UNREACHED.has(code)) return undefined;
  const reason = lastErrorIn(said) ?? said;
  return { says: `Temporal cannot be reached${at} (${reason})`, toDo: whatToDo(reason, options) };
}

/**
 * Whether a call failed because of settings, so that only a person can mend it. A server's certificate that has expired
 * does not count, since it is renewed at the server.
 */
export function isMistake(error: unknown): boolean {
  const code = codeOf(error);
  // Without a status the call has not left this process.
  if (code === undefined || REFUSED.has(code)) return true;
  const said = reasonOf(error);
  const problem = tlsProblemOf(said);
  return (problem !== undefined && problem !== 'expired') || NO_PORT.test(said);
}

function credentialsOf(options: ConnectionOptions): string {
  const { apiKey } = sourcesOf(options);
  if (options.apiKey !== undefined) return apiKey;
  const { tls } = options;
  const hasCertificate = typeof tls === 'object' && tls?.clientCertPair;
  return hasCertificate ? 'the client certificate' : `${apiKey} or the client certificate`;
}

function codeOf(error: unknown): number | undefined {
  const of = (one: unknown) => (isGrpcServiceError(one) ? one.code : undefined);
  return of(error) ?? of((error as { cause?: unknown } | undefined)?.cause);
}

function whatToDo(reason: string, { tls, apiKey }: ConnectionOptions): string {
  const problem = tlsProblemOf(reason);
  if (problem) return WHAT_TO_DO_ABOUT[problem];
  const check = 'check that Temporal is running and that TEMPORAL_ADDRESS is right';
  // A server may close the connection without a message if it expects TLS, or expects a client certificate that it
  // knows.
  if (!tls && !apiKey) return `${check}, and set TEMPORAL_TLS=true if it expects TLS`;
  if (typeof tls === 'object' && tls?.clientCertPair) return `${check}, and that it knows the client certificate`;
  return check;
}
