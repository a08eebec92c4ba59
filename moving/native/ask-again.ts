import { setTimeout } from 'node:timers/promises';

const AT_LEAST_MILLISECONDS = 50;

/**
 * Ask the server again and again until an answer is what is waited for; or until `isOver` says so of one that is not.
 * Between two calls it waits as long as the one before took: a server that has too much to do is not asked the more for it.
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
