import { expect, it } from 'vitest';
import { writeLetter } from '../../support/failures/letters';
import { useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');

/** A letter whose redrive was carried out two minutes ago, and what a sweep makes of it. */
async function swept(
  firing: { state: string; outcome?: string; epoch?: number },
  { kind = 'workflow', redrive = {}, set = 'check_at = null' }: { kind?: string; redrive?: object; set?: string } = {},
) {
  const letterId = await writeLetter(ledger(), { kind, state: 'redriving', firing });
  await ledger().query(`update escapement.dead_letters set redrive = $1, updated_at = '2026-03-01T00:28:00Z'`, [
    { mode: 'restart', carriedOutAt: '2026-03-01T00:28:00Z', ...redrive },
  ]);
  await ledger().query(`update escapement.firings set ${set}`);
  await (await ledger().trigger()).passes.sweep();
  const [letter] = await ledger().query('select kind, state from escapement.dead_letters where letter_id = $1', [
    letterId,
  ]);
  return `${letter!.kind} ${letter!.state}`;
}

it('a redriven letter opens again if a trigger of an older version has recorded that its firing failed again', async () => {
  expect(await swept({ state: 'closed', outcome: 'failed', epoch: 1 })).toBe('workflow open');
});

it.each([
  ['of a start that was abandoned again', { state: 'abandoned', epoch: 1 }, { kind: 'start' }, 'start open'],
  ['of a parked step', { state: 'closed', outcome: 'canceled' }, { kind: 'parked' }, 'workflow open'],
  ['that was given up', { state: 'closed', outcome: 'failed' }, { redrive: { mode: 'discard' } }, 'workflow discarded'],
])('so does a letter %s', async (_, firing, how, becomes) => {
  expect(await swept(firing, how)).toBe(becomes);
});

it.each([
  ['its chain runs', { state: 'linked' }, {}],
  ['its chain is still polled', { state: 'closed', outcome: 'failed' }, { set: `check_at = '2026-03-02Z'` }],
  ['its chain has completed', { state: 'closed', outcome: 'completed' }, {}],
  [
    'its redrive is still to come',
    { state: 'closed', outcome: 'failed' },
    { redrive: { lookAt: '2026-03-02T00:00:00Z' } },
  ],
])('a redriven letter stays as it is while %s', async (_, firing, how) => {
  expect(await swept(firing, how)).toBe('workflow redriving');
});
