import { expect, it } from 'vitest';
import type { ClientContext } from '../../../client/context';
import { compileSpec } from '../../../core/occurrences';
import { untilAnswered } from '../../../moving/roll-back/until-answered';

it('waits for no trigger if the schedule has no time before the instant', async () => {
  const at = new Date(Date.now() - 60_000);
  const later = compileSpec(
    { intervals: [{ every: '1m' }], startAt: new Date(at.getTime() + 3_600_000) },
    { scheduleId: 's' },
  );
  expect(later.previous(at.getTime())).toBeUndefined();
  const reads: string[] = [];
  const context = new Proxy({}, { get: (_, name) => void reads.push(String(name)) }) as ClientContext;
  await untilAnswered(context, 's', later, new Date(Date.now()));
  expect(reads).toEqual([]);
});
