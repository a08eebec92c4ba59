import { expect, it } from 'vitest';
import { Webhook } from '../support/alerts/webhook';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';

const ledger = useLedger('2026-03-01T00:00:00Z');
const WHO = { owner: 'team-billing', runbook: 'https://wiki.example/billing?page=1' };

it('a schedule has an owner and a run-book: describe and list show them, and it is listed by its owner', async () => {
  const { client } = ledger();
  const handle = await client.create(someSchedule({ scheduleId: 'invoices', ...WHO }));
  await client.create(someSchedule());
  expect(await handle.describe()).toMatchObject(WHO);
  for (const filter of [{ owner: 'team-billing' }, { query: "owner = 'team-billing'" }]) {
    const { schedules } = await client.listPage(filter);
    expect(schedules).toEqual([expect.objectContaining({ scheduleId: 'invoices', ...WHO })]);
  }
  expect((await client.listPage({ owner: 'others' })).schedules).toEqual([]);
});

it('an update keeps them where it leaves them out, changes them without a new version, and an empty one is none', async () => {
  const handle = await ledger().client.create(someSchedule({ scheduleId: 'invoices', ...WHO }));
  await handle.update(({ spec, action }) => ({ spec, action }));
  expect(await handle.describe()).toMatchObject({ ...WHO, info: { version: 1 } });
  await handle.update((previous) => ({ ...previous, owner: 'ops', runbook: '' }));
  const described = await handle.describe();
  expect(described).toMatchObject({ owner: 'ops', info: { version: 1 } });
  expect(described).not.toHaveProperty('runbook');
});

it('apply brings them to what is declared: what is left out goes', async () => {
  const { client } = ledger();
  const apply = (revision: number, fields: object) =>
    client.apply([someSchedule({ scheduleId: 'invoices', ...fields })], { source: 'billing', revision });
  await apply(1, WHO);
  expect(await apply(2, WHO)).toMatchObject({ unchanged: ['invoices'] });
  expect(await apply(3, { owner: 'ops' })).toMatchObject({
    updated: [{ scheduleId: 'invoices', changed: ['owner', 'runbook'] }],
  });
  expect(await client.getHandle('invoices').describe()).toMatchObject({ owner: 'ops', info: { version: 1 } });
  await apply(4, {});
  expect(await client.getHandle('invoices').describe()).not.toHaveProperty('owner');
  await client.getHandle('invoices').delete();
  await apply(5, WHO);
  expect(await client.getHandle('invoices').describe()).toMatchObject(WHO);
});

it('what is no owner and no link is refused by its path', async () => {
  const { client } = ledger();
  for (const [path, value] of [
    ['owner', 'a\nb'],
    ['owner', 'x'.repeat(201)],
    ['runbook', 'wiki/billing'],
    ['runbook', 'javascript:alert(1)'],
    ['runbook', `https://x.example/${'x'.repeat(2_000)}`],
  ]) {
    await expect(client.create(someSchedule({ [path!]: value }))).rejects.toMatchObject({ path });
  }
});

it('the command sets them, shows them and lists by them', async () => {
  const at = ['--database-url', ledger().databaseUrl];
  const flags = ['--owner', WHO.owner, '--runbook', WHO.runbook];
  const what = ['--cron', '0 * * * *', '--type', 'invoice', '--task-queue', 'q'];
  await runCommand(['schedule', 'create', 'invoices', ...what, ...flags, ...at]);
  const described = await runCommand(['schedule', 'describe', 'invoices', ...at]);
  expect(described.stdout).toMatch(/owner +team-billing\nrun-book +https:\/\/wiki\.example\/billing\?page=1/);
  await runCommand(['schedule', 'update', 'invoices', '--owner', 'ops', ...at]);
  expect((await runCommand(['schedule', 'list', '--owner', 'ops', ...at])).stdout).toContain('invoices');
  expect((await runCommand(['schedule', 'list', '--owner', 'others', ...at])).stdout).not.toContain('invoices');
});

it.each([
  ['generic', {}],
  ['slack', { format: 'slack' as const }],
  ['pagerduty', { format: 'pagerduty' as const, routingKey: 'R0UT1NG' }],
])('every alert of it names both, as %s', async (_, form) => {
  const webhook = await new Webhook().listen();
  ledger().beforeClose(() => webhook.close());
  await ledger().client.create(someSchedule({ scheduleId: 'invoices', ...WHO }));
  await ledger().client.create(someSchedule({ scheduleId: 'nobody' }));
  const { passes } = await ledger().trigger({ alerts: { webhooks: [{ url: webhook.url, ...form }] } });
  for (const time of ['01:00:30', '01:01:00']) {
    ledger().clock.set(`2026-03-01T${time}Z`);
    await passes.alert();
  }
  await passes.sendAlerts();
  const bodies = webhook.received.map(({ body }) => JSON.parse(body));
  const text = "Schedule 'invoices': the occurrence of 2026-03-01T01:00:00Z has no answer.";
  const words = `${text} Owner: team-billing. Run-book: ${WHO.runbook}`;
  const expected = {
    generic: { data: expect.objectContaining({ scheduleId: 'invoices', text, ...WHO }) },
    slack: { text: `:red_circle: *overdue*: ${words}` },
    pagerduty: {
      links: [{ href: WHO.runbook, text: 'Run-book' }],
      payload: expect.objectContaining({ summary: words, custom_details: expect.objectContaining(WHO) }),
    },
  }[_ as 'generic'];
  expect(bodies).toContainEqual(expect.objectContaining(expected));
  if (_ === 'generic') {
    const data = expect.objectContaining({ scheduleId: 'nobody', owner: null, runbook: null });
    expect(bodies).toContainEqual(expect.objectContaining({ data }));
  }
});
