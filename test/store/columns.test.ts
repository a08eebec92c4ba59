import { randomUUID } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import type { FiringKey } from '../../core/firing';
import { diagnose } from '../../doctor/diagnose';
import { archive } from '../../owner/archive/archive';
import { restore } from '../../owner/archive/restore';
import { purge } from '../../owner/purge/purge';
import { openStore } from '../../store/connection';
import { isInstant } from '../../store/join';
import type { PoolLike } from '../../store/pool';
import { fill } from '../support/dashboard/filled-ledger';
import { writeLetter } from '../support/failures/letters';
import { temporaryFolder } from '../support/folder';
import { someSchedule, useLedger } from '../support/ledger';
import { sendBulkStatements } from '../support/statements/bulk-statements';
import { claimedSites } from '../support/statements/claimed-columns';
import { walkClient } from '../support/statements/client-walk';
import { sendDashboardStatements } from '../support/statements/dashboard-statements';
import { sendOddStatements } from '../support/statements/odd-statements';
import { sendRareStatements } from '../support/statements/rare-statements';
import { columnsPool } from '../support/statements/sent-columns';
import { useNamespace } from '../support/temporal';

/** A month with a gap alone is archived and restored. */
async function archiveAndRestore(pool: PoolLike, now: Date): Promise<void> {
  const folder = await temporaryFolder();
  const options = { now: () => now, onProgress: () => undefined };
  await ledger().query(`select escapement.ensure_partition('2020-01-01Z'::timestamptz)`);
  await ledger().client.settings.set({ archiveFirst: true });
  await (await ledger().trigger({ pool })).passes.sweep();
  await ledger().query(
    `insert into escapement.gaps values ('one', '2020-01-05Z', '2020-01-05Z', 1, 'paused', '2020-01-05Z')`,
  );
  await archive({ pool }, folder, { ...options, drop: true });
  await (await ledger().trigger({ pool })).passes.sweep();
  await archive({ pool }, folder, options);
  await restore({ pool }, folder, { ...options, month: '2020-01', keepMilliseconds: 1 });
}

/** A tenant with a running workflow. */
async function eraseTenant(pool: PoolLike, now: Date): Promise<void> {
  const scheduleId = 'erased';
  await ledger().client.create(someSchedule({ scheduleId, tenant: 'leaving' }));
  await ledger().query(
    `insert into escapement.firings (schedule_id, scheduled_time, state, kind, namespace, schedule_version, claimed_at)
      values ($1, $2, 'claimed', 'schedule', 'default', 1, $2)`,
    [scheduleId, new Date('2026-03-01T01:00:00Z')],
  );
  const options = { actor: 'test', force: true, onProgress: () => undefined };
  await purge({ pool }, { scheduleId }, { ...options, dryRun: true, now: () => now });
  await purge({ pool }, { tenant: 'leaving' }, options);
}

/** Statements that are never sent in the transaction of a caller: those of triggers, archives and the testing kit. */
const OF_TRIGGERS = /^store\/(archive\/.*|firings\/(below|daily-check|ends)|reads\/agenda)\.ts:/;

const ledger = useLedger('2026-03-01T00:30:00Z');
// What a failover has lost is looked for in all that a namespace has: of `default` that is whatever other tests started.
const namespace = useNamespace();

it('every statement of the store returns just the columns that its type claims, each of its type', async () => {
  const { clock } = ledger();
  await fill(ledger(), 2_000, 'fresh', namespace());
  const { pool, sent, stop } = columnsPool(ledger());
  try {
    const { passes } = await ledger().trigger({ pool, limits: { batchSize: 5 } });
    for (let minute = 0; minute < 2; minute++) {
      clock.set(`2026-03-01T01:0${minute}:30Z`);
      for (const pass of Object.keys(passes) as (keyof typeof passes)[]) await passes[pass]();
    }
    const store = openStore({ pool });
    ledger().beforeClose(() => store.close());
    const keys = (state: string) =>
      ledger().query<FiringKey>(`select schedule_id as "scheduleId", scheduled_time as "scheduledTime"
        from escapement.firings where state = '${state}' order by scheduled_time limit 2`);
    const [claimed, linked, [closed]] = [await keys('claimed'), await keys('linked'), await keys('closed')];
    const now = new Date(clock.now());
    await sendRareStatements(store, { now, owner: randomUUID(), claimed, linked, closed: closed! });
    await sendDashboardStatements(store, { now, firing: closed! });
    await sendBulkStatements(store, { now, scheduleId: closed!.scheduleId });
    await walkClient(ledger().newClient({ connectionString: undefined as never, pool }), ledger());
    const connection = { address: inject('temporalAddress') };
    const temporal = { connection, namespaces: {}, namespace: 'default' };
    await diagnose({ postgres: { pool }, temporal, now: () => clock.now() });
    const [waiting] = await keys('buffered');
    const parkedId = await writeLetter(ledger(), { kind: 'parked', firing: { state: 'linked' } });
    const [parked] = await ledger().query<FiringKey>(
      `select schedule_id as "scheduleId", scheduled_time as "scheduledTime" from escapement.letters where letter_id = $1`,
      [parkedId],
    );
    await sendOddStatements(store, { now, owner: randomUUID(), waiting: waiting!, parked: parked! });
    await archiveAndRestore(pool, now);
    await eraseTenant(pool, now);
  } finally {
    stop();
  }

  const sites = [...claimedSites().values()];
  const unseen: string[] = [];
  const wrong: string[] = [];
  for (const { at, columns } of sites) {
    if (!columns) continue;
    if (!sent.has(at)) unseen.push(at);
    for (const returned of sent.get(at) ?? []) {
      for (const { name, kind } of returned) {
        const claim = columns.get(name);
        if (!claim) wrong.push(`${at} returns ${name}, which nobody claims`);
        else if (!claim.fits(kind)) wrong.push(`${at} returns ${name} as ${kind}, and claims ${claim.type}`);
        // In the transaction of a caller, only its name says that a column has an instant.
        if (!OF_TRIGGERS.test(at) && isInstant(name) !== (kind === 'Date'))
          wrong.push(`${at} returns ${name} as ${kind}, against its name`);
      }
      for (const [name, { isOptional }] of columns) {
        if (!isOptional && !returned.some((one) => one.name === name))
          wrong.push(`${at} claims ${name}, which is not there`);
      }
    }
  }
  expect({ unseen, wrong }).toEqual({ unseen: [], wrong: [] });
  expect(sites.length).toBeGreaterThan(150);
});
