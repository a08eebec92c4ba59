import { propagation, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { defaultPayloadConverter } from '@temporalio/common';
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { someSchedule, uniqueName, useLedger } from '../../support/ledger';
import { quietSdk } from '../../support/quiet-sdk';
import { useWorker } from '../../support/temporal';

const ledger = useLedger('2026-03-01T00:30:00Z');
const plain = useWorker();
const spans = new InMemorySpanExporter();
const processor = new SimpleSpanProcessor(spans);
const taskQueue = uniqueName('traced');
let stop: () => Promise<void>;

/** A worker as its user sets it up with Temporal's own plugin: what its workflows export goes into `spans`. */
beforeAll(async () => {
  quietSdk();
  // The plugin is of the SDK's first major version, and the set-up of the second: both take each other's spans.
  const plugin = new OpenTelemetryPlugin({ spanProcessor: processor, resource: {} } as never);
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('../../support/workers/workflows.ts'),
    workflowInterceptorModules: [require.resolve('@temporalio/interceptors-opentelemetry/lib/workflow-interceptors')],
    logger: new DefaultLogger('ERROR'),
  });
  const connection = await NativeConnection.connect({ address: inject('temporalAddress') });
  const worker = await Worker.create({ connection, taskQueue, workflowBundle, plugins: [plugin] });
  const running = worker.run();
  stop = async () => {
    worker.shutdown();
    await running;
    await connection.close();
  };
});

afterAll(() => stop());

afterEach(() => {
  trace.disable();
  propagation.disable();
  spans.reset();
});

/** What a program with an SDK of OpenTelemetry does at its start. */
function setUpTracing(): void {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
}

async function fired() {
  const action = { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue } as const;
  const { scheduleId } = await ledger().client.create(someSchedule({ action }));
  const { passes } = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:02Z');
  await passes.claim();
  await passes.dispatch();
  const [firing] = await ledger().firings(scheduleId);
  const execution = plain().client.workflow.getHandle(firing!.workflowId!);
  await execution.result();
  return { scheduleId, passes, firing: firing!, execution };
}

/** Header of the workflow's first event, by name. */
async function headersOf({ execution }: Awaited<ReturnType<typeof fired>>) {
  const { events } = await execution.fetchHistory();
  return events![0]!.workflowExecutionStartedEventAttributes!.header?.fields ?? {};
}

const named = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name);
/** By the first major version of the SDK, or by the second. */
const parentOf = (span: ReadableSpan) =>
  (span as { parentSpanId?: string }).parentSpanId ?? span.parentSpanContext?.spanId;

it('with an SDK set up the firing’s span is the parent of the workflow’s', async () => {
  setUpTracing();
  const { scheduleId, firing } = await fired();
  await expect.poll(() => named('RunWorkflow:echoFiring')).toHaveLength(1);
  const [[start], [workflow]] = [named('Firing:echoFiring'), named('RunWorkflow:echoFiring')];
  expect(start!.attributes).toEqual({
    run_id: firing.runId,
    temporalWorkflowId: firing.workflowId,
    'escapement.namespace': 'default',
    'escapement.schedule_id': scheduleId,
    'escapement.scheduled_time': '2026-03-01T01:00:00.000Z',
    'escapement.kind': 'schedule',
    'escapement.start_attempt': 1,
    'escapement.recovered': false,
  });
  const { traceId, spanId } = start!.spanContext();
  expect([workflow!.spanContext().traceId, parentOf(workflow!)]).toEqual([traceId, spanId]);
});

it('a start that is called again has another span and finds the same run, whose parent stays the first', async () => {
  setUpTracing();
  const before = await fired();
  // As a crash between start and link leaves it.
  await ledger().query(
    `update escapement.firings set state = 'claimed', run_id = null, linked_at = null, check_at = '2026-03-01Z'`,
  );
  expect((await before.passes.reconcile()).restarted).toBe(1);
  const [again] = await ledger().firings(before.scheduleId);
  expect(again).toMatchObject({ state: 'linked', runId: before.firing.runId });
  const [first, second] = named('Firing:echoFiring');
  expect(second!.attributes).toMatchObject({ run_id: before.firing.runId });
  const { traceparent } = defaultPayloadConverter.fromPayload<{ traceparent: string }>(
    (await headersOf(before))['_tracer-data']!,
  );
  expect(traceparent).toContain(first!.spanContext().spanId);
});

it('a start that fails ends its span with the error', async () => {
  setUpTracing();
  const action = { type: 'startWorkflow', workflowType: 'echoFiring', taskQueue } as const;
  const namespace = uniqueName('nowhere');
  await ledger().client.create(someSchedule({ action, namespace }));
  const { passes } = await ledger().trigger();
  ledger().clock.set('2026-03-01T01:00:02Z');
  await passes.claim();
  await passes.dispatch();
  const [span] = named('Firing:echoFiring');
  expect(span).toMatchObject({ status: { code: 2, message: expect.stringContaining(namespace) } });
});

it('without an SDK a start carries no header and makes no span', async () => {
  expect(await headersOf(await fired())).toEqual({});
  expect(named('Firing:echoFiring')).toEqual([]);
});
