import { spawn } from 'node:child_process';
import { constants, getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { whileServing } from '../../cli/serving';
import { useLedger } from '../../support/ledger';
import { TestProcess } from '../../support/processes/child';

const ledger = useLedger();

it('lets firings of the same machine go first: its own priority stays where it is lower already, since to raise it needs a right', async () => {
  await whileServing(ledger(), { nice: 19 }, async ({ pid }) => expect(getPriority(pid)).toBe(19));
});

// Only Linux weighs sessions, not every kernel, and never the session of its first process.
it.each([
  ['its session goes last if it leads one, as a service does', true, constants.priority.PRIORITY_BELOW_NORMAL],
  ['other processes of its session keep their weight', false, undefined],
])('lets firings of the same machine go first: %s', async (_, detached, lowered) => {
  await whileServing(ledger(), { detached }, async ({ pid }) => {
    const unchanged = await sessionWeight('self', detached);
    expect(await sessionWeight(pid!, false)).toBe(unchanged === undefined ? undefined : (lowered ?? unchanged));
  });
});

/** The weight of a process's session, as a nice value. `self` is who reads it, in a session of its own if detached. */
async function sessionWeight(pid: number | 'self', detached: boolean): Promise<number | undefined> {
  const reader = new TestProcess(spawn('cat', [`/proc/${pid}/autogroup`], { stdio: 'pipe', detached }));
  await reader.ended();
  const nice = /nice (-?\d+)/.exec(reader.output.join())?.[1];
  return nice === undefined ? undefined : Number(nice);
}
