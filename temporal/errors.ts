import { isGrpcServiceError } from '@temporalio/client';
import { TemporalCallError } from './port';

/** @see https://grpc.io/docs/guides/status-codes/ */
export const grpcStatus = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;
/** Requests that can never succeed, however often they are sent. */
const REJECTED: ReadonlySet<number> = new Set([grpcStatus.INVALID_ARGUMENT, grpcStatus.OUT_OF_RANGE]);
/** Nobody is known to have answered. */
const UNANSWERED: ReadonlySet<number> = new Set([
  grpcStatus.CANCELLED,
  grpcStatus.DEADLINE_EXCEEDED,
  grpcStatus.UNAVAILABLE,
]);
/** Refused before anything was done. */
const TURNED_AWAY: ReadonlySet<number> = new Set([
  grpcStatus.NOT_FOUND,
  grpcStatus.PERMISSION_DENIED,
  grpcStatus.FAILED_PRECONDITION,
  grpcStatus.UNIMPLEMENTED,
  grpcStatus.UNAUTHENTICATED,
]);

/** What the server says of a namespace; anchored, since a workflow ID may hold any text. */
const NAMESPACE_NOT_FOUND = /^Namespace \S+ is not found/;

/** What gRPC says of a message that no limit lets through. */
const TOO_LARGE = /larger than max/;

/** What an error of a call says of the request. */
export function kindOf(error: unknown): TemporalCallError['kind'] {
  const code = isGrpcServiceError(error) ? error.code : undefined;
  if (code === grpcStatus.ALREADY_EXISTS) return 'taken';
  // A message that is too large stays so.
  if (code === grpcStatus.RESOURCE_EXHAUSTED) return TOO_LARGE.test(reasonOf(error)) ? 'rejected' : 'busy';
  if (code === undefined || UNANSWERED.has(code)) return 'away';
  return REJECTED.has(code) ? 'rejected' : 'refused';
}

/** The gRPC status of a failed call by its name; `UNKNOWN` where it has none. */
export function statusNameOf(error: unknown): string {
  const code = grpcCodeOf(error);
  return Object.entries(grpcStatus).find(([, status]) => status === code)?.[0] ?? 'UNKNOWN';
}

/** Whether a call was answered, and will be answered so again: it can never succeed, or is not allowed. */
export function isRefused(error: unknown): boolean {
  return error instanceof TemporalCallError && (error.kind === 'rejected' || error.kind === 'refused');
}

/** Whether an error is of the whole namespace by what it says: it is not there, or whoever asks is unknown to the server. */
export function isOfNamespace(error: TemporalCallError): boolean {
  return error.ofNamespace || isMissingNamespace(error) || grpcCodeOf(error) === grpcStatus.UNAUTHENTICATED;
}

/** Whether the server says that the namespace is not there. */
export function isMissingNamespace(error: TemporalCallError): boolean {
  return grpcCodeOf(error) === grpcStatus.NOT_FOUND && NAMESPACE_NOT_FOUND.test(error.message);
}

/** What grpc-js says of a call that found no connection: it was never put on a wire. */
const NO_CONNECTION = /^No connection established/;

/** Whether a failed call is known to have had no effect: it did not leave this process, or was turned away. */
export function isUnsent(error: unknown): boolean {
  const code = grpcCodeOf(error);
  if (code === grpcStatus.UNAVAILABLE) return NO_CONNECTION.test(reasonOf(error));
  return code !== undefined && TURNED_AWAY.has(code);
}

/** The gRPC status of an error, or of what caused it. */
export function grpcCodeOf(error: unknown): number | undefined {
  const cause = error instanceof TemporalCallError ? error.cause : error;
  return isGrpcServiceError(cause) ? cause.code : undefined;
}

/** What the server, or the network, said. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return isGrpcServiceError(cause) ? cause.details : cause instanceof Error ? cause.message : String(cause);
}

/** The last error that grpc-js met when it tried to connect, as the text of a call without a connection quotes it. Undefined for other texts. */
export function lastErrorIn(reason: string): string | undefined {
  const [, met] =
    /^No connection established\. Last error: (?:Error: )?([\s\S]+?)\.?\s*Resolution note:/.exec(reason) ?? [];
  // Of OpenSSL's line the place in its sources says nothing.
  return met
    ?.replace(/^[0-9A-F]+:error:[0-9A-F]+:/, '')
    .replace(/:\.\.\/deps\/openssl\S*:\d+:/, ': ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/ \([-0-9T:.]+Z\)$/, '');
}

/** A namespace that is not there is NOT_FOUND too, and must not look like a workflow that is not. */
export function isMissing(error: unknown): boolean {
  return grpcCodeOf(error) === grpcStatus.NOT_FOUND && !NAMESPACE_NOT_FOUND.test((error as Error).message);
}
