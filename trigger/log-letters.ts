import type { OpenedLetter } from '../store/letters/open-and-resolve';
import { firingFields, type TriggerContext } from './context';

export function logLetters({ logger, metrics }: TriggerContext, letters: OpenedLetter[]): void {
  for (const letter of letters) {
    const { letterId, kind, reason } = letter;
    metrics.of.letters.inc({ kind });
    logger.warn('dead letter', { ...firingFields(letter), letterId, kind, reason });
  }
}
