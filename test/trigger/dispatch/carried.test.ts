import type { Client, ScheduleHandle } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { TemporalCallError } from '../../../temporal/port';
import { ScheduledAttributes } from '../../../temporal/scheduled-attributes';
import { someSchedule, useLedger } from '../../support/ledger';
import { addSearchAttributes } from '../../support/scenes/search-attributes';
import { useWorker } from '../../support/temporal';
import { invertingCodec } from '../../support/workers/codec';

const ledger = useLedger('2026-03-01T00:30:00Z');
const worker = useWorker();

const region = defineSearchAttributeKey('EscapementRegion', 'KEYWORD');
const day = defineSearchAttributeKey('EscapementDay', 'DATETIME');

beforeAll(async () => {
  await addSearchAttributes(worker().client);
});

const full = () => ({
  type: 'startWorkflow' as const,
  workflowType: 'echoFiring',
  taskQueue: worker().taskQueue,
  args: ['emea', { deep: [1] }],
  memo: { owner: 'finance', limits: { rows: 10 }, nothing: undefined },
  searchAttributes: { EscapementCount: [3] },
  typedSearchAttributes: new TypedSearchAttributes([
    { key: region, value: 'emea' },
    { key: day, value: new Date('2026-03-01T00:00:00Z') },
  ]),
  staticSummary: 'the nightly one',
  staticDetails: '**what** it does',
  priority: { priorityKey: 2, fairnessKey: 'finance', fairnessWeight: 2 },
  retry: { maximumAttempts: 3, initialInterval: '2 seconds' as const },
  workflowRunTimeout: '1 hour' as const,
});

/** Fire the hour that is due; the ID of its workflow. */
async function fire(scheduleId: string): Promise<string> {
  const trigger = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:00Z');
  await trigger.passes.claim();
  expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
  return (await ledger().firings(scheduleId))[0]!.workflowId!;
}

/** What started a workflow, by the first event of its history. */
async function startedWith(client: Client, workflowId: string) {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId },
  });
  const [event] = history!.events!;
  return { event: event!.workflowExecutionStartedEventAttributes!, metadata: event!.userMetadata! };
}

async function nativelyStarted(handle: ScheduleHandle): Promise<string> {
  await handle.trigger();
  return vi.waitFor(async () => (await handle.describe()).info.recentActions[0]!.action.workflow.workflowId, 60_000);
}

