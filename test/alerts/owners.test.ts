import { expect, it } from 'vitest';
import { Webhook } from '../support/alerts/webhook';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:00:00Z');

/** Schedules that are all overdue at once, each with an owner and a run-book. */
async function toldOfMany(ownerOf: (n: number) => string, form: object = {}) {
  const webhook = await new Webhook().listen();
  ledger().beforeClose(() => webhook.close());
  for (let n = 0; n < 24; n++) {
    const owner = ownerOf(n);
    const runbook = `https://wiki.example/${owner}`;
    await ledger().client.create(someSchedule({ scheduleId: `many-${n}`, owner, runbook }));
  }
  const { passes } = await ledger().trigger({ alerts: { webhooks: [{ url: webhook.url, ...form }] } });
  for (const time of ['01:00:30', '01:01:00']) {
    ledger().clock.set(`2026-03-01T${time}Z`);
    await passes.alert();
  }
  await passes.sendAlerts();
  return webhook.received.map(({ body }) => JSON.parse(body)).at(-1);
}

it('an alert that tells of many schedules names all of their owners and run-books, where they are few', async () => {
  const told = await toldOfMany((n) => ['ops', 'billing'][n % 2]!);
  expect(told.data).toMatchObject({
    scheduleId: null,
    owner: null,
    owners: ['billing', 'ops'],
    runbooks: ['https://wiki.example/billing', 'https://wiki.example/ops'],
  });
  expect(await toldOfManyIn('alert list')).toMatch(/overdue .*billing .*answer\. .*https:\/\/wiki\.example\/billing/);
  const alerts = await ledger().client.alerts.list();
  expect(alerts.find(({ scheduleId }) => scheduleId === 'many-3')).toMatchObject({ owner: 'billing' });
  expect(alerts.find(({ scheduleId }) => scheduleId === null)).toMatchObject({ owner: null, runbook: null });
  expect(
    await ledger().client.alerts.ack(alerts.find(({ scheduleId }) => scheduleId === 'many-4')!.alertId),
  ).toMatchObject({
    owner: 'ops',
    runbook: 'https://wiki.example/ops',
  });
});

it('in words for Slack', async () => {
  const told = await toldOfMany((n) => `team-${n % 3}`, { format: 'slack' });
  expect(told.text).toMatch(
    /no answer\. Owners: team-0, team-1, team-2\. Run-books: https:\/\/wiki\.example\/team-0, .*team-1, .*team-2$/,
  );
});

it('names nobody where they are more than five', async () => {
  expect((await toldOfMany((n) => `team-${n}`)).data).toMatchObject({ owners: [], runbooks: [] });
});

async function toldOfManyIn(command: string): Promise<string> {
  return (await runCommand(command.split(' '), { DATABASE_URL: ledger().databaseUrl })).stdout;
}
