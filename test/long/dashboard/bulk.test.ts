import { expect, it } from 'vitest';
import { useDashboard } from '../../support/dashboard/dashboard';

const dashboard = useDashboard();

it('everything that matches is paused, not a page of it: counted and shown first, followed to its end, and undone', async () => {
  const { open, ledger, shoot } = await dashboard();
  const paused = async () => {
    const rows = await ledger.query<{ id: string }>('select schedule_id as id from escapement.schedules where paused');
    return rows.map(({ id }) => id).sort();
  };
  const page = await open('#/schedules?text=digest');
  await page.getByText('40 in all').waitFor();
  await page.getByRole('button', { name: 'Pause …', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('40 schedules match').waitFor();
  await dialog.getByText('tenant-01-digest').waitFor();
  await dialog.getByText('and 32 more').waitFor();
  expect(await paused()).toEqual(['cleanup']);
  await dialog.getByLabel('Why').fill('mail is down');
  await shoot(page, 'bulk');
  await dialog.getByRole('button', { name: 'Pause 40 schedules' }).click();
  await page.getByText(/40 of 40: 40 changed, 0 as they were, 0 failed/).waitFor();
  await page.getByText('mail is down').waitFor();
  expect(await paused()).toHaveLength(41);
  await shoot(page, 'operation');
  await page.getByRole('button', { name: 'Undo …' }).click();
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('heading', { name: 'Undo: pause: 40 schedules' }).waitFor();
  await page.getByText(/40 of 40: 40 changed/).waitFor();
  expect(await paused()).toEqual(['cleanup']);
  await page.getByRole('link', { name: 'Changes of many' }).click();
  await page.getByRole('link', { name: 'Undo: pause' }).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(2);
});

it('of a list of those in trouble, just those are meant; labels are set, and nothing where nothing is said', async () => {
  const { open, ledger } = await dashboard();
  const page = await open('#/schedules?orderBy=lastOutcome');
  await page.getByRole('link', { name: 'card-charges' }).waitFor();
  await page.getByRole('button', { name: 'Label …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 schedule matches').waitFor();
  const label = dialog.getByRole('button', { name: 'Label 1 schedule' });
  expect(await label.isDisabled()).toBe(true);
  await dialog.getByLabel('Owner').fill('billing');
  const attributes = dialog.getByLabel('Search attributes');
  await attributes.fill('Team');
  await dialog.getByText('“Team” does not have the form Team=ops').waitFor();
  expect(await label.isDisabled()).toBe(true);
  await attributes.fill('Team=cards, Tier=2, Note="one, two", Region=');
  await label.click();
  await page.getByText(/1 of 1: 1 changed/).waitFor();
  await page.getByText('Team=cards').waitFor();
  const owned = await ledger.query<{ id: string; attributes: Record<string, { value: unknown }> }>(
    `select schedule_id as id, search_attributes as attributes from escapement.schedules where owner = 'billing'`,
  );
  expect(owned.map(({ id }) => id)).toEqual(['card-charges']);
  expect(owned[0]!.attributes).toMatchObject({
    Team: { value: ['cards'] },
    Tier: { value: [2] },
    Note: { value: ['one, two'] },
  });
  expect(owned[0]!.attributes).not.toHaveProperty('Region');
});

it('of more schedules in trouble than a list has, a change covers those of the list, and says so', async () => {
  const { open, ledger } = await dashboard();
  await ledger.query(
    `with s as (insert into escapement.schedules (schedule_id, version, created_at, paused, paused_at)
        select 'copy-' || n, 1, now(), true, now() from generate_series(1, 1000) n),
      v as (insert into escapement.schedule_versions (schedule_id, version, namespace, spec, action, policies, created_at)
        select 'copy-' || n, 1, v.namespace, v.spec, v.action, v.policies, now()
        from escapement.schedule_versions v, generate_series(1, 1000) n where v.schedule_id = 'cleanup')
      insert into escapement.timers (schedule_id, spec_format, wake_at, next_fire_at, answered_to)
        select 'copy-' || n, t.spec_format, t.wake_at, t.next_fire_at, t.answered_to
        from escapement.timers t, generate_series(1, 1000) n where t.schedule_id = 'cleanup'`,
  );
  const page = await open('#/schedules?orderBy=pausedAt');
  await page.getByText('50 shown of 1,000 or more').waitFor();
  await page.getByRole('button', { name: 'Unpause …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1,000 schedules match').waitFor();
  await dialog.getByText('More may match than the list has.').waitFor();
});
