import { Client } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { workflowIdOf } from '../../../core/identity';
import type { FiringMemo, ListedRun } from '../../../temporal/port';
import type { TemporalDouble } from '../../../testing';
import type { Trigger } from '../../../trigger';
import type { TriggerContext } from '../../../trigger/context';
import { adoptPage } from '../../../trigger/recover/adopt-page';
import { triggerAnswering } from '../../support/answering';
import { someSchedule, useLedger } from '../../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const TIME = new Date('2026-03-01T01:00:00Z');

let trigger: Trigger;
let context: TriggerContext;
let double: TemporalDouble;
/** What the trigger has asked `describeChain` for. */
let described: { workflowId: string; runId: string | undefined }[];

beforeEach(async () => {
  described = [];
  const one = await triggerAnswering(ledger(), {
    describeChain: (namespace, workflowId, runId) => {
      described.push({ workflowId, runId });
      return double.describeChain(namespace, workflowId, runId);
    },
  });
  ({ trigger, context, double } = one);
});

/** Schedules whose workflows of 01:00 run. */
async function firedBy(count: number) {
  const options = Array.from({ length: count }, () => someSchedule());
  for (const one of options) await ledger().client.create(one);
  ledger().clock.set(TIME.toISOString());
  await trigger.passes.claim();
  await trigger.passes.dispatch();
  described.splice(0);
  return options.map(({ scheduleId }) => firingOf(scheduleId));
}

type Fired = ReturnType<typeof firingOf>;

const fired = async () => (await firedBy(1))[0]!;

/** The firing of a schedule, and how Temporal lists its run. */
function firingOf(scheduleId: string) {
  const chain = double.chains().find(({ start }) => start.firing.scheduleId === scheduleId)!;
  const listed = (changed: Partial<ListedRun> = {}, changedMemo: Partial<FiringMemo> = {}): ListedRun => {
    const memo = { ...chain.start.memo, ...changedMemo };
    const { kind, epoch } = memo;
    const workflowId = workflowIdOf({ scheduleId, scheduledTime: new Date(memo.scheduledTime), kind, epoch });
    return {
      ...{ workflowId, runId: chain.firstRunId, memo },
      ...{ startedAt: new Date(chain.startedAt), running: true, ...changed },
    };
  };
  const row = async () =>
    (await ledger().query('select * from escapement.firings where schedule_id = $1', [scheduleId]))[0];
  const change = (set: string) =>
    ledger().query(`update escapement.firings set ${set} where schedule_id = $1`, [scheduleId]);
  const lose = () => ledger().query('delete from escapement.firings where schedule_id = $1', [scheduleId]);
  return { scheduleId, chain, listed, row, change, lose };
}

/** What a page of these runs comes to. */
const adopt = async (...runs: ListedRun[]) => {
  const { held, ...page } = await adoptPage(context, 'default', runs);
  return { ...page, held: [...held.keys()] };
};

const NOTHING = { adopted: 0, reopened: 0, held: [] };
const ADOPTED = { ...NOTHING, adopted: 1 };

/** Work while another session keeps a schedule locked. */
async function locked<Result>(scheduleId: string, work: () => Promise<Result>): Promise<Result> {
  const holder = new Client({ connectionString: ledger().databaseUrl });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select from escapement.timers where schedule_id = $1 for update', [scheduleId]);
    return await work();
  } finally {
    await holder.end();
  }
}

const said = (message: string) => ledger().log.lines.filter((line) => line.message === message);

