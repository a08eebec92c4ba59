import { Trigger } from '../../../trigger';
import { pinoLogger } from '../../../trigger/logging';
import { calendarOf, secondsAhead } from '../calendar';
import type { Ledger } from '../ledger';
import { ACTION } from '../names';
import { multiply } from './multiply';

export interface Backlog {
  /** The prefix of the IDs of the schedules and their workflows. */
  prefix: string;
  count: number;
  /** The tenant of each schedule, as SQL on its `number`, which counts from 1. @default none */
  tenant?: string;
}

/**
 * Creates schedules, and lets a trigger claim their firings a minute late without starting any. Afterwards the trigger
 * counts as dead. The claimed firings wait for their start, and belong to no trigger. @returns the trigger's ID
 */
export async function claimBacklog(
  ledger: Ledger,
  address: string,
  { prefix, count, tenant }: Backlog,
): Promise<string> {
  const dueAt = secondsAhead(-60);
  const client = ledger.newClient({ now: () => new Date(dueAt - 1_000) });
  await client.create({ scheduleId: prefix, spec: { calendars: [calendarOf(dueAt)] }, action: ACTION });
  await multiply(ledger, prefix, count);
  if (tenant !== undefined) {
    await ledger.query(
      `update escapement.schedules set tenant = ${tenant}
       from (select schedule_id as id, row_number() over (order by schedule_id) as number from escapement.schedules) n
       where schedule_id = n.id`,
    );
  }
  const trigger = await Trigger.create({
    connectionString: ledger.databaseUrl,
    connection: { address },
    logger: pinoLogger('error'),
  });
  await trigger.passes.heartbeat();
  while ((await ledger.count(`state = 'claimed'`)) < count) await trigger.passes.claim();
  await trigger.close();
  await ledger.query(`update escapement.triggers set heartbeat_at = clock_timestamp() - interval '1 hour'`);
  return trigger.id;
}
