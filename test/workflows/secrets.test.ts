import { Client } from '@temporalio/client';
import { SimplePlugin } from '@temporalio/plugin';
import type { WorkerOptions } from '@temporalio/worker';
import { expect, it } from 'vitest';
import type { EscapementPlugin, EscapementPluginOptions } from '../../plugin';
import { Steps, useParking } from '../support/failures/parking';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { bundleOf } from '../support/packages/bundles';
import { politeCodec } from '../support/workers/codec';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger);
const failureConverterPath = require.resolve('../support/failures/encoding-failures.ts');
const dataConverter = { payloadCodecs: [politeCodec], failureConverterPath };
const SECRET = 'CARD-4711';

const ofTheWorker = (plugin: EscapementPlugin) => ({ plugins: [plugin], dataConverter });
/** As a plugin of the connection does, which the SDK always appends. */
const ofAPluginBehind = (plugin: EscapementPlugin) => ({
  plugins: [plugin, new SimplePlugin({ name: 'encryption', dataConverter })],
});

/** A worker whose failures are encrypted, and a schedule of orders that its first firing has claimed. */
async function encrypted(
  broken: 'chargeCard' | 'sendMail',
  options: EscapementPluginOptions = {},
  giveConverter: (plugin: EscapementPlugin) => Partial<WorkerOptions> = ofTheWorker,
) {
  const taskQueue = uniqueName('queue');
  const steps = new Steps();
  steps.broken.add(broken);
  const workflowsPath = require.resolve('../support/failures/park-workflows.ts');
  const workflowBundle = await bundleOf(workflowsPath, { park: true, failureConverterPath });
  const given = giveConverter(parking.plugin(options));
  await parking.work({ taskQueue, activities: steps.activities, workflowBundle, ...given });
  const client = ledger().newClient({ dataConverter });
  const action = { type: 'startWorkflow' as const, workflowType: 'order', taskQueue, args: [SECRET] };
  const { scheduleId } = await client.create(someSchedule({ action }));
  const trigger = await ledger().trigger();
  const fire = async () => {
    ledger().clock.advance(60 * 60 * 1_000);
    await trigger.passes.claim();
    await trigger.passes.dispatch();
    const [firing] = await ledger().firings(scheduleId);
    return parking.client().workflow.getHandle(firing!.workflowId!);
  };
  return { client, trigger, fire };
}

/** Everything that is written of it: each row of each table, and each log line. */
async function written(): Promise<string> {
  const tables = await ledger().query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'escapement'`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) => ledger().query(`select t::text as row from escapement.${name} t`)),
  );
  return JSON.stringify([rows, ledger().log]);
}

it.each([
  ['the worker', ofTheWorker],
  ['a plugin behind EscapementPlugin', ofAPluginBehind],
])(
  'a parked step’s failure reaches the ledger as the codec of %s left it, and is read by who has the codec',
  async (_, giveConverter) => {
    const { client, fire } = await encrypted('chargeCard', {}, giveConverter);
    const execution = await fire();
    const [letter] = await parking.letters(1);
    expect(letter!.failed_step.failure).toMatchObject({ message: 'Encoded failure', encoded: expect.any(String) });
    expect(await written()).not.toContain(SECRET);
    const { failedStep } = await client.deadLetters.get(letter!.letter_id);
    expect(failedStep!.failure).toEqual({ type: 'Error', message: `chargeCard of ${SECRET} does not work` });
    expect((await ledger().client.deadLetters.get(letter!.letter_id)).failedStep!.failure.message).toBe(
      'Encoded failure',
    );
    await execution.terminate();
  },
);

it('a failed workflow’s failure stays encrypted in its letter, in the log and in the next one’s memo', async () => {
  const { client, trigger, fire } = await encrypted('sendMail');
  const first = await fire();
  await first.result().catch(() => {});
  ledger().clock.advance(60_000);
  await trigger.passes.observe();
  const [letter] = await parking.letters(1);
  const next = await fire();
  const { raw } = await next.describe();
  expect(JSON.stringify(raw)).not.toContain(SECRET);
  expect(Buffer.from(raw.workflowExecutionInfo!.memo!.fields!.escapement!.data!).toString()).not.toContain(SECRET);
  expect(await written()).not.toContain(SECRET);
  const { failedStep } = await client.deadLetters.get(letter!.letter_id);
  expect(failedStep!.failure).toEqual({ type: 'Error', message: `sendMail of ${SECRET} does not work` });
  await next.terminate().catch(() => {});
});

it.each([
  ['redacted', { redact: (text: string) => text.replaceAll(SECRET, '…') }, ' of … does not work'],
  ['left out', { keepFailureTexts: false }, ''],
])('a failure’s text is %s before the worker or the trigger writes it down', async (_, options, kept) => {
  const taskQueue = uniqueName('queue');
  const steps = new Steps();
  const plugins = [parking.plugin(options)];
  await parking.work({ taskQueue, activities: steps.activities, plugins });
  steps.broken.add('chargeCard');
  const parked = await parking.fire('order', taskQueue, [SECRET]);
  const [letter] = await parking.letters(1);
  expect(letter!.failed_step.failure).toEqual({ type: 'Error', message: kept && `chargeCard${kept}` });
  await parked.terminate();

  steps.broken.clear();
  steps.broken.add('sendMail');
  const failed = await parking.fire('order', taskQueue, [SECRET]);
  await failed.result().catch(() => {});
  ledger().clock.advance(60_000);
  await (await ledger().trigger(options)).passes.observe();
  const letters = await ledger().query(
    `select failed_step -> 'failure' as failure from escapement.dead_letters where workflow_id = $1`,
    [failed.workflowId],
  );
  expect(letters).toEqual([{ failure: { type: 'Error', message: kept && `sendMail${kept}` } }]);
  expect(await written()).not.toContain(SECRET);
});

it('the result that a person gives a parked step is encrypted in the ledger, and the workflow reads it', async () => {
  const { client, trigger, fire } = await encrypted('chargeCard');
  const execution = await fire();
  const [letter] = await parking.letters(1);
  const done = await client.deadLetters.complete(letter!.letter_id, { paid: SECRET });
  expect(done).toMatchObject({ state: 'redriving', redrive: { mode: 'complete', result: expect.any(String) } });
  // The codec encodes, and does not hide it from base64 alone.
  expect(Buffer.from(done.redrive!.result!, 'base64').toString()).not.toContain(SECRET);
  expect(await trigger.passes.redrive()).toMatchObject({ decided: 1 });
  const { connection } = parking.client();
  const reading = new Client({ connection, dataConverter }).workflow.getHandle(execution.workflowId);
  expect(await reading.result()).toEqual([{ paid: SECRET }, `sendMail ${SECRET}`]);
  expect(await written()).not.toContain(SECRET);
});