describe('a run whose firing the ledger has lost', () => {
  it('gets its row again, which is logged and counted', async () => {
    const { scheduleId, chain, listed, lose, row } = await fired();
    await lose();
    expect(await adopt(listed())).toEqual(ADOPTED);
    expect(await row()).toMatchObject({
      ...{ state: 'linked', epoch: 0, kind: 'schedule', workflow_id: chain.workflowId, run_id: chain.firstRunId },
      ...{ claimed_at: new Date(chain.startedAt), starts_at: null },
    });
    const fields = { scheduleId, scheduledTime: TIME.toISOString(), runId: chain.firstRunId };
    expect(said('adopted')).toMatchObject([{ level: 'warn', meta: fields }]);
    expect(await trigger.metrics.metrics()).toContain('escapement_firings_adopted_total{namespace="default"} 1');
    expect(await adopt(listed())).toEqual(NOTHING);
    expect(said('adopted')).toHaveLength(1);
  });

  it('is linked with the first run of its chain, though a later one is listed', async () => {
    const { chain, listed, lose, row } = await fired();
    await lose();
    ledger().clock.advance(60_000);
    double.continueAsNew('default', chain.workflowId);
    const second = chain.run(ledger().clock.now())!.runId;
    expect(second).not.toBe(chain.firstRunId);
    expect(await adopt(listed({ runId: second }))).toEqual(ADOPTED);
    expect(await row()).toMatchObject({ run_id: chain.firstRunId });
  });

  it('is linked with the listed run if Temporal knows the chain no more', async () => {
    const { listed, lose, row } = await fired();
    await lose();
    const workflowId = 'former-prefix-2026-03-01T01:00:00Z';
    expect(await adopt(listed({ workflowId, runId: 'forgotten run' }))).toEqual(ADOPTED);
    expect(await row()).toMatchObject({ workflow_id: workflowId, run_id: 'forgotten run' });
  });

  it('begins at its time if it was started ahead, unless a person has asked for it', async () => {
    const { listed, lose, row } = await fired();
    const ahead = { startedAt: new Date(TIME.getTime() - 1) };
    for (const [run, memo, startsAt] of [
      [ahead, {}, TIME],
      [{ startedAt: TIME }, {}, null],
      [ahead, { kind: 'backfill' }, null],
    ] as const) {
      await lose();
      expect(await adopt(listed(run, memo))).toEqual(ADOPTED);
      expect(await row()).toMatchObject({ starts_at: startsAt });
    }
  });

  it('gets a row of a month that has no firings yet, and none of a month that is past its retention', async () => {
    const { listed, lose, scheduleId } = await fired();
    await lose();
    const november = listed({}, { scheduledTime: '2025-11-01T01:00:00.000Z' });
    expect(await adopt(november)).toEqual(ADOPTED);
    expect(await ledger().answers(scheduleId)).toEqual(['11-01T01:00:00 schedule linked']);
    await ledger().query(
      `insert into escapement.meta (key, value) values ('retention_floor', '"2025-11-01T00:00:00Z"')`,
    );
    const october = listed({}, { scheduledTime: '2025-10-01T01:00:00.000Z' });
    expect(await adopt(october)).toEqual(NOTHING);
    expect(await ledger().answers(scheduleId)).toEqual(['11-01T01:00:00 schedule linked']);
    expect(said('adopted')).toHaveLength(1);
  });

  it('waits while its schedule is locked or Postgres refuses its row, and the other schedules do not', async () => {
    const [kept, refused, free] = (await firedBy(3)) as [Fired, Fired, Fired];
    for (const { lose } of [kept, refused, free]) await lose();
    await ledger().query(`create function escapement.refuse() returns trigger language plpgsql as
      $$ begin if new.schedule_id = '${refused.scheduleId}' then raise not_null_violation; end if; return new; end $$`);
    await ledger().query(`create trigger refuse before insert on escapement.firings
      for each row execute function escapement.refuse()`);
    const runs = [kept, refused, free].map(({ listed }) => listed());
    const held = await locked(kept.scheduleId, () => adopt(...runs));
    expect(held).toEqual({ ...ADOPTED, held: [kept.scheduleId, refused.scheduleId] });
    expect(await free.row()).toMatchObject({ state: 'linked' });
    await ledger().query('drop trigger refuse on escapement.firings');
    expect(await adopt(...runs)).toEqual({ ...NOTHING, adopted: 2 });
  });
});