describe('what a start carries', () => {
  it('is byte for byte what Temporal’s own schedule hands to its workflows', async () => {
    const { client } = worker();
    const options = someSchedule({ action: full() });
    await ledger().client.create(options);
    const ours = await startedWith(client, await fire(options.scheduleId));
    const native = await client.schedule.create({
      scheduleId: options.scheduleId,
      spec: { cronExpressions: ['0 0 1 1 * 2099'] },
      action: full(),
    });
    const theirs = await startedWith(client, await nativelyStarted(native));
    await native.delete();

    const { escapement, ...memo } = ours.event.memo!.fields!;
    expect(escapement).toBeDefined();
    expect(memo).toEqual(theirs.event.memo!.fields);
    const attributes = ({ indexedFields }: NonNullable<typeof ours.event.searchAttributes>) =>
      Object.fromEntries(
        Object.entries(indexedFields!)
          .filter(([name]) => name !== 'TemporalScheduledStartTime')
          .map(([name, { data }]) => [name, JSON.parse(Buffer.from(data!).toString())]),
      );
    expect(attributes(ours.event.searchAttributes!)).toEqual(attributes(theirs.event.searchAttributes!));
    expect(attributes(ours.event.searchAttributes!)).toMatchObject({
      EscapementRegion: 'emea',
      EscapementCount: [3],
      TemporalScheduledById: options.scheduleId,
    });
    for (const field of ['input', 'priority', 'retryPolicy', 'workflowRunTimeout'] as const) {
      expect(ours.event[field], field).toEqual(theirs.event[field]);
    }
    expect(ours.metadata).toEqual(theirs.metadata);
  });

  it('reaches the workflow as its user gave it, with Temporal’s own client', async () => {
    const { client } = worker();
    const options = someSchedule({ action: full() });
    await ledger().client.create(options);
    const handle = client.workflow.getHandle(await fire(options.scheduleId));
    const described = await handle.describe();
    expect(described.memo).toMatchObject({ owner: 'finance', limits: { rows: 10 } });
    expect(described.typedSearchAttributes.get(region)).toBe('emea');
    expect(described.typedSearchAttributes.get(day)).toEqual(new Date('2026-03-01T00:00:00Z'));
    expect(described.searchAttributes.EscapementCount).toEqual([3]);
    expect(described.priority).toEqual({ priorityKey: 2, fairnessKey: 'finance', fairnessWeight: 2 });
    expect(await described.staticSummary()).toBe('the nightly one');
    expect(await described.staticDetails()).toBe('**what** it does');
    expect(await handle.result()).toMatchObject({ args: ['emea', { deep: [1] }] });
  });

  it('stays what the user’s codec made of it, and search attributes stay readable', async () => {
    const { client } = worker();
    const sealed = ledger().newClient({ dataConverter: { payloadCodecs: [invertingCodec] } });
    const options = someSchedule({ action: full(), memo: { team: 'secret' } });
    const handle = await sealed.create(options);
    const stored = await ledger().query(`select v.action, v.args, s.memo
      from escapement.schedules s join escapement.schedule_versions v using (schedule_id)`);
    const everything = JSON.stringify(stored) + Buffer.from(JSON.stringify(stored)).toString();
    for (const secret of ['finance', 'the nightly one', 'what', 'secret', 'deep']) {
      const forms = [secret, Buffer.from(`"${secret}"`).toString('base64').replace(/=+$/, '')];
      if (secret !== 'finance') for (const form of forms) expect(everything).not.toContain(form);
    }

    const { event, metadata } = await startedWith(client, await fire(options.scheduleId));
    const encodings = [...event.input!.payloads!, event.memo!.fields!.owner!, metadata.summary!, metadata.details!].map(
      (payload) => Buffer.from(payload.metadata!.encoding!).toString(),
    );
    expect(new Set(encodings)).toEqual(new Set(['binary/inverted']));
    expect(JSON.parse(Buffer.from(event.searchAttributes!.indexedFields!.EscapementRegion!.data!).toString())).toBe(
      'emea',
    );
    const { action, memo } = await handle.describe();
    expect(action).toMatchObject({ args: full().args, memo: { owner: 'finance' }, staticSummary: 'the nightly one' });
    expect(memo).toEqual({ team: 'secret' });
  });

  it('says by itself what it is where no summary is set', async () => {
    const { staticSummary: _, ...action } = full();
    const options = someSchedule({ action });
    await ledger().client.create(options);
    const described = await worker()
      .client.workflow.getHandle(await fire(options.scheduleId))
      .describe();
    expect(await described.staticSummary()).toBe(`${options.scheduleId} · 2026-03-01 01:00 UTC`);
    expect(await described.staticDetails()).toBe('**what** it does');
  });

  it('lets Temporal’s UI and CLI find what a schedule started, as they find what its own started', async () => {
    const options = someSchedule({ action: full() });
    await ledger().client.create(options);
    const workflowId = await fire(options.scheduleId);
    const around = `TemporalScheduledStartTime between '2026-03-01T00:59:00Z' and '2026-03-01T01:01:00Z'`;
    const query = `TemporalScheduledById = '${options.scheduleId}' and ${around}`;
    await vi.waitFor(async () => {
      const found: string[] = [];
      for await (const execution of worker().client.workflow.list({ query })) found.push(execution.workflowId);
      expect(found).toEqual([workflowId]);
    }, 60_000);
  });
});

describe('the search attributes of Temporal’s own Schedules', () => {
  const refusal = (name: string) => new TemporalCallError(`search attribute ${name} is not defined`, 'rejected');

  it('are set where a namespace lists by them, which is asked once', async () => {
    const asked: string[] = [];
    const attributes = new ScheduledAttributes(async (namespace) => {
      asked.push(namespace);
      if (namespace === 'old') throw refusal('TemporalScheduledById');
    });
    const answers = ['new', 'old', 'new', 'old'].map((namespace) => attributes.areTakenIn(namespace));
    expect(await Promise.all(answers)).toEqual([true, false, true, false]);
    expect(asked).toEqual(['new', 'old']);
  });

  it('are left out where nobody answers, and asked for again a minute later, which holds up no start', async () => {
    let now = 0;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const asked: number[] = [];
    const probe = async () => {
      asked.push(now);
      if (asked.length === 1) throw new TemporalCallError('no answer', 'away');
      await answered;
    };
    const attributes = new ScheduledAttributes(probe, () => now);
    for (now of [0, 59_999, 60_000, 60_001]) expect(await attributes.areTakenIn('default')).toBe(false);
    expect(asked).toEqual([0, 60_000]);
    answer();
    await expect.poll(() => attributes.areTakenIn('default')).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('are given up where a start is refused because of them, and blamed for nothing else', async () => {
    const attributes = new ScheduledAttributes(async () => {});
    expect(await attributes.areTakenIn('default')).toBe(true);
    expect(attributes.wereRefused('default', refusal('MyOwn'))).toBe(false);
    expect(await attributes.areTakenIn('default')).toBe(true);
    expect(attributes.wereRefused('default', refusal('TemporalScheduledStartTime'))).toBe(true);
    expect(await attributes.areTakenIn('default')).toBe(false);
  });
});
