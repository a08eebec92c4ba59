import { isGrpcServiceError } from '@temporalio/client';
import { TemporalCallError } from './port';

/** @see https://grpc.io/docs/guides/status-codes/ */
export const grpcStatus = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
} as const;
/** Requests that can never succeed, however often they are sent. Everything else says nothing about the request. */
const REJECTED: ReadonlySet<number> = new Set([grpcStatus.INVALID_ARGUMENT, grpcStatus.OUT_OF_RANGE]);

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
  return code !== undefined && REJECTED.has(code) ? 'rejected' : 'away';
}

/** Whether a call was answered, and will be answered so again: it can never succeed, or is not allowed. */
export function isRefused(error: unknown): boolean {
  const isRejected = error instanceof TemporalCallError && error.kind === 'rejected';
  return isRejected || grpcCodeOf(error) === grpcStatus.PERMISSION_DENIED;
}

/** What grpc-js says of a call that found no connection: it was never put on a wire. */
const NO_CONNECTION = /^No connection established/;

/** Whether a failed call is known not to have left this process. */
export function isUnsent(error: unknown): boolean {
  return grpcCodeOf(error) === grpcStatus.UNAVAILABLE && NO_CONNECTION.test(reasonOf(error));
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

/** A namespace that is not there is NOT_FOUND too, and must not look like a workflow that is not. */
export function isMissing(error: unknown): boolean {
  return grpcCodeOf(error) === grpcStatus.NOT_FOUND && !NAMESPACE_NOT_FOUND.test((error as Error).message);
}