describe('a run whose firing has a row', () => {
  const CLOSED = `state = 'closed', outcome = 'completed', closed_at = linked_at`;

  it.each<[string, string, number]>([
    ['is buffered', `state = 'buffered'`, 1],
    ['is claimed and was not announced', `state = 'claimed', first_attempted_at = null`, 1],
    ['is claimed and was announced', `state = 'claimed', first_attempted_at = now()`, 0],
    ['was skipped', `state = 'skipped', reason = 'overlap'`, 1],
    ['was abandoned', `state = 'abandoned', reason = 'start_rejected'`, 1],
    ['is linked', `state = 'linked'`, 0],
  ])('of its epoch that %s is adopted or left alone', async (_, set, adopted) => {
    const { change, listed, row } = await fired();
    await change(set);
    expect(await adopt(listed())).toEqual({ ...NOTHING, adopted });
    if (adopted) expect(await row()).toMatchObject({ state: 'linked' });
    expect(described).toHaveLength(adopted);
  });

  it('of an earlier epoch takes it over, and of a later one is left alone', async () => {
    const { change, listed, row } = await fired();
    await change(`${CLOSED}, epoch = 2`);
    expect(await adopt(listed({}, { epoch: 1 }))).toEqual(NOTHING);
    expect(described).toEqual([]);
    expect(await adopt(listed({ running: false }, { epoch: 3 }))).toEqual(ADOPTED);
    expect(await row()).toMatchObject({ state: 'linked', epoch: 3, outcome: null });
  });

  it('that is closed is opened again if its chain runs', async () => {
    const { change, chain, listed, row, scheduleId } = await fired();
    await change(CLOSED);
    expect(await adopt(listed({ running: false }))).toEqual(NOTHING);
    expect(described).toEqual([]);
    expect(await locked(scheduleId, () => adopt(listed()))).toEqual({ ...NOTHING, held: [scheduleId] });
    expect(said('reopened')).toEqual([]);
    expect(await adopt(listed())).toEqual({ ...NOTHING, reopened: 1 });
    expect(await row()).toMatchObject({ state: 'linked', outcome: null, run_id: chain.firstRunId });
    expect(said('reopened')).toMatchObject([{ level: 'warn', meta: { scheduleId, runId: chain.firstRunId } }]);
  });

  it('that is closed stays so where the list lags behind: its chain is over, forgotten or of another firing', async () => {
    const { change, chain, listed, row } = await fired();
    await change(CLOSED);
    expect(await adopt(listed({ workflowId: 'forgotten-2026-03-01T01:00:00Z' }))).toEqual(NOTHING);
    await change(`run_id = 'another'`);
    expect(await adopt(listed())).toEqual(NOTHING);
    await change(`run_id = '${chain.firstRunId}'`);
    double.finish('default', chain.workflowId);
    expect(await adopt(listed())).toEqual(NOTHING);
    expect(described).toHaveLength(3);
    expect(await row()).toMatchObject({ state: 'closed' });
    expect(said('reopened')).toEqual([]);
  });
});

it('a run of another ledger or of no schedule of this one is left alone', async () => {
  const { listed, lose } = await fired();
  await lose();
  const runs = [listed({}, { installation: 'another' }), listed({}, { scheduleId: 'unknown' })];
  expect(await adopt(...runs)).toEqual(NOTHING);
  expect(described).toEqual([]);
});

it('of several runs of a firing on a page, one is adopted: the highest epoch, then what runs, then what began last', async () => {
  const { listed, lose } = await fired();
  const at = (minute: number) => new Date(TIME.getTime() + minute * 60_000);
  const chosenOf = async (...runs: ListedRun[]) => {
    await lose();
    described.splice(0);
    expect(await adopt(...runs)).toEqual(ADOPTED);
    return described.map(({ runId }) => runId);
  };
  const pairs: [ListedRun, ListedRun][] = [
    [
      listed({ runId: 'first', running: true, startedAt: at(9) }, { epoch: 1 }),
      listed({ runId: 'chosen', running: false, startedAt: at(1) }, { epoch: 2 }),
    ],
    [
      listed({ runId: 'ended', running: false, startedAt: at(9) }),
      listed({ runId: 'chosen', running: true, startedAt: at(1) }),
    ],
    [
      listed({ runId: 'older', running: false, startedAt: at(1) }),
      listed({ runId: 'chosen', running: false, startedAt: at(9) }),
    ],
  ];
  for (const [other, chosen] of pairs) {
    expect(await chosenOf(other, chosen)).toEqual(['chosen']);
    expect(await chosenOf(chosen, other)).toEqual(['chosen']);
  }
});

it('several firings of one schedule on a page are each adopted', async () => {
  const { scheduleId, listed, lose } = await fired();
  await lose();
  const times = ['2026-03-01T01:00:00.000Z', '2026-03-01T02:00:00.000Z'];
  expect(await adopt(...times.map((scheduledTime) => listed({}, { scheduledTime })))).toEqual({
    ...NOTHING,
    adopted: 2,
  });
  expect(await ledger().answers(scheduleId)).toHaveLength(2);
});
