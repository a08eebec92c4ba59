import { expect, inject, it } from 'vitest';
import { diagnose } from '../../doctor/diagnose';
import { damageEach } from '../support/fuzz/damage-each';
import { BAD, BEGIN, damageScene } from '../support/fuzz/damage-scene';
import { type TestLedger, useLedger } from '../support/ledger';
import { IN_VERIFY } from '../support/verify';

const ledger = useLedger(BEGIN);

it('whatever one row has that a newer or a damaged program wrote, every read answers, and lists the others', async () => {
  await damageScene(ledger());
  await damageEach(ledger(), IN_VERIFY ? 200 : 4, () => read(ledger()));
});

/** Call every read. @returns which of them failed, and how */
async function read(ledger: TestLedger): Promise<string[]> {
  const { client, clock } = ledger;
  const problems: string[] = [];
  const call = async (name: string, run: () => Promise<unknown>) => {
    await run().catch((error: Error) => {
      if (!isOfConverter(error)) problems.push(`${name}: ${error}`);
    });
  };
  for (const scheduleId of [...BAD, 'good']) {
    const handle = client.getHandle(scheduleId);
    await call(`describe ${scheduleId}`, () => handle.describe());
    await call(`versions of ${scheduleId}`, () => all(handle.versions()));
    await call(`stats of ${scheduleId}`, () => handle.stats());
    await call(`firings of ${scheduleId}`, () => all(handle.firings()));
    for (const minute of [10, 11, 20, 40]) {
      const time = `2026-03-01T00:${minute}:00Z`;
      await call(`explain ${scheduleId} at ${minute}`, () => handle.explain(time));
    }
  }
  for (const minute of ['01', '02', '04', '05', '06', '07', '08', '12']) {
    const time = `2026-03-01T00:${minute}:00Z`;
    await call(`explain bad at ${minute}`, () => client.getHandle('bad').explain(time));
  }
  await call('list', async () => expect(await ids(client.list())).toEqual(['bad', 'bad-held', 'good', 'good-held']));
  const query = `Team = 'billing' and owner = 'finance'`;
  await call('list by query', async () => expect(await ids(client.list({ query }))).toContain('good'));
  await call('list by next time', () => client.listPage({ orderBy: 'nextFireAt', pageSize: 2 }));
  await call('letters', async () => expect((await all(client.deadLetters.list())).length).toBe(12));
  await call('groups', () => client.deadLetters.groups({ state: 'open' }));
  await call('plan', () => all(client.deadLetters.plan({ state: 'open' })));
  await call('firings', () => client.firingsPage());
  await call('gaps', () => client.gapsPage({ scheduleId: 'bad' }));
  await call('stats', () => client.stats());
  await call('triggers', () => client.triggers());
  await call('overview', () => client.overview());
  await call('settings', () => client.settings.describe());
  await call('alerts', () => client.alerts.list());
  await call('silences', () => client.alerts.silences());
  await call('freezes', () => client.freezes.list());
  await call('calendars', () => client.calendars.list());
  await call('calendar', () => client.calendars.get('closed'));
  await call('sources', () => client.sources.list());
  await call('bulk', async () => {
    for (const { operationId } of await client.bulk.list()) await client.bulk.get(operationId);
  });
  await call('doctor', async () => {
    const postgres = { connectionString: ledger.databaseUrl };
    const connection = { address: inject('temporalAddress') };
    const findings = await diagnose({
      postgres,
      temporal: { connection, namespaces: {}, namespace: 'default' },
      now: () => clock.now(),
    });
    const failed = findings.filter(({ id }) => id === 'check_failed' || id === 'ledger_unreadable');
    problems.push(...failed.map(({ text }) => `doctor: ${text}`));
  });
  return problems;
}

/** Whether the converter could not decode an encoded value: its own error says why. */
const isOfConverter = ({ stack = '' }: Error) => /payload/.test(stack);

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const list: Row[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

const ids = async (schedules: AsyncIterable<{ scheduleId: string }>) =>
  (await all(schedules)).map(({ scheduleId }) => scheduleId).sort();
