import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import type { MortalProcess } from './process';

interface Waiting {
  participant: number;
  backend: number | undefined;
  enter: () => void;
  over: Promise<void>;
}

/**
 * Run the tasks of two processes in one interleaving. At each statement or call, `order` says which process continues.
 * If one waits for a lock of the other, the other continues.
 *
 * @param watcher a separate connection, which asks Postgres which session waits for which
 */
export async function interleave(
  tasks: { process: MortalProcess; run: () => Promise<void> }[],
  order: boolean[],
  watcher: Client,
): Promise<void> {
  const waiting: Waiting[] = [];
  let happened: () => void = () => {};
  const ends = tasks.map(async ({ process, run }, participant) => {
    process.gate = (backend) =>
      new Promise((resolve) => {
        let leave: () => void = () => {};
        const over = new Promise<void>((end) => {
          leave = end;
        });
        waiting.push({ participant, backend, over, enter: () => resolve(leave) });
        happened();
      });
    try {
      await run();
    } finally {
      process.gate = undefined;
      happened();
    }
  });
  let running = tasks.length;
  for (const end of ends) {
    const done = () => {
      running -= 1;
      happened();
    };
    end.then(done, done);
  }

  for (let turn = 0; running > 0; turn++) {
    // A process between two operations first reaches its next one.
    for (let tick = 0; tick < 3; tick++) await setImmediate();
    if (running === 0) break;
    if (waiting.length === 0) {
      await new Promise<void>((resolve) => {
        happened = resolve;
        if (waiting.length > 0 || running === 0) resolve();
      });
      continue;
    }
    const turnOf = order[turn % order.length] ? 1 : 0;
    const index = Math.max(
      0,
      waiting.findIndex(({ participant }) => participant === turnOf),
    );
    const [next] = waiting.splice(index, 1);
    next!.enter();
    await overOrBlocked(next!, watcher);
  }
  await Promise.all(ends);
}

/** Interval between checks whether an operation waits for a lock; most operations end before the first check. */
const ASK_AGAIN_MILLISECONDS = 3;

/** Wait until an operation is over, or waits for a lock that another session holds. */
async function overOrBlocked({ over, backend }: Waiting, watcher: Client): Promise<void> {
  let isOver = false;
  const ended = over.then(() => {
    isOver = true;
  });
  if (backend === undefined) return ended;
  for (;;) {
    await Promise.race([ended, setTimeout(ASK_AGAIN_MILLISECONDS)]);
    if (isOver) return;
    const blocked = watcher
      .query<{ blocked: boolean }>({
        name: 'blocked',
        text: 'select cardinality(pg_blocking_pids($1)) > 0 as blocked',
        values: [backend],
      })
      .then(({ rows }) => rows[0]!.blocked);
    if (await blocked) return;
  }
}
