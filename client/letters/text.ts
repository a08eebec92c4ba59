import type { LetterGroup, StoredLetterGroup } from '../../store/letters/groups';
import type { DeadLetter } from '../../store/letters/read-letters';
import type { ScheduleCodec } from '../payloads';

/** The letter with its failure text decoded, if it is encoded and this client can read it. */
export async function withText(codec: ScheduleCodec, letter: DeadLetter): Promise<DeadLetter> {
  const { failedStep } = letter;
  const encoded = failedStep?.failure.encoded;
  const message = encoded && (await codec.decodeFailureText(encoded));
  if (message === undefined || !failedStep) return letter;
  return { ...letter, failedStep: { ...failedStep, failure: { type: failedStep.failure.type, message } } };
}

export async function groupWithText(
  codec: ScheduleCodec,
  { encoded, ...group }: StoredLetterGroup,
): Promise<LetterGroup> {
  const message = encoded === null ? undefined : await codec.decodeFailureText(encoded);
  return message === undefined ? group : { ...group, message };
}
