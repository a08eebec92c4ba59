import { isDeepStrictEqual } from 'node:util';
import { RedriveModeError } from '../../core/letters/redrive';
import type { DeadLetter } from '../../store/letters/read-letters';
import { askForRedrive } from '../../store/letters/redrive';
import type { ClientContext } from '../context';
import type { WorkflowContext } from '../payloads';
import { changeLetter, conflictOf, getLetter, requestOf } from './change';
import { DeadLetterStateError } from './errors';

/** How to give a parked step its result. */
export interface CompleteOptions {
  /** Why the result is given, or where it comes from. @default none */
  note?: string;
}

export async function complete(
  context: ClientContext,
  letterId: string,
  given: unknown,
  { note }: CompleteOptions,
): Promise<DeadLetter> {
  const letter = await getLetter(context, letterId);
  checkParked(letter);
  // The result is encoded before the lock is taken, since a codec may call a remote service.
  const workflow = { type: 'workflow' as const, namespace: letter.namespace, workflowId: letter.workflowId! };
  const result = await context.codec.encodeResult(workflow, given);
  const same = (await isGiven(context, letter, workflow, result)) ? letter.redrive!.requestId : undefined;
  await changeLetter(context, letter, async (transaction, current, { now }) => {
    checkParked(current);
    if (current.state === 'redriving') {
      if (same !== undefined && current.redrive?.requestId === same) return;
      throw conflictOf(current, 'complete');
    }
    const request = { ...requestOf('complete', now), result };
    await askForRedrive(transaction, letterId, { request, actor: context.identity, note, now });
  });
  return getLetter(context, letterId);
}

/** @throws {DeadLetterStateError | RedriveModeError} */
function checkParked({ letterId, state, kind }: DeadLetter): void {
  if (state === 'resolved' || state === 'discarded') throw new DeadLetterStateError(letterId, state, 'complete');
  if (kind !== 'parked') throw new RedriveModeError(kind, 'complete');
}

/**
 * Whether the same result was already given to the step. The decoded values are compared, since a codec may encode the
 * same value to different bytes each time.
 */
async function isGiven(
  { codec }: ClientContext,
  { state, redrive }: DeadLetter,
  workflow: WorkflowContext,
  result: string,
): Promise<boolean> {
  if (state !== 'redriving' || redrive?.result === undefined) return false;
  try {
    const both = await Promise.all([result, redrive.result].map((one) => codec.decodeResult(workflow, one)));
    const [given, asked] = codec.comparable(both);
    return isDeepStrictEqual(given, asked);
  } catch {
    // The stored result cannot be decoded here, so it counts as different.
    return false;
  }
}
