import { isStorable } from '../../core/storable';
import type { AlertPlace, FiringPlace, LedgerSnapshot } from '../../store/reads/changes';
import { invalid, ProblemError } from '../problems/problem';

/**
 * The position of a reader in the sequence of events. The reader has received everything that is committed in snapshot
 * `from`. Of the events that were committed between `from` and `to`, it has received those up to `after`. Snapshots are
 * exact even for transactions that commit in another order than that in which they began.
 */
export interface Position {
  incarnation: string;
  from: string;
  to?: string | undefined;
  after?: Place | undefined;
}

/** The place of an event in a range. In a range, firings come first, then alerts. */
export type Place = ({ kind: 'firing' } & FiringPlace) | ({ kind: 'alert' } & AlertPlace);

/** The position of a reader that has received everything that is committed now. */
export function positionAt({ incarnation, snapshot }: LedgerSnapshot): Position {
  return { incarnation, from: snapshot };
}

/** Writes the position as the ID of an event. */
export function writePosition({ incarnation, from, to, after }: Position): string {
  const place = after && [
    after.changed,
    ...(after.kind === 'firing' ? [after.scheduleId, after.scheduledTime.toISOString()] : [after.alertId]),
  ];
  return Buffer.from(JSON.stringify([incarnation, from, ...(to && place ? [to, ...place] : [])])).toString('base64url');
}

/** @throws {ProblemError} 400 for a text that is not the ID of an event */
export function readPosition(id: string): Position {
  const parts = partsOf(id);
  const [incarnation, from, to, changed, ...key] = parts;
  const isRange = parts.length === 2 || ([5, 6].includes(parts.length) && isSnapshot(to) && isTransaction(changed));
  if (incarnation === undefined || !isSnapshot(from) || !isRange) throw new ProblemError(NO_ID);
  if (to === undefined) return { incarnation, from: from! };
  return { incarnation, from: from!, to, after: placeOf(changed!, key) };
}

/** A busy ledger has this many transactions within some hours. */
const TRANSACTIONS_AT_MOST = 1_000_000n;
const NO_ID = invalid([{ path: 'Last-Event-ID', message: 'is not the ID of an event; leave it out to begin now' }]);
/** In lower case, as the IDs of events are written: another form is none of ours. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function placeOf(changed: string, [first, second]: string[]): Place {
  if (second === undefined) {
    if (!UUID.test(first!)) throw new ProblemError(NO_ID);
    return { kind: 'alert', changed, alertId: first! };
  }
  const scheduledTime = new Date(second);
  if (!isStorable(first!) || !/^\d{4}-/.test(second) || Number.isNaN(scheduledTime.getTime())) {
    throw new ProblemError(NO_ID);
  }
  return { kind: 'firing', changed, scheduleId: first!, scheduledTime };
}

function partsOf(id: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(id, 'base64url').toString());
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : [];
  } catch {
    return [];
  }
}

/** Whether a text is a number of at most 18 digits. Postgres reads transaction numbers from 2^63 on as negative. */
function isTransaction(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,18}$/.test(text);
}

/** Whether Postgres can parse the text as a snapshot: `xmin:xmax:`, then the open transactions in between, in order. */
function isSnapshot(text: string | undefined): boolean {
  const [least, end, open, ...more] = text?.split(':') ?? [];
  if (!isTransaction(least) || !isTransaction(end) || open === undefined || more.length > 0) return false;
  const numbers = (open === '' ? [] : open.split(',')).map((one) => (isTransaction(one) ? BigInt(one) : -1n));
  const [first, last] = [BigInt(least!), BigInt(end!)];
  const isInOrder = numbers.every((one, place) => one >= first && one < last && one > (numbers[place - 1] ?? -1n));
  return first > 0n && first <= last && isInOrder;
}

/**
 * Whether the position comes from another history of transactions, from before the database was restored or failed
 * over.
 */
export function isOfAnother(position: Position, { incarnation, snapshot }: LedgerSnapshot): boolean {
  return position.incarnation !== incarnation || endOf(position.to ?? position.from) > endOf(snapshot);
}

/** The first transaction that had not begun in a snapshot. */
function endOf(snapshot: string): bigint {
  return BigInt(snapshot.split(':')[1]!);
}

/** Whether one statement could read very many rows from this position: those of all transactions since `from`. */
export function isTooOld({ from }: Position, { snapshot }: LedgerSnapshot): boolean {
  return endOf(snapshot) - endOf(from) > TRANSACTIONS_AT_MOST;
}
