import { expect, it } from 'vitest';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const time = (clock: string) => new Date(`2026-03-01T${clock}Z`);

it.each([
  ['meets it', '03:00'],
  ['overlaps it', '02:00'],
])(
  'explain says that an occurrence is held until the end of a later freeze that %s, as triggers hold it',
  async (_, from) => {
    const { client, clock } = ledger();
    const handle = await client.create(someSchedule({ scheduleId: 'hourly', spec: { cron: '30 * * * *' } }));
    const trigger = await ledger().trigger();
    const first = { from: time('01:00'), to: time('03:00'), catchUp: 'ALL' } as const;
    const { freeze } = await client.freezes.create({ all: true, ...first });
    await client.freezes.create({ all: true, from: time(from), to: time('05:00') });
    for (const now of ['02:00', '04:00']) {
      clock.set(time(now).toISOString());
      await trigger.passes.claim();
      const explained = await handle.explain(time('01:30'));
      expect(explained).toMatchObject({ because: 'frozen', freeze, checkAt: time('05:00') });
      expect(explained.sentence).toContain(
        `it is held back by freeze ${freeze.freezeId} from Sun 2026-03-01 01:00:00 +00:00 to Sun 2026-03-01 03:00:00 +00:00, ` +
          'and by later freezes until Sun 2026-03-01 05:00:00 +00:00; after that, it is due.',
      );
    }
    clock.set(time('05:00').toISOString());
    const explained = await handle.explain(time('01:30'));
    expect(explained).toMatchObject({ because: 'due', freeze });
    expect(explained.sentence).toMatch(
      /it was held back by .* until Sun 2026-03-01 05:00:00 \+00:00; after that, it is/,
    );
    await trigger.passes.claim();
    expect(await handle.explain(time('01:30'))).toMatchObject({ answer: 'firing', firing: { state: 'claimed' } });
  },
);

it('explain leaves out a later freeze after a break, in which triggers decide', async () => {
  const { client, clock } = ledger();
  const handle = await client.create(someSchedule({ scheduleId: 'hourly', spec: { cron: '30 * * * *' } }));
  await client.freezes.create({ all: true, from: time('01:00'), to: time('03:00'), catchUp: 'ALL' });
  await client.freezes.create({ all: true, from: time('03:01'), to: time('05:00') });
  clock.set(time('02:00').toISOString());
  expect(await handle.explain(time('01:30'))).toMatchObject({ because: 'frozen', checkAt: time('03:00') });
});
