import { setTimeout } from 'node:timers/promises';

const AT_LEAST_MILLISECONDS = 50;

/**
 * Asks the server repeatedly until `isIt` accepts the answer, or `isOver` says that waiting is useless. The pause
 * between two calls is as long as the previous call took, at least 50 milliseconds, so that a slow server is asked less
 * often.
 */
export async function askUntil<Answer>(
  ask: () => Promise<Answer>,
  isIt: (answer: Answer) => boolean,
  isOver: (answer: Answer) => boolean,
): Promise<{ answer: Answer; isIt: boolean }> {
  for (;;) {
    const askedAt = Date.now();
    const answer = await ask();
    if (isIt(answer)) return { answer, isIt: true };
    if (isOver(answer)) return { answer, isIt: false };
    await setTimeout(Math.max(AT_LEAST_MILLISECONDS, Date.now() - askedAt));
  }
}
