import { expect, it } from 'vitest';
import { compileSpec } from '../../../core/occurrences';
import { openStore } from '../../../store/connection';
import { readDueFreezes } from '../../../trigger/claim/freezes';
import { useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const NOW = Date.parse('2026-03-01T01:00:00Z');

/** Looks for the freezes of 100 schedules, and counts how often a spec is evaluated, and in one turn of the event loop. */
async function look() {
  const store = openStore({ connectionString: ledger().databaseUrl });
  ledger().beforeClose(() => store.close());
  const compiled = compileSpec({ cron: '0 * * * *' });
  const seen = { evaluated: 0, inOneTurn: 0 };
  let inThisTurn = 0;
  const counted = {
    next(after: number) {
      if (inThisTurn === 0) {
        setImmediate(() => {
          inThisTurn = 0;
        });
      }
      inThisTurn += 1;
      seen.evaluated += 1;
      seen.inOneTurn = Math.max(seen.inOneTurn, inThisTurn);
      return compiled.next(after);
    },
  };
  const timers = Array.from({ length: 100 }, (_, n) => ({
    ...{ scheduleId: `s${n}`, tenant: '', answeredTo: new Date('2026-03-01T00:00:00Z') },
    ...{ deleted: false, paused: false, pausedUntil: null, remainingActions: null },
  }));
  const context = { store, logger: undefined, unreadableFreezes: new Set() };
  await readDueFreezes(context as never, timers as never, () => ({ compiled: counted }) as never, NOW);
  return seen;
}

it('a claim evaluates no spec to look for freezes where there are none', async () => {
  expect(await look()).toEqual({ evaluated: 0, inOneTurn: 0 });
});

it('where there are freezes, other work gets its turns meanwhile', async () => {
  await ledger().client.freezes.create({ all: true, to: new Date('2026-03-01T05:00:00Z') });
  const { evaluated, inOneTurn } = await look();
  expect(evaluated).toBe(100);
  expect(inOneTurn).toBeLessThanOrEqual(20);
});
