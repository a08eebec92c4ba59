import type { PayloadCodec } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import type { ScheduleAction } from '../../index';
import { someSchedule, useLedger } from '../support/ledger';

const ledger = useLedger('2026-03-01T00:30:00Z');
const MiB = 1024 * 1024;
const text = (bytes: number) => 'x'.repeat(bytes);
const action = (fields: Partial<ScheduleAction>): ScheduleAction => ({
  type: 'startWorkflow',
  workflowType: 'echoFiring',
  taskQueue: 'nobody-polls',
  ...fields,
});
/** What a payload of JSON text is larger than its text: quotes, encoding, lengths. */
const AROUND = 40;

describe('what is larger than Temporal takes', () => {
  it.each<[string, Partial<ScheduleAction>]>([
    ['action.args', { args: [text(2 * MiB)] }],
    ['action.args', { args: [text(MiB), text(MiB)] }],
    ['action.memo', { memo: { large: text(2 * MiB) } }],
    ['action.memo', { args: [text(2 * MiB - 1_000)], memo: { large: text(2 * MiB - 9_000) } }],
    ['action.staticSummary', { staticSummary: text(400) }],
    ['action.staticSummary', { staticSummary: '€'.repeat(134) }],
    ['action.staticDetails', { staticDetails: text(20_000) }],
  ])('is refused at create and at update by its path: %s', async (path, fields) => {
    const { client } = ledger();
    await expect(client.create(someSchedule({ action: action(fields) }))).rejects.toMatchObject({
      path,
      problem: expect.stringMatching(/bytes when encoded.*; Temporal takes at most \d+$/),
    });
    expect(await ledger().query('select * from escapement.schedules')).toEqual([]);
    const handle = await client.create(someSchedule());
    await expect(handle.update((previous) => ({ ...previous, action: action(fields) }))).rejects.toMatchObject({
      path,
    });
    expect((await handle.describe()).info.version).toBe(1);
  });

  it('is refused as arguments of one firing, together with the memo of the action', async () => {
    const args = [text(2 * MiB - 1_000)];
    const handle = await ledger().client.create(
      someSchedule({ action: action({ memo: { large: text(2 * MiB - 9_000) } }) }),
    );
    await expect(handle.trigger({ args })).rejects.toMatchObject({
      path: 'action.memo',
      problem: expect.stringMatching(/bytes when encoded, with args and details; Temporal takes at most \d+$/),
    });
    expect(await ledger().query('select from escapement.firings')).toEqual([]);
  });

  it('is refused as a memo of the schedule itself too', async () => {
    const options = someSchedule({ memo: { large: text(2 * MiB) } });
    await expect(ledger().client.create(options)).rejects.toMatchObject({ path: 'memo' });
  });

  it('is measured as the user’s codec made it', async () => {
    const doubling: PayloadCodec = {
      encode: async (payloads) =>
        payloads.map((payload) => ({ ...payload, data: Buffer.concat([payload.data!, payload.data!]) })),
      decode: async (payloads) => payloads,
    };
    const client = ledger().newClient({ dataConverter: { payloadCodecs: [doubling] } });
    const options = someSchedule({ action: action({ args: [text(MiB + 1)] }) });
    await expect(client.create(options)).rejects.toMatchObject({ path: 'action.args' });
    await ledger().client.create(options);
  });

  it.each<[string, Partial<ScheduleAction>]>([
    ['args', { args: [text(2 * MiB - AROUND)] }],
    ['memo', { memo: { large: text(2 * MiB - 8 * 1_024 - 2 * AROUND) } }],
    ['both', { args: [text(2 * MiB - AROUND)], memo: { large: text(2 * MiB - 192 * 1_024) } }],
    ['summary and details', { staticSummary: text(400 - AROUND), staticDetails: text(20_000 - AROUND) }],
  ])('begins where Temporal still takes it: %s', async (_, fields) => {
    const { scheduleId } = await ledger().client.create(someSchedule({ action: action(fields) }));
    const trigger = await ledger().trigger();
    ledger().clock.set('2026-03-01T01:00:00Z');
    await trigger.passes.claim();
    expect(await trigger.passes.dispatch()).toMatchObject({ linked: 1 });
    expect((await ledger().firings(scheduleId))[0]).toMatchObject({ state: 'linked' });
  });
});
