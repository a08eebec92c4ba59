import { InvalidOptionError, InvalidScheduleError } from '../errors';

const MiB = 1024 * 1024;

/** Default limits of a Temporal server for a start, in bytes of encoded payloads. */
const LIMITS = {
  args: 2 * MiB,
  /** Of Temporal's limit for a memo, 8 KiB are kept for Escapement's own memo. */
  memo: 2 * MiB - 8 * 1024,
  staticSummary: 400,
  staticDetails: 20_000,
};

/** A gRPC message is at most 4 MiB; 128 KiB of it are kept for the other fields of a start request. */
const MOST_TOGETHER = 4 * MiB - 128 * 1024;

/** The sizes of an action's encoded fields, in bytes. */
export type EncodedSizes = Record<keyof typeof LIMITS, number>;

/**
 * @throws {InvalidScheduleError} for payloads that a Temporal server with default limits would refuse, with the path of
 *   one of them
 */
export function checkEncodedSizes(sizes: EncodedSizes): void {
  for (const [field, most] of Object.entries(LIMITS))
    checkSize(`action.${field}`, sizes[field as keyof EncodedSizes], most);
  const together = sizes.args + sizes.memo + sizes.staticDetails;
  if (together > MOST_TOGETHER) {
    const problem = `has ${together} bytes when encoded, with args and details; Temporal takes at most ${MOST_TOGETHER}`;
    throw new InvalidScheduleError('action.memo', problem);
  }
}

/** The limit of a schedule's own memo is that of a workflow's memo. @throws {InvalidScheduleError} */
export function checkMemoSize(size: number): void {
  checkSize('memo', size, LIMITS.memo);
}

/** Checks the result of a parked step, which has the limit of a signal's arguments. @throws {InvalidOptionError} */
export function checkResultSize(size: number): void {
  // The decision, which is the signal's first argument, is small.
  const most = LIMITS.args - 8 * 1024;
  if (size > most) throw new InvalidOptionError('result', tooLarge(size, most));
}

function checkSize(path: string, size: number, most: number): void {
  if (size > most) throw new InvalidScheduleError(path, tooLarge(size, most));
}

function tooLarge(size: number, most: number): string {
  return `has ${size} bytes when encoded; Temporal takes at most ${most}`;
}
