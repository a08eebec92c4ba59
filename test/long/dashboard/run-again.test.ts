import { expect, it } from 'vitest';
import { useDashboard } from '../../support/dashboard/dashboard';

const dashboard = useDashboard();

it('each time whose work may be done can be run again, once a person has confirmed that', async () => {
  const { open, ledger } = await dashboard();
  await ledger.query(`update escapement.gaps set reason = 'native'`);
  const [gap] = await ledger.query<{ time: Date }>('select from_time as time from escapement.gaps');
  const [left, uncertain] = await ledger.query<{ time: Date }>(
    `select scheduled_time as time from escapement.firings where schedule_id = 'cleanup' order by 1 desc limit 2`,
  );
  const become = (state: string, reason: string, time: Date) =>
    ledger.query(
      `update escapement.firings set state = $1, reason = $2, outcome = null, run_id = null, workflow_id = null, linked_at = null
        where schedule_id = 'cleanup' and scheduled_time = $3`,
      [state, reason, time],
    );
  await become('skipped', 'shadow', left!.time);
  await become('abandoned', 'start_uncertain', uncertain!.time);
  const page = await open('#/');
  for (const [scheduleId, { time }] of [
    ['nightly-report', gap!],
    ['cleanup', left!],
    ['cleanup', uncertain!],
  ] as const) {
    await page.goto(`${page.url().split('#')[0]}#/schedules/${scheduleId}/at/${time.toISOString()}`);
    await page.getByRole('button', { name: 'Run again …' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Run again', exact: true });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByLabel('It may already have done its work. Run it again anyway.').check();
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
  }
  const [runs] = await ledger.query<{ count: number }>(
    `select count(*)::int from escapement.firings where again is not null and state = 'buffered'`,
  );
  expect(runs!.count).toBe(3);
});
