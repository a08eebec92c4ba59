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
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;
const REJECTED: ReadonlySet<number> = new Set([grpcStatus.INVALID_ARGUMENT, grpcStatus.OUT_OF_RANGE]);
/** gRPC statuses that count as no answer: usually it is unknown whether a server handled the call. */
const UNANSWERED: ReadonlySet<number> = new Set([
  grpcStatus.CANCELLED,
  grpcStatus.DEADLINE_EXCEEDED,
  grpcStatus.UNAVAILABLE,
]);
/** The names of the statuses that count as no answer, as triggers report them. */
export const UNANSWERED_STATUSES = [...UNANSWERED].map(nameOfStatus);
/** gRPC statuses of calls that were refused before they had any effect. */
const TURNED_AWAY: ReadonlySet<number> = new Set([
  grpcStatus.NOT_FOUND,
  grpcStatus.PERMISSION_DENIED,
  grpcStatus.FAILED_PRECONDITION,
  grpcStatus.UNIMPLEMENTED,
  grpcStatus.UNAUTHENTICATED,
]);

/** A call that was not made, since the trigger's options name no server for the namespace. */
export class NoConnectionError extends TemporalCallError {
  constructor(namespace: string) {
    super(
      `this trigger has no connection for namespace '${namespace}'; name it in 'namespaces', or give a 'connection' for all others`,
      'away',
      { unsent: true, ofNamespace: true },
    );
  }
}

/**
 * The server's message about a missing namespace. The pattern matches from the beginning, since a workflow ID may
 * contain any text.
 */
const NAMESPACE_NOT_FOUND = /^Namespace \S+ is not found/;

const TOO_LARGE = /larger than max/;

export function kindOf(error: unknown): TemporalCallError['kind'] {
  const code = isGrpcServiceError(error) ? error.code : undefined;
  if (code === grpcStatus.ALREADY_EXISTS) return 'taken';
  // A message that is too large does not become smaller by a retry.
  if (code === grpcStatus.RESOURCE_EXHAUSTED) return TOO_LARGE.test(reasonOf(error)) ? 'rejected' : 'busy';
  if (code === undefined || UNANSWERED.has(code)) return 'away';
  return REJECTED.has(code) ? 'rejected' : 'refused';
}

/** The name of the gRPC status of an error; `NO_CONNECTION` if the trigger has no server to call. */
export function statusNameOf(error: unknown): string {
  return error instanceof NoConnectionError ? 'NO_CONNECTION' : nameOfStatus(grpcCodeOf(error));
}

function nameOfStatus(code: number | undefined): string {
  return Object.entries(grpcStatus).find(([, status]) => status === code)?.[0] ?? 'UNKNOWN';
}

export function isRefused(error: unknown): boolean {
  return error instanceof TemporalCallError && (error.kind === 'rejected' || error.kind === 'refused');
}

/** Whether an error concerns the whole namespace: the namespace is away or missing, or does not know the caller. */
export function isOfNamespace(error: TemporalCallError): boolean {
  return error.ofNamespace || isMissingNamespace(error) || grpcCodeOf(error) === grpcStatus.UNAUTHENTICATED;
}

export function isMissingNamespace(error: TemporalCallError): boolean {
  return grpcCodeOf(error) === grpcStatus.NOT_FOUND && NAMESPACE_NOT_FOUND.test(error.message);
}

/** The message of grpc-js for a call without a connection: such a call was never sent. */
const NO_CONNECTION = /^No connection established/;

/** Whether a failed call certainly had no effect: it did not leave this process, or the server refused it at once. */
export function isUnsent(error: unknown): boolean {
  const code = grpcCodeOf(error);
  if (code === grpcStatus.UNAVAILABLE) return NO_CONNECTION.test(reasonOf(error));
  return code !== undefined && TURNED_AWAY.has(code);
}

export function grpcCodeOf(error: unknown): number | undefined {
  const cause = error instanceof TemporalCallError ? error.cause : error;
  return isGrpcServiceError(cause) ? cause.code : undefined;
}

/** How grpc-js reports that a call got no answer in time, with durations that differ from call to call. */
const DEADLINE_EXCEEDED = /^(Deadline exceeded) after [\d.]+s[\s\S]*/;

export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return isGrpcServiceError(cause)
    ? cause.details.replace(DEADLINE_EXCEEDED, '$1')
    : cause instanceof Error
      ? cause.message
      : String(cause);
}

/**
 * The last connection error of grpc-js, which is quoted in the error of a call without a connection. Returns undefined
 * for other texts.
 */
export function lastErrorIn(reason: string): string | undefined {
  const [, met] =
    /^No connection established\. Last error: (?:Error: )?([\s\S]+?)\.?\s*Resolution note:/.exec(reason) ?? [];
  // The source location in OpenSSL's message is of no use to people.
  return met
    ?.replace(/^[0-9A-F]+:error:[0-9A-F]+:/, '')
    .replace(/:\.\.\/deps\/openssl\S*:\d+:/, ': ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/ \([-0-9T:.]+Z\)$/, '');
}

/**
 * Whether an error says that a workflow does not exist, or that a workflow to change has ended. A missing namespace has
 * the same status, but does not count.
 */
export function isMissing(error: unknown): boolean {
  return grpcCodeOf(error) === grpcStatus.NOT_FOUND && !NAMESPACE_NOT_FOUND.test(reasonOf(error));
}
