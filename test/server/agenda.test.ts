import { expect, it } from 'vitest';
import { nextOccurrences } from '../../core/occurrences';
import { countAgenda } from '../../server/agenda/count';
import { FormInUse } from '../../server/agenda/form';

it('lists the first 500 firings by their time, in whatever order the forms are counted', async () => {
  const range = { from: new Date('2026-03-06T00:00:00Z'), to: new Date('2026-03-07T00:00:00Z') };
  const crons = [
    '0 12 * * *',
    '* 3-23 * * *',
    '*/2 2-23 * * *',
    '* 2 * * *',
    '*/7 * * * *',
    '30 0 * * *',
    '0 13 * * *',
  ];
  for (const order of [crons, crons.toReversed()]) {
    const all: { at: Date; scheduleId: string }[] = [];
    const forms = order.map((cron) => {
      const form = new FormInUse(cron, { cron }, cron);
      form.add(cron, false);
      const times = nextOccurrences({ cron }, { after: new Date(range.from.getTime() - 1), count: 1_500 });
      all.push(...times.filter((at) => at < range.to).map((at) => ({ at, scheduleId: cron })));
      return form;
    });
    all.sort((one, other) => +one.at - +other.at || (one.scheduleId < other.scheduleId ? -1 : 1));
    const { entries, firings } = await countAgenda(forms, range);
    expect({ entries, firings }).toEqual({ entries: all.slice(0, 500), firings: all.length });
  }
});
